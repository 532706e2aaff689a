// trace_app.js - the state of the trace viewer: the view, the fetched data and the
// selection. The view is kept in the address.

import { byId, h } from "./dom.js";
import { GUTTER, LANE, Painter, TOP } from "./trace_draw.js";
import { MARK, RUN, STATES, WHOLE_PROGRAM, clampView, duration, itemAt, readWindow, stateColors, timeText } from "./trace_model.js";
import { markSection, pickSection, selectionSections, showPanel, stackList } from "./trace_panel.js";

/** @typedef {import("./trace_model.js").Item} Item */
/** @typedef {import("./trace_model.js").View} View */
/** @typedef {{lane: number, id: number, name: string, start: number, end: number, times: number[]}} Lane */
/** @typedef {{kind: number, time: number, name: string, text: string, stack: number, value: number}} Mark */
/** @typedef {{lane: number, item: Item, waker: Item | null, after: Item | null}} Pick */

const MOST_LANES = 20000;
const AROUND = 6; /* rows fetched above and below the visible ones */

export class TraceApp {
  constructor() {
    this.painter = new Painter(this, /** @type {HTMLCanvasElement} */ (byId("canvas")));
    this.scroll = byId("scroll");
    /** @type {any} */
    this.info = { duration: 0, reasons: {} };
    /** @type {Lane[]} */
    this.lanes = [];
    this.nLanes = 0;
    /** @type {Map<number, number>} */
    this.places = new Map();
    /** @type {Map<number, Item[]>} */
    this.items = new Map();
    /** @type {Map<number, Mark[]>} */
    this.marks = new Map();
    /** @type {View} */
    this.view = { from: 0, to: 1 };
    /** @type {View | null} */
    this.selection = null;
    /** @type {Pick | null} */
    this.pick = null;
    /** @type {Set<number> | null} */
    this.matches = null;
    this.row = -1;
    this.scrolled = 0;
    this.showsArrows = false;
    this.isDark = false;
    this.sort = "time";
    this.query = "";
    this.where = "threads";
    this.held = { from: 0, to: 0, first: 0, last: 0, points: 0 };
    this.isAsking = false;
    this.isStale = false;
    this.hasFailed = false;
    this.frame = 0;
    this.shown = 0;
  }

