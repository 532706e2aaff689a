// decode.js - decodes a pprof protobuf into flat arrays while it arrives.
//
// A profile of a million samples has forty million frames, so nothing here is
// an object per sample: stacks are one array of location indexes with an offset
// per sample, values one array per sample type. Strings and labels stay bytes
// until they are needed.

import { Growing, Ids, NONE } from "./growing.js";
import { Outline, SampleReader } from "./samples.js";
import { FormatError, Reader } from "./wire.js";

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
    /** Arrival of the last byte, in milliseconds since 1970. */
    this.arrived = 0;
    /** Start of each sample's stack in locs; nSamples + 1 entries. */
    this.stackFirst = new Uint32Array(1);
    /** Location indexes, innermost first. */
    this.locs = new Uint32Array(0);
    /** One array for each sample type. @type {Float64Array[]} */
    this.values = [];
    /** Decoded at first use. @type {Labels | null} */
    this.labelArrays = null;
    this.makeLabels = () => ({ first: new Uint32Array(this.nSamples + 1), key: new Uint32Array(0), str: new Uint32Array(0), num: new Float64Array(0), unit: new Uint32Array(0) });
    this.nLocations = 0;
    /** Ids without a location. */
    this.holes = new Uint8Array(0);
    this.locMapping = new Uint32Array(0);
    /** Exact up to 2^53; the rest is in addressText. */
    this.locAddress = new Float64Array(0);
    /** Start of each location's lines; nLocations + 1 entries. */
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

  get labels() {
    return this.labelArrays || (this.labelArrays = this.makeLabels());
  }
  /** Start of each sample's labels; nSamples + 1 entries. */
  get labelFirst() {
    return this.labels.first;
  }
  get labelKey() {
    return this.labels.key;
  }
  /** String index, or NONE for a number. */
  get labelStr() {
    return this.labels.str;
  }
  get labelNum() {
    return this.labels.num;
  }
  get labelUnit() {
    return this.labels.unit;
  }
  /** Whether a text is in the string table, without decoding all strings. @param {string} text */
  hasString(text) {
    const wanted = new TextEncoder().encode(text), n = wanted.length;
    for (let i = 0; i < this.stringFirst.length; i++) {
      if (this.stringLen[i] !== n) continue;
      let k = 0;
      while (k < n && this.bytes[this.stringFirst[i] + k] === wanted[k]) k++;
      if (k === n) return true;
    }
    return false;
  }

  /** The text of string number id. @param {number} id @returns {string} */
  str(id) {
    let text = this.strings[id];
    if (text === undefined) {
      const from = this.stringFirst[id];
      text = textOf(this.bytes.subarray(from, from + this.stringLen[id]));
      this.strings[id] = text;
    }
    return text;
  }

  /** The default sample type. */
  defaultIndex() {
    const found = this.types.findIndex((t) => t.type === this.defaultType);
    return found >= 0 && this.defaultType ? found : this.types.length - 1;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Short names in ASCII need no decoder, which is slow to start. @param {Uint8Array} bytes */
function textOf(bytes) {
  let all = 0;
  if (bytes.length > 64) return decoder.decode(bytes);
  for (let i = 0; i < bytes.length; i++) all |= bytes[i];
  return all < 0x80 ? String.fromCharCode.apply(null, /** @type {any} */ (bytes)) : decoder.decode(bytes);
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

/** The index of each location: its position in the file, or its id minus one. @param {Profile} p @param {Outline} o @param {number} most the largest id, or 0 */
function placeLocations(p, o, most) {
  const spans = o.spans[4].items, n = o.count(4), ids = new Ids(n), r = new Reader(p.bytes);
  const number = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    r.pos = spans[2 * i];
    r.end = spans[2 * i + 1];
    while (r.next() && r.field !== 1) r.skip();
    number[i] = r.field === 1 ? r.varint() : 0;
    ids.set(number[i], i);
  }
  if (most === 0) return { ids, order: Uint32Array.from({ length: n }, (_, i) => i) };
  const order = new Uint32Array(most).fill(NONE);
  for (let i = 0; i < n; i++) if (number[i] > 0 && number[i] <= most) order[number[i] - 1] = i;
  return { ids, order };
}

/**
 * With `most` the locations are in the order of ids; unused ids are holes.
 * @param {Profile} p @param {Outline} o @param {Ids} functions @param {Ids} mappings @param {number} most
 * @returns {Ids}
 */
function readLocations(p, o, functions, mappings, most) {
  const { ids, order } = placeLocations(p, o, most), spans = o.spans[4].items, n = order.length;
  const lines = { fn: new Growing(Uint32Array, n), number: new Growing(Float64Array, n), column: new Growing(Float64Array, n) };
  p.nLocations = n;
  p.holes = new Uint8Array(n);
  p.locMapping = new Uint32Array(n).fill(NONE);
  p.locAddress = new Float64Array(n);
  p.lineFirst = new Uint32Array(n + 1);
  const r = new Reader(p.bytes), line = new Reader(p.bytes);
  for (let i = 0; i < n; i++) {
    p.lineFirst[i] = lines.fn.n;
    if (order[i] === NONE) {
      p.holes[i] = 1;
      continue;
    }
    r.pos = spans[2 * order[i]];
    r.end = spans[2 * order[i] + 1];
    while (r.next()) {
      if (r.field === 2) p.locMapping[i] = mappings.get(r.varint());
      else if (r.field === 3) p.locAddress[i] = r.varint();
      else if (r.field === 4) {
        line.end = r.span();
        line.pos = r.pos;
        r.pos = line.end;
        readLine(line, lines, functions);
      } else r.skip();
    }
  }
  p.lineFirst[n] = lines.fn.n;
  p.lineFunction = lines.fn.take();
  p.lineNumber = lines.number.take();
  p.lineColumn = lines.column.take();
  return ids;
}

/** @param {Reader} r @param {{fn: Growing<Uint32Array>, number: Growing<Float64Array>, column: Growing<Float64Array>}} lines @param {Ids} functions */
function readLine(r, lines, functions) {
  let fn = NONE, at = 0, column = 0;
  while (r.next()) {
    if (r.field === 1) fn = functions.get(r.varint());
    else if (r.field === 2) at = r.int();
    else if (r.field === 3) column = r.int();
    else r.skip();
  }
  if (fn === NONE) throw new FormatError("a line without a function");
  lines.fn.push(fn);
  lines.number.push(at);
  lines.column.push(column);
}

/** @typedef {{first: Uint32Array, key: Uint32Array, str: Uint32Array, num: Float64Array, unit: Uint32Array}} Labels */

/**
 * The labels of all samples: the start of each sample's labels, and four arrays. str
 * is NONE for a number.
 * @param {Profile} p @param {Uint32Array} spans sample, first label, end of the sample
 * @returns {Labels}
 */
function readLabels(p, spans) {
  const most = spans.length / 3, first = new Uint32Array(p.nSamples + 1), r = new Reader(p.bytes), l = new Reader(p.bytes);
  const key = new Growing(Uint32Array, most), str = new Growing(Uint32Array, most), num = new Growing(Float64Array, most), unit = new Growing(Uint32Array, most);
  let sample = 0;
  for (let i = 0; i < spans.length; i += 3) {
    while (sample <= spans[i]) first[sample++] = key.n;
    r.pos = spans[i + 1];
    r.end = spans[i + 2];
    while (r.next()) {
      if (r.field !== 3) {
        r.skip();
        continue;
      }
      let k = 0, s = NONE, n = 0, u = 0;
      l.end = r.span();
      l.pos = r.pos;
      r.pos = l.end;
      while (l.next()) {
        if (l.field === 1) k = checked(p, l.varint());
        else if (l.field === 2) s = checked(p, l.varint()) || NONE;
        else if (l.field === 3) n = l.int();
        else if (l.field === 4) u = checked(p, l.varint());
        else l.skip();
      }
      key.push(k);
      str.push(s);
      num.push(n);
      unit.push(u);
    }
  }
  first.fill(key.n, sample);
  return { first, key: key.take(), str: str.take(), num: num.take(), unit: unit.take() };
}

/** Decodes bytes in order of arrival and makes a profile at the end. */
export class Decoder {
  /** @param {number} expected bytes in all, if that is known */
  constructor(expected = 0) {
    this.bytes = new Uint8Array(expected || 1 << 20);
    this.n = 0;
    this.pos = 0;
    this.outline = new Outline();
    this.samples = new SampleReader(expected / 2);
  }

  /** @param {Uint8Array} chunk */
  push(chunk) {
    if (this.n + chunk.length > this.bytes.length) {
      const bigger = new Uint8Array(2 * (this.n + chunk.length));
      bigger.set(this.bytes.subarray(0, this.n));
      this.bytes = bigger;
    }
    this.bytes.set(chunk, this.n);
    this.n += chunk.length;
    this.scan(this.n - 32); // the key and length of a field are complete
  }

  /** Reads the complete fields that begin before a position. @param {number} safe */
  scan(safe) {
    const r = new Reader(this.bytes, this.pos, this.n), samples = this.samples, outline = this.outline, bytes = this.bytes;
    while (r.pos < safe) {
      const start = r.pos, isSample = bytes[start] === 0x12;
      r.next();
      if (r.type === 2) {
        const len = r.varint(), end = r.pos + len;
        if (end > this.n) {
          if (safe === this.n) throw new FormatError("a field longer than its message");
          r.pos = start;
          break;
        }
        if (!isSample) outline.note(r.field, r.pos, end);
        else samples.read(bytes, r.pos, end);
        r.pos = end;
      } else if (r.type === 0 && r.field < 16) outline.number(r.field, r.int());
      else r.skip();
    }
    this.pos = r.pos;
  }

  /** @returns {Profile} */
  finish() {
    this.scan(this.n);
    return assemble(this.bytes.subarray(0, this.n), this.outline, this.samples);
  }
}

/** @param {Uint8Array} bytes @param {Outline} o @param {SampleReader} s */
function assemble(bytes, o, s) {
  const p = new Profile();
  p.bytes = bytes;
  readStrings(p, o);
  p.types = readTypes(p, o, 1);
  const periods = readTypes(p, o, 11);
  if (periods.length) p.periodType = periods[0];
  if (p.types.length === 0) throw new FormatError("no sample types");
  s.checkTypes(p.types.length);
  const mappings = readMappings(p, o), functions = readFunctions(p, o), isDense = s.isDense(o.count(4));
  const locations = readLocations(p, o, functions, mappings, isDense ? s.most : 0);
  if (!isDense) s.resolve(locations);
  p.nSamples = s.n;
  p.stackFirst = s.stackFirsts();
  p.locs = s.locs.take();
  p.values = s.values.map((list) => list.take());
  p.makeLabels = () => readLabels(p, s.labels.take());
  p.timeNanos = o.numbers[9];
  p.durationNanos = o.numbers[10];
  p.period = o.numbers[12];
  p.defaultType = p.str(checked(p, o.numbers[14]));
  p.docUrl = p.str(checked(p, o.numbers[15]));
  p.comments = commentsOf(p, o);
  return p;
}

/** @param {Profile} p @param {Outline} o */
function commentsOf(p, o) {
  const spans = o.spans[13].items, ids = o.comments.slice();
  for (let i = 0; i < o.count(13); i++) {
    const r = new Reader(p.bytes, spans[2 * i], spans[2 * i + 1]);
    while (r.pos < r.end) ids.push(r.int());
  }
  return ids.map((id) => p.str(checked(p, id)));
}

/**
 * Reads a profile from its unpacked bytes.
 * @param {Uint8Array} bytes @returns {Profile}
 */
export function decode(bytes) {
  const d = new Decoder(1);
  d.bytes = bytes;
  d.n = bytes.length;
  d.samples = new SampleReader(bytes.length / 2);
  return d.finish();
}

/**
 * Decodes a stream of bytes, which may be gzip.
 * @param {ReadableStream<Uint8Array>} stream @param {(n: number) => void} [tell] how many came
 * @param {number} [expected] bytes, if they are not packed
 * @returns {Promise<Profile>}
 */
export async function decodeStream(stream, tell = () => {}, expected = 0) {
  let n = 0;
  const reader = stream.getReader(), first = await reader.read();
  const isPacked = !!first.value && first.value[0] === 0x1f && first.value[1] === 0x8b;
  const rest = new ReadableStream({
    start(to) {
      if (first.value) to.enqueue(first.value);
    },
    async pull(to) {
      const { done, value } = await reader.read();
      if (done) return to.close();
      tell(n += value.length);
      to.enqueue(value);
    },
  });
  const from = (isPacked ? rest.pipeThrough(/** @type {any} */ (new DecompressionStream("gzip"))) : rest).getReader();
  const decoder = new Decoder(isPacked ? expected * 2 : expected);
  for (;;) {
    const { done, value } = await from.read();
    if (done) break;
    decoder.push(value);
  }
  const arrived = performance.timeOrigin + performance.now(), profile = decoder.finish();
  profile.arrived = arrived;
  return profile;
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
