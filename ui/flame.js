// flame.js - the tree of a flame graph, with the positions of its boxes.
//
// Only visible boxes are expanded. The samples of a box are adjacent. Expanding a box
// counts them by their next frame in an array indexed by node, and moves the samples of
// each visible child together into a second buffer; the next level uses the first buffer
// again. So there is no hashing, and deeper levels touch fewer samples. By time, samples
// keep their order, and neighbours with the same next frame share a box.

import { sampleTimes } from "./times.js";

/** @typedef {import("./view.js").View} View */

const MOST_BOXES = 1 << 20;

/** Positions of samples in their stacks, one row per sample. */
class Rows {
  /** @param {number} n @param {boolean} isPlain */
  constructor(n, isPlain) {
    /** The next position in the stack, and its end. */
    this.at = new Uint32Array(n);
    this.stop = new Uint32Array(n);
    this.value = new Float64Array(n);
    /** Number of the sample in the view; frames used of the current location, and of labels. */
    this.id = new Uint32Array(isPlain ? 0 : n);
    this.sub = new Uint16Array(isPlain ? 0 : n);
    this.used = new Uint16Array(isPlain ? 0 : n);
  }
  /** @param {number} to @param {Rows} other @param {number} from */
  take(to, other, from) {
    this.at[to] = other.at[from];
    this.stop[to] = other.stop[from];
    this.value[to] = other.value[from];
    if (this.sub.length === 0) return;
    this.id[to] = other.id[from];
    this.sub[to] = other.sub[from];
    this.used[to] = other.used[from];
  }
}

/** Advances samples by one frame. */
class Steps {
  /** @param {View} v @param {boolean} isUp */
  constructor(v, isUp) {
    this.v = v;
    this.isUp = isUp;
    this.locs = v.profile.locs;
    /** Frames made of labels that come first, and last. */
    this.before = isUp ? v.tagFrames.leaf.slice().reverse() : v.tagFrames.root;
    this.after = isUp ? v.tagFrames.root.slice().reverse() : v.tagFrames.leaf;
    /** The node of each location, if every location has exactly one. */
    this.nodeOf = new Uint32Array(v.nodeFirst.length);
    this.isPlain = this.before.length + this.after.length === 0 && this.fillNodes();
  }

  fillNodes() {
    const first = this.v.nodeFirst, holes = this.v.profile.holes;
    for (let i = 0; i + 1 < first.length; i++) {
      if (holes[i]) continue;
      if (first[i + 1] - first[i] !== 1) return false;
      this.nodeOf[i] = this.v.nodeList[first[i]];
    }
    return true;
  }

  /** @param {Rows} rows @param {number} row @param {number} i sample of the view */
  start(rows, row, i) {
    const v = this.v;
    rows.value[row] = v.value(i);
    rows.at[row] = this.isUp ? v.from[i] : v.to[i];
    rows.stop[row] = this.isUp ? v.to[i] : v.from[i];
  }

  /** The next node of rows from..to into nodes, or -1. @param {Rows} rows @param {number} from @param {number} to @param {Int32Array} nodes */
  all(rows, from, to, nodes) {
    const at = rows.at, stop = rows.stop, nodeOf = this.nodeOf, locs = this.locs;
    if (!this.isPlain) for (let i = from; i < to; i++) nodes[i] = this.next(rows, i);
    else if (this.isUp) for (let i = from; i < to; i++) nodes[i] = at[i] === stop[i] ? -1 : nodeOf[locs[at[i]++]];
    else for (let i = from; i < to; i++) nodes[i] = at[i] === stop[i] ? -1 : nodeOf[locs[--at[i]]];
  }

