// decode.js - a pprof protobuf as flat arrays.
//
// A profile of a million samples has forty million frames, so nothing here is
// an object per sample: stacks are one array of location indexes with an offset
// per sample, values one array per sample type, labels four arrays. Strings
// stay bytes until somebody asks for them.

import { FormatError, Reader } from "./wire.js";

const NONE = 0xffffffff;

/** An array of numbers that grows. @template {Uint32Array | Float64Array | Int32Array} T */
class Growing {
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

/**
 * @typedef {object} Mapping
 * @property {number} id
 * @property {number} file
 * @property {number} buildId
 * @property {bigint} start
 * @property {bigint} limit
 * @property {bigint} offset
 */

export class Profile {
  constructor() {
    /** @type {{type: string, unit: string}[]} */
    this.types = [];
    this.nSamples = 0;
    /** Where the stack of each sample begins in locs; nSamples + 1. */
    this.stackFirst = new Uint32Array(1);
    /** Location indexes, innermost first. */
    this.locs = new Uint32Array(0);
    /** One array for each sample type. @type {Float64Array[]} */
    this.values = [];
    /** Where the labels of each sample begin; nSamples + 1. */
    this.labelFirst = new Uint32Array(1);
    this.labelKey = new Uint32Array(0);
    /** String index, or NONE for a number. */
    this.labelStr = new Uint32Array(0);
    this.labelNum = new Float64Array(0);
    this.labelUnit = new Uint32Array(0);
    this.nLocations = 0;
    this.locMapping = new Uint32Array(0);
    /** Exact up to 2^53; the rest is in addressText. */
    this.locAddress = new Float64Array(0);
    /** Where the lines of each location begin; nLocations + 1. */
    this.lineFirst = new Uint32Array(1);
    this.lineFunction = new Uint32Array(0);
    this.lineNumber = new Float64Array(0);
    this.lineColumn = new Float64Array(0);
    this.nFunctions = 0;
    this.fnName = new Uint32Array(0);
    this.fnFile = new Uint32Array(0);
    this.fnStart = new Float64Array(0);
    /** @type {Mapping[]} */
    this.mappings = [];
    this.timeNanos = 0;
    this.durationNanos = 0;
    this.period = 0;
    this.periodType = { type: "", unit: "" };
    /** @type {string[]} */
    this.comments = [];
    this.defaultType = "";
    this.docUrl = "";
    /** @type {Uint8Array} */
    this.bytes = new Uint8Array(0);
    this.stringFirst = new Uint32Array(0);
    this.stringLen = new Uint32Array(0);
    /** @type {string[]} */
    this.strings = [];
    /** Samples of the base in a comparison made here. @type {Uint8Array | null} */
    this.isBase = null;
  }

  /** The text of string number id. @param {number} id @returns {string} */
  str(id) {
    let text = this.strings[id];
    if (text === undefined) {
      const from = this.stringFirst[id];
      text = decoder.decode(this.bytes.subarray(from, from + this.stringLen[id]));
      this.strings[id] = text;
    }
    return text;
  }

  /** The sample type that is shown when none is asked for. */
  defaultIndex() {
    const found = this.types.findIndex((t) => t.type === this.defaultType);
    return found >= 0 && this.defaultType ? found : this.types.length - 1;
  }
}

const decoder = new TextDecoder();

/** Ids to indexes: an array while they are small, a map where they are not. */
class Ids {
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

/**
 * Where the fields of the outer message lie, so that tables can be read before
 * the samples that point into them.
 */
class Outline {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    /** @type {Growing<Uint32Array>[]} starts and ends in turn, by field */
    this.spans = [];
    for (let i = 0; i <= 15; i++) this.spans.push(new Growing(Uint32Array, i === 2 ? 65536 : 256));
    /** @type {number[]} */
    this.numbers = new Array(16).fill(0);
    /** @type {number[]} */
    this.comments = [];
    const r = new Reader(bytes);
    while (r.next()) this.note(r);
  }
  /** @param {Reader} r */
  note(r) {
    if (r.type === 2 && r.field === 13) {
      const inner = r.message();
      while (inner.pos < inner.end) this.comments.push(inner.int());
    } else if (r.type === 2 && r.field < 16) {
      const end = r.span();
      this.spans[r.field].push(r.pos);
      this.spans[r.field].push(end);
      r.pos = end;
    } else if (r.type === 0 && r.field === 13) {
      this.comments.push(r.int());
    } else if (r.type === 0 && r.field < 16) {
      this.numbers[r.field] = r.int();
    } else {
      r.skip();
    }
  }
  /** @param {number} field */
  count(field) {
    return this.spans[field].n / 2;
  }
}

/** @param {Profile} p @param {Outline} o */
function readStrings(p, o) {
  const spans = o.spans[6].items, n = o.count(6);
  p.stringFirst = new Uint32Array(n);
  p.stringLen = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    p.stringFirst[i] = spans[2 * i];
    p.stringLen[i] = spans[2 * i + 1] - spans[2 * i];
  }
  if (n === 0 || p.stringLen[0] !== 0) throw new FormatError("no table of strings, or its first is not empty");
  p.strings = new Array(n);
}

