// flameview.js - the flame graph, or two of them around a function.
//
// The worker gives boxes. Zooming shows what is here at once and asks the worker
// for the finer boxes of the chosen one.

import { fill, h, visible } from "./dom.js";
import { FlameCanvas } from "./flamecanvas.js";
import { compile, exactly, plainly } from "./regex.js";
import { label, percentage } from "./units.js";

/** "0.25-0.5" as numbers. @param {string} text @returns {[number, number]} */
function rangeOf(text) {
  const [from, to] = text.split("-").map(Number);
  return from >= 0 && to > from ? [from, to] : [0, 1];
}

/** The page with one canvas, or two around a pivot. */
export class FlameView {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.main = new FlameCanvas(app, { isUpward: false, title: "Flame graph. Arrow keys move, Enter zooms, m opens the menu." });
    this.upper = new FlameCanvas(app, { isUpward: true, title: "Callers of the chosen function" });
    this.main.onpick = (box) => this.zoom(this.main, box);
    this.upper.onpick = (box) => this.repivot(this.upper, box);
    this.bar = h("div", { class: "viewbar" });
    this.note = h("div", { class: "note", role: "note" });
    this.scroll = h("div", { class: "scroll" });
    this.el = h("div", { class: "view flameview" }, this.bar, this.note, this.scroll);
    this.turn = 0;
    this.at = -1;
    this.size = "";
    new ResizeObserver(() => this.resize()).observe(this.scroll);
    this.scroll.addEventListener("scroll", () => {
      this.main.scrolled();
      this.upper.scrolled();
      this.app.tip(null);
    });
  }

  resize() {
    const size = `${this.scroll.clientWidth} ${this.scroll.clientHeight}`;
    if (size === this.size) return;
    this.size = size;
    this.main.resize();
    this.upper.resize();
  }

  async show() {
    const s = this.app.store.state, turn = ++this.turn;
    this.drawBar();
    const finest = 0.4 / Math.max(600, this.scroll.clientWidth);
    const ask = (/** @type {any} */ extra) => this.app.ask("tree", { finest, order: s.order === "name" ? "name" : "weight", ...extra });
    if (s.pivot) {
      const [down, up] = await Promise.all([ask({ pivot: s.pivot }), ask({ pivot: s.pivot, isUp: true })]);
      if (turn === this.turn) this.sandwich(up, down);
      return;
    }
    const isByTime = s.order === "time" && this.app.profile.hasTimes;
    const tree = await ask(isByTime ? { order: "time", range: rangeOf(s.range), isUp: s.isUp } : { path: s.path, isUp: s.isUp });
    if (turn !== this.turn) return;
    this.main.isUpward = s.isFlame;
    fill(this.scroll, this.main.el);
    this.main.show(tree, "All samples");
    this.highlight(s.search);
    if (s.isFlame) this.scroll.scrollTop = this.scroll.scrollHeight;
    this.explain(tree);
    this.app.about(tree.about);
  }

  /** @param {any} up @param {any} down */
  sandwich(up, down) {
    const s = this.app.store.state, about = down.about, name = plainly(s.pivot);
    const share = percentage(down.value[0], about.total), what = label(down.value[0], about.unit, this.app.unit());
    const middle = h("div", { class: "pivot" }, h("strong", {}, visible(name)), `  ${what} of ${label(about.total, about.unit, this.app.unit())} (${share}). Callers above, callees below.`);
    this.main.isUpward = false;
    fill(this.scroll, this.upper.el, middle, this.main.el);
    this.main.el.hidden = false;
    this.upper.show(up, name);
    this.main.show(down, name);
    this.highlight(s.search);
    fill(this.note);
    middle.scrollIntoView({ block: "center" });
    this.app.about(about);
  }

  drawBar() {
    const s = this.app.store.state, go = this.app.store;
    const toggle = (/** @type {string} */ text, /** @type {boolean} */ isOn, /** @type {() => void} */ act, /** @type {string} */ title) =>
      h("button", { class: isOn ? "toggle on" : "toggle", "aria-pressed": String(isOn), title, onclick: act }, text);
    fill(this.bar,
      toggle("Callees", !s.isUp && !s.pivot, () => go.go({ isUp: false, pivot: "", path: [] }), "From the outermost frame inwards"),
      toggle("Callers", s.isUp && !s.pivot, () => go.go({ isUp: true, pivot: "", path: [] }), "From the innermost frame outwards: who spends it, and on whose behalf"),
      s.pivot ? toggle("Sandwich ×", true, () => go.go({ pivot: "" }), "Back to the whole") : null,
      h("span", { class: "gap" }),
      toggle("Flip", s.isFlame, () => go.go({ isFlame: !s.isFlame }), "Root at the bottom (v)"),
      this.orders(),
      s.path.length || s.range ? h("button", { onclick: () => go.go({ path: [], range: "" }), title: "Escape" }, "Reset zoom") : null);
  }

  /** What is on the left. */
  orders() {
    const s = this.app.store.state, list = [["weight", "Heaviest first"], ["name", "By name"]];
    if (this.app.profile.hasTimes) list.push(["time", "By time"]);
    const select = h("select", { "aria-label": "Order of boxes", onchange: (/** @type {Event} */ e) => this.app.store.go({ order: /** @type {HTMLSelectElement} */ (e.target).value, path: [], range: "" }) },
      ...list.map(([value, title]) => h("option", { value, selected: s.order === value }, title)));
    return select;
  }

  /** @param {any} tree */
  explain(tree) {
    this.main.el.hidden = tree.weight[0] === 0;
    const isBare = tree.isCut && tree.node.length === tree.zoomed + 1 && Math.abs(tree.self[tree.zoomed]) < tree.weight[tree.zoomed] / 2;
    if (isBare) return fill(this.note, h("div", { class: "hint bare" }, "No box below is wide enough to be seen: each is less than half a pixel. Top has them all; granularity “files” under Refine makes fewer of them."));
    if (tree.weight[0] > 0) return fill(this.note);
    fill(this.note, h("div", { class: "empty" }, ...this.app.whyEmpty()));
  }

  /** @param {FlameCanvas} canvas @param {number} box */
  zoom(canvas, box) {
    if (this.app.store.state.pivot) return this.repivot(canvas, box);
    const s = this.app.store.state;
    if (s.order === "time" && this.app.profile.hasTimes) {
      const [from, to] = rangeOf(s.range), at = (/** @type {number} */ x) => (from + x * (to - from)).toPrecision(12).replace(/\.?0+$/, "");
      const range = box === 0 ? "" : `${at(canvas.tree.x[box])}-${at(canvas.tree.x[box] + canvas.tree.w[box])}`;
      canvas.zoom(box);
      return this.app.store.go({ range });
    }
    const path = canvas.pathTo(box);
    canvas.zoom(box); // what is here, at once
    this.app.store.go({ path });
  }

  /** @param {FlameCanvas} canvas @param {number} box */
  repivot(canvas, box) {
    if (box > 0) this.app.store.go({ pivot: exactly(canvas.nameOf(box)), path: [] });
  }

  /** @param {string} text */
  highlight(text) {
    let pattern = null;
    try {
      pattern = text ? compile(text, "search") : null;
    } catch {
      pattern = null;
    }
    this.main.match(pattern);
    this.upper.match(pattern);
    this.at = -1;
  }

  /** @param {number} step */
  nextMatch(step) {
    const list = this.main.matches();
    if (!list.length) return { at: 0, n: 0 };
    this.at = (this.at + step + list.length) % list.length;
    this.main.selected = list[this.at];
    this.main.draw();
    this.main.reveal(list[this.at]);
    this.app.status(this.main.describe(list[this.at]));
    return { at: this.at + 1, n: list.length };
  }

  /** The name that a command is about. */
  chosen() {
    const c = this.main.selected > 0 ? this.main : this.upper.selected > 0 ? this.upper : null;
    if (c) return c.nameOf(c.selected);
    return this.main.hover > 0 ? this.main.nameOf(this.main.hover) : "";
  }

  redraw() {
    this.main.draw();
    this.upper.draw();
  }
}