  /** @param {Rows} rows @param {number} row */
  next(rows, row) {
    if (this.isPlain) {
      if (rows.at[row] === rows.stop[row]) return -1;
      return this.nodeOf[this.locs[this.isUp ? rows.at[row]++ : --rows.at[row]]];
    }
    if (rows.used[row] < this.before.length) return this.before[rows.used[row]++][rows.id[row]];
    const node = this.isUp ? this.nextUp(rows, row) : this.nextDown(rows, row), k = rows.used[row] - this.before.length;
    if (node >= 0 || k >= this.after.length) return node;
    rows.used[row]++;
    return this.after[k][rows.id[row]];
  }

  /** @param {Rows} rows @param {number} row */
  nextDown(rows, row) {
    const v = this.v, first = v.nodeFirst, locs = this.locs, stop = rows.stop[row];
    let at = rows.at[row];
    if (rows.sub[row] > 0) return v.nodeList[first[locs[at]] + --rows.sub[row]];
    while (at > stop) {
      const loc = locs[--at], n = first[loc + 1] - first[loc];
      if (n === 0) continue;
      rows.at[row] = at;
      rows.sub[row] = n - 1;
      return v.nodeList[first[loc] + n - 1];
    }
    rows.at[row] = at;
    return -1;
  }

  /** @param {Rows} rows @param {number} row */
  nextUp(rows, row) {
    const v = this.v, first = v.nodeFirst, locs = this.locs, stop = rows.stop[row];
    for (let at = rows.at[row]; at < stop; at++) {
      const loc = locs[at], k = rows.sub[row];
      if (k < first[loc + 1] - first[loc]) {
        rows.at[row] = at;
        rows.sub[row] = k + 1;
        return v.nodeList[first[loc] + k];
      }
      rows.sub[row] = 0;
    }
    rows.at[row] = stop;
    return -1;
  }

  /** Advances a row past its outermost pivot; false if it has none. @param {Rows} rows @param {number} row @param {Uint8Array} pivots */
  seek(rows, row, pivots) {
    if (!this.isUp) {
      for (let node = this.next(rows, row); node >= 0; node = this.next(rows, row)) if (pivots[node]) return true;
      return false;
    }
    let isFound = false, at = 0, sub = 0, used = 0;
    for (let node = this.next(rows, row); node >= 0; node = this.next(rows, row)) {
      if (!pivots[node]) continue;
      isFound = true;
      at = rows.at[row];
      sub = rows.sub[row];
      used = rows.used[row];
    }
    rows.at[row] = at;
    if (!this.isPlain) {
      rows.sub[row] = sub;
      rows.used[row] = used;
    }
    return isFound;
  }
}

/** Boxes in order of creation: parents first, from left to right. */
class Boxes {
  constructor() {
    /** @type {number[]} node of the view, -1 for the root */
    this.node = [];
    /** @type {number[]} */
    this.parent = [];
    /** @type {number[]} */
    this.depth = [];
    /** @type {number[]} sum of values */
    this.value = [];
    /** @type {number[]} sum of magnitudes: the width */
    this.weight = [];
    /** @type {number[]} own value */
    this.self = [];
    /** @type {number[]} left edge, in weight */
    this.x = [];
    this.isCut = false;
  }
  /** @param {number} node @param {number} parent @param {number} value @param {number} weight @param {number} x */
  add(node, parent, value, weight, x) {
    this.node.push(node);
    this.parent.push(parent);
    this.depth.push(parent < 0 ? 0 : this.depth[parent] + 1);
    this.value.push(value);
    this.weight.push(weight);
    this.self.push(0);
    return this.x.push(x) - 1;
  }
}

/** The sums of a node are adjacent in memory, for the cache. */
const WEIGHT = 0, VALUE = 1, COUNT = 2, PLACE = 3;

/** Sums by node of the box that is being expanded. */
class Counts {
  /** @param {number} n */
  constructor(n) {
    /** Four numbers per node; a position is that of the next row minus one. */
    this.of = new Float64Array(4 * n);
    this.touched = new Uint32Array(n);
    this.n = 0;
  }

