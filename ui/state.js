// state.js - the state of the page, kept in the address so that every state is a link and
// Back works. With a server the view is the last part of the path; in a saved file it is
// in the hash.

import { afterFrame } from "./dom.js";
import { fromQuery, toQuery } from "./options.js";

/** @typedef {import("./options.js").Options} Options */

export const VIEWS = ["flamegraph", "top", "graph", "peek", "source", "disasm", "tags", "traces", "details"];

const ALIASES = /** @type {Record<string, string>} */ ({ "": "flamegraph", flamegraph2: "flamegraph", flamegraphold: "flamegraph", weblist: "source" });

/**
 * @typedef {object} State
 * @property {string} view
 * @property {Options} options
 * @property {string} pivot sandwich around nodes that match
 * @property {string[]} path zoomed box, by names from the root
 * @property {boolean} isUp bottom-up
 * @property {boolean} isFlame root at the bottom
 * @property {string} order "weight", "name" or "time"
 * @property {string} range of the time order: "0.25-0.5" of the whole
 * @property {string} search
 * @property {string} arg of peek, source and disasm; "" is focus
 */

/** @param {URLSearchParams} q @param {string} view @returns {State} */
function read(q, view) {
  return {
    view: VIEWS.includes(view) ? view : ALIASES[view] || "flamegraph",
    options: fromQuery(q),
    pivot: q.get("p") || "",
    path: q.getAll("z"),
    isUp: q.get("up") === "t",
    isFlame: q.get("flame") === "t",
    order: ["name", "time"].includes(q.get("order") || "") ? q.get("order") || "" : "weight",
    range: q.get("t") || "",
    search: q.get("q") || "",
    arg: q.get("arg") || "",
  };
}

/** @param {State} s */
function write(s) {
  const q = toQuery(s.options, new URLSearchParams());
  if (s.pivot) q.set("p", s.pivot);
  for (const name of s.path) q.append("z", name);
  if (s.isUp) q.set("up", "t");
  if (s.isFlame) q.set("flame", "t");
  if (s.order !== "weight") q.set("order", s.order);
  if (s.range) q.set("t", s.range);
  if (s.search) q.set("q", s.search);
  if (s.arg) q.set("arg", s.arg);
  return q;
}

export class Store {
  /** @param {boolean} hasServer @param {(s: State, old: State) => void} changed */
  constructor(hasServer, changed) {
    this.hasServer = hasServer;
    this.changed = changed;
    this.state = this.fromAddress();
    /** The state that the page shows; differs from `state` until the next frame. */
    this.shown = this.state;
    /** Writes the state into the address. @type {(() => void) | null} */
    this.unwritten = null;
    window.addEventListener("popstate", () => this.follow());
  }

  /** @returns {State} */
  fromAddress() {
    if (this.hasServer) {
      const part = location.pathname.replace(/\/+$/, "").split("/").pop() || "";
      return read(new URLSearchParams(location.search), part === "ui" ? "" : part);
    }
    const [view, query] = location.hash.replace(/^#/, "").split("?");
    return read(new URLSearchParams(query || ""), view);
  }

  follow() {
    this.unwritten = null; // Back has already left the pending address
    this.state = this.fromAddress();
    this.settle();
  }

  /** The address of a state. @param {Partial<State>} change */
  link(change) {
    const s = { ...this.state, ...change }, text = write(s).toString();
    const query = text ? "?" + text : "";
    return this.hasServer ? s.view + query : "#" + s.view + query;
  }

  /**
   * Changes the state at once. The address and the page follow at once or, with isLater,
   * after the frame that the view has already drawn. A change before that frame writes
   * the pending address first, and the page shows both together.
   * @param {Partial<State>} change @param {{isQuiet?: boolean, isLater?: boolean}} [how] isQuiet: no entry in the history
   */
  go(change, { isQuiet = false, isLater = false } = {}) {
    const url = this.link(change), now = { ...this.state, ...change };
    this.write();
    this.state = now;
    this.unwritten = () => (isQuiet ? history.replaceState(null, "", url) : history.pushState(null, "", url));
    if (isLater) afterFrame(() => this.state === now && this.settle());
    else this.settle();
  }

  write() {
    if (this.unwritten) this.unwritten();
    this.unwritten = null;
  }

  /** Writes a pending address and updates the page. */
  settle() {
    const old = this.shown;
    this.write();
    this.shown = this.state;
    if (old !== this.state) this.changed(this.state, old);
  }

  get isDue() {
    return this.shown !== this.state;
  }

  /** @param {Partial<Options>} change */
  refine(change) {
    this.go({ options: { ...this.state.options, ...change }, path: [], range: "" });
  }
}
