// flameview.js - the flame graph on a canvas.
//
// The worker gives boxes; this lays them out, draws those in sight and answers
// the pointer and the keyboard. Zooming shows what is here at once and asks the
// worker for the finer boxes of the chosen one.

import { diffColor, frameColor } from "./colors.js";
import { fill, h, visible } from "./dom.js";
import { layout } from "./flame.js";
import { shortName } from "./names.js";
import { compile, exactly, plainly } from "./regex.js";
import { label, percentage } from "./units.js";

const ROW = 21;

/** @typedef {ReturnType<typeof import("./flame.js").layout>} Places */

/** @type {Map<string, number>} widths of texts, in the canvas's one font */
const widths = new Map();

/** @param {CanvasRenderingContext2D} g @param {string} text */
function widthOf(g, text) {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    width = g.measureText(text).width;
    widths.set(text, width);
  }
  return width;
}

/** The name, its short form, or as much of that as fits; "" for too little. @param {CanvasRenderingContext2D} g @param {string} full @param {number} room */
function fitting(g, full, room) {
  if (full.length < 400 && widthOf(g, full) <= room) return full;
  const short = shortName(full).slice(0, 400);
  if (widthOf(g, short) <= room) return short;
  let low = 0, high = Math.min(short.length, Math.floor(room / 2));
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (g.measureText(short.slice(0, mid) + "…").width <= room) low = mid;
    else high = mid - 1;
  }
  return low < 2 ? "" : short.slice(0, low) + "…";
}

