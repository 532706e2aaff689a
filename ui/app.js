// app.js - the page: its bar and its views, and the state that they share.

import { CodeView } from "./codeview.js";
import { Configs } from "./configs.js";
import { byId, download, fill, h, visible } from "./dom.js";
import { FlameView } from "./flameview.js";
import { DetailsView, PeekView, TagsView, TopView, TracesView } from "./listviews.js";
import { LiveStrip } from "./live.js";
import { fromQuery, toQuery } from "./options.js";
import { breadcrumbs, functionMenu, helpBox, placeMenu, refinePanel } from "./panels.js";
import { GraphView } from "./serverviews.js";
import { Store, VIEWS } from "./state.js";
import { storage } from "./storage.js";
import { label, percentage } from "./units.js";

/** @typedef {import("./state.js").State} State */

const TITLES = /** @type {Record<string, string>} */ ({
  flamegraph: "Flame graph", top: "Top", graph: "Graph", peek: "Peek", source: "Source", disasm: "Disassembly", tags: "Labels", traces: "Traces", details: "Details",
});

/**
 * @typedef {object} Info description by the server or the saved file
 * @property {string} title
 * @property {boolean} server graph, source and disassembly are available
 * @property {string} data where the profile is fetched; "" when it is in the page
 * @property {string} [token] for changes
 * @property {import("./live.js").Live | null} live
 */

export class App {
  /** @param {import("./rpc.js").Calculator} calculator @param {Info} info */
  constructor(calculator, info) {
    this.calculator = calculator;
    this.info = info;
    this.title = info.title;
    /** @type {any} */
    this.profile = null;
    /** @type {any} */
    this.lastAbout = null;
    this.isRefining = false;
    this.isCounting = false;
    /** Number of views shown so far; only the last one reports that it is ready. */
    this.turn = 0;
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.store = new Store(info.server || !!info.live, (now, old) => this.changed(now, old));
    this.views = /** @type {Record<string, any>} */ ({});
    this.configs = new Configs(this);
    this.live = info.live ? new LiveStrip(this, info.live) : null;
    this.setTheme(storage("theme") || "");
  }

  /** @param {string} op @param {any} args */
  ask(op, args) {
    return this.calculator.call(op, { profile: this.profile.id, options: this.store.state.options, ...args });
  }

  /** @param {ArrayBuffer} bytes @param {string} title */
  async load(bytes, title) {
    const summary = await this.calculator.call("load", { bytes }, { transfer: [bytes] });
    summary.title = title;
    summary.isTaken = true;
    this.use(summary);
    return summary;
  }

  /** Lets the worker fetch, so that no bytes are copied. @param {string} url @param {string} title @param {(text: string) => void} tell */
  async fetch(url, title, tell) {
    const summary = await this.calculator.call("fetch", { url: new URL(url, location.href).href }, { tell });
    summary.title = title;
    this.use(summary);
    return summary;
  }

  /** Whether the server can draw the shown profile: it has only the one it was started with. */
  get server() {
    return this.info.server && !this.profile?.isTaken;
  }

  /** @param {any} summary */
  use(summary) {
    this.profile = summary;
    this.title = summary.title;
    document.title = `${summary.title} · pprof`;
    document.body.classList.remove("noprofile");
    this.drawBar();
    this.showView();
  }

