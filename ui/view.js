// view.js - a filtered profile: its remaining samples, and the node of each frame.
//
// Filters change locations and samples as the text reports do, so that all numbers are
// equal to theirs. A view copies only what a filter changes.

import { NONE } from "./decode.js";
import { baseName, cleanPath, simpleName } from "./names.js";
import { compile, Matcher } from "./regex.js";
import { labelUnits, TagFilter } from "./tagfilter.js";
import { label } from "./units.js";

/** @typedef {import("./decode.js").Profile} Profile */
/** @typedef {import("./options.js").Options} Options */

/** A node: all frames that are equal at the chosen granularity. */
export class Node {
  /** @param {string} name @param {string | {profile: Profile, id: number}} file decoded when needed @param {number} line @param {string} key */
  constructor(name, file, line, key) {
    this.name = name;
    this.from = file;
    this.line = line;
    this.key = key;
  }
  get file() {
    return typeof this.from === "string" ? this.from : cleanPath(this.from.profile.str(this.from.id));
  }
}

export class View {
  /** @param {Profile} profile @param {Options} options */
  constructor(profile, options) {
    this.profile = profile;
    this.options = options;
    /** @type {string[]} */
    this.warnings = [];
    this.index = findType(profile, options.sampleIndex);
    this.type = profile.types[this.index];
    /** @type {Map<number, string> | null} */
    this.knownUnits = null;
    /** Kept samples. */
    this.samples = new Uint32Array(0);
    /** Start and end of each kept sample's stack in profile.locs. */
    this.from = new Uint32Array(0);
    this.to = new Uint32Array(0);
    /** Lines by location, if a filter removed some. */
    this.lineFrom = profile.lineFirst.subarray(0, profile.nLocations);
    this.lineTo = profile.lineFirst.subarray(1);
    /** @type {Uint32Array | null} line numbers, if a filter removed some in the middle */
    this.lineList = null;
    this.hidden = profile.holes.slice();
    /** @type {Node[]} */
    this.nodes = [];
    /** Nodes by key. @type {Map<string, number>} */
    this.known = new Map();
    this.nodeFirst = new Uint32Array(0);
    this.nodeList = new Uint32Array(0);
    /** Whether a node list entry is an inlined call. */
    this.isInlined = new Uint8Array(0);
    /** Frames made of labels, outermost first, by kept sample. @type {{root: Uint32Array[], leaf: Uint32Array[]}} */
    this.tagFrames = { root: [], leaf: [] };
    this.total = 0;
    /** @type {TagKeys} */
    this.tagKeys = { show: null, hide: null };
    this.build();
  }

  /** The unit of each numeric label key. */
  get units() {
    return this.knownUnits || (this.knownUnits = labelUnits(this.profile));
  }

  /** The value of kept sample number i. @param {number} i */
  value(i) {
    return this.profile.values[this.index][this.samples[i]];
  }

  build() {
    const p = this.profile, o = this.options, n = p.nSamples;
    const keep = new Uint8Array(n).fill(1);
    this.from = p.stackFirst.slice(0, n);
    this.to = p.stackFirst.slice(1);
    if (!o.relative) this.total = this.sum(keep);
    filterNames(this, keep);
    filterTags(this, keep);
    prune(this);
    if (o.relative) this.total = this.sum(keep);
    this.compact(keep);
    makeNodes(this);
    makeTagFrames(this);
  }

  /** The sum of magnitudes; in a diff only of the base. @param {Uint8Array} keep */
  sum(keep) {
    const p = this.profile, values = p.values[this.index];
    const isBase = baseTest(p);
    let all = 0, base = 0;
    for (let i = 0; i < p.nSamples; i++) {
      if (!keep[i]) continue;
      const v = Math.abs(values[i]);
      all += v;
      if (isBase && isBase(i)) base += v;
    }
    return base > 0 ? base : all;
  }

