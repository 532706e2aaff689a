// options.js - the options of a view and their form in the address.
//
// The short names are those of google/pprof, so that its links work.

/** @typedef {{key: string, saved: string, name: string, kind: "text" | "flag", value: string | boolean, title: string}} OptionRow saved: in the file of configurations */

/** @type {OptionRow[]} */
export const ROWS = [
  { key: "si", saved: "", name: "sampleIndex", kind: "text", value: "", title: "Sample type" },
  { key: "f", saved: "focus", name: "focus", kind: "text", value: "", title: "Focus: only stacks that pass through" },
  { key: "i", saved: "ignore", name: "ignore", kind: "text", value: "", title: "Ignore: no stacks that pass through" },
  { key: "h", saved: "hide", name: "hide", kind: "text", value: "", title: "Hide: leave these frames out" },
  { key: "s", saved: "show", name: "show", kind: "text", value: "", title: "Show: only these frames" },
  { key: "sf", saved: "show_from", name: "showFrom", kind: "text", value: "", title: "Show from: nothing above these" },
  { key: "prunefrom", saved: "prune_from", name: "pruneFrom", kind: "text", value: "", title: "Prune from: nothing below these" },
  { key: "tf", saved: "tagfocus", name: "tagFocus", kind: "text", value: "", title: "Tag focus: only samples with this label" },
  { key: "ti", saved: "tagignore", name: "tagIgnore", kind: "text", value: "", title: "Tag ignore: no samples with this label" },
  { key: "ts", saved: "tagshow", name: "tagShow", kind: "text", value: "", title: "Tag show: only these label keys" },
  { key: "th", saved: "taghide", name: "tagHide", kind: "text", value: "", title: "Tag hide: not these label keys" },
  { key: "tagroot", saved: "tagroot", name: "tagRoot", kind: "text", value: "", title: "Label values as outermost frames" },
  { key: "tagleaf", saved: "tagleaf", name: "tagLeaf", kind: "text", value: "", title: "Label values as innermost frames" },
  { key: "g", saved: "granularity", name: "granularity", kind: "text", value: "", title: "Granularity" },
  { key: "noinlines", saved: "noinlines", name: "noInlines", kind: "flag", value: false, title: "Inlined calls count for their caller" },
  { key: "showcolumns", saved: "showcolumns", name: "showColumns", kind: "flag", value: false, title: "Tell columns of a line apart" },
  { key: "unit", saved: "unit", name: "unit", kind: "text", value: "minimum", title: "Unit" },
  { key: "rel", saved: "relative_percentages", name: "relative", kind: "flag", value: false, title: "Shares of what is shown, not of the whole" },
  { key: "mean", saved: "mean", name: "mean", kind: "flag", value: false, title: "Mean value of a sample" },
];

/**
 * @typedef {object} Options
 * @property {string} sampleIndex
 * @property {string} focus
 * @property {string} ignore
 * @property {string} hide
 * @property {string} show
 * @property {string} showFrom
 * @property {string} pruneFrom
 * @property {string} tagFocus
 * @property {string} tagIgnore
 * @property {string} tagShow
 * @property {string} tagHide
 * @property {string} tagRoot
 * @property {string} tagLeaf
 * @property {string} granularity
 * @property {boolean} noInlines
 * @property {boolean} showColumns
 * @property {string} unit
 * @property {boolean} relative
 * @property {boolean} mean
 */

/** @returns {Options} */
export function defaults() {
  /** @type {any} */
  const o = {};
  for (const row of ROWS) o[row.name] = row.value;
  return o;
}

/** Keys of older links. */
const OLD = /** @type {Record<string, string>} */ ({ unit: "u", showcolumns: "columns" });

/** @param {URLSearchParams} query @returns {Options} */
export function fromQuery(query) {
  /** @type {any} */
  const o = defaults();
  for (const row of ROWS) {
    const text = query.get(row.key) || query.get(OLD[row.key]);
    if (text === null || text === "") continue;
    o[row.name] = row.kind === "flag" ? ["1", "t", "true", "yes", "y"].includes(text.toLowerCase()) : text;
  }
  return o;
}

/** Writes what differs from the defaults. @param {Options} options @param {URLSearchParams} query */
export function toQuery(options, query) {
  for (const row of ROWS) {
    const value = /** @type {any} */ (options)[row.name];
    if (value === row.value || value === "") query.delete(row.key);
    else query.set(row.key, row.kind === "flag" ? "t" : String(value));
  }
  return query;
}

/** Options of a saved configuration; missing ones have their defaults. @param {Record<string, unknown>} saved @param {Options} now @returns {Options} */
export function fromSaved(saved, now) {
  /** @type {any} */
  const o = { ...defaults(), sampleIndex: now.sampleIndex };
  for (const row of ROWS) {
    const value = row.saved ? saved[row.saved] : undefined;
    if (row.kind === "flag" ? typeof value === "boolean" : typeof value === "string" && value !== "") o[row.name] = value;
  }
  return o;
}

/** @param {Options} options @returns {Record<string, unknown>} */
export function toSaved(options) {
  /** @type {Record<string, unknown>} */
  const out = {};
  for (const row of ROWS) {
    const value = /** @type {any} */ (options)[row.name];
    if (row.saved && value) out[row.saved] = value;
  }
  return out;
}
