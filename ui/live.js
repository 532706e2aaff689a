// live.js - takes profiles of the live program and keeps them in a strip; any two can be
// compared.

import { byId, fill, h, visible } from "./dom.js";
import { StatsChart } from "./stats.js";

/** @typedef {import("./app.js").App} App */

const KEPT = 12;

/** @typedef {{name: string, title: string, seconds: number}} Kind */
/** @typedef {{base: string, post?: boolean, stats?: string, kinds: Kind[]}} Live base: before the name of a kind; post: with the page's token */

export class LiveStrip {
  /** @param {App} app @param {Live} live */
  constructor(app, live) {
    this.app = app;
    this.live = live;
    /** @type {any[]} */
    this.shots = [];
    /** Chosen as the base of a comparison. @type {any} */
    this.base = null;
    this.taking = "";
    this.chart = live.stats ? new StatsChart(live.stats) : null;
  }

  /** @param {any} summary @param {string} kind */
  add(summary, kind) {
    this.shots.push({ summary, kind, at: new Date() });
    while (this.shots.length > KEPT) {
      const at = this.shots.findIndex((s) => s !== this.base && s.summary.isTaken), [old] = this.shots.splice(at, 1);
      this.app.calculator.call("drop", { profile: old.summary.id });
    }
  }

  /** @param {Kind} kind @returns {Promise<Response>} */
  ask(kind) {
    if (!this.live.post) return fetch(`${this.live.base}${kind.name}${kind.seconds ? `?seconds=${kind.seconds}` : ""}`);
    return fetch(`${this.live.base}${kind.name}&seconds=${kind.seconds}`, { method: "POST", headers: { "X-Pprof-Token": this.app.info.token || "" } });
  }

  /** @param {Kind} kind */
  async take(kind) {
    this.taking = kind.name;
    this.draw();
    const end = Date.now() + kind.seconds * 1000;
    const tick = setInterval(() => this.app.status(`${kind.title}: ${Math.max(0, Math.ceil((end - Date.now()) / 1000))} s left`), 250);
    try {
      const answer = await this.ask(kind);
      if (!answer.ok) throw new Error((await answer.text()).trim() || `the program answered ${answer.status}`);
      const title = `${kind.title} ${new Date().toLocaleTimeString()}`;
      this.add(await this.app.load(await answer.arrayBuffer(), title), kind.title);
      this.app.error("");
    } catch (e) {
      this.app.error(e instanceof Error ? e.message : String(e));
    }
    clearInterval(tick);
    this.app.status("");
    this.taking = "";
    this.draw();
  }

  /** @param {any} shot */
  async pick(shot) {
    if (!this.base || this.base === shot) return this.app.use(shot.summary);
    try {
      const summary = await this.app.calculator.call("compare", { a: shot.summary.id, b: this.base.summary.id });
      summary.title = `${shot.summary.title} less ${this.base.summary.title}`;
      summary.isDiff = true;
      summary.isTaken = true;
      this.app.use(summary);
    } catch (e) {
      this.app.error(e instanceof Error ? e.message : String(e));
    }
  }

  draw() {
    const strip = byId("live");
    strip.hidden = false;
    fill(strip, h("span", { class: "what" }, "Take"),
      ...this.live.kinds.map((k) => h("button", { disabled: this.taking !== "", onclick: () => this.take(k) }, this.taking === k.name ? `${k.title}…` : k.seconds ? `${k.title} ${k.seconds} s` : k.title)),
      h("span", { class: "gap" }), this.chart ? this.chart.el : null);
    const shots = byId("shots");
    shots.hidden = this.shots.length === 0;
    fill(shots, h("span", { class: "what" }, this.base ? "Compare with the base:" : "Taken"), ...this.shots.map((s) => this.shot(s)));
  }

  /** @param {any} s */
  shot(s) {
    const isOn = s.summary.id === this.app.profile?.id, isBase = this.base === s;
    return h("span", { class: isOn ? "shot on" : "shot" },
      h("button", { class: "use", title: this.base && !isBase ? "Show what changed since the base" : "Show", "aria-pressed": String(isOn), onclick: () => this.pick(s) }, visible(`${s.kind} ${s.at.toLocaleTimeString()}`)),
      h("button", { class: isBase ? "base on" : "base", "aria-pressed": String(isBase), title: "Use as the base of comparisons", onclick: () => { this.base = isBase ? null : s; this.draw(); } }, "base"));
  }
}