  /** @param {Uint8Array} keep */
  compact(keep) {
    let n = 0;
    const samples = new Uint32Array(keep.length);
    for (let i = 0; i < keep.length; i++) {
      if (!keep[i]) continue;
      samples[n] = i;
      this.from[n] = this.from[i];
      this.to[n] = this.to[i];
      n++;
    }
    this.samples = samples.subarray(0, n);
    this.from = this.from.subarray(0, n);
    this.to = this.to.subarray(0, n);
  }
}

/** @typedef {{show: RegExp | null, hide: RegExp | null}} TagKeys */

/** @param {Profile} p @param {string} name */
export function findType(p, name) {
  if (name === "") return p.defaultIndex();
  const number = Number(name);
  if (Number.isInteger(number) && number >= 0 && number < p.types.length) return number;
  const bare = name.replace(/^inuse_/, "");
  const found = p.types.findIndex((t) => t.type === name || t.type === bare);
  if (found < 0) throw new Error(`sample_index "${name}" must be one of: [${p.types.map((t) => t.type).join(" ")}]`);
  return found;
}

/** Marks the samples of the base in a diff; null without a base. @param {Profile} p */
export function baseTest(p) {
  const marks = p.isBase;
  if (marks) return (/** @type {number} */ sample) => marks[sample] === 1;
  let key = -1;
  if (!p.hasString("pprof::base")) return null;
  for (let i = 0; i < p.labelKey.length && key < 0; i++)
    if (p.labelStr[i] !== NONE && p.str(p.labelKey[i]) === "pprof::base") key = p.labelKey[i];
  if (key < 0) return null;
  return (/** @type {number} */ sample) => {
    for (let i = p.labelFirst[sample]; i < p.labelFirst[sample + 1]; i++)
      if (p.labelKey[i] === key && p.labelStr[i] !== NONE && p.str(p.labelStr[i]) === "true") return true;
    return false;
  };
}

/** @param {View} v @param {boolean} matched @param {string} name */
function warnUnless(v, matched, name) {
  if (!matched) v.warnings.push(`${name} expression matched no samples`);
}

/** @param {View} v @param {string} text @param {string} name @param {(s: string) => string} [change] */
function matcher(v, text, name, change) {
  return text === "" ? null : new Matcher(compile(text, name), v.profile, change);
}

/** @param {Matcher} m @param {View} v @param {number} location */
function locationMatches(m, v, location) {
  for (let i = v.lineFrom[location]; i < v.lineTo[location]; i++) if (m.line(v.lineList ? v.lineList[i] : i)) return true;
  return m.mapping(location);
}

/** Lists of lines that can be cut in the middle. @param {View} v */
function ownLines(v) {
  if (v.lineList) return;
  const p = v.profile;
  v.lineList = new Uint32Array(p.lineFunction.length);
  for (let i = 0; i < v.lineList.length; i++) v.lineList[i] = i;
  v.lineFrom = v.lineFrom.slice();
  v.lineTo = v.lineTo.slice();
}

/** Keeps the lines of a location whose match is `wanted`. @param {View} v @param {Matcher} m @param {number} location @param {boolean} wanted */
function selectLines(v, m, location, wanted) {
  const list = /** @type {Uint32Array} */ (v.lineList), whole = m.mapping(location);
  let n = v.lineFrom[location];
  for (let i = n; i < v.lineTo[location]; i++) if ((whole || m.line(list[i])) === wanted) list[n++] = list[i];
  v.lineTo[location] = n;
  return n > v.lineFrom[location];
}

