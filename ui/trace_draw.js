// trace_draw.js - paints lanes, ruler, marks and arrows on a canvas.

import { visible } from "./dom.js";
import { MARK, RUN, STATES, WHOLE_PROGRAM, duration, rowsOf, stateColors, ticks, timeText } from "./trace_model.js";

/** @typedef {import("./trace_app.js").TraceApp} TraceApp */
/** @typedef {import("./trace_model.js").Item} Item */

export const GUTTER = 210;
export const RULER = 26;
export const TOP = RULER + 34; /* ruler, and the lane of the whole program */
export const LANE = 28;
const BAR = 16;

/** @param {CanvasRenderingContext2D} c @param {string} text @param {number} x @param {number} y @param {number} width */
function fitText(c, text, x, y, width) {
  if (width < 14) return;
  let end = text.length;
  if (c.measureText(text).width > width) {
    end = Math.max(0, Math.floor((width / Math.max(1, c.measureText(text).width)) * text.length) - 1);
    if (end < 2) return;
    text = text.slice(0, end) + "…";
  }
  c.fillText(text, x, y);
}

export class Painter {
  /** @param {TraceApp} app @param {HTMLCanvasElement} canvas */
  constructor(app, canvas) {
    this.app = app;
    this.canvas = canvas;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("no canvas here");
    this.c = context;
    this.width = this.height = 0;
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** @param {number} time */
  x(time) {
    const v = this.app.view;
    return GUTTER + ((time - v.from) / (v.to - v.from)) * (this.width - GUTTER);
  }

  /** @param {number} x */
  time(x) {
    const v = this.app.view;
    return v.from + ((x - GUTTER) / (this.width - GUTTER)) * (v.to - v.from);
  }

  /** Top of a row of the list. @param {number} row */
  y(row) {
    return TOP + row * LANE - this.app.scrolled;
  }

  draw() {
    const c = this.c, style = getComputedStyle(document.documentElement), ink = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    this.ink = { ink: ink("--ink"), dim: ink("--dim"), line: ink("--line"), back: ink("--back"), paper: ink("--paper"), soft: ink("--soft"), accent: ink("--accent") };
    this.colors = stateColors(this.app.isDark);
    c.font = "12px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.fillStyle = this.ink.back;
    c.fillRect(0, 0, this.width, this.height);
    const [first, last] = this.app.rows();
    for (let row = first; row < last; row++) this.lane(row);
    if (this.app.showsArrows) this.arrows(first, last);
    this.chosen();
    this.program();
    this.ruler();
    this.selection();
  }

  /** @param {number} row */
  lane(row) {
    const c = this.c, lane = this.app.lanes[row], y = this.y(row), ink = /** @type {any} */ (this.ink);
    const items = this.app.items.get(lane.lane);
    c.save();
    c.beginPath();
    c.rect(GUTTER, y, this.width - GUTTER, LANE);
    c.clip();
    if (items) for (const item of items) this.item(item, y + 2);
    this.marks(lane.lane, y);
    c.restore();
    c.fillStyle = row === this.app.row ? ink.soft : ink.paper;
    c.fillRect(0, y, GUTTER, LANE);
    c.fillStyle = ink.line;
    c.fillRect(0, y + LANE - 1, this.width, 1);
    c.fillStyle = ink.ink;
    fitText(c, visible(lane.name || `thread ${lane.id}`), 10, y + 9, GUTTER - 18);
    c.fillStyle = ink.dim;
    const life = Math.max(1, lane.end - lane.start);
    fitText(c, `${lane.id} · ran ${duration(lane.times[0])} · ${((100 * lane.times[0]) / life).toFixed(1)}%`, 10, y + 21, GUTTER - 18);
  }

  /** @param {Item} item @param {number} y */
  item(item, y) {
    const c = this.c, colors = /** @type {string[]} */ (this.colors), ink = /** @type {any} */ (this.ink);
    const left = Math.max(GUTTER, this.x(item.start)), right = Math.min(this.width, this.x(item.end));
    if (right <= GUTTER || left >= this.width) return;
    const width = Math.max(1, right - left);
    if (item.state === RUN) return this.run(item, left, y, width);
    const isDim = this.app.matches && !this.app.matches.has(item.stack);
    c.globalAlpha = isDim ? 0.25 : 1;
    c.fillStyle = colors[item.state];
    /* States in which a thread does not run are thinner. */
    const height = item.state === 0 ? BAR : item.state === 5 || item.state === 6 ? BAR - 8 : BAR - 3;
    c.fillRect(left, y + BAR - height, width, height);
    if (width > 3 && item.state === 0) {
      c.fillStyle = ink.back;
      c.fillRect(right - 0.5, y, 0.5, BAR);
    }
    if (width > 46) {
      c.fillStyle = item.state === 5 || item.state === 6 ? ink.ink : this.app.isDark ? "#0d0f12" : "#16181b";
      c.font = "11px system-ui, sans-serif";
      fitText(c, visible(this.app.reason(item)), left + 4, y + BAR - height / 2, width - 8);
      c.font = "12px system-ui, sans-serif";
    }
    c.globalAlpha = 1;
  }

  /** A group of short spans: each state has its share of the height. @param {Item} item @param {number} left @param {number} y @param {number} width */
  run(item, left, y, width) {
    const c = this.c, colors = /** @type {string[]} */ (this.colors);
    let bottom = y + BAR;
    for (let i = 0; i < STATES.length; i++) {
      const height = item.shares[i] * BAR;
      if (height <= 0) continue;
      c.fillStyle = colors[i];
      c.fillRect(left, bottom - height, width, height);
      bottom -= height;
    }
  }

  /** Samples, messages and regions of a lane. @param {number} lane @param {number} y */
  marks(lane, y) {
    const c = this.c, ink = /** @type {any} */ (this.ink), marks = this.app.marks.get(lane);
    if (!marks) return;
    let last = -Infinity;
    for (const m of marks) {
      const x = this.x(m.time);
      if (m.kind === MARK.SAMPLE) {
        c.fillStyle = !this.app.matches || this.app.matches.has(m.stack) ? ink.ink : ink.line;
        c.fillRect(x, y + BAR + 3, 1, 4);
      } else if (m.kind === MARK.LOG || m.kind === MARK.TASK_BEGIN || m.kind === MARK.TASK_END) {
        c.fillStyle = ink.accent;
        if (x - last < 8) c.fillRect(x, y + BAR + 4, 1, 4);
        else this.triangle(x, y + BAR + 2);
        last = x;
      }
    }
    const regions = marks.filter((m) => m.kind === MARK.REGION);
    const rows = rowsOf(regions.map((m) => ({ start: m.time, end: m.value < 0 ? Infinity : m.value })));
    regions.forEach((m, i) => this.region(m, y + BAR + 3 + Math.min(rows[i], 2) * 3));
  }

  /** @param {number} x @param {number} y */
  triangle(x, y) {
    const c = this.c;
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + 3, y + 6);
    c.lineTo(x - 3, y + 6);
    c.fill();
  }