/** @param {Profile} p @param {number} id */
function checked(p, id) {
  if (id >= p.stringFirst.length) throw new FormatError(`string ${id} is not in the table`);
  return id;
}

/** @param {Profile} p @param {Outline} o @param {number} field */
function readTypes(p, o, field) {
  const spans = o.spans[field].items, list = [];
  for (let i = 0; i < o.count(field); i++) {
    const r = new Reader(p.bytes, spans[2 * i], spans[2 * i + 1]);
    const type = { type: "", unit: "" };
    while (r.next()) {
      if (r.field === 1) type.type = p.str(checked(p, r.varint()));
      else if (r.field === 2) type.unit = p.str(checked(p, r.varint()));
      else r.skip();
    }
    list.push(type);
  }
  return list;
}

/** @param {Profile} p @param {Outline} o @returns {Ids} */
function readMappings(p, o) {
  const spans = o.spans[3].items, n = o.count(3), ids = new Ids(n);
  for (let i = 0; i < n; i++) {
    const r = new Reader(p.bytes, spans[2 * i], spans[2 * i + 1]);
    const m = { id: 0, start: 0n, limit: 0n, offset: 0n, file: 0, buildId: 0 };
    while (r.next()) {
      if (r.field === 1) m.id = r.varint();
      else if (r.field === 2) m.start = r.hex();
      else if (r.field === 3) m.limit = r.hex();
      else if (r.field === 4) m.offset = r.hex();
      else if (r.field === 5) m.file = checked(p, r.varint());
      else if (r.field === 6) m.buildId = checked(p, r.varint());
      else r.skip();
    }
    ids.set(m.id, i);
    p.mappings.push(m);
  }
  return ids;
}

/** @param {Profile} p @param {Outline} o @returns {Ids} */
function readFunctions(p, o) {
  const spans = o.spans[5].items, n = o.count(5), ids = new Ids(n);
  p.nFunctions = n;
  p.fnName = new Uint32Array(n);
  p.fnFile = new Uint32Array(n);
  p.fnStart = new Float64Array(n);
  const r = new Reader(p.bytes);
  for (let i = 0; i < n; i++) {
    let system = 0;
    r.pos = spans[2 * i];
    r.end = spans[2 * i + 1];
    while (r.next()) {
      if (r.field === 1) ids.set(r.varint(), i);
      else if (r.field === 2) p.fnName[i] = checked(p, r.varint());
      else if (r.field === 3) system = checked(p, r.varint());
      else if (r.field === 4) p.fnFile[i] = checked(p, r.varint());
      else if (r.field === 5) p.fnStart[i] = r.int();
      else r.skip();
    }
    if (p.fnName[i] === 0) p.fnName[i] = system;
  }
  return ids;
}

/** @param {Profile} p @param {Outline} o @param {Ids} functions @param {Ids} mappings @returns {Ids} */
function readLocations(p, o, functions, mappings) {
  const spans = o.spans[4].items, n = o.count(4), ids = new Ids(n);
  const lineFunction = new Growing(Uint32Array, n), number = new Growing(Float64Array, n);
  const column = new Growing(Float64Array, n);
  p.nLocations = n;
  p.locMapping = new Uint32Array(n).fill(NONE);
  p.locAddress = new Float64Array(n);
  p.lineFirst = new Uint32Array(n + 1);
  const r = new Reader(p.bytes), line = new Reader(p.bytes);
  for (let i = 0; i < n; i++) {
    p.lineFirst[i] = lineFunction.n;
    r.pos = spans[2 * i];
    r.end = spans[2 * i + 1];
    while (r.next()) {
      if (r.field === 1) ids.set(r.varint(), i);
      else if (r.field === 2) p.locMapping[i] = mappings.get(r.varint());
      else if (r.field === 3) p.locAddress[i] = r.varint();
      else if (r.field === 4) {
        let fn = NONE, at = 0, col = 0;
        line.end = r.span();
        line.pos = r.pos;
        r.pos = line.end;
        while (line.next()) {
          if (line.field === 1) fn = functions.get(line.varint());
          else if (line.field === 2) at = line.int();
          else if (line.field === 3) col = line.int();
          else line.skip();
        }
        if (fn === NONE) throw new FormatError("a line without a function");
        lineFunction.push(fn);
        number.push(at);
        column.push(col);
      } else r.skip();
    }
  }
  p.lineFirst[n] = lineFunction.n;
  p.lineFunction = lineFunction.take();
  p.lineNumber = number.take();
  p.lineColumn = column.take();
  return ids;
}

