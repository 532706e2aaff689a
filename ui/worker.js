// worker.js - the web worker that holds the profiles and computes all sums. It answers
// { id, op, args } with { id, result } or { id, error }.

import { hueOf } from "./colors.js";
import { compareProfiles } from "./compare.js";
import { decodeStream } from "./decode.js";
import { buildTree } from "./flame.js";
import { compile } from "./regex.js";
import { folded, peek, tags, top, traces, weightThrough } from "./tables.js";
import { hasTimes } from "./times.js";
import { View } from "./view.js";

/** @typedef {import("./decode.js").Profile} Profile */

/** @type {Map<number, Profile>} */
const profiles = new Map();
/** The last view of each profile, by its options as text. @type {Map<number, {key: string, view: View}>} */
const views = new Map();
let nextProfile = 1;

/** @param {Profile} p */
function add(p) {
  const id = nextProfile++;
  profiles.set(id, p);
  return summary(id, p);
}

/** @param {number} id @param {Profile} p */
function summary(id, p) {
  return {
    id,
    types: p.types,
    defaultIndex: p.defaultIndex(),
    nSamples: p.nSamples,
    arrived: p.arrived,
    hasTimes: hasTimes(p),
    nLocations: p.nLocations,
    nFunctions: p.nFunctions,
    nFrames: p.locs.length,
    timeNanos: p.timeNanos,
    durationNanos: p.durationNanos,
    period: p.period,
    periodType: p.periodType,
    comments: p.comments,
    docUrl: p.docUrl,
    isDiff: p.isBase !== null || p.values.some((list) => list.some((v) => v < 0)),
    mappings: p.mappings.map((m) => ({ file: p.str(m.file), buildId: p.str(m.buildId), start: m.start.toString(16), limit: m.limit.toString(16) })),
  };
}

/** @param {any} args @returns {View} */
function viewOf(args) {
  const profile = profiles.get(args.profile);
  if (!profile) throw new Error("this profile is no longer loaded");
  const key = JSON.stringify(args.options), old = views.get(args.profile);
  if (old && old.key === key) return old.view;
  const view = new View(profile, args.options);
  views.set(args.profile, { key, view });
  return view;
}

/** @param {View} v */
function aboutView(v) {
  return { total: v.total, unit: v.type.unit, type: v.type.type, nSamples: v.samples.length, warnings: v.warnings };
}

/** Boxes with their names, as transferable arrays. @param {View} v @param {any} args */
function treeOf(v, args) {
  const tree = buildTree(v, { isUp: args.isUp, order: args.order, range: args.range, path: args.path ? pathNodes(v, args.path) : [], finest: args.finest, pivots: args.pivot ? pivotNodes(v, args.pivot) : undefined });
  /** @type {Map<number, number>} */
  const used = new Map();
  /** @type {{name: string, file: string, line: number}[]} */
  const names = [];
  const name = tree.node.map((node) => {
    if (node < 0) return -1;
    let id = used.get(node);
    if (id === undefined) {
      id = names.length;
      used.set(node, id);
      names.push({ name: v.nodes[node].name, file: v.nodes[node].file, line: v.nodes[node].line });
    }
    return id;
  });
  return { ...tree, about: aboutView(v), names, name, hue: Uint16Array.from(names, (n) => Math.round(hueOf(n.name))) };
}

/** Maps names from the root to nodes; stops at an unknown name. @param {View} v @param {string[]} names */
function pathNodes(v, names) {
  const byName = new Map(v.nodes.map((node, i) => [node.name, i]));
  const path = [];
  for (const name of names) {
    const node = byName.get(name);
    if (node === undefined) break;
    path.push(node);
  }
  return path;
}

/** @param {View} v @param {string} text @param {string} name */
function nodesLike(v, text, name) {
  const re = compile(text, name);
  return Uint8Array.from(v.nodes, (node) => (re.test(node.name) ? 1 : 0));
}

/** @param {View} v @param {string} text */
function pivotNodes(v, text) {
  return nodesLike(v, text, "pivot");
}

/** Number of matching nodes, and the share of the samples that contain one. @param {View} v @param {string} text */
function search(v, text) {
  const hit = nodesLike(v, text, "search"), found = weightThrough(v, hit);
  return { nNodes: hit.reduce((n, x) => n + x, 0), ...found };
}

/** Fetches the bytes of an address and reports progress. @param {string} url @param {(text: string) => void} tell */
async function arrive(url, tell) {
  const answer = await fetch(url);
  if (!answer.ok || !answer.body) throw new Error((await answer.text()).trim() || `the server answered ${answer.status}`);
  const whole = Number(answer.headers.get("content-length")) || 0, of = whole ? ` of ${(whole / 1e6).toFixed(0)}` : "";
  let said = 0;
  const progress = (/** @type {number} */ n) => {
    if (n - said < 4e6) return;
    said = n;
    tell(`Loading ${(n / 1e6).toFixed(0)}${of} MB`);
  };
  return decodeStream(answer.body, progress, whole);
}

/** @type {Record<string, (args: any, tell: (text: string) => void) => any>} */
const OPS = {
  async load({ bytes }) {
    return add(await decodeStream(new Blob([bytes]).stream()));
  },
  async fetch({ url }, tell) {
    return add(await arrive(url, tell));
  },
  /** The unpacked bytes of the profile. */
  bytes: ({ profile }) => profiles.get(profile)?.bytes || new Uint8Array(0),
  compare({ a, b }) {
    const newer = profiles.get(a), older = profiles.get(b);
    if (!newer || !older) throw new Error("one of the two profiles is no longer loaded");
    return add(compareProfiles(newer, older));
  },
  drop({ profile }) {
    profiles.delete(profile);
    views.delete(profile);
  },
  about: (args) => aboutView(viewOf(args)),
  labelKeys({ profile }) {
    const p = profiles.get(profile);
    return p ? [...new Set(p.labelKey)].map((k) => p.str(k)).sort() : [];
  },
  tree: (args) => treeOf(viewOf(args), args),
  top(args) {
    const v = viewOf(args), rows = top(v).slice(0, args.most || undefined);
    return { about: aboutView(v), names: rows.map((r) => r.name), flat: Float64Array.from(rows, (r) => r.flat), cum: Float64Array.from(rows, (r) => r.cum), inlined: Uint8Array.from(rows, (r) => r.inlined) };
  },
  peek(args) {
    const v = viewOf(args), re = args.pattern ? compile(args.pattern, "peek") : /(?:)/;
    return { about: aboutView(v), ...peek(v, (name) => re.test(name), args.most || 20) };
  },
  tags(args) {
    const v = viewOf(args);
    return { about: aboutView(v), keys: tags(v, args.most || 200) };
  },
  traces(args) {
    const v = viewOf(args);
    return { about: aboutView(v), ...traces(v, args.from, args.to) };
  },
  folded: (args) => folded(viewOf(args)),
  search: (args) => search(viewOf(args), args.text),
};

/** The transferable parts of a result. @param {any} result @returns {any} */
function buffersOf(result) {
  return Object.values(result).filter((x) => ArrayBuffer.isView(x)).map((x) => x.buffer);
}

/** @param {MessageEvent} event */
async function answer(event) {
  const { id, op, args } = event.data;
  try {
    const result = await OPS[op](args, (said) => self.postMessage({ id, said }));
    self.postMessage({ id, result }, op === "tree" || op === "top" ? buffersOf(result) : []);
  } catch (e) {
    self.postMessage({ id, error: e instanceof Error ? e.message : String(e) });
  }
}

/** Called if this script runs as a worker. */
export function startWorker() {
  self.onmessage = answer;
}
