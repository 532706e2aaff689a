// times.js - times of samples, from their labels.

import { NONE } from "./growing.js";

/** @typedef {import("./decode.js").Profile} Profile */

/** Numeric labels that hold a time, best first. */
const TIME_KEYS = ["end_timestamp_ns", "timestamp_ns", "timestamp", "time_ns", "time"];

/** The key that holds the time, or -1. @param {Profile} p */
function timeKey(p) {
  const named = TIME_KEYS.filter((key) => p.hasString(key));
  if (!named.length) return -1; // labels need not be read
  for (const name of named)
    for (let i = 0; i < p.labelKey.length; i++) if (p.labelStr[i] === NONE && p.str(p.labelKey[i]) === name) return p.labelKey[i];
  return -1;
}

/** The time of each sample in an arbitrary unit; null if unknown. @param {Profile} p @returns {Float64Array | null} */
export function sampleTimes(p) {
  const key = timeKey(p);
  if (key < 0) return null;
  const times = new Float64Array(p.nSamples);
  for (let i = 0; i < p.nSamples; i++)
    for (let k = p.labelFirst[i]; k < p.labelFirst[i + 1]; k++) if (p.labelKey[k] === key && p.labelStr[k] === NONE) times[i] = p.labelNum[k];
  return times;
}

/** @param {Profile} p */
export function hasTimes(p) {
  return timeKey(p) >= 0;
}
