// flameview.js - the flame graph, or two of them around a function.
//
// The worker computes the boxes. Zooming draws the available boxes at once and, after that
// frame, requests finer ones from the worker. Recent trees are cached, so that going back
// or up needs no worker.

import { fill, h, visible } from "./dom.js";
import { FlameCanvas } from "./flamecanvas.js";
import { compile, exactly, plainly } from "./regex.js";
import { label, percentage } from "./units.js";

/** Maximal boxes in cached trees: about 25 MB. */
const MOST_KEPT = 400000;

/** Widths are rounded up to this, so that resizing does not request a tree for every pixel. */
const WIDTH_STEP = 160;

/** Milliseconds without a resize before finer boxes are requested. */
const SETTLED = 120;

/** "0.25-0.5" as numbers. @param {string} text @returns {[number, number]} */
function rangeOf(text) {
  const [from, to] = text.split("-").map(Number);
  return from >= 0 && to > from ? [from, to] : [0, 1];
}

/** Cached trees, the most recent at the end. */
class Trees {
  constructor() {
    /** @type {Map<string, any>} by request */
    this.byKey = new Map();
    this.nBoxes = 0;
  }

  /** @param {string} key */
  get(key) {
    const tree = this.byKey.get(key);
    if (tree) this.byKey.delete(key) && this.byKey.set(key, tree);
    return tree;
  }

  /** @param {string} key @param {any} tree */
  add(key, tree) {
    if (this.byKey.has(key)) return;
    this.byKey.set(key, tree);
    this.nBoxes += tree.node.length;
    for (const [oldest, old] of this.byKey) {
      if (this.nBoxes <= MOST_KEPT || oldest === key) return;
      this.byKey.delete(oldest);
      this.nBoxes -= old.node.length;
    }
  }
}

