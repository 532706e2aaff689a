// configs.js - saved configurations: on the server in the file of google/pprof,
// without a server in the browser.

import { fromSaved, toQuery, toSaved } from "./options.js";
import { storage } from "./storage.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {{name: string} & Record<string, unknown>} Config */

export class Configs {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** Whether a server stores them. */
    this.isShared = !!app.info.token && app.info.server;
    /** @type {Config[]} */
    this.list = [];
  }

  async load() {
    try {
      const text = this.isShared ? await (await fetch("data/configs")).text() : storage("configs") || "[]";
      const data = JSON.parse(text), list = Array.isArray(data) ? data : data.configs;
      this.list = list.filter((/** @type {any} */ c) => c && typeof c.name === "string");
    } catch {
      this.list = []; // an invalid file is not changed
    }
  }

  /** @param {Record<string, string>} query */
  async change(query) {
    const options = query.do === "save" ? toQuery(this.app.store.state.options, new URLSearchParams()) : new URLSearchParams();
    for (const [key, value] of Object.entries(query)) options.set(key, value);
    const answer = await fetch(`config?${options}`, { method: "POST", headers: { "X-Pprof-Token": this.app.info.token || "" } });
    if (!answer.ok) throw new Error((await answer.text()).trim());
  }

  /** @param {Record<string, string>} query @param {() => void} here action without a server */
  async apply(query, here) {
    try {
      if (this.isShared) await this.change(query);
      else {
        here();
        storage("configs", JSON.stringify(this.list));
      }
      await this.load();
      this.app.error("");
    } catch (e) {
      this.app.error(e instanceof Error ? e.message : String(e));
    }
    this.app.drawBar();
  }

  /** @param {string} name */
  save(name) {
    return this.apply({ do: "save", config: name }, () => {
      this.list = [...this.list.filter((c) => c.name !== name), { name, ...toSaved(this.app.store.state.options) }];
    });
  }
  /** @param {string} name @param {string} to */
  rename(name, to) {
    return this.apply({ do: "rename", config: name, to }, () => {
      this.list = this.list.map((c) => (c.name === name ? { ...c, name: to } : c));
    });
  }
  /** @param {string} name */
  remove(name) {
    return this.apply({ do: "delete", config: name }, () => {
      this.list = this.list.filter((c) => c.name !== name);
    });
  }

  /** @param {Config} config */
  use(config) {
    this.app.store.refine(fromSaved(config, this.app.store.state.options));
  }
  /** Whether these are the current options. @param {Config} config */
  isUsed(config) {
    const now = this.app.store.state.options;
    return toQuery(fromSaved(config, now), new URLSearchParams()).toString() === toQuery(now, new URLSearchParams()).toString();
  }
}