  isDark() {
    return document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && this.dark.matches);
  }
  isDiff() {
    return this.profile.isDiff;
  }
  isRelativeDiff() {
    return storage("diff-relative") === "1";
  }
  isClassicDiff() {
    return storage("diff-classic") === "1";
  }
  total() {
    return this.lastAbout ? this.lastAbout.total : 0;
  }
  unit() {
    return this.store.state.options.unit;
  }

  /** @param {string} name */
  view(name) {
    if (!this.views[name]) {
      const make = /** @type {Record<string, () => any>} */ ({
        flamegraph: () => new FlameView(this), top: () => new TopView(this), graph: () => new GraphView(this), peek: () => new PeekView(this),
        source: () => new CodeView(this, "source"), disasm: () => new CodeView(this, "disasm"), tags: () => new TagsView(this), traces: () => new TracesView(this), details: () => new DetailsView(this),
      });
      this.views[name] = make[name]();
    }
    return this.views[name];
  }

  current() {
    return this.view(this.store.state.view);
  }

  /** @param {State} now @param {State} old */
  changed(now, old) {
    if (!this.profile) return;
    this.drawBar();
    const isSearchOnly = JSON.stringify({ ...now, search: "" }) === JSON.stringify({ ...old, search: "" });
    if (isSearchOnly && this.current().highlight && !this.current().isAhead) {
      this.current().highlight(now.search);
      this.tellBusy();
      this.countMatches();
    } else this.showView();
  }

  /** For a view that has already drawn the change: the rest of the page is updated after that frame. @param {Partial<State>} change @param {boolean} [isQuiet] */
  later(change, isQuiet = false) {
    this.store.go(change, { isQuiet, isLater: true });
    this.tellBusy();
  }

  async showView() {
    const view = this.current(), place = byId("main"), turn = ++this.turn;
    this.tip(null);
    if (place.firstChild !== view.el) {
      fill(place, view.el);
      byId("tabs").querySelector(".on")?.scrollIntoView({ block: "nearest", inline: "nearest" }); // they may not all fit
    }
    this.status("");
    this.busy(true);
    try {
      await view.show();
      if (turn !== this.turn) return;
      this.error("");
      this.measure();
    } catch (e) {
      if (turn !== this.turn) return;
      this.error(e instanceof Error ? e.message : String(e));
    }
    this.busy(false);
    this.countMatches();
  }

  /** Performance measures: from the last byte to the first view, and from the start. */
  measure() {
    const arrived = this.profile.arrived - performance.timeOrigin, isFirst = this.profile.arrived && !this.profile.isMeasured;
    this.profile.isMeasured = true;
    if (isFirst) requestAnimationFrame(() => setTimeout(() => {
      performance.measure("shown after arrival", { start: Math.max(0, arrived) });
      performance.measure("shown after request", { start: 0 });
    }));
  }

  /** @param {any} about */
  about(about) {
    this.lastAbout = about;
    const total = label(about.total, about.unit, this.unit());
    const shown = this.profile.nSamples === about.nSamples ? `${about.nSamples.toLocaleString()} sample${about.nSamples === 1 ? "" : "s"}` : `${about.nSamples.toLocaleString()} of ${this.profile.nSamples.toLocaleString()} samples`;
    const length = this.profile.durationNanos ? ` · ${label(this.profile.durationNanos, "nanoseconds", "minimum")}` : "";
    fill(byId("totals"), `${total} ${about.type} · ${shown}${length}`);
    const list = byId("warnings");
    fill(list, ...about.warnings.map((/** @type {string} */ w) => h("div", {}, visible(w))));
  }

  drawBar() {
    const s = this.store.state;
    fill(byId("title"), visible(this.title));
    fill(byId("tabs"), ...VIEWS.map((name, i) => {
      const isOn = s.view === name;
      return h("a", { href: this.store.link({ view: name }), class: isOn ? "on" : "", "aria-current": isOn ? "page" : undefined, title: `${TITLES[name]} (${i + 1})`, onclick: (/** @type {MouseEvent} */ e) => this.follow(e, { view: name }) }, TITLES[name]);
    }));
    const types = /** @type {HTMLSelectElement} */ (byId("types")), chosen = this.typeIndex();
    fill(types, ...this.profile.types.map((/** @type {any} */ t, /** @type {number} */ i) => h("option", { value: String(i), selected: i === chosen }, visible(t.type))));
    types.hidden = this.profile.types.length < 2;
    fill(byId("crumbs"), ...breadcrumbs(this));
    const search = /** @type {HTMLInputElement} */ (byId("search"));
    if (document.activeElement !== search) search.value = s.search;
    byId("diffbar").hidden = !this.profile.isDiff;
    byId("refine").setAttribute("aria-expanded", String(this.isRefining));
    fill(byId("panel"), this.isRefining ? refinePanel(this) : null);
    if (this.live) this.live.draw();
  }

  typeIndex() {
    const si = this.store.state.options.sampleIndex;
    if (si === "") return this.profile.defaultIndex;
    const number = Number(si);
    if (Number.isInteger(number)) return number;
    return this.profile.types.findIndex((/** @type {any} */ t) => t.type === si || t.type === si.replace(/^inuse_/, ""));
  }

  /** A plain click stays on the page. @param {MouseEvent} e @param {Partial<State>} change */
  follow(e, change) {
    if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    e.preventDefault();
    this.store.go(change);
  }

  /** @param {string} text */
  status(text) {
    fill(byId("status"), text);
  }
  /** A note at the pointer, or none. @param {string[] | null} lines @param {number} [x] @param {number} [y] */
  tip(lines, x = 0, y = 0) {
    const el = byId("tip");
    el.hidden = !lines;
    if (!lines) return;
    fill(el, ...lines.filter((line) => line).map((line, i) => h(i ? "div" : "strong", {}, line)));
    const isLeft = x + el.offsetWidth + 24 > window.innerWidth, isAbove = y + el.offsetHeight + 30 > window.innerHeight;
    el.style.left = `${Math.max(4, isLeft ? x - el.offsetWidth - 12 : x + 14)}px`;
    el.style.top = `${Math.max(4, isAbove ? y - el.offsetHeight - 10 : y + 20)}px`;
  }
  /** @param {string} text */
  error(text) {
    const el = byId("error");
    el.hidden = text === "";
    fill(el, visible(text));
  }
  /** @param {boolean} isBusy */
  busy(isBusy) {
    byId("busy").hidden = !isBusy;
    this.tellBusy();
  }
  /** Announces it to screen readers. */
  tellBusy() {
    byId("main").ariaBusy = String(!byId("busy").hidden || this.store.isDue);
  }

  /** The text of an empty view. */
  whyEmpty() {
    const o = this.store.state.options, isFiltered = breadcrumbs(this).length > 0;
    if (this.profile.nSamples === 0)
      return [h("p", {}, "This profile has no samples."), h("p", {}, "A CPU profile of a program that was idle is empty: take one while it works, or a longer one. A block or mutex profile is empty until its rate is set.")];
    if (isFiltered) return [h("p", {}, "Nothing is left of the profile with these filters."), h("button", { onclick: () => this.store.refine({ ...fromQuery(new URLSearchParams()), sampleIndex: o.sampleIndex }) }, "Remove all filters")];
    return [h("p", {}, "All values of this sample type are zero."), h("p", {}, "Choose another sample type above.")];
  }

  /** @param {string} what */
  needsServer(what) {
    const hint = this.info.server ? h("p", {}, "The server has the profile that it was started with, and not this one: save it and open it with ", h("code", {}, "pprof -http=: FILE"), ".") : h("p", {}, "Open the profile with ", h("code", {}, "pprof -http=: FILE"), " to have it.");
    return h("div", { class: "empty" }, h("p", {}, `${what}, so this view needs a server.`), hint);
  }

  /** @param {string} kind @param {Record<string, string>} [extra] */
  async fromServer(kind, extra = {}) {
    const q = toQuery(this.store.state.options, new URLSearchParams());
    for (const [key, value] of Object.entries(extra)) q.set(key, value);
    const answer = await fetch(`data/${kind}?${q}`);
    const text = await answer.text();
    if (answer.status === 404) throw new Error(`this server does not have it: ${kind}`);
    if (!answer.ok) throw new Error(text.trim() || `the server answered ${answer.status}`);
    return text;
  }

  /** @param {string} name @param {number} x @param {number} y */
  openMenu(name, x, y) {
    placeMenu(byId("menu"), this, name, x, y);
  }
  closeMenu() {
    byId("menu").hidden = true;
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.status("Copied.");
    } catch {
      this.status("The browser did not let the page copy.");
    }
  }

  /** Shows the number of matches. One request at a time: while the user types, only the last one counts. */
  async countMatches() {
    const place = byId("count");
    if (!this.store.state.search) fill(place);
    if (this.isCounting) return;
    this.isCounting = true;
    for (let asked = ""; asked !== this.store.state.search;) {
      asked = this.store.state.search;
      if (!asked) break;
      try {
        const found = await this.ask("search", { text: asked });
        fill(place, `${found.nNodes} match${found.nNodes === 1 ? "" : "es"}, ${percentage(found.weight, found.all)}`);
        byId("search").classList.remove("bad");
      } catch {
        fill(place, "not an expression");
        byId("search").classList.add("bad");
      }
    }
    this.isCounting = false;
    if (!this.store.state.search) fill(place);
  }

  /** @param {string} theme */
  setTheme(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    this.themed();
  }
  /** Called when the theme changes, on the page or in the system. */
  themed() {
    document.documentElement.classList.toggle("dark", this.isDark());
    if (this.profile && this.views.flamegraph) this.views.flamegraph.redraw();
  }
  toggleTheme() {
    const theme = this.isDark() ? "light" : "dark";
    storage("theme", theme);
    this.setTheme(theme);
  }

  /** @param {string} kind */
  async save(kind) {
    const stem = this.title.replace(/[^\w.-]+/g, "_") || "profile";
    if (kind === "pb.gz") {
      const bytes = await this.calculator.call("bytes", { profile: this.profile.id });
      if (bytes.length) download(`${stem}.pb.gz`, new Blob([await packed(bytes)], { type: "application/octet-stream" }));
      else this.status("A comparison made in the page cannot be saved as one profile.");
    } else if (kind === "folded") download(`${stem}.folded`, new Blob([await this.ask("folded", {})], { type: "text/plain" }));
    else if (kind === "text" && this.store.state.view === "top") this.copy(this.current().text());
    else if (kind === "png") this.view("flamegraph").main.picture().toBlob((/** @type {Blob | null} */ b) => b && download(`${stem}.png`, b));
    else if (kind === "svg") download(`${stem}.svg`, new Blob([svgOf(this.view("flamegraph").main)], { type: "image/svg+xml" }));
  }

  /** Handles a key, wherever the focus is. @param {KeyboardEvent} e */
  key(e) {
    const target = /** @type {HTMLElement} */ (e.target), isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    if (e.key === "Escape") return this.escape(isTyping ? target : null);
    if (isTyping || e.ctrlKey || e.metaKey || e.altKey || !this.profile) return;
    const s = this.store.state, name = this.current().chosen ? this.current().chosen() : "";
    const act = name && functionMenu(this, name).find(([, key]) => key === e.key);
    if (e.key === "/") byId("search").focus();
    else if (e.key === "n" || e.key === "N") this.step(e.key === "n" ? 1 : -1);
    else if (/^[1-9]$/.test(e.key) && VIEWS[Number(e.key) - 1]) this.store.go({ view: VIEWS[Number(e.key) - 1] });
    else if (e.key === "r") this.toggleRefine();
    else if (e.key === "v") this.store.go({ isFlame: !s.isFlame });
    else if (e.key === "b") this.store.go({ isUp: !s.isUp, path: [] });
    else if (e.key === "t") this.toggleTheme();
    else if (e.key === "?") this.openHelp();
    else if (e.key === "[" || e.key === "]") this.nextType(e.key === "]" ? 1 : -1);
    else if (act) act[2]();
    else return;
    e.preventDefault();
  }

  /** @param {HTMLElement | null} typing */
  escape(typing) {
    const s = this.store.state;
    if (!byId("menu").hidden) this.closeMenu();
    else if (!byId("overlay").hidden) byId("overlay").hidden = true;
    else if (typing) typing.blur();
    else if (s.search) this.store.go({ search: "" });
    else if (s.path.length || s.pivot || s.range) this.store.go({ path: [], pivot: "", range: "" });
  }

  /** @param {number} step */
  step(step) {
    const view = this.current();
    if (!view.nextMatch || !this.store.state.search) return;
    const { at, n } = view.nextMatch(step);
    fill(byId("count"), n ? `${at} of ${n} in sight` : "no match in sight");
  }

  /** @param {number} step */
  nextType(step) {
    const n = this.profile.types.length;
    this.store.refine({ sampleIndex: String((this.typeIndex() + step + n) % n) });
  }

  toggleRefine() {
    this.isRefining = !this.isRefining;
    this.drawBar();
    if (this.isRefining) /** @type {HTMLElement | null} */ (byId("panel").querySelector("input"))?.focus();
  }

  openHelp() {
    const overlay = byId("overlay");
    fill(overlay, helpBox(() => { overlay.hidden = true; }));
    overlay.hidden = false;
    overlay.querySelector("button")?.focus();
  }

  start() {
    this.dark.addEventListener("change", () => this.themed());
    document.addEventListener("keydown", (e) => this.key(e));
    document.addEventListener("pointerdown", (e) => {
      if (!byId("menu").contains(/** @type {Node} */ (e.target))) this.closeMenu();
    });
    byId("refine").onclick = () => this.toggleRefine();
    byId("help").onclick = () => this.openHelp();
    byId("theme").onclick = () => this.toggleTheme();
    byId("next").onclick = () => this.step(1);
    byId("previous").onclick = () => this.step(-1);
    byId("types").onchange = () => this.store.refine({ sampleIndex: /** @type {HTMLSelectElement} */ (byId("types")).value });
    byId("save").onchange = () => {
      const select = /** @type {HTMLSelectElement} */ (byId("save"));
      this.save(select.value);
      select.value = "";
    };
    this.listenSearch();
    this.listenDiff();
    this.configs.load().then(() => this.profile && this.isRefining && this.drawBar());
  }

  listenSearch() {
    const search = /** @type {HTMLInputElement} */ (byId("search"));
    search.oninput = () => {
      const change = { search: search.value };
      if (!this.profile || this.store.state.view !== "flamegraph") return this.store.go(change, { isQuiet: true });
      this.current().highlight(search.value);
      this.later(change, true);
    };
    search.onkeydown = (e) => {
      if (e.key === "Enter") this.step(e.shiftKey ? -1 : 1);
    };
  }

  listenDiff() {
    const set = (/** @type {string} */ id, /** @type {string} */ key) => {
      const box = /** @type {HTMLInputElement} */ (byId(id));
      box.checked = storage(key) === "1";
      box.onchange = () => {
        storage(key, box.checked ? "1" : "0");
        if (this.views.flamegraph) this.views.flamegraph.redraw();
      };
    };
    set("diff-relative", "diff-relative");
    set("diff-classic", "diff-classic");
  }
}