/** One tree on one canvas. */
export class FlameCanvas {
  /** @param {import("./app.js").App} app @param {{isUpward: boolean, title: string}} style */
  constructor(app, style) {
    this.app = app;
    this.isUpward = style.isUpward;
    this.canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { class: "flame", tabindex: "0", role: "img", "aria-label": style.title }));
    /** As tall as the tree; the canvas is as tall as what is in sight, and moves along. */
    this.el = h("div", { class: "flamebox" }, this.canvas);
    /** The boxes without outlines, so that the pointer costs one copy. */
    this.plain = /** @type {HTMLCanvasElement} */ (h("canvas"));
    this.screen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.context = /** @type {CanvasRenderingContext2D} */ (this.plain.getContext("2d"));
    /** @type {any} */
    this.tree = null;
    /** @type {Places} */
    this.places = { x: new Float64Array(0), w: new Float64Array(0) };
    /** @type {number[][]} boxes of each depth, from left to right */
    this.rows = [];
    this.root = 0;
    this.rootName = "All samples";
    this.hover = -1;
    this.selected = -1;
    this.width = 0;
    this.height = 0;
    this.port = 0;
    this.offset = 0;
    /** @type {RegExp | null} */
    this.pattern = null;
    /** @type {Uint8Array} whether a name matches */
    this.hits = new Uint8Array(0);
    this.onpick = (/** @type {number} */ _box) => {};
    this.listen();
  }

  listen() {
    const c = this.canvas, el = this.el;
    el.addEventListener("mousemove", (e) => this.point(e));
    el.addEventListener("mouseleave", () => {
      this.setHover(-1);
      this.app.tip(null);
    });
    el.addEventListener("click", (e) => {
      const box = this.at(e);
      if (box >= 0) this.pick(box);
    });
    el.addEventListener("contextmenu", (e) => {
      const box = this.at(e);
      if (box <= 0) return;
      e.preventDefault();
      this.selected = box;
      this.draw();
      this.app.openMenu(this.nameOf(box), e.clientX, e.clientY);
    });
    c.addEventListener("keydown", (e) => this.key(e));
  }

  /** @param {number} box */
  nameOf(box) {
    return box === 0 ? this.rootName : this.tree.names[this.tree.name[box]].name;
  }

  /** @param {any} tree @param {string} rootName @param {string} order */
  show(tree, rootName, order) {
    this.tree = tree;
    this.rootName = rootName;
    this.root = Math.min(tree.zoomed, tree.parent.length - 1);
    this.order = order;
    this.hover = -1;
    this.selected = -1;
    this.findHits();
    this.place();
  }

  place() {
    const t = this.tree, isInSight = this.sight();
    this.places = layout({ ...t, node: t.name }, (box) => this.nameOf(box), this.order === "name" ? "name" : "weight", this.root);
    this.rows = [];
    for (let i = 0; i < t.parent.length; i++) {
      const depth = t.depth[i];
      if (!this.rows[depth]) this.rows[depth] = [];
      if (isInSight[i]) this.rows[depth].push(i);
    }
    for (const row of this.rows) row.sort((a, b) => this.places.x[a] - this.places.x[b]);
    while (this.rows.length && this.rows[this.rows.length - 1].length === 0) this.rows.pop();
    this.resize();
  }

  /** Above the zoomed box only its own ancestors are in sight. */
  sight() {
    const t = this.tree, n = t.parent.length, is = new Uint8Array(n), depth = t.depth[this.root];
    for (let at = this.root; at >= 0; at = t.parent[at]) is[at] = 1;
    for (let i = 1; i < n; i++) if (t.depth[i] > depth) is[i] = is[t.parent[i]];
    return is;
  }

  resize() {
    const parent = this.el.parentElement;
    if (!parent || !this.tree) return;
    const ratio = window.devicePixelRatio || 1;
    this.width = parent.clientWidth;
    this.height = Math.max(1, this.rows.length) * ROW + 1;
    this.port = Math.min(this.height, parent.clientHeight || this.height);
    this.el.style.height = `${this.height}px`;
    this.canvas.style.height = `${this.port}px`;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.width = this.plain.width = Math.round(this.width * ratio);
    this.canvas.height = this.plain.height = Math.round(this.port * ratio);
    this.scrolled();
  }

  /** Moves the canvas to what is in sight, and draws that. */
  scrolled() {
    const parent = this.el.parentElement;
    if (!parent || !this.tree) return;
    this.offset = Math.max(0, Math.min(parent.scrollTop - this.el.offsetTop, this.height - this.port));
    this.canvas.style.transform = `translateY(${this.offset}px)`;
    this.draw();
  }

  /** Top edge of a depth. @param {number} depth */
  y(depth) {
    return this.isUpward ? this.height - (depth + 1) * ROW : depth * ROW;
  }

  /** @param {number} y */
  depthAt(y) {
    return Math.floor((this.isUpward ? this.height - y : y) / ROW);
  }

  draw() {
    if (!this.tree) return;
    const g = this.context, isDark = this.app.isDark(), ratio = window.devicePixelRatio || 1;
    g.setTransform(ratio, 0, 0, ratio, 0, -this.offset * ratio);
    g.clearRect(0, this.offset, this.width, this.port);
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    const [a, b] = [this.depthAt(this.offset), this.depthAt(this.offset + this.port)];
    for (const row of this.rows.slice(Math.max(0, Math.min(a, b)), Math.max(a, b) + 1)) for (const box of row) this.drawBox(box, isDark);
    this.paint();
  }

  /** The boxes as drawn last, and the outlines as they are now. */
  paint() {
    if (!this.tree || !this.plain.width || !this.plain.height) return;
    const g = this.screen, isDark = this.app.isDark(), ratio = window.devicePixelRatio || 1;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.plain, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, -this.offset * ratio);
    this.outline(this.selected, isDark ? "#fff" : "#000", 2);
    if (this.hover !== this.selected) this.outline(this.hover, isDark ? "#ddd" : "#333", 1.5);
  }

  /** @param {number} box @param {boolean} isDark */
  drawBox(box, isDark) {
    const g = this.context, x = this.places.x[box] * this.width, w = this.places.w[box] * this.width;
    if (w < 0.3) return;
    const y = this.y(this.tree.depth[box]), isAbove = this.tree.depth[box] < this.tree.depth[this.root];
    const isHit = this.pattern && box > 0 && this.hits[this.tree.name[box]];
    g.globalAlpha = isAbove ? 0.55 : this.pattern && !isHit ? 0.42 : 1;
    g.fillStyle = this.colorOf(box, isDark);
    g.fillRect(x, y + 1, Math.max(0.5, w - (w > 3 ? 1 : 0)), ROW - 1);
    if (isHit) {
      g.fillStyle = isDark ? "#f5c542" : "#b8860b";
      g.fillRect(x, y + ROW - 3, Math.max(1, w - 1), 2.5);
    }
    g.globalAlpha = isAbove ? 0.8 : 1;
    if (w > 26) this.drawText(box, x, y, w, isDark);
    g.globalAlpha = 1;
  }

  /** @param {number} box @param {boolean} isDark */
  colorOf(box, isDark) {
    const t = this.tree;
    if (!this.app.isDiff()) return box === 0 ? (isDark ? "#44474d" : "#dcdcd8") : frameColor(this.nameOf(box), isDark);
    const base = (t.weight[box] - t.value[box]) / 2;
    const change = this.app.isRelativeDiff() ? (base > 0 ? t.value[box] / base : 1) : (t.value[box] / (this.app.total() || 1)) * 8;
    return diffColor(change, isDark, this.app.isClassicDiff());
  }

  /** The longest form of the name that fits. @param {number} box @param {number} x @param {number} y @param {number} w @param {boolean} isDark */
  drawText(box, x, y, w, isDark) {
    const g = this.context, full = visible(this.nameOf(box));
    const from = Math.max(0, -x) + 5, room = Math.min(w, this.width - x) - from - 4;
    if (room < 12) return;
    const text = fitting(g, full, room);
    if (!text) return;
    g.fillStyle = isDark ? "#f0f0ee" : "#1b1b1a";
    g.fillText(text, x + from, y + ROW / 2 + 1);
  }

  /** @param {number} box @param {string} color @param {number} width */
  outline(box, color, width) {
    if (box < 0) return;
    const g = this.screen, x = this.places.x[box] * this.width, w = this.places.w[box] * this.width;
    g.strokeStyle = color;
    g.lineWidth = width;
    g.strokeRect(x + 0.5, this.y(this.tree.depth[box]) + 1, Math.max(1, w - 1.5), ROW - 2);
  }

  /** The box under the pointer, or -1. @param {MouseEvent} e */
  at(e) {
    if (!this.tree) return -1;
    const area = this.el.getBoundingClientRect(), x = (e.clientX - area.left) / this.width;
    const row = this.rows[this.depthAt(e.clientY - area.top)] || [];
    let low = 0, high = row.length - 1, found = -1;
    while (low <= high) {
      const mid = (low + high) >> 1;
      if (this.places.x[row[mid]] <= x) {
        found = row[mid];
        low = mid + 1;
      } else high = mid - 1;
    }
    return found >= 0 && x < this.places.x[found] + this.places.w[found] ? found : -1;
  }

  /** @param {MouseEvent} e */
  point(e) {
    const box = this.at(e);
    this.setHover(box);
    this.app.tip(box < 0 ? null : this.describeLines(box), e.clientX, e.clientY);
  }

  /** @param {number} box */
  setHover(box) {
    if (box === this.hover) return;
    this.hover = box;
    this.el.style.cursor = box >= 0 ? "pointer" : "default";
    this.app.status(box >= 0 ? this.describe(box) : "");
    this.paint();
  }

  /** @param {number} box */
  describe(box) {
    const t = this.tree, about = t.about, unit = about.unit, text = (/** @type {number} */ v) => label(v, unit, this.app.unit());
    const name = visible(this.nameOf(box)), place = this.placeOf(box);
    if (this.app.isDiff()) {
      const after = (t.weight[box] + t.value[box]) / 2, before = (t.weight[box] - t.value[box]) / 2;
      const sign = t.value[box] > 0 ? "▲ +" : t.value[box] < 0 ? "▼ " : "= ";
      return `${name}: ${text(before)} → ${text(after)}, ${sign}${text(t.value[box])} (${percentage(t.value[box], about.total)})  ${place}`;
    }
    return `${name}: ${text(t.value[box])} (${percentage(t.value[box], about.total)}), self ${text(t.self[box])} (${percentage(t.self[box], about.total)})  ${place}`;
  }

  /** @param {number} box */
  placeOf(box) {
    const at = box > 0 ? this.tree.names[this.tree.name[box]] : null;
    return at && at.file ? visible(at.file) + (at.line > 0 ? `:${at.line}` : "") : "";
  }

  /** The same for the tip: name, place, values. @param {number} box */
  describeLines(box) {
    const name = visible(this.nameOf(box)), all = this.describe(box);
    const place = this.placeOf(box), values = all.slice(name.length + 2, all.length - place.length).trim();
    return [name, place, values];
  }

  /** Names from the root to a box. @param {number} box */
  pathTo(box) {
    const path = [];
    for (let at = box; at > 0; at = this.tree.parent[at]) path.unshift(this.nameOf(at));
    return path;
  }

  /** @param {number} box */
  pick(box) {
    this.selected = box;
    this.onpick(box);
  }

  /** @param {RegExp | null} pattern */
  match(pattern) {
    this.pattern = pattern;
    if (!this.tree) return;
    this.findHits();
    this.draw();
  }

  findHits() {
    const pattern = this.pattern;
    this.hits = Uint8Array.from(this.tree.names, (n) => (pattern && pattern.test(/** @type {any} */ (n).name) ? 1 : 0));
  }

  /** Boxes that match, from the left and the root. @returns {number[]} */
  matches() {
    const list = [];
    for (const row of this.rows) for (const box of row) if (box > 0 && this.hits[this.tree.name[box]]) list.push(box);
    return list;
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || !this.tree) return;
    const t = this.tree, at = this.selected < 0 ? this.root : this.selected;
    const row = this.rows[t.depth[at]] || [], place = row.indexOf(at);
    const inward = this.isUpward ? "ArrowUp" : "ArrowDown", outward = this.isUpward ? "ArrowDown" : "ArrowUp";
    let next = -1;
    if (e.key === inward) next = (this.rows[t.depth[at] + 1] || []).find((kid) => t.parent[kid] === at) ?? -1;
    else if (e.key === outward) next = t.parent[at];
    else if (e.key === "ArrowLeft") next = row[place - 1] ?? -1;
    else if (e.key === "ArrowRight") next = row[place + 1] ?? -1;
    else if (e.key === "Enter") return this.pick(at);
    else if (e.key === "m" && at > 0) {
      const area = this.el.getBoundingClientRect();
      return this.app.openMenu(this.nameOf(at), area.left + this.places.x[at] * this.width + 12, area.top + this.y(t.depth[at]) + ROW);
    } else return;
    e.preventDefault();
    if (next < 0) return;
    this.selected = next;
    this.app.status(this.describe(next));
    this.paint();
    this.reveal(next);
  }

  /** @param {number} box */
  reveal(box) {
    const parent = this.canvas.closest(".scroll");
    if (!parent) return;
    const y = this.y(this.tree.depth[box]) + this.el.offsetTop;
    if (y < parent.scrollTop) parent.scrollTop = y - ROW;
    else if (y + 2 * ROW > parent.scrollTop + parent.clientHeight) parent.scrollTop = y + 2 * ROW - parent.clientHeight;
  }
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
    const ask = (/** @type {any} */ extra) => this.app.ask("tree", { finest, ...extra });
    if (s.pivot) {
      const [down, up] = await Promise.all([ask({ pivot: s.pivot }), ask({ pivot: s.pivot, isUp: true })]);
      if (turn === this.turn) this.sandwich(up, down);
      return;
    }
    const tree = await ask({ path: s.path, isUp: s.isUp });
    if (turn !== this.turn) return;
    this.main.isUpward = s.isFlame;
    fill(this.scroll, this.main.el);
    this.main.show(tree, "All samples", s.order);
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
    this.upper.show(up, name, s.order);
    this.main.show(down, name, s.order);
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
      toggle("A–Z", s.order === "name", () => go.go({ order: s.order === "name" ? "weight" : "name" }), "Order by name instead of weight"),
      s.path.length ? h("button", { onclick: () => go.go({ path: [] }), title: "Escape" }, "Reset zoom") : null);
  }

  /** @param {any} tree */
  explain(tree) {
    if (tree.weight[0] > 0) return fill(this.note);
    fill(this.note, h("div", { class: "empty" }, ...this.app.whyEmpty()));
  }

  /** @param {FlameCanvas} canvas @param {number} box */
  zoom(canvas, box) {
    if (this.app.store.state.pivot) return this.repivot(canvas, box);
    const path = canvas.pathTo(box);
    canvas.root = box;
    canvas.place(); // what is here, at once
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
