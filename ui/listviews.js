// listviews.js - top, peek, tags, traces and details.

import { fill, h, visible } from "./dom.js";
import { baseName } from "./names.js";
import { compile, exactly } from "./regex.js";
import { label, percentage } from "./units.js";

/** @typedef {import("./app.js").App} App */

const LINE_HEIGHT = 26;

const COLUMNS = [
  { id: "flat", title: "Flat", tip: "spent in the function itself" },
  { id: "flatShare", title: "Flat %", sort: "flat", tip: "its share of the total" },
  { id: "sum", title: "Sum %", sort: "flat", tip: "the shares so far, added up" },
  { id: "cum", title: "Cum", tip: "spent in the function and what it called" },
  { id: "cumShare", title: "Cum %", sort: "cum", tip: "its share of the total" },
  { id: "name", title: "Name", tip: "function" },
];

/** A bar behind a number; its colour shows growth in a comparison. @param {number} share from 0 to 1 @param {number} change */
function shareBar(share, change) {
  const bar = h("span", { class: change > 0 ? "bar more" : change < 0 ? "bar less" : "bar" });
  bar.style.width = `${(share * 100).toFixed(2)}%`;
  return h("span", { class: "track" }, bar);
}

/** A table of any length: only visible rows exist as elements. */
export class TopView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.sort = "flat";
    this.isReversed = false;
    /** Columns of the table, heaviest first. @type {{names: string[], flat: Float64Array, cum: Float64Array, inlined: Uint8Array}} */
    this.all = { names: [], flat: new Float64Array(0), cum: new Float64Array(0), inlined: new Uint8Array(0) };
    /** Shown rows, in order. */
    this.rows = new Uint32Array(0);
    /** Running sums of flat values by row. */
    this.sums = new Float64Array(0);
    this.selected = -1;
    this.turn = 0;
    this.head = h("div", { class: "tr head", role: "row" });
    this.body = h("div", { class: "rows", role: "rowgroup" });
    this.scroll = h("div", { class: "scroll", tabindex: "0", role: "table", "aria-label": "Functions by weight. Arrow keys move, Enter peeks, m opens the menu." }, this.head, this.body);
    this.note = h("div", { class: "note" });
    this.el = h("div", { class: "view topview" }, this.note, this.scroll);
    this.scroll.addEventListener("scroll", () => this.draw());
    this.scroll.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => this.draw()).observe(this.scroll);
  }

  async show() {
    const turn = ++this.turn, data = await this.app.ask("top", {});
    if (turn !== this.turn) return;
    this.about = data.about;
    this.all = data;
    this.order();
    this.app.about(data.about);
    fill(this.note, data.names.length === 0 ? h("div", { class: "empty" }, ...this.app.whyEmpty()) : null);
  }

  order() {
    const by = this.sort, sign = this.isReversed ? -1 : 1, text = this.app.store.state.search, { names, flat, cum } = this.all;
    let pattern = /** @type {RegExp | null} */ (null);
    try {
      pattern = text ? compile(text, "search") : null;
    } catch {
      pattern = null;
    }
    const rows = Uint32Array.from(names, (_, i) => i).filter((i) => !pattern || pattern.test(names[i]));
    const byName = (/** @type {number} */ a, /** @type {number} */ b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0);
    if (by === "name") rows.sort((a, b) => sign * byName(a, b));
    else if (by === "cum") rows.sort((a, b) => sign * (Math.abs(cum[b]) - Math.abs(cum[a])) || byName(a, b));
    else if (this.isReversed) rows.reverse();
    let sum = 0;
    this.sums = Float64Array.from(rows, (i) => (sum += flat[i]));
    this.rows = rows;
    this.selected = -1;
    this.drawHead();
    this.draw();
  }

  drawHead() {
    fill(this.head, ...COLUMNS.map((c) => {
      const by = c.sort || c.id, isOn = by === this.sort && by === c.id;
      const mark = isOn ? (this.isReversed ? " ↑" : " ↓") : "";
      return h("button", { class: `cell ${c.id}`, role: "columnheader", title: `${c.tip}; click to sort`, "aria-sort": isOn ? (this.isReversed ? "ascending" : "descending") : "none", onclick: () => this.sortBy(by) }, c.title + mark);
    }));
  }

  /** @param {string} by */
  sortBy(by) {
    this.isReversed = by === this.sort ? !this.isReversed : false;
    this.sort = by;
    this.order();
  }

  draw() {
    const n = this.rows.length, from = Math.max(0, Math.floor(this.scroll.scrollTop / LINE_HEIGHT) - 10);
    const to = Math.min(n, from + Math.ceil(this.scroll.clientHeight / LINE_HEIGHT) + 24);
    this.body.style.height = `${n * LINE_HEIGHT}px`;
    fill(this.body, ...Array.from({ length: Math.max(0, to - from) }, (_, i) => this.row(this.rowAt(from + i), from + i)));
  }

  /** @param {number} i place in the table */
  rowAt(i) {
    const at = this.rows[i], all = this.all;
    return { name: all.names[at], flat: all.flat[at], cum: all.cum[at], inlined: all.inlined[at], sum: this.sums[i] };
  }

  /** @param {ReturnType<TopView["rowAt"]>} r @param {number} i */
  row(r, i) {
    const about = this.about, show = (/** @type {number} */ v) => label(v, about.unit, this.app.unit());
    const share = Math.min(1, Math.abs(r.flat) / (about.total || 1)), whole = Math.min(1, Math.abs(r.cum) / (about.total || 1));
    const bar = shareBar(share, this.app.isDiff() ? r.flat : 0), cumBar = shareBar(whole, this.app.isDiff() ? r.cum : 0);
    const row = h("div", { class: i === this.selected ? "tr selected" : "tr", role: "row", onclick: () => this.select(i), ondblclick: () => this.open(i), oncontextmenu: (/** @type {MouseEvent} */ e) => this.menu(e, i) },
      h("span", { class: "cell flat", role: "cell" }, show(r.flat)),
      h("span", { class: "cell flatShare", role: "cell" }, bar, h("span", { class: "over" }, percentage(r.flat, about.total))),
      h("span", { class: "cell sum", role: "cell" }, percentage(r.sum, about.total)),
      h("span", { class: "cell cum", role: "cell" }, show(r.cum)),
      h("span", { class: "cell cumShare", role: "cell" }, cumBar, h("span", { class: "over" }, percentage(r.cum, about.total))),
      h("span", { class: "cell name", role: "cell", title: visible(r.name) }, visible(r.name), r.inlined ? h("em", {}, r.inlined === 2 ? " (inline)" : " (partial-inline)") : null));
    row.style.top = `${i * LINE_HEIGHT}px`;
    return row;
  }

  /** @param {number} i */
  select(i) {
    this.selected = i;
    this.draw();
    this.app.status(visible(this.rowAt(i).name));
  }

  /** @param {number} i */
  open(i) {
    this.app.store.go({ view: "peek", arg: exactly(this.rowAt(i).name) });
  }

  /** @param {MouseEvent} e @param {number} i */
  menu(e, i) {
    e.preventDefault();
    this.select(i);
    this.app.openMenu(this.rowAt(i).name, e.clientX, e.clientY);
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const step = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 })[e.key];
    if (step) {
      e.preventDefault();
      const i = Math.max(0, Math.min(this.rows.length - 1, this.selected + step));
      if (!this.rows.length) return;
      const y = i * LINE_HEIGHT, box = this.scroll;
      if (y < box.scrollTop) box.scrollTop = y;
      else if (y + 3 * LINE_HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = y + 3 * LINE_HEIGHT - box.clientHeight;
      this.select(i);
    } else if (this.selected >= 0 && e.key === "Enter") this.open(this.selected);
    else if (this.selected >= 0 && e.key === "m") this.app.openMenu(this.rowAt(this.selected).name, 200, 200);
  }

  chosen() {
    return this.selected >= 0 ? this.rowAt(this.selected).name : "";
  }
  highlight() {
    this.order();
  }
  /** @param {number} step */
  nextMatch(step) {
    const n = this.rows.length;
    if (n) this.select((Math.max(this.selected, step > 0 ? -1 : 0) + step + n) % n);
    return { at: this.selected + 1, n };
  }
  /** The rows as text, in the format of the report. */
  text() {
    const about = this.about, show = (/** @type {number} */ v) => label(v, about.unit, this.app.unit()).padStart(10);
    const head = "      flat  flat%   sum%        cum   cum%\n";
    return head + Array.from(this.rows, (_, i) => this.rowAt(i)).map((r) => `${show(r.flat)} ${percentage(r.flat, about.total).padStart(6)} ${percentage(r.sum, about.total).padStart(6)} ${show(r.cum)} ${percentage(r.cum, about.total).padStart(6)}  ${r.name}\n`).join("");
  }
}

