// growing.js - arrays of numbers that grow, and ids that become indexes.

/** No index. */
export const NONE = 0xffffffff;

/** An array of numbers that grows. @template {Uint32Array | Float64Array | Int32Array} T */
export class Growing {
  /** @param {new (n: number) => T} kind @param {number} cap */
  constructor(kind, cap = 1024) {
    this.kind = kind;
    this.items = new kind(cap);
    this.n = 0;
  }
  /** @param {number} more */
  reserve(more) {
    if (this.n + more <= this.items.length) return;
    const cap = Math.max(this.n + more, Math.ceil(this.items.length * 1.6));
    const bigger = new this.kind(cap);
    bigger.set(/** @type {any} */ (this.items.subarray(0, this.n)));
    this.items = bigger;
  }
  /** @param {number} x */
  push(x) {
    if (this.n === this.items.length) this.reserve(1);
    this.items[this.n++] = x;
  }
  /** @returns {T} */
  take() {
    return /** @type {T} */ (this.items.subarray(0, this.n));
  }
}

/** Ids to indexes: an array while they are small, a map where they are not. */
export class Ids {
  /** @param {number} expected */
  constructor(expected) {
    this.limit = Math.max(1024, expected * 4);
    this.dense = new Uint32Array(this.limit).fill(NONE);
    /** @type {Map<number, number>} */
    this.sparse = new Map();
  }
  /** @param {number} id @param {number} index */
  set(id, index) {
    if (id < this.limit) this.dense[id] = index;
    else this.sparse.set(id, index);
  }
  /** @param {number} id */
  get(id) {
    if (id < this.limit) return this.dense[id];
    const found = this.sparse.get(id);
    return found === undefined ? NONE : found;
  }
}

