// tagfilter.js - tag expressions: "key=value,value", "value", "key=4kb:1mb".

import { NONE } from "./decode.js";
import { compile } from "./regex.js";
import { scale } from "./units.js";

const AMOUNT = /^([+-]?\d+)([a-zA-Z]*)/;

/**
 * A range such as "10ms:", ":1mb", "5:7" or "64kb"; null for anything else.
 * @param {string} text
 */
function readRange(text) {
  const opens = text.startsWith(":");
  const rest = opens ? text.slice(1) : text;
  const a = AMOUNT.exec(rest);
  if (!a) return null;
  const low = scale(Number(a[1]), a[2], a[2]);
  const after = rest.slice(a[0].length);
  const range = { low: -Infinity, high: Infinity, unit: low.unit };
  if (after === "") {
    if (!opens) range.low = low.value;
    range.high = low.value;
    return range;
  }
  if (opens || after[0] !== ":") return null;
  range.low = low.value;
  if (after === ":") return range;
  const b = AMOUNT.exec(after.slice(1));
  if (!b || b[0].length !== after.length - 1) return null;
  const high = scale(Number(b[1]), b[2], low.unit);
  if (high.unit !== low.unit) return null;
  range.high = high.value;
  return range;
}

/** One unit for each numeric label key. @param {import("./decode.js").Profile} p @returns {Map<number, string>} */
export function labelUnits(p) {
  const units = new Map();
  for (let i = 0; i < p.labelKey.length; i++) {
    if (p.labelStr[i] !== NONE) continue;
    const key = p.labelKey[i];
    if (!units.has(key) || (units.get(key) === "" && p.labelUnit[i])) units.set(key, p.str(p.labelUnit[i]));
  }
  for (const [key, unit] of units) if (unit === "") units.set(key, guessUnit(p.str(key)));
  return units;
}

/** The default unit of a key without one. @param {string} key */
function guessUnit(key) {
  return key === "request" || key === "alignment" ? "bytes" : key === "bytes" ? "bytes" : key;
}

export class TagFilter {
  /** @param {string} text @param {string} name @param {import("./decode.js").Profile} p @param {Map<number, string>} units */
  constructor(text, name, p, units) {
    const at = text.indexOf("=");
    this.p = p;
    this.units = units;
    this.key = at >= 0 ? text.slice(0, at) : "";
    const value = at >= 0 ? text.slice(at + 1) : text;
    this.range = readRange(value);
    this.expressions = this.range ? [] : value.split(",").map((part) => compile(part, name));
  }

  /** Whether the labels of a sample match. @param {number} sample */
  matches(sample) {
    const p = this.p, from = p.labelFirst[sample], to = p.labelFirst[sample + 1];
    if (this.range) {
      for (let i = from; i < to; i++) if (this.inRange(i)) return true;
      return false;
    }
    const hasKey = this.key !== "";
    for (const re of this.expressions) {
      let any = false;
      for (let i = from; i < to && !any; i++) any = this.matchesText(re, i);
      if (any === hasKey) return hasKey; // with a key one match is enough; without a key one mismatch
    }
    return !hasKey;
  }

  /** @param {number} label */
  inRange(label) {
    const p = this.p, r = this.range;
    if (!r || p.labelStr[label] !== NONE) return false;
    if (this.key && p.str(p.labelKey[label]) !== this.key) return false;
    const v = scale(p.labelNum[label], this.units.get(p.labelKey[label]) || "", r.unit);
    return v.unit === r.unit && v.value >= r.low && v.value <= r.high;
  }

  /** @param {RegExp} re @param {number} label */
  matchesText(re, label) {
    const p = this.p;
    if (p.labelStr[label] === NONE) return false;
    const key = p.str(p.labelKey[label]), value = p.str(p.labelStr[label]);
    return this.key ? key === this.key && re.test(value) : re.test(key + ":" + value);
  }
}