/** Callers and callees of functions that match. */
export class PeekView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.turn = 0;
    this.scroll = h("div", { class: "scroll peek" });
    this.el = h("div", { class: "view" }, this.scroll);
  }

  async show() {
    const s = this.app.store.state, turn = ++this.turn, pattern = s.arg || s.options.focus;
    const data = await this.app.ask("peek", { pattern, most: pattern ? 30 : 12 });
    if (turn !== this.turn) return;
    this.about = data.about;
    this.app.about(data.about);
    if (data.blocks.length === 0) {
      fill(this.scroll, h("div", { class: "empty" }, pattern ? h("p", {}, "No function matches ", h("code", {}, visible(pattern)), ".") : null, ...(pattern ? [] : this.app.whyEmpty())));
      return;
    }
    fill(this.scroll, pattern ? null : h("p", { class: "hint" }, "The heaviest functions. Choose one anywhere and press p to see it alone."),
      ...data.blocks.map((/** @type {any} */ b) => this.block(b)),
      data.nMatches > data.blocks.length ? h("p", { class: "hint" }, `${data.nMatches - data.blocks.length} more match.`) : null);
  }

  /** @param {any} b */
  block(b) {
    const about = this.about, show = (/** @type {number} */ v) => label(v, about.unit, this.app.unit());
    const line = (/** @type {any} */ e, /** @type {string} */ kind) => {
      const bar = shareBar(Math.min(1, Math.abs(e.value / (b.cum || 1))), this.app.isDiff() ? e.value : 0);
      return h("button", { class: "edge", onclick: () => this.app.store.go({ arg: exactly(e.name) }), title: visible(e.name) },
        h("span", { class: "way" }, kind), h("span", { class: "num" }, show(e.value)), h("span", { class: "num share" }, bar, h("span", { class: "over" }, percentage(e.value, b.cum))), h("span", { class: "name" }, visible(e.name)));
    };
    return h("section", { class: "block", "aria-label": visible(b.name) },
      ...b.callers.map((/** @type {any} */ e) => line(e, "called by")),
      h("div", { class: "self" }, h("strong", {}, visible(b.name)), h("span", {}, `flat ${show(b.flat)} (${percentage(b.flat, about.total)}), cum ${show(b.cum)} (${percentage(b.cum, about.total)})`), b.file ? h("small", {}, visible(b.file)) : null),
      ...b.callees.map((/** @type {any} */ e) => line(e, "calls")));
  }
  chosen() {
    return "";
  }
}

