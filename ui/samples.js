// samples.js - decodes the samples of a profile while it arrives.
//
// Samples precede their locations in the file. Ids are almost always small numbers, so
// that locations can be stored in the order of ids; otherwise resolve() maps ids to
// indexes.

import { Growing, NONE } from "./growing.js";
import { FormatError, Reader } from "./wire.js";

/** @typedef {import("./growing.js").Ids} Ids */

/** Ids from here on are stored separately. */
const LARGE = 1 << 28;

/** Positions of the fields of the outer message, without samples. */
export class Outline {
  constructor() {
    /** @type {Growing<Uint32Array>[]} starts and ends in turn, by field */
    this.spans = Array.from({ length: 16 }, () => new Growing(Uint32Array, 256));
    /** @type {number[]} */
    this.numbers = new Array(16).fill(0);
    /** @type {number[]} */
    this.comments = [];
  }
  /** @param {number} field @param {number} from @param {number} to */
  note(field, from, to) {
    if (field >= 16) return;
    this.spans[field].push(from);
    this.spans[field].push(to);
  }
  /** @param {number} field @param {number} value */
  number(field, value) {
    if (field === 13) this.comments.push(value);
    else this.numbers[field] = value;
  }
  /** @param {number} field */
  count(field) {
    return this.spans[field].n / 2;
  }
}

export class SampleReader {
  /** @param {number} nFrames expected number */
  constructor(nFrames) {
    this.n = 0;
    this.first = new Growing(Uint32Array, 4096);
    this.locs = new Growing(Uint32Array, Math.max(1024, Math.floor(nFrames)));
    /** As many as the first sample has. @type {Growing<Float64Array>[]} */
    this.values = [];
    /** Sample, place of its first label, its end. */
    this.labels = new Growing(Uint32Array, 1024);
    /** @type {number[]} ids that are too large to be indexes */
    this.large = [];
    this.most = 0;
    this.reader = new Reader(new Uint8Array(0));
    this.words = new DataView(new ArrayBuffer(0));
  }

  /** The next sample. @param {Uint8Array} bytes @param {number} pos @param {number} end */
  read(bytes, pos, end) {
    const r = this.reader;
    let at = 0, label = 0;
    if (r.bytes !== bytes) {
      r.bytes = bytes;
      this.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    r.pos = pos;
    r.end = end;
    this.first.push(this.locs.n);
    while (r.pos < end) {
      const start = r.pos, key = bytes[start];
      if (key === 0x0a) {
        r.pos++;
        this.packed(r);
      } else if (key === 0x12) {
        r.pos++;
        at = this.packedValues(r, at);
      } else if (key === 0x1a) {
        label = label || start;
        r.pos++;
        r.pos = r.span();
      } else {
        r.next();
        if (r.field === 1 && r.type === 0) this.location(r.varint());
        else if (r.field === 2 && r.type === 0) this.value(at++, r.int());
        else r.skip();
      }
    }
    if (at !== this.values.length) throw new FormatError(`a sample with ${at} values, and one with ${this.values.length}`);
    if (label) for (const x of [this.n, label, end]) this.labels.push(x);
    this.n++;
  }

  /** @param {number} id */
  location(id) {
    this.locs.reserve(1);
    this.locs.items[this.locs.n++] = id < LARGE ? id - 1 : LARGE + this.large.push(id) - 1;
    this.most = Math.max(this.most, id);
  }

  /** @param {number} at @param {number} value */
  value(at, value) {
    if (at === this.values.length) {
      if (this.n) throw new FormatError(`a sample with more than ${at} values`);
      this.values.push(new Growing(Float64Array, 4096));
    }
    this.values[at].push(value);
  }

  /** @param {Reader} r @param {number} at */
  packedValues(r, at) {
    const end = r.span(), bytes = r.bytes;
    while (r.pos < end) {
      const byte = bytes[r.pos];
      if (byte < 0x80) {
        r.pos++;
        this.value(at++, byte);
      } else this.value(at++, r.int());
    }
    if (r.pos !== end) throw new FormatError("cut short");
    return at;
  }

  /** Locations, innermost first: most of all bytes. @param {Reader} r */
  packed(r) {
    const end = r.span(), words = this.words, safe = Math.min(end, words.byteLength - 3);
    let pos = r.pos, n = this.locs.n, most = this.most;
    this.locs.reserve(end - pos);
    const locs = this.locs.items;
    while (pos < safe) {
      const w = words.getInt32(pos, true);
      let id = w & 0x7f;
      if (!(w & 0x80)) pos += 1;
      else if (!(w & 0x8000)) {
        id |= (w >> 1) & 0x3f80;
        pos += 2;
      } else if (!(w & 0x800000)) {
        id |= ((w >> 1) & 0x3f80) | ((w >> 2) & 0x1fc000);
        pos += 3;
      } else break;
      if (id > most) most = id;
      locs[n++] = id - 1;
    }
    this.most = most;
    this.locs.n = n;
    r.pos = pos;
    if (pos < end) this.slowly(r, end);
    if (r.pos !== end) throw new FormatError("cut short");
  }

  /** The rest of a stack after a long varint, or at the end of the file. @param {Reader} r @param {number} end */
  slowly(r, end) {
    while (r.pos < end) this.location(r.varint());
  }

  /** Whether ids minus one can be indexes, possibly with holes. @param {number} nLocations */
  isDense(nLocations) {
    return this.most <= 4 * nLocations + 1024 && this.large.length === 0;
  }

  /** Replaces ids by indexes. @param {Ids} ids */
  resolve(ids) {
    const locs = this.locs.items, n = this.locs.n;
    for (let i = 0; i < n; i++) {
      const id = locs[i] >= LARGE && locs[i] !== NONE ? this.large[locs[i] - LARGE] : (locs[i] + 1) >>> 0;
      const index = ids.get(id);
      if (index === NONE) throw new FormatError(`a sample with the unknown location ${id}`);
      locs[i] = index;
    }
  }

  /** @param {number} nTypes */
  checkTypes(nTypes) {
    if (this.n && this.values.length !== nTypes) throw new FormatError(`samples with ${this.values.length} values, and ${nTypes} types`);
    while (this.values.length < nTypes) this.values.push(new Growing(Float64Array, 1));
  }

  stackFirsts() {
    this.first.push(this.locs.n);
    return this.first.take();
  }
}