/** focus, ignore, hide, show, show_from. @param {View} v @param {Uint8Array} keep */
function filterNames(v, keep) {
  const o = v.options, p = v.profile;
  const focus = matcher(v, o.focus, "focus"), ignore = matcher(v, o.ignore, "ignore");
  const hide = matcher(v, o.hide, "hide"), show = matcher(v, o.show, "show");
  const state = new Uint8Array(p.nLocations);
  const matched = { focus: false, ignore: false, hide: false, show: false };
  if (hide || show) ownLines(v);
  if (focus || ignore || hide || show) {
    for (let i = 0; i < p.nLocations; i++) {
      if (ignore && locationMatches(ignore, v, i)) {
        state[i] = 2;
        matched.ignore = true;
      } else if (!focus || locationMatches(focus, v, i)) {
        state[i] = 1;
        matched.focus = true;
      }
      if (hide && locationMatches(hide, v, i)) {
        matched.hide = true;
        if (!selectLines(v, hide, i, false)) v.hidden[i] = 1;
      }
      if (show) {
        if (selectLines(v, show, i, true)) matched.show = true;
        else v.hidden[i] = 1;
      }
    }
    keepByState(v, keep, state);
  }
  if (focus) warnUnless(v, matched.focus, "Focus");
  if (ignore) warnUnless(v, matched.ignore, "Ignore");
  if (hide) warnUnless(v, matched.hide, "Hide");
  if (show) warnUnless(v, matched.show, "Show");
  if (o.showFrom) showFrom(v, keep, /** @type {Matcher} */ (matcher(v, o.showFrom, "show_from")));
}

/** @param {View} v @param {Uint8Array} keep @param {Uint8Array} state */
function keepByState(v, keep, state) {
  const locs = v.profile.locs;
  for (let i = 0; i < keep.length; i++) {
    let focused = false, ignored = false, visible = false;
    for (let k = v.from[i]; k < v.to[i]; k++) {
      const at = locs[k];
      if (state[at] === 2) { ignored = true; break; }
      if (state[at] === 1) focused = true;
      if (!v.hidden[at]) visible = true;
    }
    if (ignored || !focused || !visible) keep[i] = 0;
  }
}

/** @param {View} v @param {Uint8Array} keep @param {Matcher} m */
function showFrom(v, keep, m) {
  const p = v.profile, has = new Uint8Array(p.nLocations);
  let any = false;
  ownLines(v);
  const list = /** @type {Uint32Array} */ (v.lineList);
  for (let i = 0; i < p.nLocations; i++) {
    if (m.mapping(i)) has[i] = 1;
    for (let k = v.lineTo[i]; !has[i] && k > v.lineFrom[i]; k--) {
      if (!m.line(list[k - 1])) continue;
      v.lineTo[i] = k;
      has[i] = 1;
    }
    if (has[i]) any = true;
  }
  for (let i = 0; i < keep.length; i++) {
    if (!keep[i]) continue;
    let k = v.to[i];
    while (k > v.from[i] && (!has[p.locs[k - 1]] || v.hidden[p.locs[k - 1]])) k--;
    v.to[i] = k;
    if (k === v.from[i]) keep[i] = 0;
  }
  warnUnless(v, any, "ShowFrom");
}

/** @param {View} v @param {Uint8Array} keep */
function filterTags(v, keep) {
  const o = v.options, p = v.profile;
  const focus = o.tagFocus ? new TagFilter(o.tagFocus, "tagfocus", p, v.units) : null;
  const ignore = o.tagIgnore ? new TagFilter(o.tagIgnore, "tagignore", p, v.units) : null;
  let focused = false, ignored = false;
  for (let i = 0; (focus || ignore) && i < keep.length; i++) {
    if (!keep[i]) continue;
    const yes = !focus || focus.matches(i), no = !!ignore && ignore.matches(i);
    focused = focused || yes;
    ignored = ignored || no;
    if (!yes || no) keep[i] = 0;
  }
  if (focus) warnUnless(v, focused, "TagFocus");
  if (ignore) warnUnless(v, ignored, "TagIgnore");
  v.tagKeys = {
    show: o.tagShow ? compile(o.tagShow, "tagshow") : null,
    hide: o.tagHide ? compile(o.tagHide, "taghide") : null,
  };
}

