// flame.js - the tree of a flame graph, level by level.
//
// Only boxes wide enough to be seen are opened: a level drops the samples of
// all others before the next is looked at, so the cost is what is visible and
// not what is there. Zooming builds the tree again for the chosen path.

/** @typedef {import("./view.js").View} View */

/** Walks stacks from one end to the other, a frame at a time. */
class Cursors {
  /** @param {View} v @param {boolean} isDown from the outermost frame inwards */
  constructor(v, isDown) {
    const n = v.samples.length;
    this.v = v;
    this.isDown = isDown;
    this.at = isDown ? v.to.slice() : v.from.slice();
    this.sub = new Uint16Array(n);
    /** Frames made of labels that come first, and last. */
    this.before = isDown ? v.tagFrames.root : v.tagFrames.leaf.slice().reverse();
    this.after = isDown ? v.tagFrames.leaf : v.tagFrames.root.slice().reverse();
    this.nBefore = this.before.length;
    this.used = this.nBefore || this.after.length ? new Uint16Array(n) : null;
  }

  /** The next node of a sample, or -1. @param {number} i */
  next(i) {
    if (this.used && this.used[i] < this.nBefore) return this.before[this.used[i]++][i];
    const node = this.isDown ? this.nextDown(i) : this.nextUp(i);
    if (node >= 0 || !this.used) return node;
    const k = this.used[i] - this.nBefore;
    if (k >= this.after.length) return -1;
    this.used[i]++;
    return this.after[k][i];
  }

  /** @param {number} i */
  nextDown(i) {
    const v = this.v, first = v.nodeFirst, locs = v.profile.locs;
    if (this.sub[i] > 0) return v.nodeList[first[locs[this.at[i]]] + --this.sub[i]];
    const from = v.from[i];
    let at = this.at[i];
    while (at > from) {
      const loc = locs[--at], n = first[loc + 1] - first[loc];
      if (n === 0) continue;
      this.at[i] = at;
      this.sub[i] = n - 1;
      return v.nodeList[first[loc] + n - 1];
    }
    this.at[i] = at;
    return -1;
  }

  /** @param {number} i */
  nextUp(i) {
    const v = this.v, first = v.nodeFirst, locs = v.profile.locs, to = v.to[i];
    let at = this.at[i];
    while (at < to) {
      const loc = locs[at], k = this.sub[i];
      if (k < first[loc + 1] - first[loc]) {
        this.at[i] = at;
        this.sub[i] = k + 1;
        return v.nodeList[first[loc] + k];
      }
      at++;
      this.sub[i] = 0;
    }
    this.at[i] = at;
    return -1;
  }
}

/** Boxes of a flame graph; box 0 is the root. Children come after parents. */
export class Tree {
  constructor() {
    /** @type {number[]} node of the view, -1 for the root */
    this.node = [-1];
    /** @type {number[]} */
    this.parent = [-1];
    /** @type {number[]} */
    this.depth = [0];
    /** @type {number[]} sum of values */
    this.value = [0];
    /** @type {number[]} sum of magnitudes: the width */
    this.weight = [0];
    /** @type {number[]} value that ended here */
    this.self = [0];
    /** Whether boxes too narrow to be seen were left out. */
    this.isCut = false;
  }
}

/** Groups of one level: pairs of box and node, found by hash. */
class Level {
  constructor() {
    this.mask = 1023;
    this.slots = new Int32Array(1024).fill(-1);
    this.box = new Int32Array(1024);
    this.node = new Int32Array(1024);
    this.value = new Float64Array(1024);
    this.weight = new Float64Array(1024);
    this.n = 0;
  }
  grow() {
    const copy = (/** @type {any} */ old) => {
      const bigger = new old.constructor(old.length * 2);
      bigger.set(old);
      return bigger;
    };
    this.box = copy(this.box);
    this.node = copy(this.node);
    this.value = copy(this.value);
    this.weight = copy(this.weight);
  }
  clear() {
    if (this.n * 8 < this.slots.length && this.slots.length > 1024) {
      this.slots = new Int32Array(Math.max(1024, this.slots.length / 4)).fill(-1);
      this.mask = this.slots.length - 1;
    } else this.slots.fill(-1);
    this.n = 0;
  }
  rehash() {
    this.mask = this.mask * 2 + 1;
    this.slots = new Int32Array(this.mask + 1).fill(-1);
    for (let g = 0; g < this.n; g++) {
      let h = hash(this.box[g], this.node[g]) & this.mask;
      while (this.slots[h] >= 0) h = (h + 1) & this.mask;
      this.slots[h] = g;
    }
  }
  /** The group of a pair, made if new. @param {number} box @param {number} node */
  find(box, node) {
    let h = hash(box, node) & this.mask;
    for (let g = this.slots[h]; g >= 0; g = this.slots[h]) {
      if (this.box[g] === box && this.node[g] === node) return g;
      h = (h + 1) & this.mask;
    }
    if (this.n === this.box.length) this.grow();
    const g = this.n++;
    this.slots[h] = g;
    this.box[g] = box;
    this.node[g] = node;
    this.value[g] = this.weight[g] = 0;
    if (this.n * 2 > this.mask) this.rehash();
    return g;
  }
}

/** @param {number} a @param {number} b */
function hash(a, b) {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  h ^= h >>> 15;
  return Math.imul(h, 0x2c1b3c6d) >>> 3;
}

/**
 * @typedef {object} TreeOptions
 * @property {boolean} [isUp] callers instead of callees
 * @property {number[]} [path] nodes from the root to the box that is zoomed
 * @property {number} [finest] boxes below this share of the zoomed one stay shut
 * @property {Set<number>} [pivots] begin at the outermost of these nodes
 */