  /** Returns the box's own value. @param {Int32Array} nodes @param {Float64Array} values @param {number} from @param {number} to */
  add(nodes, values, from, to) {
    const of = this.of, touched = this.touched;
    let self = 0, n = 0;
    for (let i = from; i < to; i++) {
      const node = nodes[i], x = values[i], k = node * 4;
      if (node < 0) {
        self += x;
        continue;
      }
      if (of[k + COUNT] === 0) touched[n++] = node;
      of[k + COUNT] += 1;
      of[k + VALUE] += x;
      of[k + WEIGHT] += x < 0 ? -x : x;
    }
    this.n = n;
    return self;
  }

  /** Nodes with at least this weight; clears the others. @param {number} least */
  heavy(least) {
    const of = this.of, list = [];
    for (let i = 0; i < this.n; i++) {
      const node = this.touched[i], k = node * 4;
      if (of[k + WEIGHT] >= least) list.push(node);
      else of[k + WEIGHT] = of[k + VALUE] = of[k + COUNT] = 0;
    }
    return list;
  }

  /** @param {number[]} list */
  clear(list) {
    for (const node of list) this.of.fill(0, 4 * node, 4 * node + 4);
  }
}

/**
 * @typedef {object} TreeOptions
 * @property {boolean} [isUp] callers instead of callees
 * @property {number[]} [path] nodes from the root to the box that is zoomed
 * @property {number} [finest] boxes below this share of the zoomed one are not expanded
 * @property {Uint8Array} [pivots] begin at the outermost of these nodes
 * @property {"weight" | "name" | "time"} [order] of the children of a box
 * @property {[number, number]} [range] of all samples by time, as shares of their weight
 */

/** @param {View} v */
function timeOrder(v) {
  const times = sampleTimes(v.profile), order = Uint32Array.from(v.samples, (_, i) => i);
  return times ? order.sort((a, b) => times[v.samples[a]] - times[v.samples[b]] || a - b) : order;
}

/** The part of the order that lies within a range of the weight. @param {View} v @param {Uint32Array} order @param {[number, number]} range */
function cutAt(v, order, range) {
  let all = 0, sum = 0, from = 0, to = 0;
  for (let i = 0; i < order.length; i++) all += Math.abs(v.value(order[i]));
  for (let i = 0; i < order.length; i++) {
    const middle = (sum + Math.abs(v.value(order[i])) / 2) / (all || 1);
    if (middle < range[0]) from = i + 1;
    if (middle <= range[1]) to = i + 1;
    sum += Math.abs(v.value(order[i]));
  }
  return [from, Math.max(from, to)];
}

class Builder {
  /** @param {View} v @param {TreeOptions} o */
  constructor(v, o) {
    this.v = v;
    this.steps = new Steps(v, !!o.isUp);
    this.isByName = o.order === "name";
    /** Samples of the view in the order of time. @type {Uint32Array | null} */
    this.byTime = o.order === "time" ? timeOrder(v) : null;
    this.range = o.range || [0, 1];
    this.boxes = new Boxes();
    this.counts = new Counts(v.nodes.length);
    const n = v.samples.length, isPlain = this.steps.isPlain;
    /** Two buffers: the rows of a box are in one, those of its children in the other. */
    this.buffers = [new Rows(n, isPlain), new Rows(n, isPlain)];
    this.nodes = new Int32Array(n);
    this.least = 0;
  }

  /** All samples with a value. @param {Uint8Array | undefined} pivots */
  gather(pivots) {
    const rows = this.buffers[0], steps = this.steps, n = this.v.samples.length, byTime = this.byTime;
    let row = 0, value = 0, weight = 0;
    const [from, to] = byTime ? cutAt(this.v, byTime, this.range) : [0, n];
    for (let k = from; k < to; k++) {
      const i = byTime ? byTime[k] : k;
      steps.start(rows, row, i);
      const x = rows.value[row];
      if (!steps.isPlain) {
        rows.id[row] = i;
        rows.sub[row] = rows.used[row] = 0;
      }
      if (x === 0 || (pivots && !steps.seek(rows, row, pivots))) continue;
      value += x;
      weight += Math.abs(x);
      row++;
    }
    this.boxes.add(-1, -1, value, weight, 0);
    return row;
  }