  /** @param {string} what @param {Record<string, string | number>} query @returns {Promise<Response>} */
  async fetch(what, query) {
    const text = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)])).toString();
    const answer = await fetch(`trace/${what}${text ? "?" + text : ""}`);
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer;
  }

  /** @param {string} what @param {Record<string, string | number>} [query] @returns {Promise<any>} */
  async ask(what, query = {}) {
    return (await this.fetch(what, query)).json();
  }

  async start() {
    this.readAddress();
    this.info = await this.ask("info");
    if (this.view.to <= this.view.from || this.view.to === 1) this.view = { from: 0, to: this.info.duration };
    this.view = clampView(this.view, this.info.duration);
    byId("title").textContent = this.info.title;
    document.title = `${this.info.title} - trace`;
    const lost = this.info.lost ? `, ${this.info.lost} lost` : "", cut = this.info.cut ? ", cut short" : "";
    byId("totals").textContent = `${duration(this.info.duration)}, ${this.info.events.toLocaleString("en")} events, ${this.info.samples.toLocaleString("en")} samples${lost}${cut}`;
    this.resize();
    await this.search();
  }

  readAddress() {
    const q = new URLSearchParams(location.search);
    this.view = { from: Number(q.get("from") || 0), to: Number(q.get("to") || 1) };
    this.sort = q.get("sort") || "time";
    this.query = q.get("q") || "";
    this.where = q.get("in") === "functions" ? "functions" : "threads";
    if (q.has("s0")) this.selection = { from: Number(q.get("s0")), to: Number(q.get("s1")) };
  }

  writeAddress() {
    const q = new URLSearchParams(), v = this.view;
    if (v.from > 0 || v.to < this.info.duration) {
      q.set("from", String(Math.round(v.from)));
      q.set("to", String(Math.round(v.to)));
    }
    if (this.sort !== "time") q.set("sort", this.sort);
    if (this.query) q.set("q", this.query);
    if (this.where !== "threads") q.set("in", this.where);
    if (this.selection) {
      q.set("s0", String(Math.round(this.selection.from)));
      q.set("s1", String(Math.round(this.selection.to)));
    }
    const text = q.toString();
    history.replaceState(null, "", text ? "?" + text : location.pathname);
  }

  /** Requests the threads, or the functions, that match. */
  async search() {
    const input = byId("search");
    try {
      this.matches = null;
      const isFunctions = this.where === "functions", answer = await this.ask("lanes", { sort: this.sort, most: MOST_LANES, q: isFunctions ? "" : this.query });
      this.nLanes = this.info.lanes;
      this.lanes = answer.lanes.map((/** @type {any[]} */ [lane, id, name, start, end, times]) => ({ lane, id, name, start, end, times }));
      this.places = new Map(this.lanes.map((l, i) => [l.lane, i]));
      byId("count").textContent = this.query && !isFunctions ? `${answer.n}` : "";
      if (isFunctions && this.query) {
        this.matches = new Set((await this.ask("find", { q: this.query })).stacks);
        byId("count").textContent = `${this.matches.size} stacks`;
      }
      input.classList.remove("bad");
      this.error("");
    } catch (e) {
      input.classList.add("bad");
      return this.error(e instanceof Error ? e.message : String(e));
    }
    byId("space").style.height = `${TOP + this.lanes.length * LANE}px`;
    this.writeAddress();
    this.changed(true);
  }

  /** @param {string} text */
  error(text) {
    byId("error").textContent = text;
    byId("error").hidden = !text;
  }

  resize() {
    this.painter.resize(this.scroll.clientWidth, this.scroll.clientHeight);
    this.changed();
  }

  /** The rows that are to be seen, from and to. @returns {[number, number]} */
  rows() {
    const first = Math.max(0, Math.floor(this.scrolled / LANE));
    return [first, Math.min(this.lanes.length, first + Math.ceil((this.painter.height - TOP) / LANE) + 1)];
  }

  /** @param {number} lane */
  rowOf(lane) {
    return this.places.get(lane) ?? -1;
  }

  /** @param {Item} item */
  reason(item) {
    const text = item.state === RUN ? "" : this.info.reasons[item.reason];
    return text && item.state !== 0 ? text : STATES[item.state] || "many";
  }

  /** @param {View} view */
  show(view) {
    this.view = clampView(view, this.info.duration);
    this.writeAddress();
    this.changed();
  }

  /** Draws with what is there, and fetches what is not. @param {boolean} [isNew] nothing is there */
  changed(isNew = false) {
    if (isNew) this.held.points = 0;
    if (!this.frame)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.scrolled = this.scroll.scrollTop;
        byId("range").textContent = `${timeText(this.view.from, (this.view.to - this.view.from) / 100)} to ${timeText(this.view.to, (this.view.to - this.view.from) / 100)}: ${duration(this.view.to - this.view.from)}`;
        this.painter.draw();
        this.shown++;
        if (!this.isHeld()) this.load();
        else document.body.dataset.state = "ready";
      });
    document.body.dataset.state = "busy";
  }

  /** Whether what was fetched is enough for what is shown. */
  isHeld() {
    const [first, last] = this.rows(), held = this.held, ns = this.view.to - this.view.from;
    const detail = (held.to - held.from) / Math.max(1, held.points), wanted = ns / Math.max(1, this.painter.width - GUTTER);
    return held.points > 0 && first >= held.first && last <= held.last && this.view.from >= held.from && this.view.to <= held.to && detail <= wanted * 1.5;
  }

  async load() {
    this.isStale = true;
    if (this.isAsking) return;
    this.isAsking = true;
    byId("busy").hidden = false;
    try {
      while (this.isStale) {
        this.isStale = false;
        await this.loadOnce();
      }
      if (this.hasFailed) this.error("");
      this.hasFailed = false;
    } catch (e) {
      this.hasFailed = true;
      this.error(e instanceof Error ? e.message : String(e));
    } finally {
      this.isAsking = false;
      byId("busy").hidden = true;
    }
    if (!this.held.points) return;
    this.painter.draw();
    this.shown++;
    if (this.isHeld()) document.body.dataset.state = "ready";
    else this.changed();
  }

  async loadOnce() {
    const [top, bottom] = this.rows(), first = Math.max(0, top - AROUND), last = Math.min(this.lanes.length, bottom + AROUND), ns = this.view.to - this.view.from;
    const from = Math.max(0, Math.floor(this.view.from - ns / 2)), to = Math.min(this.info.duration, Math.ceil(this.view.to + ns / 2)) + 1;
    const points = Math.max(100, Math.round(((this.painter.width - GUTTER) * (to - from)) / ns)), lanes = this.lanes.slice(first, last).map((l) => l.lane);
    const [bytes, marks] = await Promise.all([
      this.fetch("window", { from, to, points, lanes: lanes.join(",") }).then((a) => a.arrayBuffer()),
      this.ask("marks", { from, to, lanes: [...lanes, WHOLE_PROGRAM].join(",") }),
    ]);
    this.items = readWindow(bytes);
    this.marks = new Map(marks.lanes.map((/** @type {any} */ l) => [l.lane, l.marks.map((/** @type {any[]} */ [kind, time, name, text, stack, value]) => ({ kind, time, name, text, stack, value }))]));
    this.held = { from, to, first, last, points };
  }

  /** What is at a point of the canvas. @param {number} x @param {number} y */
  at(x, y) {
    const row = Math.floor((y - TOP + this.scrolled) / LANE);
    if (y < TOP || row < 0 || row >= this.lanes.length || x < GUTTER) return null;
    const lane = this.lanes[row].lane, items = this.items.get(lane) || [], time = this.painter.time(x), ns = (this.view.to - this.view.from) / (this.painter.width - GUTTER);
    const isBelow = (y - TOP + this.scrolled) % LANE > 19;
    const mark = isBelow ? (this.marks.get(lane) || []).find((m) => (m.kind === MARK.REGION ? m.time <= time && (m.value < 0 || m.value >= time) : Math.abs(m.time - time) < 4 * ns)) : undefined;
    const i = itemAt(items, time);
    return { row, lane, mark, item: i >= 0 ? items[i] : null, before: i > 0 ? items[i - 1] : null, after: i >= 0 && i + 1 < items.length ? items[i + 1] : null };
  }

  /** @param {number} x @param {number} y */
  async click(x, y) {
    const found = this.at(x, y);
    this.row = found ? found.row : this.row;
    if (found && found.mark) return this.tell(async () => [await markSection(this, /** @type {Mark} */ (found.mark))]);
    if (!found || !found.item) return this.clear();
    const { item, before, after } = found, isEnded = item.state > 1 && after && after.state === 1 && after.start === item.end && after.by >= 0, isWoken = item.state === 1 && item.by >= 0, wasWoken = item.state === 0 && before && before.state === 1 && before.end === item.start && before.by >= 0;
    this.pick = { lane: found.lane, item, waker: isWoken ? item : wasWoken ? before : isEnded ? after : null, after };
    this.changed();
    await this.tell(async () => [await pickSection(this)]);
  }

  /** Fills the panel beside the picture. @param {() => Promise<(HTMLElement | null)[]>} make */
  async tell(make) {
    try {
      const sections = await make();
      showPanel(this, byId("panel"), sections);
    } catch (e) {
      this.error(e instanceof Error ? e.message : String(e));
    }
    this.resize();
  }

  /** @param {View | null} selection */
  async select(selection) {
    this.selection = selection;
    this.pick = null;
    this.writeAddress();
    await this.tell(() => selectionSections(this));
  }

  clear() {
    this.pick = null;
    this.select(null);
  }

  /** @param {number} stack */
  async showStack(stack) {
    const panel = byId("panel"), answer = await this.ask("stack", { id: stack });
    panel.querySelector("#stack")?.remove();
    panel.append(h("section", { id: "stack" }, h("h2", {}, "Stack"), stackList(answer.frames)));
    panel.querySelector("#stack")?.scrollIntoView({ block: "nearest" });
  }

  /** Scrolls to a thread and a time. @param {number} lane @param {number} time */
  jump(lane, time) {
    const row = this.rowOf(lane), ns = this.view.to - this.view.from;
    if (row < 0) return this.error("That thread is not in the list; clear the search.");
    this.row = row;
    const y = TOP + row * LANE, page = this.scroll.clientHeight;
    if (y - this.scroll.scrollTop < TOP || y + LANE - this.scroll.scrollTop > page) this.scroll.scrollTop = Math.max(0, y - page / 2);
    this.show(time < this.view.from || time > this.view.to ? { from: time - ns / 2, to: time + ns / 2 } : this.view);
  }

  /** Goes to the next span whose stack matches, wherever it is. @param {number} way 1 or -1 */
  async step(way) {
    if (!this.matches) return;
    const from = Math.max(0, Math.round(this.pick ? this.pick.item.start : way > 0 ? this.view.from : this.view.to)), answer = await this.ask("next", { q: this.query, from, back: way < 0 ? 1 : 0 });
    if (!answer.span.length) return this.error(way > 0 ? "No later match." : "No earlier match.");
    const [lane, start, end, stack, by, reason, state] = answer.span;
    this.error("");
    this.pick = { lane, item: { start, end, stack, by, reason, state, isOpen: false, shares: [] }, waker: null, after: null };
    this.jump(lane, start);
    await this.tell(async () => [await pickSection(this)]);
  }

  /** @param {boolean} isDark */
  setTheme(isDark) {
    this.isDark = isDark;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    const colors = stateColors(isDark);
    byId("legend").replaceChildren(...STATES.map((name, i) => {
      const box = /** @type {HTMLCanvasElement} */ (h("canvas", { width: "12", height: "12" })), c = box.getContext("2d");
      if (c) {
        c.fillStyle = colors[i];
        c.fillRect(0, 0, 12, 12);
      }
      return h("span", { class: "key" }, box, name);
    }));
    this.changed();
  }
}