/**
 * Puts each sample's cursor behind its outermost pivot; false where it has none.
 * @param {Cursors} c @param {View} v @param {Set<number>} pivots @param {boolean} isUp
 * @returns {(i: number) => number}
 */
function pivoting(c, v, pivots, isUp) {
  if (!isUp)
    return (i) => {
      for (let node = c.next(i); node >= 0; node = c.next(i)) if (pivots.has(node)) return node;
      return -1;
    };
  return (i) => {
    let found = -1, at = 0, sub = 0, used = 0;
    for (let node = c.next(i); node >= 0; node = c.next(i)) {
      if (!pivots.has(node)) continue;
      found = node;
      at = c.at[i];
      sub = c.sub[i];
      used = c.used ? c.used[i] : 0;
    }
    if (found < 0) return -1;
    c.at[i] = at;
    c.sub[i] = sub;
    if (c.used) c.used[i] = used;
    return found;
  };
}

/**
 * @param {View} v @param {TreeOptions} [options]
 * @returns {Tree}
 */
export function buildTree(v, options = {}) {
  const isUp = !!options.isUp, path = options.path || [], finest = options.finest ?? 1 / 4096;
  const tree = new Tree(), c = new Cursors(v, !isUp), level = new Level();
  const n = v.samples.length, values = v.profile.values[v.index];
  const active = new Uint32Array(n), box = new Int32Array(n), group = new Int32Array(n);
  const seek = options.pivots ? pivoting(c, v, options.pivots, isUp) : null;
  let nActive = 0;
  for (let i = 0; i < n; i++) {
    const value = values[v.samples[i]];
    if (value === 0 || (seek && seek(i) < 0)) continue;
    active[nActive++] = i;
    tree.value[0] += value;
    tree.weight[0] += Math.abs(value);
  }
  for (let depth = 1; nActive > 0; depth++) {
    level.clear();
    for (let a = 0; a < nActive; a++) {
      const i = active[a], node = c.next(i), value = values[v.samples[i]];
      if (node < 0) {
        tree.self[box[i]] += value;
        group[i] = -1;
        continue;
      }
      const g = level.find(box[i], node);
      level.value[g] += value;
      level.weight[g] += Math.abs(value);
      group[i] = g;
    }
    nActive = openLevel(tree, level, { depth, path, finest, active, nActive, box, group });
  }
  return tree;
}

/**
 * Makes boxes of the groups that can be seen, and keeps their samples.
 * @param {Tree} tree @param {Level} level
 * @param {{depth: number, path: number[], finest: number, active: Uint32Array, nActive: number, box: Int32Array, group: Int32Array}} s
 */
function openLevel(tree, level, s) {
  const isPath = s.depth <= s.path.length;
  const zoomed = Math.min(s.path.length, s.depth - 1);
  const least = pathWeight(tree, zoomed) * s.finest;
  const ids = new Int32Array(level.n);
  for (let g = 0; g < level.n; g++) {
    const isWanted = isPath ? level.node[g] === s.path[s.depth - 1] && onPath(tree, level.box[g], s.depth - 1) : level.weight[g] >= least;
    ids[g] = -1;
    if (!isWanted) {
      tree.isCut = true;
      continue;
    }
    ids[g] = tree.node.length;
    tree.node.push(level.node[g]);
    tree.parent.push(level.box[g]);
    tree.depth.push(s.depth);
    tree.value.push(level.value[g]);
    tree.weight.push(level.weight[g]);
    tree.self.push(0);
  }
  let n = 0;
  for (let a = 0; a < s.nActive; a++) {
    const i = s.active[a], g = s.group[i];
    if (g < 0 || ids[g] < 0) continue;
    s.box[i] = ids[g];
    s.active[n++] = i;
  }
  return n;
}

/** Along the zoomed path every level has one box: its number is its depth. @param {Tree} tree @param {number} depth */
function pathWeight(tree, depth) {
  return tree.weight[Math.min(depth, tree.weight.length - 1)];
}

/** @param {Tree} tree @param {number} box @param {number} depth */
function onPath(tree, box, depth) {
  return box === depth && tree.depth[box] === depth;
}

/**
 * Where boxes lie: x from 0 to 1 of the root (or zoomed box), heaviest child
 * first, or in the order of names.
 * @param {Tree} tree @param {(box: number) => string} nameOf @param {"weight" | "name"} order
 * @param {number} root the zoomed box
 */
export function layout(tree, nameOf, order, root) {
  const n = tree.node.length;
  const x = new Float64Array(n), w = new Float64Array(n);
  const first = new Int32Array(n + 1), kids = new Int32Array(n);
  for (let i = 1; i < n; i++) first[tree.parent[i] + 1]++;
  for (let i = 0; i < n; i++) first[i + 1] += first[i];
  const fill = first.slice();
  for (let i = 1; i < n; i++) kids[fill[tree.parent[i]]++] = i;
  const total = tree.weight[root] || 1;
  for (let i = 0; i < n; i++) {
    const isAbove = i <= root && tree.depth[i] <= tree.depth[root];
    if (isAbove) w[i] = 1;
    else w[i] = tree.weight[i] / total;
    const mine = kids.subarray(first[i], first[i + 1]);
    if (order === "weight") mine.sort((a, b) => tree.weight[b] - tree.weight[a] || (nameOf(a) < nameOf(b) ? -1 : 1));
    else mine.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));
    let at = x[i];
    for (const kid of mine) {
      x[kid] = at;
      at += tree.weight[kid] / total;
    }
  }
  return { x, w };
}