/** prune_from: nothing below a match. @param {View} v */
function prune(v) {
  if (!v.options.pruneFrom) return;
  const p = v.profile, re = compile(v.options.pruneFrom, "prune_from");
  const m = new Matcher(re, p, simpleName), cuts = new Uint8Array(p.nLocations);
  ownLines(v);
  const list = /** @type {Uint32Array} */ (v.lineList);
  for (let i = 0; i < p.nLocations; i++) {
    for (let k = v.lineFrom[i]; k < v.lineTo[i]; k++) {
      const name = p.fnName[p.lineFunction[list[k]]];
      if (name === 0 || !m.string(name)) continue;
      v.lineFrom[i] = k;
      cuts[i] = 1;
      break;
    }
  }
  for (let i = 0; i < v.from.length; i++) {
    for (let k = v.from[i]; k < v.to[i]; k++) {
      if (!cuts[p.locs[k]] || v.hidden[p.locs[k]]) continue;
      v.from[i] = k;
      break;
    }
  }
}

/** @param {Options} o */
function detailOf(o) {
  const g = o.granularity || "functions";
  const lines = g === "lines" || g === "addresses";
  return {
    fn: g !== "files",
    file: g === "files" || g === "filefunctions" || lines,
    line: lines,
    column: g === "addresses" ? !o.noInlines || o.showColumns : lines && o.showColumns,
    address: g === "addresses",
  };
}

/** Makes nodes of all locations that are in use. @param {View} v */
function makeNodes(v) {
  const p = v.profile, n = p.nLocations, detail = detailOf(v.options);
  /** Nodes by function alone, the common case. */
  const byName = new Int32Array(p.stringFirst.length).fill(-1);
  const list = [], inlined = [];
  v.nodeFirst = new Uint32Array(n + 1);
  for (let i = 0; i < n; i++) {
    v.nodeFirst[i] = list.length;
    if (v.hidden[i]) continue;
    const from = v.lineFrom[i], to = v.lineTo[i];
    const start = v.options.noInlines && to > from ? to - 1 : from;
    for (let k = start; k < to || (k === start && to === from); k++) {
      const line = to === from ? NONE : v.lineList ? v.lineList[k] : k;
      list.push(nodeOf(v, i, line, detail, byName));
      inlined.push(k + 1 < to ? 1 : 0);
      if (to === from) break;
    }
  }
  v.nodeFirst[n] = list.length;
  v.nodeList = Uint32Array.from(list);
  v.isInlined = Uint8Array.from(inlined);
}

/**
 * @param {View} v @param {number} location @param {number} line
 * @param {ReturnType<typeof detailOf>} detail
 * @param {Int32Array} byName
 */
function nodeOf(v, location, line, detail, byName) {
  const p = v.profile, fn = line === NONE ? NONE : p.lineFunction[line];
  const nameId = fn !== NONE && detail.fn ? p.fnName[fn] : 0;
  const isPlain = nameId !== 0 && !detail.file && !detail.address;
  if (isPlain && byName[nameId] >= 0) return byName[nameId];
  const id = intern(v, isPlain ? plainNode(v, line, nameId) : describe(v, location, line, detail, nameId));
  if (isPlain) byName[nameId] = id;
  return id;
}

/** The node of a function name only, the common case. @param {View} v @param {number} line @param {number} nameId */
function plainNode(v, line, nameId) {
  const p = v.profile, name = p.str(nameId);
  return new Node(name, { profile: p, id: p.fnFile[p.lineFunction[line]] }, p.lineNumber[line], plainKey(name));
}

/** @param {string} name */
function plainKey(name) {
  return `0 ${name}\0\0\x000:0:0`;
}

/** The number of a node; adds a new one. @param {View} v @param {Node} node */
function intern(v, node) {
  let id = v.known.get(node.key);
  if (id === undefined) {
    id = v.nodes.length;
    v.known.set(node.key, id);
    v.nodes.push(node);
  }
  return id;
}

