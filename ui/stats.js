// stats.js - small graphs of the program's memory and threads over time.

import { SVG, fill, h } from "./dom.js";
import { label } from "./units.js";

const EVERY_MS = 1000, POINTS = 180, WIDTH = 132, HEIGHT = 26;

/** Statistics of the program. @typedef {{rss: number, heap: number, threads: number, cpu_ns: number, time_ns: number}} Stats */

const LINES = [
  { title: "Memory", tip: "resident, of the whole process", of: (/** @type {Stats} */ s) => s.rss, text: (/** @type {number} */ v) => label(v, "bytes") },
  { title: "Heap", tip: "allocated and not freed, estimated from the samples", of: (/** @type {Stats} */ s) => s.heap, text: (/** @type {number} */ v) => label(v, "bytes") },
  { title: "Threads", tip: "of the process", of: (/** @type {Stats} */ s) => s.threads, text: (/** @type {number} */ v) => String(v) },
];

/** Points of a line, from the left to the right. @param {number[]} values @param {number} most */
export function linePoints(values, most) {
  const step = WIDTH / (POINTS - 1), left = WIDTH - step * (values.length - 1);
  return values.map((v, i) => `${(left + i * step).toFixed(1)},${(HEIGHT - 2 - (v / (most || 1)) * (HEIGHT - 4)).toFixed(1)}`).join(" ");
}

export class StatsChart {
  /** @param {string} url */
  constructor(url) {
    this.url = url;
    /** @type {Stats[]} */
    this.seen = [];
    this.el = h("div", { class: "stats", role: "group", "aria-label": "The program now" });
    this.next();
  }

  async next() {
    try {
      if (!document.hidden) {
        const answer = await fetch(this.url);
        if (!answer.ok) throw new Error(String(answer.status));
        this.seen.push(await answer.json());
        if (this.seen.length > POINTS) this.seen.shift();
        this.draw();
      }
    } catch {
      fill(this.el, h("span", { class: "hint" }, "the program does not answer"));
    }
    setTimeout(() => this.next(), EVERY_MS);
  }

  draw() {
    fill(this.el, ...LINES.map((line) => {
      const values = this.seen.map(line.of), most = Math.max(...values), now = values[values.length - 1];
      const svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "polyline");
      svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
      svg.setAttribute("preserveAspectRatio", "none");
      svg.setAttribute("aria-hidden", "true");
      path.setAttribute("points", linePoints(values, most));
      svg.append(path);
      return h("div", { class: "stat", title: `${line.title}: ${line.tip}; at most ${line.text(most)} in the last ${Math.round(POINTS * EVERY_MS / 60000)} minutes` }, svg, h("span", {}, `${line.title} `, h("strong", {}, line.text(now))));
    }));
  }
}