  /** @param {import("./trace_app.js").Mark} m @param {number} y */
  region(m, y) {
    const c = this.c, left = Math.max(GUTTER, this.x(m.time)), right = Math.min(this.width, m.value < 0 ? this.width : this.x(m.value));
    c.fillStyle = /** @type {any} */ (this.ink).accent;
    c.globalAlpha = 0.55;
    c.fillRect(left, y, Math.max(1, right - left), 2);
    c.globalAlpha = 1;
  }

  /** Events of the whole program: collector, pauses, heap. */
  program() {
    const c = this.c, ink = /** @type {any} */ (this.ink), marks = this.app.marks.get(WHOLE_PROGRAM) || [];
    c.fillStyle = ink.paper;
    c.fillRect(0, RULER, this.width, TOP - RULER);
    c.save();
    c.beginPath();
    c.rect(GUTTER, RULER, this.width - GUTTER, TOP - RULER);
    c.clip();
    this.counter(marks.filter((m) => m.kind === MARK.COUNTER && m.name === "heap"));
    for (const m of marks) {
      if (m.kind !== MARK.REGION) continue;
      const left = this.x(m.time), right = m.value < 0 ? this.width : this.x(m.value), isPause = m.name !== "GC";
      c.fillStyle = isPause ? /** @type {string[]} */ (this.colors)[4] : ink.accent;
      c.globalAlpha = 0.75;
      c.fillRect(left, RULER + (isPause ? 12 : 3), Math.max(1, right - left), 7);
      c.globalAlpha = 1;
      c.fillStyle = ink.ink;
      fitText(c, visible(m.name), Math.max(left, GUTTER) + 3, RULER + (isPause ? 16 : 7), right - Math.max(left, GUTTER) - 6);
    }
    c.restore();
    c.fillStyle = ink.dim;
    const heap = marks.filter((m) => m.kind === MARK.COUNTER && m.name === "heap");
    fitText(c, heap.length ? `program · heap to ${(Math.max(...heap.map((m) => m.value)) / 1048576).toFixed(1)} MB` : "program", 10, RULER + 16, GUTTER - 18);
    c.fillStyle = ink.line;
    c.fillRect(0, TOP - 1, this.width, 1);
  }