  /** Keeps the rows whose next frame is the node; returns their number. @param {number} depth @param {number} n @param {number} node */
  follow(depth, n, node) {
    const from = this.buffers[depth & 1], to = this.buffers[(depth + 1) & 1], boxes = this.boxes;
    let kept = 0, value = 0, weight = 0;
    this.steps.all(from, 0, n, this.nodes);
    for (let i = 0; i < n; i++) {
      if (this.nodes[i] < 0) boxes.self[depth] += from.value[i];
      if (this.nodes[i] !== node) continue;
      to.take(kept++, from, i);
      value += from.value[i];
      weight += Math.abs(from.value[i]);
    }
    if (kept) boxes.add(node, depth, value, weight, 0);
    return kept;
  }

  /** Expands a box and all visible boxes below it. @param {number} root @param {number} n its rows */
  open(root, n) {
    /** @type {number[]} box, first row, end of rows, buffer */
    const waiting = [root, 0, n, root & 1];
    while (waiting.length) {
      const at = waiting.length - 4, box = waiting[at], from = waiting[at + 1], to = waiting[at + 2], side = waiting[at + 3];
      waiting.length = at;
      const rows = this.buffers[side];
      this.steps.all(rows, from, to, this.nodes);
      if (this.byTime) {
        this.runs(rows, box, from, to, waiting);
        continue;
      }
      this.boxes.self[box] = this.counts.add(this.nodes, rows.value, from, to);
      const kids = this.kids(), isSame = kids.length === 1 && this.counts.of[4 * kids[0] + COUNT] === to - from;
      this.place(kids, box, from, waiting, isSame ? side : 1 - side);
      if (kids.length && !isSame) this.move(rows, this.buffers[1 - side], from, to);
      this.counts.clear(kids);
    }
  }

  /** Makes boxes of neighbours with the same next frame. @param {Rows} rows @param {number} box @param {number} from @param {number} to @param {number[]} waiting */
  runs(rows, box, from, to, waiting) {
    const nodes = this.nodes, values = rows.value, boxes = this.boxes, side = rows === this.buffers[0] ? 0 : 1, found = [];
    let x = boxes.x[box];
    for (let i = from; i < to;) {
      const node = nodes[i], first = i;
      let value = 0, weight = 0;
      for (; i < to && nodes[i] === node; i++) {
        value += values[i];
        weight += Math.abs(values[i]);
      }
      if (node < 0) boxes.self[box] += value;
      else if (weight < this.least || boxes.node.length >= MOST_BOXES) boxes.isCut = true;
      else found.push([boxes.add(node, box, value, weight, x), first, i, side]);
      x += weight;
    }
    for (const one of found.reverse()) waiting.push(...one);
  }

  /** The visible children, in order. */
  kids() {
    const c = this.counts, of = c.of, nodes = this.v.nodes;
    const isFull = this.boxes.node.length + c.n > MOST_BOXES, list = c.heavy(isFull ? Infinity : this.least);
    if (list.length < c.n) this.boxes.isCut = true;
    const byName = (/** @type {number} */ a, /** @type {number} */ b) => (nodes[a].name < nodes[b].name ? -1 : nodes[a].name > nodes[b].name ? 1 : a - b);
    return list.sort(this.isByName ? byName : (a, b) => of[4 * b + WEIGHT] - of[4 * a + WEIGHT] || byName(a, b));
  }

