// live.js - new profiles of the program behind the page, kept in a strip; any
// two of them can be compared.

import { byId, fill, h, visible } from "./dom.js";

/** @typedef {import("./app.js").App} App */

const KEPT = 12;

export class LiveStrip {
  /** @param {App} app @param {{base: string, kinds: {name: string, title: string, seconds: number}[]}} live */
  constructor(app, live) {
    this.app = app;
    this.live = live;
    /** @type {any[]} */
    this.shots = [];
    /** Chosen as the base of a comparison. @type {any} */
    this.base = null;
    this.taking = "";
  }

  /** @param {any} summary @param {string} kind */
  add(summary, kind) {
    this.shots.push({ summary, kind, at: new Date() });
    while (this.shots.length > KEPT) {
      const old = this.shots.shift();
      if (old !== this.base) this.app.calculator.call("drop", { profile: old.summary.id });
    }
  }

  /** @param {{name: string, title: string, seconds: number}} kind */
  async take(kind) {
    const query = kind.seconds ? `?seconds=${kind.seconds}` : "";
    this.taking = kind.name;
    this.draw();
    const end = Date.now() + kind.seconds * 1000;
    const tick = setInterval(() => this.app.status(`${kind.title}: ${Math.max(0, Math.ceil((end - Date.now()) / 1000))} s left`), 250);
    try {
      const answer = await fetch(`${this.live.base}${kind.name}${query}`);
      if (!answer.ok) throw new Error((await answer.text()).trim() || `the program answered ${answer.status}`);
      const title = `${kind.title} ${new Date().toLocaleTimeString()}`;
      this.add(await this.app.load(await answer.arrayBuffer(), title), kind.name);
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
      h("span", { class: "gap" }),
      ...this.shots.map((s) => h("span", { class: s.summary.id === this.app.profile?.id ? "shot on" : "shot" },
        h("button", { title: this.base && this.base !== s ? "Compare with the base" : "Show", onclick: () => this.pick(s) }, visible(`${s.kind} ${s.at.toLocaleTimeString()}`)),
        h("button", { class: this.base === s ? "base on" : "base", "aria-pressed": String(this.base === s), title: "Use as the base of comparisons", onclick: () => { this.base = this.base === s ? null : s; this.draw(); } }, "base"))));
  }
}