  /** A line of values over time. @param {import("./trace_app.js").Mark[]} marks */
  counter(marks) {
    if (marks.length < 2) return;
    const c = this.c, most = Math.max(...marks.map((m) => m.value), 1), bottom = TOP - 2, height = TOP - RULER - 6;
    c.fillStyle = /** @type {any} */ (this.ink).line;
    c.beginPath();
    c.moveTo(this.x(marks[0].time), bottom);
    let y = bottom;
    for (const m of marks) {
      c.lineTo(this.x(m.time), y);
      y = bottom - (m.value / most) * height;
      c.lineTo(this.x(m.time), y);
    }
    c.lineTo(this.x(marks[marks.length - 1].time), bottom);
    c.fill();
  }

  ruler() {
    const c = this.c, ink = /** @type {any} */ (this.ink), { step, list } = ticks(this.app.view, this.width - GUTTER, 110);
    c.fillStyle = ink.paper;
    c.fillRect(0, 0, this.width, RULER);
    c.fillStyle = ink.line;
    c.fillRect(0, RULER - 1, this.width, 1);
    for (const t of list) {
      const x = this.x(t);
      c.fillStyle = ink.line;
      c.fillRect(x, RULER - 7, 1, 7);
      c.fillStyle = ink.dim;
      if (x + 90 < this.width) c.fillText(timeText(t, step), x + 4, RULER / 2);
    }
    c.fillStyle = ink.dim;
    fitText(c, `${this.app.lanes.length} of ${this.app.nLanes} threads`, 10, RULER / 2, GUTTER - 18);
  }

  /** An arrow from the waker to the woken thread. @param {number} from @param {number} to rows @param {number} time @param {boolean} isStrong */
  arrow(from, to, time, isStrong) {
    const c = this.c, ink = /** @type {any} */ (this.ink), x = this.x(time), a = this.y(from) + 2 + BAR / 2, b = this.y(to) + 2 + BAR / 2, way = b > a ? -1 : 1;
    if (x < GUTTER) return;
    c.strokeStyle = c.fillStyle = isStrong ? ink.accent : ink.ink;
    c.globalAlpha = isStrong ? 1 : 0.4;
    c.lineWidth = isStrong ? 2 : 1;
    c.beginPath();
    c.moveTo(x - 6, a);
    c.bezierCurveTo(x + 10, a, x - 10, b, x, b + way * 5);
    c.stroke();
    c.beginPath();
    c.moveTo(x, b);
    c.lineTo(x - 3.5, b + way * 7);
    c.lineTo(x + 3.5, b + way * 7);
    c.fill();
    c.globalAlpha = 1;
  }

  /** @param {number} first @param {number} last */
  arrows(first, last) {
    let n = 0;
    for (let row = first; row < last; row++)
      for (const item of this.app.items.get(this.app.lanes[row].lane) || []) {
        const from = item.state === 1 && item.by >= 0 ? this.app.rowOf(item.by) : -1;
        if (from < 0 || item.start < this.app.view.from || item.start > this.app.view.to || n++ > 2000) continue;
        this.arrow(from, row, item.start, false);
      }
  }

  /** The selected span and its waker. */
  chosen() {
    const pick = this.app.pick, c = this.c;
    if (!pick) return;
    const row = this.app.rowOf(pick.lane);
    if (row < 0) return;
    const left = Math.max(GUTTER, this.x(pick.item.start)), right = Math.min(this.width, this.x(pick.item.end));
    c.strokeStyle = /** @type {any} */ (this.ink).ink;
    c.lineWidth = 2;
    if (right > GUTTER && left < this.width) c.strokeRect(left, this.y(row) + 1, Math.max(2, right - left), BAR + 2);
    if (pick.waker && pick.waker.by >= 0 && this.app.rowOf(pick.waker.by) >= 0) this.arrow(this.app.rowOf(pick.waker.by), row, pick.waker.start, true);
  }

  selection() {
    const s = this.app.selection, c = this.c, ink = /** @type {any} */ (this.ink);
    if (!s) return;
    const left = Math.max(GUTTER, this.x(Math.min(s.from, s.to))), right = Math.min(this.width, this.x(Math.max(s.from, s.to)));
    if (right < left) return;
    c.fillStyle = ink.accent;
    c.globalAlpha = 0.14;
    c.fillRect(left, 0, right - left, this.height);
    c.globalAlpha = 1;
    c.fillRect(left, 0, 1, this.height);
    c.fillRect(right - 1, 0, 1, this.height);
    c.fillStyle = ink.ink;
    fitText(c, duration(Math.abs(s.to - s.from)), left + 4, RULER + 8, right - left - 8);
  }
}