/** The box that a path of names leads to, or -1. @param {any} tree @param {string[]} path */
function boxAt(tree, path) {
  let box = 0;
  for (const name of path) {
    const row = tree.depth[box] + 1;
    let kid = tree.rowFirst[row] ?? 0;
    const end = tree.rowFirst[row + 1] ?? 0;
    while (kid < end && (tree.parent[kid] !== box || tree.names[tree.name[kid]].name !== name)) kid++;
    if (kid >= end) return -1;
    box = kid;
  }
  return box;
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
    this.trees = new Trees();
    /** Resolved by the worker's reply. @type {Promise<void>} */
    this.asking = Promise.resolve();
    this.turn = 0;
    /** Whether a drawn zoom is not yet in the page's state. */
    this.isAhead = false;
    this.at = -1;
    this.size = "";
    /** Requests a new tree after the last resize. */
    this.due = 0;
    new ResizeObserver(() => this.resize()).observe(this.scroll);
    this.watchRatio();
    this.scroll.addEventListener("scroll", () => {
      this.main.scrolled();
      this.upper.scrolled();
      this.app.tip(null);
    });
  }

  /** Called when the device pixel ratio changes, as on another screen. */
  watchRatio() {
    const changed = () => {
      this.redraw();
      this.watchRatio();
    };
    matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener("change", changed, { once: true });
  }

  resize() {
    const size = `${this.scroll.clientWidth} ${this.scroll.clientHeight}`;
    if (size === this.size) return;
    this.size = size;
    this.main.resize();
    this.upper.resize();
    this.refineSoon();
  }

  /** Whether boxes that were too narrow would be visible now. */
  isCoarse() {
    const tree = this.main.tree;
    return this.scroll.clientWidth > 0 && tree !== null && tree.isCut && tree.finest > this.manner().finest;
  }

  refineSoon() {
    clearTimeout(this.due);
    if (this.isCoarse()) this.due = setTimeout(() => this.refine(), SETTLED);
  }

  /** Requests finer boxes; selection and scroll position stay. */
  async refine() {
    if (!this.isCoarse() || this.isAhead) return;
    const s = this.app.store.state, { main, scroll } = this, was = main.tree, top = scroll.scrollTop;
    const chosen = main.selected > 0 ? main.pathTo(main.selected) : [];
    await this.app.showView();
    if (main.tree === was || this.app.store.state !== s || s.pivot) return;
    if (!s.isFlame) scroll.scrollTop = top;
    main.selected = chosen.length ? boxAt(main.tree, chosen) : -1;
    main.outlines();
  }

  /** Parameters of every tree: the order of boxes and the minimal width. */
  manner() {
    const width = Math.max(600, Math.ceil(this.scroll.clientWidth / WIDTH_STEP) * WIDTH_STEP);
    return { finest: 0.4 / width, order: this.app.store.state.order === "name" ? "name" : "weight" };
  }

  /** The request to the worker for the tree of a path. @param {string[]} path @returns {any} */
  question(path) {
    const s = this.app.store.state, isByTime = s.order === "time" && this.app.profile.hasTimes;
    return isByTime ? { ...this.manner(), order: "time", range: rangeOf(s.range), isUp: s.isUp } : { ...this.manner(), path, isUp: s.isUp };
  }

  /** @param {any} question */
  keyOf(question) {
    return JSON.stringify([this.app.profile.id, this.app.store.state.options, question]);
  }

  async show() {
    const s = this.app.store.state, turn = ++this.turn;
    this.isAhead = false;
    this.drawBar();
    if (s.pivot) return this.showSandwich(turn);
    const question = this.question(s.path), key = this.keyOf(question), tree = this.trees.get(key) || (await this.ask(turn, question));
    if (!tree) return;
    tree.range = question.range;
    tree.finest = question.finest;
    this.trees.add(key, tree);
    if (turn !== this.turn) return;
    this.app.about(tree.about);
    this.showMain(tree);
    this.explain(tree);
    this.refineSoon();
  }

  /** @param {any} tree */
  showMain(tree) {
    const s = this.app.store.state, main = this.main, isAlone = this.scroll.firstChild === main.el && this.scroll.childNodes.length === 1;
    const isThere = isAlone && main.tree === tree && main.root === tree.zoomed && main.isUpward === s.isFlame;
    main.isUpward = s.isFlame;
    if (!isAlone) fill(this.scroll, main.el);
    if (isThere) return this.highlight(s.search);
    this.setPattern(s.search);
    main.show(tree, "All samples");
    this.toRoot();
  }

  /** Scrolls to the root if it is at the bottom. */
  toRoot() {
    if (this.app.store.state.isFlame) this.scroll.scrollTop = this.scroll.scrollHeight;
  }

  /** Sends the request after the previous reply, or not at all if the view has changed. @param {number} turn @param {any} question */
  async ask(turn, question) {
    const before = this.asking;
    let finish = () => {};
    this.asking = new Promise((/** @type {(x: void) => void} */ done) => { finish = done; });
    try {
      await before;
      return turn === this.turn ? await this.app.ask("tree", question) : null;
    } finally {
      finish();
    }
  }

  /** @param {number} turn */
  async showSandwich(turn) {
    const question = { ...this.manner(), pivot: this.app.store.state.pivot };
    const [down, up] = await Promise.all([this.app.ask("tree", question), this.app.ask("tree", { ...question, isUp: true })]);
    down.finest = question.finest;
    if (turn === this.turn) this.sandwich(up, down);
  }

  /** @param {any} up @param {any} down */
  sandwich(up, down) {
    const s = this.app.store.state, about = down.about, name = plainly(s.pivot);
    const share = percentage(down.value[0], about.total), what = label(down.value[0], about.unit, this.app.unit());
    const middle = h("div", { class: "pivot" }, h("strong", {}, visible(name)), `  ${what} of ${label(about.total, about.unit, this.app.unit())} (${share}). Callers above, callees below.`);
    this.main.isUpward = false;
    fill(this.scroll, this.upper.el, middle, this.main.el);
    this.main.el.hidden = false;
    this.app.about(about);
    this.setPattern(s.search);
    this.upper.show(up, name);
    this.main.show(down, name);
    fill(this.note);
    middle.scrollIntoView({ block: "center" });
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

  /** Control for the order of boxes. */
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
      const [from, to] = canvas.tree.range || [0, 1], at = (/** @type {number} */ x) => (from + x * (to - from)).toPrecision(12).replace(/\.?0+$/, "");
      const range = box === 0 ? "" : `${at(canvas.tree.x[box])}-${at(canvas.tree.x[box] + canvas.tree.w[box])}`;
      if (range === s.range) return;
      canvas.zoom(box);
      this.toRoot();
      return this.leave({ range });
    }
    const path = canvas.pathTo(box);
    this.zoomAtOnce(canvas, box, path);
    this.toRoot();
    if (path.join("\0") !== s.path.join("\0")) this.leave({ path });
  }

  /** Discards replies to earlier requests. @param {Partial<import("./state.js").State>} change */
  leave(change) {
    this.turn++;
    this.isAhead = true;
    this.app.later(change);
  }

  /** Draws without the worker: a cached tree, or another range of this one. @param {FlameCanvas} canvas @param {number} box @param {string[]} path */
  zoomAtOnce(canvas, box, path) {
    const own = this.trees.get(this.keyOf(this.question(path)));
    if (own) return canvas.show(own, canvas.rootName);
    const isOutside = box < canvas.tree.zoomed, whole = isOutside ? this.trees.get(this.keyOf(this.question([]))) : null;
    const there = whole ? boxAt(whole, path) : -1;
    if (there >= 0) canvas.show(whole, canvas.rootName, there);
    else canvas.zoom(box);
  }

  /** @param {FlameCanvas} canvas @param {number} box */
  repivot(canvas, box) {
    if (box > 0) this.app.store.go({ pivot: exactly(canvas.nameOf(box)), path: [] });
  }

  /** Returns the canvases that must be drawn again. @param {string} text */
  setPattern(text) {
    let pattern = null;
    try {
      pattern = text ? compile(text, "search") : null;
    } catch {
      pattern = null;
    }
    this.at = -1;
    return [this.main, this.upper].filter((canvas) => canvas.match(pattern));
  }

  /** @param {string} text */
  highlight(text) {
    for (const canvas of this.setPattern(text)) if (canvas.el.isConnected) canvas.draw();
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

  /** The function name for a command. */
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