/** @param {View} v @param {number} location @param {number} line @param {ReturnType<typeof detailOf>} detail @param {number} nameId */
function describe(v, location, line, detail, nameId) {
  const p = v.profile, fn = line === NONE ? NONE : p.lineFunction[line];
  const name = nameId ? p.str(nameId) : "";
  const fullFile = fn === NONE ? "" : cleanPath(p.str(p.fnFile[fn]) || "");
  const file = detail.file ? fullFile : "";
  const number = fn !== NONE && detail.line ? p.lineNumber[line] : 0;
  const column = fn !== NONE && detail.column ? p.lineColumn[line] : 0;
  const address = detail.address ? p.locAddress[location] : 0;
  const mapping = p.locMapping[location];
  const object = name === "" && mapping < p.mappings.length ? p.str(p.mappings[mapping].file) : "";
  const start = name === "" && fn !== NONE ? p.fnStart[fn] : 0;
  const parts = [];
  if (address) parts.push(address.toString(16).padStart(16, "0"));
  if (name) parts.push(name);
  if (number && column) parts.push(`${file}:${number}:${column}`);
  else if (number) parts.push(`${file}:${number}`);
  else if (file) parts.push(file);
  else if (!name) parts.push(object ? `[${baseName(object)}]` : "<unknown>");
  const key = keyOf(`${address} ${name}`, file, `${object}\0${start}:${number}:${column}`);
  return new Node(parts.join(" "), fullFile, fn === NONE ? 0 : p.lineNumber[line], key);
}

/** @param {string} name @param {string} file @param {string} rest */
function keyOf(name, file, rest) {
  return `${name}\0${file}\0${rest}`;
}

/** The values of one label key of a sample, as text. @param {View} v @param {number} sample @param {string} key */
export function labelText(v, sample, key) {
  const p = v.profile, out = [];
  let hasUnit = false;
  for (let i = p.labelFirst[sample]; i < p.labelFirst[sample + 1]; i++)
    if (p.labelStr[i] === NONE && p.labelUnit[i] && p.str(p.labelKey[i]) === key) hasUnit = true;
  for (let i = p.labelFirst[sample]; i < p.labelFirst[sample + 1]; i++) {
    if (p.str(p.labelKey[i]) !== key) continue;
    if (p.labelStr[i] !== NONE) out.push(p.str(p.labelStr[i]));
    else if (hasUnit) out.push(label(p.labelNum[i], p.str(p.labelUnit[i]), v.options.unit));
    else out.push(String(p.labelNum[i]));
  }
  return out.join(",");
}

/** tagroot and tagleaf: frames made of labels. @param {View} v */
function makeTagFrames(v) {
  const keysOf = (/** @type {string} */ text) => text.split(",").filter((k) => k !== "");
  const detail = detailOf(v.options);
  const frames = (/** @type {string} */ key) => {
    const list = new Uint32Array(v.samples.length);
    /** @type {Map<string, number>} */
    const byText = new Map();
    for (let i = 0; i < list.length; i++) {
      const text = labelText(v, v.samples[i], key);
      let node = byText.get(text);
      if (node === undefined) {
        node = intern(v, tagNode(text, key, detail));
        byText.set(text, node);
      }
      list[i] = node;
    }
    const any = byText.size > 1 || !byText.has("");
    if (!any) v.warnings.push(`no sample has the label ${key}`);
    return list;
  };
  v.tagFrames.root = keysOf(v.options.tagRoot).map(frames);
  v.tagFrames.leaf = keysOf(v.options.tagLeaf).map(frames);
}

/** A frame for a label: a function named by its value in a file named by its key. @param {string} text @param {string} key @param {ReturnType<typeof detailOf>} detail */
function tagNode(text, key, detail) {
  const name = detail.fn ? text : "", file = detail.file ? key : "";
  const shown = [name, file].filter((part) => part !== "").join(" ") || "<unknown>";
  return new Node(shown, key, 0, file ? keyOf(`0 ${name}`, file, "\x000:0:0") : plainKey(name));
}
