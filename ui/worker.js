// worker.js - the side that holds profiles and does the sums, off the page's
// own thread. Answers { id, op, args } with { id, result } or { id, error }.

import { compareProfiles } from "./compare.js";
import { decode, unpack } from "./decode.js";
import { buildTree } from "./flame.js";
import { compile } from "./regex.js";
import { eachFrame, folded, peek, tags, top, traces } from "./tables.js";
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
    labelKeys: [...new Set(p.labelKey)].map((k) => p.str(k)).sort(),
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

/** Boxes with their names, as arrays that can be handed over. @param {View} v @param {any} args */
function treeOf(v, args) {
  const pivots = args.pivot ? pivotNodes(v, args.pivot) : undefined;
  const path = args.path ? v_path(v, args.path) : [];
  const tree = buildTree(v, { isUp: args.isUp, path, finest: args.finest, pivots });
  /** @type {Map<number, number>} */
  const used = new Map();
  /** @type {{name: string, file: string, line: number}[]} */
  const names = [];
  const name = Int32Array.from(tree.node, (node) => {
    if (node < 0) return -1;
    let id = used.get(node);
    if (id === undefined) {
      id = names.length;
      used.set(node, id);
      names.push({ name: v.nodes[node].name, file: v.nodes[node].file, line: v.nodes[node].line });
    }
    return id;
  });
  return {
    about: aboutView(v),
    isCut: tree.isCut,
    names,
    name,
    parent: Int32Array.from(tree.parent),
    depth: Int32Array.from(tree.depth),
    value: Float64Array.from(tree.value),
    weight: Float64Array.from(tree.weight),
    self: Float64Array.from(tree.self),
    zoomed: path.length,
  };
}

/** Names from the root as nodes; ends where a name is not there. @param {View} v @param {string[]} names */
function v_path(v, names) {
  const byName = new Map(v.nodes.map((node, i) => [node.name, i]));
  const path = [];
  for (const name of names) {
    const node = byName.get(name);
    if (node === undefined) break;
    path.push(node);
  }
  return path;
}

/** @param {View} v @param {string} text */
function pivotNodes(v, text) {
  const re = compile(text, "pivot"), found = new Set();
  v.nodes.forEach((node, i) => {
    if (re.test(node.name)) found.add(i);
  });
  return found;
}

/** How many nodes match, and what share of the samples passes through one. @param {View} v @param {string} text */
function search(v, text) {
  const re = compile(text, "search"), hit = new Uint8Array(v.nodes.length);
  let nNodes = 0, weight = 0, all = 0;
  v.nodes.forEach((node, i) => {
    if (re.test(node.name)) {
      hit[i] = 1;
      nNodes++;
    }
  });
  for (let i = 0; i < v.samples.length; i++) {
    const value = Math.abs(v.value(i));
    let any = false;
    all += value;
    if (nNodes) eachFrame(v, i, (node) => { any = any || hit[node] === 1; });
    if (any) weight += value;
  }
  return { nNodes, weight, all };
}

/** The bytes at an address, with a word now and then. @param {string} url @param {(text: string) => void} tell */
async function arrive(url, tell) {
  const answer = await fetch(url);
  if (!answer.ok || !answer.body) throw new Error((await answer.text()).trim() || `the server answered ${answer.status}`);
  const whole = Number(answer.headers.get("content-length")) || 0, reader = answer.body.getReader();
  let bytes = new Uint8Array(whole || 1 << 20), n = 0, said = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (n + value.length > bytes.length) {
      const bigger = new Uint8Array(2 * (n + value.length));
      bigger.set(bytes.subarray(0, n));
      bytes = bigger;
    }
    bytes.set(value, n);
    n += value.length;
    if (n - said < 4e6) continue;
    said = n;
    tell(`Loading ${(n / 1e6).toFixed(0)}${whole ? " of " + (whole / 1e6).toFixed(0) : ""} MB`);
  }
  tell("Reading the profile…");
  return bytes.subarray(0, n);
}

/** @type {Record<string, (args: any, tell: (text: string) => void) => any>} */
const OPS = {
  async load({ bytes }) {
    return add(decode(await unpack(new Uint8Array(bytes))));
  },
  async fetch({ url }, tell) {
    return add(decode(await unpack(await arrive(url, tell))));
  },
  /** The profile as it came, unpacked. */
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
  tree: (args) => treeOf(viewOf(args), args),
  top(args) {
    const v = viewOf(args);
    return { about: aboutView(v), rows: top(v) };
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

/** @param {MessageEvent} event */
async function answer(event) {
  const { id, op, args } = event.data;
  try {
    const result = await OPS[op](args, (said) => self.postMessage({ id, said }));
    self.postMessage({ id, result });
  } catch (e) {
    self.postMessage({ id, error: e instanceof Error ? e.message : String(e) });
  }
}

/** Called where this script was started as a worker. */
export function startWorker() {
  self.onmessage = answer;
}