/** @param {Uint8Array} bytes @returns {Promise<Blob>} */
async function packed(bytes) {
  const blob = new Blob([/** @type {any} */ (bytes)]);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return blob;
  return new Response(blob.stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** A picture of the visible boxes. @param {import("./flamecanvas.js").FlameCanvas} c */
function svgOf(c) {
  const text = (/** @type {string} */ s) => visible(s).replace(/[&<>"]/g, (x) => `&#${x.charCodeAt(0)};`), parts = [];
  for (let depth = 0; depth < c.nRows; depth++) {
    const [from, to] = c.inSight(depth), y = c.y(depth);
    for (let box = from; box < to; box++) {
      const x = c.xOf(box), w = c.wOf(box), name = c.nameOf(box), most = Math.floor((w - 8) / 6.6);
      if (w < 0.3) continue;
      parts.push(`<g><title>${text(c.describe(box))}</title><rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, w - 1).toFixed(1)}" height="20" fill="${c.colorOf(box, false)}"/>${most > 3 ? `<text x="${(x + 4).toFixed(1)}" y="${y + 14}">${text(name.length > most ? name.slice(0, most - 1) + "…" : name)}</text>` : ""}</g>`);
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${c.width}" height="${c.height}" font-family="system-ui, sans-serif" font-size="12">${parts.join("")}</svg>\n`;
}
