// proto.mjs - writes pprof files, also such as no honest program would.
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
 * @param {{stack: string[], value: number | bigint, labels?: Record<string, string>}[]} samples
 * @param {{type?: string, unit?: string, id?: (k: number) => number}} [style] id: of location number k
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
    const labels = Object.entries(s.labels || {}).map(([k, v]) => bytes(3, Buffer.concat([number(1, text(k)), number(2, text(v))])));
    parts.push(bytes(2, Buffer.concat([packed(1, s.stack.map(fn).map(id).reverse()), packed(2, [s.value]), ...labels])));
  }
  for (const [name, k] of functions) {
    parts.push(bytes(4, Buffer.concat([number(1, id(k)), bytes(4, Buffer.concat([number(1, k), number(2, 1)]))])));
    parts.push(bytes(5, Buffer.concat([number(1, k), number(2, text(name)), number(4, text(name + ".c"))])));
  }
  for (const s of strings) parts.push(bytes(6, Buffer.from(s)));
  return zlib.gzipSync(Buffer.concat(parts), { level: 1 });
}
