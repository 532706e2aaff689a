// tables.js - top, peek, tags and traces of a view.

import { NONE } from "./decode.js";
import { label } from "./units.js";

/** @typedef {import("./view.js").View} View */

/** Calls back for every frame of kept sample i, innermost first. @param {View} v @param {number} i @param {(node: number, entry: number) => void} visit */
export function eachFrame(v, i, visit) {
  const leaf = v.tagFrames.leaf, root = v.tagFrames.root, first = v.nodeFirst, locs = v.profile.locs;
  for (let k = leaf.length; k > 0; k--) visit(leaf[k - 1][i], -1);
  for (let k = v.from[i]; k < v.to[i]; k++)
    for (let j = first[locs[k]]; j < first[locs[k] + 1]; j++) visit(v.nodeList[j], j);
  for (let k = root.length; k > 0; k--) visit(root[k - 1][i], -1);
}

/**
 * Flat and cumulative values of every node.
 * @param {View} v
 * @returns {{flat: Float64Array, cum: Float64Array, inlined: Uint8Array}} inlined: 0 never, 1 sometimes, 2 always
 */
export function sums(v) {
  const n = v.nodes.length, flat = new Float64Array(n), cum = new Float64Array(n);
  const seen = new Int32Array(n).fill(-1), calls = new Uint8Array(n);
  const values = v.profile.values[v.index], locs = v.profile.locs, first = v.nodeFirst;
  const isPlain = !v.tagFrames.root.length && !v.tagFrames.leaf.length;
  for (let i = 0; i < v.samples.length; i++) {
    const value = values[v.samples[i]];
    if (value === 0) continue;
    let isLeaf = true;
    const visit = (/** @type {number} */ node, /** @type {number} */ entry) => {
      if (isLeaf) flat[node] += value;
      isLeaf = false;
      calls[node] |= entry >= 0 && v.isInlined[entry] ? 1 : 2;
      if (seen[node] === i) return;
      seen[node] = i;
      cum[node] += value;
    };
    if (!isPlain) {
      eachFrame(v, i, visit);
      continue;
    }
    for (let k = v.from[i]; k < v.to[i]; k++) {
      const loc = locs[k];
      for (let j = first[loc]; j < first[loc + 1]; j++) {
        const node = v.nodeList[j];
        if (isLeaf) flat[node] += value;
        isLeaf = false;
        calls[node] |= v.isInlined[j] ? 1 : 2;
        if (seen[node] === i) continue;
        seen[node] = i;
        cum[node] += value;
      }
    }
  }
  const inlined = calls.map((c) => (c === 1 ? 2 : c === 3 ? 1 : 0));
  return { flat, cum, inlined };
}

/**
 * The weight of the samples that contain one of the nodes, and of all.
 * @param {View} v @param {Uint8Array} hit by node
 */
export function weightThrough(v, hit) {
  const p = v.profile, first = v.nodeFirst, locs = p.locs, at = new Uint8Array(p.nLocations), tags = [...v.tagFrames.leaf, ...v.tagFrames.root];
  for (let i = 0; i < p.nLocations; i++) for (let j = first[i]; j < first[i + 1]; j++) if (hit[v.nodeList[j]]) at[i] = 1;
  const isAny = hit.includes(1);
  let weight = 0, all = 0;
  for (let i = 0; i < v.samples.length; i++) {
    const value = Math.abs(v.value(i)), to = v.to[i];
    all += value;
    if (!isAny) continue;
    let k = v.from[i];
    while (k < to && at[locs[k]] === 0) k++;
    if (k < to || tags.some((list) => hit[list[i]])) weight += value;
  }
  return { weight, all };
}

/** @typedef {{node: number, name: string, flat: number, cum: number, inlined: number}} TopRow */

/** All nodes with a value, heaviest first. @param {View} v @returns {TopRow[]} */
export function top(v) {
  const s = sums(v), rows = [];
  for (let i = 0; i < v.nodes.length; i++) {
    if (s.flat[i] === 0 && s.cum[i] === 0) continue;
    rows.push({ node: i, name: v.nodes[i].name, flat: s.flat[i], cum: s.cum[i], inlined: s.inlined[i] });
  }
  return rows.sort((a, b) => Math.abs(b.flat) - Math.abs(a.flat) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || Math.abs(b.cum) - Math.abs(a.cum));
}

/** @typedef {{name: string, node: number, value: number}} Edge */

/**
 * Callers and callees of the nodes that pass a test.
 * @param {View} v @param {(name: string) => boolean} isWanted @param {number} most
 */
export function peek(v, isWanted, most) {
  const s = sums(v);
  const order = v.nodes.map((_, i) => i).filter((i) => (s.cum[i] !== 0 || s.flat[i] !== 0) && isWanted(v.nodes[i].name));
  order.sort((a, b) => Math.abs(s.cum[b]) - Math.abs(s.cum[a]));
  const chosen = order.slice(0, most), slot = new Int32Array(v.nodes.length).fill(-1);
  chosen.forEach((node, i) => { slot[node] = i; });
  const callers = chosen.map(() => new Map()), callees = chosen.map(() => new Map());
  const stack = /** @type {number[]} */ ([]);
  for (let i = 0; i < v.samples.length; i++) {
    const value = v.value(i);
    if (value === 0) continue;
    stack.length = 0;
    eachFrame(v, i, (node) => stack.push(node));
    addEdges(stack, value, slot, callers, callees);
  }
  return {
    nMatches: order.length,
    blocks: chosen.map((node, i) => ({
      node,
      name: v.nodes[node].name,
      file: v.nodes[node].file,
      flat: s.flat[node],
      cum: s.cum[node],
      callers: edges(v, callers[i]),
      callees: edges(v, callees[i]),
    })),
  };
}

