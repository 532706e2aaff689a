// flamepaint.js - the pixels and the labels of a flame graph.
//
// All lines of pixels of a row are equal. So one line per row is computed in memory, and
// the canvas stretches it to the row's height: ten thousand boxes need a few dozen calls.

import { h, visible } from "./dom.js";
import { shortName } from "./names.js";

/** Lines of pixels for boxes, painted from left to right. */
export class Lines {
  constructor() {
    this.canvas = /** @type {HTMLCanvasElement} */ (h("canvas"));
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { willReadFrequently: true }));
    this.width = 0;
    /** @type {ImageData | null} */
    this.image = null;
    /** One number a pixel: alpha, blue, green, red from the highest byte. */
    this.pixels = new Uint32Array(0);
  }

  /** Allocates transparent lines. @param {number} width @param {number} nLines */
  begin(width, nLines) {
    this.width = width;
    if (!this.image || this.image.width !== width || this.image.height < nLines) {
      this.canvas.width = width;
      this.canvas.height = Math.ceil(nLines / 64) * 64;
      this.image = this.context.createImageData(width, this.canvas.height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    } else this.pixels.fill(0, 0, width * nLines);
  }

  /** Paints a box; pixels at its edges are partly covered. @param {number} line @param {number} x @param {number} w @param {number} tint @param {number} alpha */
  put(line, x, w, tint, alpha) {
    const start = Math.max(0, x), end = Math.min(this.width, x + w), at = line * this.width;
    if (!(end > start)) return;
    const first = Math.ceil(start), last = Math.floor(end);
    if (first > last) return this.mix(at + last, tint, alpha * (end - start));
    if (first > start) this.mix(at + first - 1, tint, alpha * (first - start));
    if (last > first) this.pixels.fill(solid(tint, alpha), at + first, at + last);
    if (end > last) this.mix(at + last, tint, alpha * (end - last));
  }

  /** Blends a colour over a pixel. @param {number} at @param {number} tint @param {number} alpha */
  mix(at, tint, alpha) {
    const old = this.pixels[at];
    if (old === 0) {
      this.pixels[at] = solid(tint, alpha);
      return;
    }
    const sum = alpha + (old >>> 24) / 255 * (1 - alpha), share = alpha / sum;
    let mixed = 0;
    for (let shift = 0; shift < 24; shift += 8) {
      const under = (old >>> shift) & 255, over = (tint >>> shift) & 255;
      mixed |= Math.round(under + (over - under) * share) << shift;
    }
    this.pixels[at] = solid(mixed, sum);
  }

  /** Copies the first lines to the source canvas. @param {number} nLines */
  end(nLines) {
    if (this.image) this.context.putImageData(this.image, 0, 0, 0, 0, this.width, nLines);
  }

  /** Stretches a line from one height to another, with antialiased edges, which browsers do not do for images. @param {CanvasRenderingContext2D} g @param {number} line @param {number} from @param {number} to */
  stretch(g, line, from, to) {
    const first = Math.ceil(from), last = Math.floor(to);
    const part = (/** @type {number} */ y, /** @type {number} */ height, /** @type {number} */ alpha) => {
      g.globalAlpha = alpha;
      g.drawImage(this.canvas, 0, line, this.width, 1, 0, y, this.width, height);
    };
    g.imageSmoothingEnabled = false;
    if (first > from) part(first - 1, 1, first - from);
    if (last > first) part(first, last - first, 1);
    if (to > last) part(last, 1, to - last);
    g.globalAlpha = 1;
  }
}

/** @param {number} tint @param {number} alpha */
function solid(tint, alpha) {
  return ((Math.round(alpha * 255) << 24) | tint) >>> 0;
}

/** @typedef {{full: string, wide: number, short: string, shortWide: number, cuts: number[]}} Label texts and their widths; -1 if not measured */

/** @type {Map<string, Label>} by name; the canvas has one font */
const labels = new Map();

/** @param {string} name */
function labelOf(name) {
  let found = labels.get(name);
  if (!found) {
    if (labels.size > 20000) labels.clear();
    found = { full: visible(name), wide: -1, short: "", shortWide: -1, cuts: [] };
    labels.set(name, found);
  }
  return found;
}

/** Whether the beginning of the short form fits. @param {CanvasRenderingContext2D} g @param {Label} l @param {number} n @param {number} room */
function cutFits(g, l, n, room) {
  if (l.cuts[n] === undefined) l.cuts[n] = g.measureText(l.short.slice(0, n) + "…").width;
  return l.cuts[n] <= room;
}

/** The name, its short form, or the part of it that fits; "" if too little fits. @param {CanvasRenderingContext2D} g @param {string} name @param {number} room */
export function fitting(g, name, room) {
  const l = labelOf(name);
  if (l.wide < 0) l.wide = l.full.length < 400 ? g.measureText(l.full).width : Infinity;
  if (l.wide <= room) return l.full;
  if (l.shortWide < 0) {
    l.short = shortName(l.full).slice(0, 400);
    l.shortWide = g.measureText(l.short).width;
  }
  if (l.shortWide <= room) return l.short;
  let n = Math.min(l.short.length, Math.floor((room / l.shortWide) * l.short.length));
  while (n > 0 && !cutFits(g, l, n, room)) n--;
  while (n < l.short.length && cutFits(g, l, n + 1, room)) n++;
  return n < 2 ? "" : l.short.slice(0, n) + "…";
}
