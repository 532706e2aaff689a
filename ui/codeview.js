// codeview.js - source and machine code with their weight, side by side.
//
// The server sends the reports list and disasm. A source line and its instructions
// are linked: hovering over one highlights the others, a click scrolls to them.

import { fill, h, visible } from "./dom.js";
import { baseName } from "./names.js";
import { exactly } from "./regex.js";
import { label } from "./units.js";

/** @typedef {import("./app.js").App} App */

/** "flat cum line: code" lines of list and disasm. */
const CODE = /^ *(\S+) +(\S+) +([0-9a-f]+):(.*)$/;
/** Source position of an instruction: ";function file.c:12". */
const ORIGIN = /\s*;(\S.*) (\S+):(\d+)$/;

/** One of the two sides: rows with their source lines. */
class Side {
  /** @param {boolean} isMachine @param {(key: string, isPinned: boolean) => void} pointed */
  constructor(isMachine, pointed) {
    this.isMachine = isMachine;
    this.el = h("div", { class: "scroll code" });
    this.pointed = pointed;
    /** Rows of a source line. @type {Map<string, HTMLElement[]>} */
    this.rows = new Map();
  }

  /** @param {string} text */
  show(text) {
    const rows = text.split("\n").map((line) => ({ line, found: CODE.exec(line) }));
    const most = rows.reduce((m, r) => (r.found ? Math.max(m, amount(r.found[2])) : m), 0), out = [];
    let table = h("div", { class: "lines" }), file = "", key = "";
    this.rows.clear();
    for (const { line, found } of rows) {
      if (/^ROUTINE =/.test(line)) {
        const title = line.replace(/^ROUTINE =+ /, ""), at = title.lastIndexOf(" in ");
        file = at >= 0 ? baseName(title.slice(at + 4)) : "";
        key = "";
        table = h("div", { class: "lines" }, h("div", { class: "line head" }, h("span", { class: "num" }, "Flat"), h("span", { class: "num" }, "Cum"), h("span", { class: "at" }, this.isMachine ? "Address" : "Line")));
        out.push(h("h2", {}, visible(title)), table);
      } else if (found) {
        const origin = this.isMachine ? ORIGIN.exec(found[4]) : null;
        if (!this.isMachine) key = `${file}:${found[3]}`;
        else if (origin) key = `${baseName(origin[2])}:${origin[3]}`;
        table.append(this.row(found, most, key, origin));
      } else if (/\(flat, cum\)/.test(line)) out[out.length - 2].append(h("small", {}, visible(totals(line))));
      else if (line.trim() && !/^Total:/.test(line)) table.append(h("div", { class: "line plain" }, visible(line)));
    }
    fill(this.el, ...(out.length ? out : [h("div", { class: "empty" }, visible(text.trim() || "Nothing was found."))]));
  }

  /** @param {RegExpExecArray} found @param {number} most @param {string} key @param {RegExpExecArray | null} origin */
  row(found, most, key, origin) {
    const text = origin ? found[4].slice(0, origin.index) : found[4], heat = most > 0 ? amount(found[2]) / most : 0;
    const row = h("div", { class: "line", tabindex: heat > 0 ? "0" : undefined, onmouseenter: () => this.pointed(key, false), onclick: () => this.pointed(key, true), onkeydown: (/** @type {KeyboardEvent} */ e) => e.key === "Enter" && this.pointed(key, true) },
      h("span", { class: "num" }, dot(found[1])), h("span", { class: "num" }, dot(found[2])), h("span", { class: "at" }, found[3]), h("span", { class: "text" }, visible(text.replace(/\t/g, "    "))),
      origin ? h("span", { class: "origin", title: visible(origin[1]) }, visible(`${baseName(origin[2])}:${origin[3]}`)) : null);
    if (heat > 0) row.style.setProperty("--heat", (0.08 + 0.5 * heat).toFixed(3));
    const list = this.rows.get(key);
    if (list) list.push(row);
    else this.rows.set(key, [row]);
    return row;
  }

  /** @param {string} key @param {boolean} isPinned */
  light(key, isPinned) {
    for (const row of this.el.querySelectorAll(".same")) row.classList.remove("same");
    const list = this.rows.get(key) || [];
    for (const row of list) row.classList.add("same");
    if (isPinned && list.length) list[0].scrollIntoView({ block: "nearest" });
  }
}

export class CodeView {
  /** @param {App} app @param {"source" | "disasm"} kind */
  constructor(app, kind) {
    this.app = app;
    this.kind = kind;
    this.turn = 0;
    const pointed = (/** @type {string} */ key, /** @type {boolean} */ isPinned) => this.light(key, isPinned);
    this.sides = kind === "source" ? [new Side(false, pointed), new Side(true, pointed)] : [new Side(true, pointed)];
    this.el = h("div", { class: "view" });
    this.place = h("div", { class: "scroll code" });
  }

  async show() {
    const s = this.app.store.state, turn = ++this.turn, what = this.kind === "source" ? "Source" : "Disassembly";
    fill(this.el, this.place);
    if (!this.app.server) return fill(this.place, this.app.needsServer(`${what} is read on the machine with the files`));
    const pattern = s.arg || s.options.focus;
    if (!pattern) return this.choose(what);
    fill(this.place, h("div", { class: "empty" }, "Reading…"));
    const kinds = this.kind === "source" ? ["source", "disasm"] : ["disasm"];
    const answers = await Promise.all(kinds.map((kind) => this.app.fromServer(kind, { arg: pattern }).catch((e) => e)));
    if (turn !== this.turn) return;
    if (answers.every((a) => a instanceof Error)) {
      fill(this.place);
      throw answers[0];
    }
    answers.forEach((a, i) => this.sides[i].show(a instanceof Error ? `${kinds[i] === "source" ? "No source" : "No machine code"}: ${a.message}` : a));
    fill(this.el, h("div", { class: "sides" }, ...this.sides.map((side) => side.el)));
    this.app.about(await this.app.ask("about", {}));
  }

  /** @param {string} key @param {boolean} isPinned */
  light(key, isPinned) {
    for (const side of this.sides) side.light(key, isPinned);
  }

  /** @param {string} what */
  async choose(what) {
    const data = await this.app.ask("top", { most: 40 });
    this.app.about(data.about);
    fill(this.place, h("p", { class: "hint" }, `${what} of which function?`), h("section", { class: "block" },
      ...data.names.map((/** @type {string} */ name, /** @type {number} */ i) => h("button", { class: "edge", onclick: () => this.app.store.go({ arg: exactly(name) }) }, h("span", { class: "num" }, label(data.flat[i], data.about.unit, this.app.unit())), h("span", { class: "name" }, visible(name))))));
  }

  chosen() {
    return "";
  }
}

/** "50ms 60ms (flat, cum) 12% of Total" shortened. @param {string} line */
function totals(line) {
  const found = /^\s*(\S+)\s+(\S+) \(flat, cum\)\s+(\S+) of/.exec(line);
  return found ? `flat ${found[1]}, cum ${found[2]} (${found[3]})` : line.trim();
}

/** @param {string} text */
function dot(text) {
  return text === "." ? "" : text;
}

const SIZES = /** @type {Record<string, number>} */ ({ ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, hrs: 3600, kB: 1024, MB: 1048576, GB: 1073741824, B: 1 });

/** @param {string} text */
function amount(text) {
  const found = /^-?(\d[\d.]*)([a-zA-Z]*)$/.exec(text);
  return found ? Number(found[1]) * (SIZES[found[2]] || 1) : 0;
}