/** Each label as a small table to click. */
export class TagsView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.turn = 0;
    this.scroll = h("div", { class: "scroll tags" });
    this.el = h("div", { class: "view" }, this.scroll);
  }
  async show() {
    const turn = ++this.turn, data = await this.app.ask("tags", { most: 100 });
    if (turn !== this.turn) return;
    this.app.about(data.about);
    if (!data.keys.length) {
      fill(this.scroll, h("div", { class: "empty" }, h("p", {}, "These samples carry no labels."), h("p", {}, "A program sets them with cpprof_label_set(), Go programs with pprof.Do(); heap profiles label sizes as bytes.")));
      return;
    }
    fill(this.scroll, ...data.keys.map((/** @type {any} */ k) => this.table(k, data.about)));
  }
  /** @param {any} k @param {any} about */
  table(k, about) {
    const rows = k.values.map((/** @type {any} */ v) => {
      const bar = shareBar(Math.min(1, Math.abs(v.value / (about.total || 1))), this.app.isDiff() ? v.value : 0);
      return h("button", { class: "edge", title: "Only samples with this label", onclick: () => this.app.store.refine({ tagFocus: this.filter(k, v.text) }) },
        h("span", { class: "num" }, label(v.value, about.unit, this.app.unit())), h("span", { class: "num share" }, bar, h("span", { class: "over" }, percentage(v.value, about.total))), h("span", { class: "name" }, visible(v.text)));
    });
    return h("section", { class: "block", "aria-label": visible(k.key) }, h("div", { class: "self" }, h("strong", {}, visible(k.key)), h("span", {}, `${k.nValues} value${k.nValues === 1 ? "" : "s"}, ${label(k.total, about.unit, this.app.unit())} (${percentage(k.total, about.total)})`),
      h("button", { onclick: () => this.app.store.go({ view: "flamegraph", options: { ...this.app.store.state.options, tagRoot: k.key }, path: [] }) }, "Group the flame graph by it")), ...rows, k.nValues > k.values.length ? h("p", { class: "hint" }, `and ${k.nValues - k.values.length} more`) : null);
  }
  /** @param {any} k @param {string} text */
  filter(k, text) {
    return k.isNumber ? `${k.key}=${text}` : `${k.key}=${exactly(text).replace(/,/g, ".")}`;
  }
  chosen() {
    return "";
  }
}