  /** Makes boxes of the children and queues them for expansion. @param {number[]} kids @param {number} box @param {number} row @param {number[]} waiting @param {number} side */
  place(kids, box, row, waiting, side) {
    const of = this.counts.of, end = waiting.length + 4 * kids.length;
    let x = this.boxes.x[box], at = end;
    waiting.length = end;
    for (const node of kids) {
      const k = 4 * node, n = of[k + COUNT];
      at -= 4;
      waiting[at] = this.boxes.add(node, box, of[k + VALUE], of[k + WEIGHT], x);
      waiting[at + 1] = row;
      waiting[at + 2] = row + n;
      waiting[at + 3] = side;
      x += of[k + WEIGHT];
      of[k + PLACE] = row + 1;
      row += n;
    }
  }

  /** Moves the rows of each child together into the other buffer. @param {Rows} rows @param {Rows} other @param {number} from @param {number} to */
  move(rows, other, from, to) {
    const nodes = this.nodes, of = this.counts.of;
    for (let i = from; i < to; i++) {
      if (nodes[i] < 0) continue;
      const k = 4 * nodes[i] + PLACE, place = of[k];
      if (place === 0) continue;
      of[k] = place + 1;
      other.take(place - 1, rows, i);
    }
  }
}

/**
 * A tree in rows: the boxes of a depth are ordered from left to right, and so are the
 * children of a box. x and w are shares of the zoomed box; its ancestors have the same
 * width.
 */
export class Tree {
  /** @param {Boxes} b @param {number} root the zoomed box */
  constructor(b, root) {
    const n = b.node.length, total = b.weight[root] || 1, deepest = b.depth.reduce((a, d) => Math.max(a, d), 0);
    /** Start of each row. */
    this.rowFirst = new Uint32Array(deepest + 2);
    for (let i = 0; i < n; i++) this.rowFirst[b.depth[i] + 1]++;
    for (let d = 0; d <= deepest; d++) this.rowFirst[d + 1] += this.rowFirst[d];
    const place = new Uint32Array(n), next = this.rowFirst.slice();
    for (let i = 0; i < n; i++) place[i] = next[b.depth[i]]++;
    /** @param {ArrayLike<number>} from @param {any} to */
    const spread = (from, to) => {
      for (let i = 0; i < n; i++) to[place[i]] = from[i];
      return to;
    };
    this.node = /** @type {Int32Array} */ (spread(b.node, new Int32Array(n)));
    this.parent = /** @type {Int32Array} */ (spread(b.parent.map((p) => (p < 0 ? -1 : place[p])), new Int32Array(n)));
    this.depth = /** @type {Int32Array} */ (spread(b.depth, new Int32Array(n)));
    this.value = /** @type {Float64Array} */ (spread(b.value, new Float64Array(n)));
    this.weight = /** @type {Float64Array} */ (spread(b.weight, new Float64Array(n)));
    this.self = /** @type {Float64Array} */ (spread(b.self, new Float64Array(n)));
    this.x = /** @type {Float64Array} */ (spread(b.x, new Float64Array(n))).map((x) => x / total);
    this.w = this.weight.map((w, i) => (i <= root ? 1 : w / total));
    this.zoomed = root;
    /** Whether invisible boxes were left out. */
    this.isCut = b.isCut;
  }
}

/**
 * @param {View} v @param {TreeOptions} [options]
 * @returns {Tree}
 */
export function buildTree(v, options = {}) {
  const b = new Builder(v, options);
  let n = b.gather(options.pivots), depth = 0;
  for (const node of options.path || []) {
    const left = b.follow(depth, n, node);
    if (left === 0) break; // the box does not exist any more: its parent is shown
    n = left;
    depth++;
  }
  const isWhole = depth === (options.path || []).length;
  if (!isWhole) return buildTree(v, { ...options, path: (options.path || []).slice(0, depth) });
  b.least = b.boxes.weight[depth] * (options.finest ?? 1 / 4096);
  b.boxes.isCut = depth > 0;
  b.boxes.self[depth] = 0;
  b.open(depth, n);
  return new Tree(b.boxes, depth);
}
