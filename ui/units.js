// units.js - values with units in the format of the text reports.

/** @typedef {{name: string, aliases: string[], factor: number}} Unit */
/** @typedef {{units: Unit[], base: number}} Family */

/**
 * @param {[string, string[], number][]} rows
 * @param {number} base index of the default unit
 * @returns {Family}
 */
function family(rows, base) {
  return {
    units: rows.map(([name, aliases, factor]) => ({ name, aliases, factor })),
    base,
  };
}

const FAMILIES = [
  family([
    ["B", ["b", "byte"], 1],
    ["kB", ["kb", "kbyte", "kilobyte"], 1024],
    ["MB", ["mb", "mbyte", "megabyte"], 1048576],
    ["GB", ["gb", "gbyte", "gigabyte"], 1073741824],
    ["TB", ["tb", "tbyte", "terabyte"], 1099511627776],
    ["PB", ["pb", "pbyte", "petabyte"], 1125899906842624],
  ], 0),
  family([
    ["ns", ["ns", "nanosecond"], 1],
    ["us", ["μs", "us", "microsecond"], 1e3],
    ["ms", ["ms", "millisecond"], 1e6],
    ["s", ["s", "sec", "second"], 1e9],
    ["hrs", ["hour", "hr"], 3.6e12],
  ], 3),
  family([
    ["n*GCU", ["nanogcu"], 1e-9],
    ["u*GCU", ["microgcu"], 1e-6],
    ["m*GCU", ["milligcu"], 1e-3],
    ["GCU", ["gcu"], 1],
    ["k*GCU", ["kilogcu"], 1e3],
    ["M*GCU", ["megagcu"], 1e6],
    ["G*GCU", ["gigagcu"], 1e9],
    ["T*GCU", ["teragcu"], 1e12],
    ["P*GCU", ["petagcu"], 1e15],
  ], 3),
];

/** @param {Family} f @param {string} name */
function findIn(f, name) {
  const lower = name.toLowerCase();
  const exact = f.units.find((u) => u.aliases.includes(lower));
  if (exact || lower.length <= 2 || !lower.endsWith("s")) return exact;
  const single = lower.slice(0, -1);
  return f.units.find((u) => u.aliases.includes(single));
}

/** @param {string} name @returns {[Family, Unit] | null} */
function find(name) {
  for (const f of FAMILIES) {
    const unit = findIn(f, name);
    if (unit) return [f, unit];
  }
  return null;
}

const SILENT = new Set(["count", "sample", "unit", "minimum", "auto", ""]);

/**
 * A value of unit `from` in unit `to`; "minimum" picks the largest unit that
 * leaves at least 1.
 * @param {number} value @param {string} from @param {string} to
 * @returns {{value: number, unit: string}}
 */
export function scale(value, from, to) {
  const found = find(from);
  if (!found) return { value, unit: SILENT.has(to) ? "" : to };
  const [f, unit] = found;
  const base = Math.abs(value) * unit.factor;
  const sign = value < 0 ? -1 : 1;
  let target = f.units[f.base];
  if (to === "minimum" || to === "auto") {
    for (const u of f.units) if (base / u.factor >= 1) target = u;
  } else {
    target = findIn(f, to) || target;
  }
  return { value: sign * (base / target.factor), unit: target.name };
}

/** "1.50kB", "30ms", "0". @param {number} value @param {string} from @param {string} to */
export function label(value, from, to = "minimum") {
  const scaled = scale(value, from, to);
  let text = scaled.value.toFixed(2);
  if (text.endsWith(".00")) text = text.slice(0, -3);
  if (text === "0" || text === "-0") return "0";
  return text + scaled.unit;
}

/** "5.00%", "100%", "0.012%": the size of value against total. @param {number} value @param {number} total */
export function percentage(value, total) {
  const ratio = total === 0 ? 0 : Math.abs(value / total) * 100;
  if (ratio >= 99.95 && ratio <= 100.05) return "100%";
  if (ratio >= 1) return ratio.toFixed(2) + "%";
  return twoDigits(ratio) + "%";
}

/** Two significant digits without closing zeros, as C's %.2g. @param {number} x */
function twoDigits(x) {
  if (x === 0) return "0";
  const exponent = Math.floor(Math.log10(x));
  const text = x.toExponential(1);
  const [mantissa, power] = text.split("e");
  if (exponent >= -4) return String(Number(x.toPrecision(2)));
  const p = Number(power);
  const digits = String(Math.abs(p)).padStart(2, "0");
  return `${Number(mantissa)}e${p < 0 ? "-" : "+"}${digits}`;
}

/** Whether two unit names belong to one family. @param {string} a @param {string} b */
export function sameFamily(a, b) {
  if (a === b) return true;
  const x = find(a), y = find(b);
  return !!x && !!y && x[0] === y[0];
}