/** The heaviest samples, each with its stack. */
export class TracesView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.turn = 0;
    this.n = 50;
    this.scroll = h("div", { class: "scroll traces" });
    this.el = h("div", { class: "view" }, this.scroll);
  }
  async show() {
    const turn = ++this.turn, data = await this.app.ask("traces", { from: 0, to: this.n });
    if (turn !== this.turn) return;
    const about = data.about;
    this.app.about(about);
    if (!data.n) return fill(this.scroll, h("div", { class: "empty" }, ...this.app.whyEmpty()));
    fill(this.scroll, h("p", { class: "hint" }, `${data.rows.length} of ${data.n} samples, heaviest first.`),
      ...data.rows.map((/** @type {any} */ r) => h("section", { class: "block" },
        h("div", { class: "self" }, h("strong", {}, label(r.value, about.unit, this.app.unit())), h("span", {}, percentage(r.value, about.total)), h("span", {}, r.labels.map((/** @type {string[]} */ l) => `${visible(l[0])}: ${visible(l[1])}`).join("   "))),
        h("ol", {}, ...r.frames.map((/** @type {any} */ f) => h("li", {}, visible(f.name), f.inlined ? h("em", {}, " (inline)") : null))))),
      data.rows.length < data.n ? h("button", { onclick: () => { this.n += 200; this.show(); } }, "More") : null);
  }
  chosen() {
    return "";
  }
}

/** Properties of the profile. */
export class DetailsView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.scroll = h("div", { class: "scroll details" });
    this.el = h("div", { class: "view" }, this.scroll);
  }
  async show() {
    const p = this.app.profile, about = await this.app.ask("about", {}), labelKeys = await this.app.ask("labelKeys", {});
    this.app.about(about);
    const rows = [
      ["Name", this.app.title],
      ["Sample types", p.types.map((/** @type {any} */ t) => `${t.type}/${t.unit}`).join(", ")],
      ["Taken", p.timeNanos ? new Date(p.timeNanos / 1e6).toLocaleString() : "not said"],
      ["Duration", p.durationNanos ? label(p.durationNanos, "nanoseconds", "minimum") : "not said"],
      ["Period", p.period ? `${label(p.period, p.periodType.unit, "minimum")} ${p.periodType.type}` : "not said"],
      ["Samples", `${about.nSamples.toLocaleString()} shown of ${p.nSamples.toLocaleString()}, ${p.nFrames.toLocaleString()} frames`],
      ["Functions", p.nFunctions.toLocaleString()],
      ["Labels", labelKeys.join(", ") || "none"],
      ["Comments", p.comments.join("\n") || "none"],
    ];
    fill(this.scroll, h("dl", {}, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, visible(String(text)).replace(/\u240a/g, "\n"))])),
      h("h2", {}, "Mappings"), p.mappings.every((/** @type {any} */ m) => !m.file) ? h("p", { class: "hint" }, "none") : h("table", {}, h("tr", {}, ...["Start", "Limit", "File", "Build id"].map((t) => h("th", {}, t))),
        ...p.mappings.slice(0, 500).map((/** @type {any} */ m) => h("tr", {}, h("td", {}, m.start), h("td", {}, m.limit), h("td", { title: visible(m.file) }, visible(baseName(m.file))), h("td", {}, visible(m.buildId))))));
  }
  chosen() {
    return "";
  }
}
