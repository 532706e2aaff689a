// compare.js - the difference of two profiles as one profile: newer minus older.
//
// Tables are concatenated without matching: nodes are found by name later, which
// merges equal functions.

import { NONE, Profile } from "./decode.js";

/** @param {Uint32Array} a @param {Uint32Array} b @param {number} offset added to b, but not to NONE */
function join(a, b, offset) {
  const out = new Uint32Array(a.length + b.length);
  out.set(a);
  for (let i = 0; i < b.length; i++) out[a.length + i] = b[i] === NONE ? NONE : b[i] + offset;
  return out;
}

/** @param {Float64Array} a @param {Float64Array} b */
function joinNumbers(a, b) {
  const out = new Float64Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/** Offsets of a, followed by those of b. @param {Uint32Array} a @param {Uint32Array} b */
function joinFirsts(a, b) {
  const end = a[a.length - 1];
  const out = new Uint32Array(a.length + b.length - 1);
  out.set(a);
  for (let i = 1; i < b.length; i++) out[a.length + i - 1] = b[i] + end;
  return out;
}

/** @param {Profile} a @param {Profile} b @param {Profile} out */
function joinSamples(a, b, out) {
  out.nSamples = a.nSamples + b.nSamples;
  out.stackFirst = joinFirsts(a.stackFirst, b.stackFirst);
  out.locs = join(a.locs, b.locs, a.nLocations);
  out.isBase = new Uint8Array(out.nSamples).fill(1, a.nSamples);
  out.values = a.types.map((type, i) => {
    const other = b.types.findIndex((t) => t.type === type.type && t.unit === type.unit);
    const base = other < 0 ? new Float64Array(b.nSamples) : b.values[other].map((v) => -v);
    return joinNumbers(a.values[i], base);
  });
  const nStrings = a.stringFirst.length;
  out.makeLabels = () => ({
    first: joinFirsts(a.labelFirst, b.labelFirst),
    key: join(a.labelKey, b.labelKey, nStrings),
    str: join(a.labelStr, b.labelStr, nStrings),
    unit: join(a.labelUnit, b.labelUnit, nStrings),
    num: joinNumbers(a.labelNum, b.labelNum),
  });
}

/**
 * `a` minus `b`: the values of the base b are negative, and shares are relative to b.
 * @param {Profile} a @param {Profile} b @returns {Profile}
 */
export function compareProfiles(a, b) {
  const out = new Profile(), nStrings = a.stringFirst.length;
  if (!a.types.some((t) => b.types.some((u) => u.type === t.type && u.unit === t.unit)))
    throw new Error(`nothing to compare: one has ${a.types.map((t) => t.type).join(", ")}, the other ${b.types.map((t) => t.type).join(", ")}`);
  out.types = a.types;
  out.defaultType = a.defaultType;
  out.durationNanos = a.durationNanos;
  out.timeNanos = a.timeNanos;
  out.period = a.period;
  out.periodType = a.periodType;
  out.stringFirst = new Uint32Array(nStrings + b.stringFirst.length);
  out.str = (id) => (id < nStrings ? a.str(id) : b.str(id - nStrings));
  out.hasString = (text) => a.hasString(text) || b.hasString(text);
  out.fnName = join(a.fnName, b.fnName, nStrings);
  out.fnFile = join(a.fnFile, b.fnFile, nStrings);
  out.fnStart = joinNumbers(a.fnStart, b.fnStart);
  out.nFunctions = a.nFunctions + b.nFunctions;
  out.lineFirst = joinFirsts(a.lineFirst, b.lineFirst);
  out.lineFunction = join(a.lineFunction, b.lineFunction, a.nFunctions);
  out.lineNumber = joinNumbers(a.lineNumber, b.lineNumber);
  out.lineColumn = joinNumbers(a.lineColumn, b.lineColumn);
  out.nLocations = a.nLocations + b.nLocations;
  out.holes = new Uint8Array(out.nLocations);
  out.holes.set(a.holes);
  out.holes.set(b.holes, a.nLocations);
  out.locMapping = join(a.locMapping, b.locMapping, a.mappings.length);
  out.locAddress = joinNumbers(a.locAddress, b.locAddress);
  out.mappings = a.mappings.concat(b.mappings.map((m) => ({ ...m, file: m.file + nStrings, buildId: m.buildId + nStrings })));
  joinSamples(a, b, out);
  return out;
}