/** Pairs of the current sample that are already counted. */
const pairs = new Set();

/**
 * Counts each pair of caller and callee once per sample.
 * @param {number[]} stack innermost first @param {number} value @param {Int32Array} slot
 * @param {Map<number, number>[]} callers @param {Map<number, number>[]} callees
 */
function addEdges(stack, value, slot, callers, callees) {
  pairs.clear();
  for (let k = 0; k + 1 < stack.length; k++) {
    const callee = stack[k], caller = stack[k + 1], a = slot[callee], b = slot[caller];
    if (a < 0 && b < 0) continue;
    const key = caller * slot.length + callee;
    if (pairs.has(key)) continue;
    pairs.add(key);
    if (a >= 0) callers[a].set(caller, (callers[a].get(caller) || 0) + value);
    if (b >= 0) callees[b].set(callee, (callees[b].get(callee) || 0) + value);
  }
}

/** @param {View} v @param {Map<number, number>} map @returns {Edge[]} */
function edges(v, map) {
  const list = [...map].filter(([, value]) => value !== 0).map(([node, value]) => ({ name: v.nodes[node].name, node, value }));
  return list.sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || (a.name < b.name ? -1 : 1));
}

/** @typedef {{text: string, value: number}} TagValue */

/**
 * Each label key with its values, heaviest first.
 * @param {View} v @param {number} most values of a key
 * @returns {{key: string, total: number, nValues: number, isNumber: boolean, values: TagValue[]}[]}
 */
export function tags(v, most) {
  const p = v.profile;
  /** @type {Map<number, {total: number, isNumber: boolean, values: Map<string, number>}>} */
  const keys = new Map();
  for (let i = 0; i < v.samples.length; i++) {
    const sample = v.samples[i], value = v.value(i);
    for (let k = p.labelFirst[sample]; k < p.labelFirst[sample + 1]; k++) {
      const id = p.labelKey[k];
      let key = keys.get(id);
      if (!key) {
        const name = p.str(id);
        if ((v.tagKeys.show && !v.tagKeys.show.test(name)) || (v.tagKeys.hide && v.tagKeys.hide.test(name))) continue;
        key = { total: 0, isNumber: p.labelStr[k] === NONE, values: new Map() };
        keys.set(id, key);
      }
      const text = p.labelStr[k] !== NONE ? p.str(p.labelStr[k]) : label(p.labelNum[k], v.units.get(id) || "", v.options.unit);
      key.total += value;
      key.values.set(text, (key.values.get(text) || 0) + value);
    }
  }
  const list = [...keys].map(([id, k]) => ({
    key: p.str(id),
    total: k.total,
    isNumber: k.isNumber,
    nValues: k.values.size,
    values: [...k.values].map(([text, value]) => ({ text, value }))
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || (a.text < b.text ? -1 : 1)).slice(0, most),
  }));
  return list.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Kept samples by weight, the first `most` of them. @param {View} v @param {number} most */
function heaviest(v, most) {
  const values = Float64Array.from(v.samples, (_, i) => Math.abs(v.value(i)));
  const least = values.length > most ? values.slice().sort()[values.length - most] : -1;
  const order = [];
  for (let i = 0; i < values.length; i++) if (values[i] > least) order.push(i);
  for (let i = 0; i < values.length && order.length < most; i++) if (values[i] === least) order.push(i);
  return Uint32Array.from(order.sort((a, b) => values[b] - values[a] || a - b));
}

/**
 * The heaviest samples, from..to of them, each with its labels and frames.
 * @param {View} v @param {number} from @param {number} to
 */
export function traces(v, from, to) {
  const p = v.profile;
  const order = heaviest(v, to);
  const rows = [];
  for (const i of order.subarray(from, to)) {
    /** @type {{node: number, name: string, inlined: boolean}[]} */
    const frames = [];
    eachFrame(v, i, (node, entry) => frames.push({ node, name: v.nodes[node].name, inlined: entry >= 0 && v.isInlined[entry] === 1 }));
    const labels = [], sample = v.samples[i];
    for (let k = p.labelFirst[sample]; k < p.labelFirst[sample + 1]; k++)
      labels.push([p.str(p.labelKey[k]), p.labelStr[k] !== NONE ? p.str(p.labelStr[k]) : label(p.labelNum[k], v.units.get(p.labelKey[k]) || "", "minimum")]);
    rows.push({ value: v.value(i), labels, frames });
  }
  return { n: v.samples.length, rows };
}

/** Folded stacks: "a;b;c 12" a line. @param {View} v */
export function folded(v) {
  /** @type {Map<string, number>} */
  const lines = new Map();
  for (let i = 0; i < v.samples.length; i++) {
    /** @type {string[]} */
    const names = [];
    eachFrame(v, i, (node) => names.push(v.nodes[node].name.replace(/;/g, ":").replace(/\s*\n\s*/g, " ")));
    const key = names.reverse().join(";");
    lines.set(key, (lines.get(key) || 0) + v.value(i));
  }
  return [...lines].filter(([, value]) => value !== 0).sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([key, value]) => `${key} ${value}\n`).join("");
}
