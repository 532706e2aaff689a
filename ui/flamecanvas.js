// flamecanvas.js - one tree of boxes on one canvas.
//
// The boxes of a row are sorted, so that drawing finds the visible ones by binary
// search, and zooming only changes the visible range. The cost of both depends on the
// number of visible boxes.

import { diffColor, frameColor, tintOf } from "./colors.js";
import { h, visible } from "./dom.js";
import { Lines, fitting } from "./flamepaint.js";
import { label, percentage } from "./units.js";

const ROW = 21;

/** The first index in from..to of a sorted array with a value of at least x. @param {Float64Array} list @param {number} from @param {number} to @param {number} x */
function firstFrom(list, from, to, x) {
  while (from < to) {
    const mid = (from + to) >> 1;
    if (list[mid] < x) from = mid + 1;
    else to = mid;
  }
  return from;
}

/** One tree on one canvas. */
export class FlameCanvas {
  /** @param {import("./app.js").App} app @param {{isUpward: boolean, title: string}} style */
  constructor(app, style) {
    this.app = app;
    this.isUpward = style.isUpward;
    this.canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { class: "flame", tabindex: "0", role: "img", "aria-label": style.title }));
    /** Outlines are elements, so that moving the mouse needs no drawing. */
    this.frames = { hover: h("div", { class: "outline", hidden: true }), selected: h("div", { class: "outline selected", hidden: true }) };
    /** Has the height of the tree; the canvas has the height of the visible part and moves with it. */
    this.el = h("div", { class: "flamebox" }, this.canvas, this.frames.hover, this.frames.selected);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.lines = new Lines();
    /** @type {number[]} boxes with room for a name, each with x and w */
    this.roomy = [];
    /** @type {any} */
    this.tree = null;
    /** The zoomed box, whose subtree fills the width. */
    this.root = 0;
    this.left = 0;
    this.share = 1;
    this.nRows = 0;
    /** Cached colours by hue, or by box in a comparison; 0 if not computed. */
    this.tints = new Uint32Array(0);
    this.tintedAs = "";
    this.rootName = "All samples";
    this.hover = -1;
    this.selected = -1;
    this.width = 0;
    this.height = 0;
    this.port = 0;
    this.offset = 0;
    /** Device pixel ratio when the canvas got its size. */
    this.ratio = 0;
    /** @type {RegExp | null} */
    this.pattern = null;
    /** Whether a name matches: 1 no, 2 yes, 0 not computed. */
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

  /** @param {any} tree @param {string} rootName @param {number} [box] to zoom to */
  show(tree, rootName, box = tree.zoomed) {
    this.tree = tree;
    this.rootName = rootName;
    this.hover = -1;
    this.selected = -1;
    this.tintedAs = "";
    this.hits = new Uint8Array(tree.names.length);
    this.zoom(box);
  }

  /** Fills the width with a box, without a new layout. @param {number} box */
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

  /** The visible boxes of a row: from, to. @param {number} depth @returns {[number, number]} */
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
    if (!parent || !this.tree || !parent.clientWidth || !parent.clientHeight) return; // another view is shown
    const ratio = window.devicePixelRatio || 1, top = parent.scrollTop - this.el.offsetTop; // all reads before any write, so that the browser does one layout
    this.width = parent.clientWidth;
    this.height = Math.max(1, this.nRows) * ROW + 1;
    this.port = Math.min(this.height, parent.clientHeight);
    this.el.style.height = `${this.height}px`;
    this.sizeCanvas(this.width, parent.clientHeight, ratio);
    this.moveTo(top);
  }

  /** Changes the size only if needed: the browser then makes a new canvas, which takes longer than drawing. @param {number} width @param {number} height @param {number} ratio */
  sizeCanvas(width, height, ratio) {
    this.ratio = ratio;
    const c = this.canvas, wide = Math.round(width * ratio), high = Math.round(height * ratio);
    if (c.width !== wide) c.width = wide;
    if (c.height !== high) c.height = high;
    c.style.width = `${width}px`;
    c.style.height = `${height}px`;
  }

  /** A picture of the visible part. */
  picture() {
    const copy = /** @type {HTMLCanvasElement} */ (h("canvas"));
    copy.width = this.canvas.width;
    copy.height = Math.max(1, Math.round(this.port * this.ratio));
    copy.getContext("2d")?.drawImage(this.canvas, 0, 0);
    return copy;
  }

  /** The view was scrolled. */
  scrolled() {
    const parent = this.el.parentElement;
    if (parent && this.tree) this.moveTo(parent.scrollTop - this.el.offsetTop);
  }

  /** Moves the canvas to the visible part and draws it. @param {number} top */
  moveTo(top) {
    this.offset = Math.max(0, Math.min(top, this.height - this.port));
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
    if (!this.tree || !this.canvas.width || !this.canvas.height) return;
    if (this.ratio !== (window.devicePixelRatio || 1)) return this.resize(); // which draws
    const isDark = this.app.isDark(), a = this.depthAt(this.offset), b = this.depthAt(this.offset + this.port);
    const first = Math.max(0, Math.min(a, b)), n = Math.min(Math.max(a, b), this.nRows - 1) + 1 - first;
    this.pickTints(isDark);
    this.roomy.length = 0;
    this.lines.begin(this.canvas.width, 2 * n);
    const marked = Array.from({ length: n }, (_, i) => this.putRow(first + i, i, n + i, isDark));
    this.lines.end(2 * n);
    this.drawRows(first, marked);
    this.drawTexts(isDark);
    this.outlines();
  }

  /**
   * Paints the boxes of a row on one line of pixels and the marks of matches on
   * another; returns whether there are any. Boxes on the same pixel are painted once.
   * @param {number} depth @param {number} line @param {number} markLine @param {boolean} isDark
   */
  putRow(depth, line, markLine, isDark) {
    const t = this.tree, [from, to] = this.inSight(depth), ratio = this.ratio, lines = this.lines;
    const isAbove = depth < t.depth[this.root], usual = isAbove ? 0.55 : this.pattern ? 0.42 : 1, mark = tintOf(isDark ? "#f5c542" : "#b8860b");
    let done = -1, isMarked = false;
    for (let box = from; box < to; box++) {
      const x = this.xOf(box), w = this.wOf(box), isHit = this.isHit(box);
      if (w < 1 && x + w <= done && !isHit) continue;
      const alpha = isHit && !isAbove ? 1 : usual;
      lines.put(line, x * ratio, Math.max(0.5, w - (w > 3 ? 1 : 0)) * ratio, this.tint(box, isDark), alpha);
      if (isHit) lines.put(markLine, x * ratio, Math.max(1, w - 1) * ratio, mark, alpha);
      if (w > 26) this.roomy.push(box, x, w);
      isMarked = isMarked || isHit;
      done = Math.floor(x) + 1;
    }
    return isMarked;
  }

  /** The lines, each as tall as a row. @param {number} first depth of the first line @param {boolean[]} marked */
  drawRows(first, marked) {
    const g = this.context, lines = this.lines, n = marked.length, ratio = this.ratio;
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    for (let i = 0; i < n; i++) {
      const y = this.y(first + i) - this.offset;
      lines.stretch(g, i, (y + 1) * ratio, (y + ROW) * ratio);
      if (marked[i]) lines.stretch(g, n + i, (y + ROW - 3) * ratio, (y + ROW - 0.5) * ratio);
    }
    g.setTransform(ratio, 0, 0, ratio, 0, -this.offset * ratio);
  }

  /** The longest form of each name that fits its box. @param {boolean} isDark */
  drawTexts(isDark) {
    const g = this.context, t = this.tree, list = this.roomy;
    g.font = "12px system-ui, sans-serif";
    g.textBaseline = "middle";
    g.fillStyle = isDark ? "#f0f0ee" : "#1b1b1a";
    for (let i = 0; i < list.length; i += 3) {
      const box = list[i], x = list[i + 1], from = Math.max(0, -x) + 5, room = Math.min(list[i + 2], this.width - x) - from - 4;
      const text = room < 12 ? "" : fitting(g, this.nameOf(box), room);
      if (!text) continue;
      g.globalAlpha = t.depth[box] < t.depth[this.root] ? 0.8 : 1;
      g.fillText(text, x + from, this.y(t.depth[box]) + ROW / 2 + 1);
    }
    g.globalAlpha = 1;
  }

  /** @param {number} box */
  isHit(box) {
    if (!this.pattern || box === 0) return false;
    const name = this.tree.name[box];
    if (this.hits[name] === 0) this.hits[name] = this.pattern.test(this.tree.names[name].name) ? 2 : 1;
    return this.hits[name] === 2;
  }

  /** Clears the cached colours if the theme or the mode has changed. @param {boolean} isDark */
  pickTints(isDark) {
    const app = this.app, isDiff = app.isDiff(), as = isDiff ? [isDark, app.isRelativeDiff(), app.isClassicDiff(), app.total()].join() : String(isDark);
    if (this.tintedAs === as) return;
    this.tintedAs = as;
    this.tints = new Uint32Array(isDiff ? this.tree.name.length : 361);
  }

  /** @param {number} box @param {boolean} isDark */
  tint(box, isDark) {
    const place = this.app.isDiff() ? box : box === 0 ? -1 : this.tree.hue[this.tree.name[box]];
    if (place < 0) return tintOf(this.colorOf(box, isDark));
    return this.tints[place] || (this.tints[place] = tintOf(this.colorOf(box, isDark)));
  }

  /** @param {number} box @param {boolean} isDark */
  colorOf(box, isDark) {
    const t = this.tree;
    if (!this.app.isDiff()) return box === 0 ? (isDark ? "#44474d" : "#dcdcd8") : frameColor(t.hue[t.name[box]], isDark);
    const base = (t.weight[box] - t.value[box]) / 2;
    const change = this.app.isRelativeDiff() ? (base > 0 ? t.value[box] / base : 1) : (t.value[box] / (this.app.total() || 1)) * 8;
    return diffColor(change, isDark, this.app.isClassicDiff());
  }

  /** Updates the outlines. */
  outlines() {
    this.outline(this.frames.selected, this.selected, 2);
    this.outline(this.frames.hover, this.hover === this.selected ? -1 : this.hover, 1.5);
  }

  /** @param {HTMLElement} el @param {number} box @param {number} width */
  outline(el, box, width) {
    el.hidden = box < 0;
    if (box < 0) return;
    el.style.left = `${this.xOf(box) + 0.5 - width / 2}px`;
    el.style.top = `${this.y(this.tree.depth[box]) + 1 - width / 2}px`;
    el.style.width = `${Math.max(1, this.wOf(box) - 1.5) + width}px`;
    el.style.height = `${ROW - 2 + width}px`;
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
    this.outlines();
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

  /** Returns whether the picture must be drawn again. @param {RegExp | null} pattern */
  match(pattern) {
    const isSame = String(pattern) === String(this.pattern);
    this.pattern = pattern;
    if (!isSame) this.hits.fill(0);
    return !isSame && this.tree !== null;
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
    this.outlines();
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
