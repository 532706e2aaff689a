// trace_model.js - computations of the trace viewer, without the document.

/** States in the order of the server's numbers. */
export const STATES = ["running", "runnable", "syscall", "network", "sync", "sleep", "blocked"];
export const RUN = 255;
export const WHOLE_PROGRAM = 4294967295;
const ITEM_BYTES = 40;

/** Marks, by the server's numbers. */
export const MARK = { SAMPLE: 0, LOG: 1, TASK_BEGIN: 4, TASK_END: 5, COUNTER: 6, REGION: 7 };

/** Light and dark colours of the states: they differ in lightness as well as in hue. */
const COLORS = {
  light: ["#3a9a5b", "#f0c04a", "#4f8fd0", "#a58bd6", "#d9694f", "#dcdcd8", "#b9bcc2"],
  dark: ["#57b877", "#c9982a", "#3f78b5", "#8168b3", "#b9513b", "#3a3d42", "#5a5e66"],
};

/** @param {boolean} isDark @returns {string[]} */
export function stateColors(isDark) {
  return isDark ? COLORS.dark : COLORS.light;
}

/**
 * @typedef {object} Item a span, or a group of spans that are too short to be visible
 * @property {number} start @property {number} end ns
 * @property {number} stack stack id; in a group the number of spans
 * @property {number} by lane of the waker; -1 for none
 * @property {number} reason @property {number} state @property {boolean} isOpen
 * @property {number[]} shares of the states in a group, from 0 to 1
 */

/**
 * Decodes the items of each lane from the server's bytes (src/trace/read/read_window.h).
 * @param {ArrayBuffer} bytes @returns {Map<number, Item[]>}
 */
export function readWindow(bytes) {
  const view = new DataView(bytes), lanes = new Map();
  for (let at = 0; at + 8 <= view.byteLength;) {
    const lane = view.getUint32(at, true), n = view.getUint32(at + 4, true), items = [];
    at += 8;
    if (at + n * ITEM_BYTES > view.byteLength) throw new Error("the server's answer is cut short");
    for (let i = 0; i < n; i++, at += ITEM_BYTES) items.push(readItem(view, at));
    lanes.set(lane, items);
  }
  return lanes;
}

/** @param {DataView} view @param {number} at @returns {Item} */
function readItem(view, at) {
  const state = view.getUint8(at + 28), shares = [];
  if (state === RUN) for (let i = 0; i < STATES.length; i++) shares.push(view.getUint8(at + 32 + i) / 255);
  return {
    start: view.getFloat64(at, true), end: view.getFloat64(at + 8, true), stack: view.getUint32(at + 16, true), by: view.getUint32(at + 20, true) - 1,
    reason: view.getUint32(at + 24, true), state, isOpen: view.getUint8(at + 29) === 1, shares,
  };
}

/** The item at a moment, or undefined. @param {Item[]} items @param {number} time */
export function itemAt(items, time) {
  let low = 0, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].end <= time) low = middle + 1;
    else high = middle;
  }
  return low < items.length && items[low].start <= time ? low : -1;
}

/** "1.5 ms", with enough digits to distinguish times at that scale. @param {number} ns @param {number} [step] */
export function timeText(ns, step = Math.abs(ns) / 1000) {
  const size = Math.max(Math.abs(ns), step);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(Math.max(step, 1e-9) / unit))));
  return `${(ns / unit).toFixed(unit === 1 ? 0 : digits)} ${name}`;
}

/** A duration with three digits. @param {number} ns */
export function duration(ns) {
  if (ns < 1000) return `${Math.round(ns)} ns`;
  const [unit, name] = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : [1e3, "µs"];
  return `${Number((ns / unit).toPrecision(ns / unit >= 100 ? 4 : 3))} ${name}`;
}

/** Round times for a ruler, at least `space` points apart. @param {View} view @param {number} width @param {number} space */
export function ticks(view, width, space) {
  const least = (view.to - view.from) / width * space, power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least) || 10 * power, list = [];
  for (let t = Math.ceil(view.from / step) * step; t <= view.to && list.length < 200; t += step) list.push(t);
  return { step, list };
}

/** @typedef {{from: number, to: number}} View */

/** A view within the trace, not shorter than 10 ns. @param {View} view @param {number} end @returns {View} */
export function clampView(view, end) {
  const length = Math.min(Math.max(view.to - view.from, 10), Math.max(end, 10));
  const from = Math.min(Math.max(view.from, 0), Math.max(end, 10) - length);
  return { from, to: from + length };
}

/** Zooms by a factor around a moment. @param {View} view @param {number} factor @param {number} around @param {number} end */
export function zoom(view, factor, around, end) {
  return clampView({ from: around - (around - view.from) * factor, to: around + (view.to - around) * factor }, end);
}

/** Rows of regions, so that overlapping ones are below each other. @param {{start: number, end: number}[]} regions */
export function rowsOf(regions) {
  /** @type {number[]} */
  const ends = [];
  return regions.map((r) => {
    let row = ends.findIndex((end) => end <= r.start);
    if (row < 0) row = ends.length;
    ends[row] = r.end;
    return row;
  });
}