/** What readSamples fills. */
class SampleArrays {
  /** @param {number} n @param {number} nTypes @param {number} bytes */
  constructor(n, nTypes, bytes) {
    this.first = new Uint32Array(n + 1);
    this.locs = new Growing(Uint32Array, Math.max(1024, Math.floor(bytes / 1.6)));
    this.values = Array.from({ length: nTypes }, () => new Float64Array(n));
    this.labelFirst = new Uint32Array(n + 1);
    this.key = new Growing(Uint32Array);
    this.str = new Growing(Uint32Array);
    this.num = new Growing(Float64Array);
    this.unit = new Growing(Uint32Array);
  }
}

/** @param {Reader} r @param {SampleArrays} s @param {Ids} ids the packed locations of one sample */
function packedLocations(r, s, ids) {
  const end = r.span(), bytes = r.bytes, dense = ids.dense, limit = ids.limit;
  let pos = r.pos, n = s.locs.n;
  s.locs.reserve(end - pos);
  const locs = s.locs.items;
  while (pos < end) {
    let id = bytes[pos++];
    if (id >= 0x80) {
      id = (id & 0x7f) | (bytes[pos] & 0x7f) << 7;
      if (bytes[pos++] >= 0x80) {
        id |= (bytes[pos] & 0x7f) << 14;
        if (bytes[pos++] >= 0x80) {
          r.pos = pos - 3;
          id = r.varint();
          pos = r.pos;
        }
      }
    }
    const index = id < limit ? dense[id] : ids.get(id);
    if (index === NONE) throw new FormatError(`a sample with the unknown location ${id}`);
    locs[n++] = index;
  }
  if (pos !== end) throw new FormatError("cut short");
  s.locs.n = n;
  r.pos = end;
}

/** @param {Reader} r @param {SampleArrays} s @param {Profile} p */
function readLabel(r, s, p) {
  const l = r.message();
  let key = 0, str = NONE, num = 0, unit = 0;
  while (l.next()) {
    if (l.field === 1) key = checked(p, l.varint());
    else if (l.field === 2) str = checked(p, l.varint());
    else if (l.field === 3) num = l.int();
    else if (l.field === 4) unit = checked(p, l.varint());
    else l.skip();
  }
  s.key.push(key);
  s.str.push(str === 0 ? NONE : str);
  s.num.push(num);
  s.unit.push(unit);
}

/** @param {Profile} p @param {Outline} o @param {Ids} ids */
function readSamples(p, o, ids) {
  const spans = o.spans[2].items, n = o.count(2), nTypes = p.types.length;
  const s = new SampleArrays(n, nTypes, n ? spans[2 * n - 1] - spans[0] : 0);
  const r = new Reader(p.bytes);
  for (let i = 0; i < n; i++) {
    let at = 0;
    s.first[i] = s.locs.n;
    s.labelFirst[i] = s.key.n;
    r.pos = spans[2 * i];
    r.end = spans[2 * i + 1];
    while (r.next()) {
      if (r.field === 1 && r.type === 2) packedLocations(r, s, ids);
      else if (r.field === 1) {
        const index = ids.get(r.varint());
        if (index === NONE) throw new FormatError("a sample with an unknown location");
        s.locs.push(index);
      } else if (r.field === 2 && r.type === 2) {
        const end = r.span();
        while (r.pos < end && at < nTypes) s.values[at++][i] = r.int();
        if (r.pos !== end) throw new FormatError("a sample with more values than there are types");
      } else if (r.field === 2 && at < nTypes) s.values[at++][i] = r.int();
      else if (r.field === 3) readLabel(r, s, p);
      else r.skip();
    }
    if (at !== nTypes) throw new FormatError(`a sample with ${at} values, and ${nTypes} types`);
  }
  s.first[n] = s.locs.n;
  s.labelFirst[n] = s.key.n;
  p.nSamples = n;
  p.stackFirst = s.first;
  p.locs = s.locs.take();
  p.values = s.values;
  p.labelFirst = s.labelFirst;
  p.labelKey = s.key.take();
  p.labelStr = s.str.take();
  p.labelNum = s.num.take();
  p.labelUnit = s.unit.take();
}

/**
 * Reads a profile from its unpacked bytes.
 * @param {Uint8Array} bytes @returns {Profile}
 */
export function decode(bytes) {
  const p = new Profile();
  p.bytes = bytes;
  const o = new Outline(bytes);
  readStrings(p, o);
  p.types = readTypes(p, o, 1);
  const periods = readTypes(p, o, 11);
  if (periods.length) p.periodType = periods[0];
  if (p.types.length === 0) throw new FormatError("no sample types");
  const mappings = readMappings(p, o);
  const functions = readFunctions(p, o);
  const locations = readLocations(p, o, functions, mappings);
  readSamples(p, o, locations);
  p.timeNanos = o.numbers[9];
  p.durationNanos = o.numbers[10];
  p.period = o.numbers[12];
  p.defaultType = p.str(checked(p, o.numbers[14]));
  p.docUrl = p.str(checked(p, o.numbers[15]));
  p.comments = o.comments.map((id) => p.str(checked(p, id)));
  return p;
}

/**
 * Unpacks gzip if it is that.
 * @param {Uint8Array} bytes @returns {Promise<Uint8Array>}
 */
export async function unpack(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export { NONE };
