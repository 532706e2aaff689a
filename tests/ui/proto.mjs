// proto.mjs - writes pprof files, also malicious ones.
import zlib from "node:zlib";

function varint(n) {
  const out = [];
  let x = BigInt.asUintN(64, BigInt(n));
  for (; x > 127n; x >>= 7n) out.push(Number(x & 127n) | 128);
  out.push(Number(x));
  return Buffer.from(out);
}

const number = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const bytes = (field, body) => Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
const packed = (field, list) => bytes(field, Buffer.concat(list.map(varint)));

/**
 * A profile from stacks of names, outermost first.
 * @param {{stack: string[], value: number | bigint, labels?: Record<string, string | number>}[]} samples
 * @param {{type?: string, unit?: string, id?: (k: number) => number, code?: {binary: string, file: string, places: Record<string, [number, number]>}}} [style]
 * id: the id of location number k; code: addresses and lines of functions
 */
export function profileOf(samples, style = {}) {
  const strings = [""], known = new Map([["", 0]]), functions = new Map(), parts = [];
  const text = (s) => {
    if (!known.has(s)) known.set(s, strings.push(s) - 1);
    return known.get(s);
  };
  const id = style.id || ((k) => k);
  const fn = (name) => {
    if (!functions.has(name)) functions.set(name, functions.size + 1);
    return functions.get(name);
  };
  parts.push(bytes(1, Buffer.concat([number(1, text(style.type || "cpu")), number(2, text(style.unit || "nanoseconds"))])));
  for (const s of samples) {
    const labels = Object.entries(s.labels || {}).map(([k, v]) => bytes(3, Buffer.concat([number(1, text(k)), typeof v === "string" ? number(2, text(v)) : number(3, v)])));
    parts.push(bytes(2, Buffer.concat([packed(1, s.stack.map(fn).map(id).reverse()), packed(2, [s.value]), ...labels])));
  }
  const code = style.code;
  if (code) parts.push(bytes(3, Buffer.concat([number(1, 1), number(2, 0x400000), number(3, 0x500000), number(5, text(code.binary)), number(7, 1), number(8, 1), number(9, 1)])));
  for (const [name, k] of functions) {
    const [address, line] = code ? code.places[name] : [0, 1], where = code ? Buffer.concat([number(2, 1), number(3, address)]) : Buffer.alloc(0);
    parts.push(bytes(4, Buffer.concat([number(1, id(k)), where, bytes(4, Buffer.concat([number(1, k), number(2, line)]))])));
    parts.push(bytes(5, Buffer.concat([number(1, k), number(2, text(name)), number(4, text(code ? code.file : name + ".c"))])));
  }
  for (const s of strings) parts.push(bytes(6, Buffer.from(s)));
  return zlib.gzipSync(Buffer.concat(parts), { level: 1 });
}
