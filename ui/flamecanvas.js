// flamecanvas.js - one tree of boxes on one canvas.
//
// The boxes of a row are sorted, so drawing finds those in sight by halving and
// zooming is another window on the same numbers: both cost what can be seen.

import { diffColor, frameColor } from "./colors.js";
import { h, visible } from "./dom.js";
import { shortName } from "./names.js";
import { label, percentage } from "./units.js";

const ROW = 21;

/** The first place in from..to of a sorted array with at least x. @param {Float64Array} list @param {number} from @param {number} to @param {number} x */
function firstFrom(list, from, to, x) {
  while (from < to) {
    const mid = (from + to) >> 1;
    if (list[mid] < x) from = mid + 1;
    else to = mid;
  }
  return from;
}

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
    /** The zoomed box: what is below it fills the width. */
    this.root = 0;
    this.left = 0;
    this.share = 1;
    this.nRows = 0;
    /** @type {string[]} colours of names */
    this.colors = [];
    this.coloredAs = "";
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

  /** @param {any} tree @param {string} rootName */
  show(tree, rootName) {
    this.tree = tree;
    this.rootName = rootName;
    this.hover = -1;
    this.selected = -1;
    this.coloredAs = "";
    this.findHits();
    this.zoom(tree.zoomed);
  }

  /** Fills the width with a box; nothing is laid out again. @param {number} box */
  zoom(box) {
    const t = this.tree;
    this.root = box;
    this.left = t.x[box];
    this.share = t.w[box] || 1;
    this.nRows = this.deepest();
    this.resize();
  }

  /** How many rows have a box below the zoomed one. */
  deepest() {
    const t = this.tree;
    let depth = t.depth[this.root] + 1;
    while (depth + 1 < t.rowFirst.length) {
      const [from, to] = this.inSight(depth);
      if (from === to) break;
      depth++;
    }
    return depth;
  }

  /** The boxes of a row that are in sight: from, to. @param {number} depth @returns {[number, number]} */
  inSight(depth) {
    const t = this.tree;
    if (depth <= t.depth[this.root]) {
      let box = this.root;
      while (t.depth[box] > depth) box = t.parent[box];
      return [box, box + 1];
    }
    if (depth + 1 >= t.rowFirst.length) return [0, 0];
    const from = t.rowFirst[depth], to = t.rowFirst[depth + 1], slack = this.share * 1e-9;
    const first = firstFrom(t.x, from, to, this.left - slack);
    return [first, firstFrom(t.x, first, to, this.left + this.share - slack)];
  }

  /** @param {number} box */
  xOf(box) {
    return this.tree.depth[box] <= this.tree.depth[this.root] ? 0 : ((this.tree.x[box] - this.left) / this.share) * this.width;
  }
  /** @param {number} box */
  wOf(box) {
    return this.tree.depth[box] <= this.tree.depth[this.root] ? this.width : (this.tree.w[box] / this.share) * this.width;
  }

  resize() {
    const parent = this.el.parentElement;
    if (!parent || !this.tree) return;
    const ratio = window.devicePixelRatio || 1;
    this.width = parent.clientWidth;
    this.height = Math.max(1, this.nRows) * ROW + 1;
    this.port = Math.min(this.height, parent.clientHeight || this.height);
    this.el.style.height = `${this.height}px`;
    this.canvas.style.height = `${this.port}px`;
    this.canvas.style.width = `${this.width}px`;
    const wide = Math.round(this.width * ratio), high = Math.round(this.port * ratio);
    for (const c of [this.canvas, this.plain]) {
      if (c.width !== wide) c.width = wide; // setting it anew makes a new canvas
      if (c.height !== high) c.height = high;
    }
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
    this.pickColors(isDark);
    for (let depth = Math.max(0, Math.min(a, b)); depth <= Math.min(Math.max(a, b), this.nRows - 1); depth++) this.drawRow(depth, isDark);
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

  /** Boxes that fall on one pixel are drawn once. @param {number} depth @param {boolean} isDark */
  drawRow(depth, isDark) {
    const [from, to] = this.inSight(depth);
    let done = -1;
    for (let box = from; box < to; box++) {
      const x = this.xOf(box), w = this.wOf(box);
      if (w < 1 && x + w <= done && !(this.pattern && this.isHit(box))) continue;
      this.drawBox(box, x, w, isDark);
      done = Math.floor(x) + 1;
    }
  }

  /** @param {number} box */
  isHit(box) {
    return box > 0 && this.hits[this.tree.name[box]] === 1;
  }

  /** @param {number} box @param {number} x @param {number} w @param {boolean} isDark */
  drawBox(box, x, w, isDark) {
    const g = this.context, y = this.y(this.tree.depth[box]), isAbove = this.tree.depth[box] < this.tree.depth[this.root];
    const isHit = this.pattern && this.isHit(box);
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

  /** @param {boolean} isDark */
  pickColors(isDark) {
    const as = isDark ? "dark" : "light";
    if (this.coloredAs === as) return;
    this.coloredAs = as;
    this.colors = this.tree.names.map((/** @type {any} */ n) => frameColor(n.name, isDark));
  }

  /** @param {number} box @param {boolean} isDark */
  colorOf(box, isDark) {
    const t = this.tree;
    if (!this.app.isDiff()) return box === 0 ? (isDark ? "#44474d" : "#dcdcd8") : this.colors[t.name[box]];
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
    const g = this.screen, x = this.xOf(box), w = this.wOf(box);
    g.strokeStyle = color;
    g.lineWidth = width;
    g.strokeRect(x + 0.5, this.y(this.tree.depth[box]) + 1, Math.max(1, w - 1.5), ROW - 2);
  }

  /** The box under the pointer, or -1. @param {MouseEvent} e */
  at(e) {
    if (!this.tree) return -1;
    const area = this.el.getBoundingClientRect(), x = e.clientX - area.left, depth = this.depthAt(e.clientY - area.top);
    if (depth < 0 || depth >= this.nRows) return -1;
    const [from, to] = this.inSight(depth), found = firstFrom(this.tree.x, from, to, this.left + (x / this.width) * this.share + 1e-15) - 1;
    if (depth <= this.tree.depth[this.root]) return from;
    return found >= from && x < this.xOf(found) + this.wOf(found) ? found : -1;
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
    for (let depth = 0; depth < this.nRows; depth++) {
      const [from, to] = this.inSight(depth);
      for (let box = from; box < to; box++) if (this.isHit(box)) list.push(box);
    }
    return list;
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || !this.tree) return;
    const t = this.tree, at = this.selected < 0 ? this.root : this.selected;
    const [from, to] = this.inSight(t.depth[at]);
    const inward = this.isUpward ? "ArrowUp" : "ArrowDown", outward = this.isUpward ? "ArrowDown" : "ArrowUp";
    let next = -1;
    if (e.key === inward) next = this.firstKid(at);
    else if (e.key === outward) next = t.parent[at];
    else if (e.key === "ArrowLeft") next = at > from ? at - 1 : -1;
    else if (e.key === "ArrowRight") next = at + 1 < to ? at + 1 : -1;
    else if (e.key === "Enter") return this.pick(at);
    else if (e.key === "m" && at > 0) {
      const area = this.el.getBoundingClientRect();
      return this.app.openMenu(this.nameOf(at), area.left + this.xOf(at) + 12, area.top + this.y(t.depth[at]) + ROW);
    } else return;
    e.preventDefault();
    if (next < 0) return;
    this.selected = next;
    this.app.status(this.describe(next));
    this.paint();
    this.reveal(next);
  }

  /** @param {number} box */
  firstKid(box) {
    const t = this.tree, row = t.depth[box] + 1;
    if (row + 1 >= t.rowFirst.length) return -1;
    for (let kid = t.rowFirst[row]; kid < t.rowFirst[row + 1]; kid++) if (t.parent[kid] === box) return kid;
    return -1;
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
