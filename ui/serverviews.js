// serverviews.js - the graph, which the server draws.

import { SVG, fill, h, visible } from "./dom.js";

/** @typedef {import("./app.js").App} App */

const ELEMENTS = new Set(["svg", "g", "path", "polygon", "polyline", "ellipse", "text", "title", "a", "rect", "circle", "line"]);
const ATTRIBUTES = new Set(["d", "points", "x", "y", "cx", "cy", "rx", "ry", "r", "width", "height", "fill", "stroke", "stroke-width", "stroke-dasharray", "transform", "viewBox", "text-anchor", "font-family", "font-size", "id", "class", "fill-opacity", "stroke-opacity"]);

/** A copy with shapes and text only. @param {Element} from @returns {Element | null} */
function copyShape(from) {
  const name = from.localName;
  if (!ELEMENTS.has(name)) return null;
  const el = document.createElementNS(SVG, name === "a" ? "g" : name);
  if (name === "a") el.setAttribute("data-tip", from.getAttribute("xlink:title") || "");
  for (const a of from.attributes) if (ATTRIBUTES.has(a.name)) el.setAttribute(a.name, a.value);
  for (const child of from.childNodes) {
    if (child.nodeType === 3) el.append(child.textContent || "");
    else if (child.nodeType === 1) {
      const copy = copyShape(/** @type {Element} */ (child));
      if (copy) el.append(copy);
    }
  }
  return el;
}

/** Removes the legend, which the page shows elsewhere, and the background. @param {Element} svg */
function withoutLegend(svg) {
  const legend = svg.querySelector("g.cluster"), paper = svg.querySelector("g.graph > polygon");
  if (legend) {
    legend.nextElementSibling?.remove();
    legend.remove();
  }
  paper?.remove();
}

/** Fits the drawing with a margin; never enlarges it. @param {Element} svg */
function bounds(svg) {
  const box = /** @type {SVGGraphicsElement} */ (svg).getBBox(), margin = 12;
  const place = /** @type {HTMLElement} */ (svg.parentElement), wide = Math.max(box.width + 2 * margin, place.clientWidth / 1.4), high = box.height + 2 * margin;
  return [box.x + box.width / 2 - wide / 2, box.y - margin, wide, high];
}

export class GraphView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.turn = 0;
    this.box = h("div", { class: "graph", tabindex: "0", "aria-label": "Call graph. Drag to move, wheel or + and - to zoom, 0 to fit." });
    this.el = h("div", { class: "view" }, this.box);
    this.name = "";
    /** @type {number[]} */
    this.port = [0, 0, 100, 100];
  }

  async show() {
    const turn = ++this.turn;
    if (!this.app.server) return fill(this.box, this.app.needsServer("The graph is drawn by graphviz"));
    fill(this.box, h("div", { class: "empty" }, "Drawing the graph…"));
    const text = await this.app.fromServer("graph");
    if (turn !== this.turn) return;
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    const svg = copyShape(parsed.documentElement);
    if (!svg || parsed.querySelector("parsererror")) throw new Error("the server's picture cannot be read");
    this.svg = svg;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    withoutLegend(svg);
    this.listen(svg);
    fill(this.box, svg);
    this.whole = bounds(svg);
    this.fit();
    this.app.about(await this.app.ask("about", {}));
  }

  fit() {
    this.port = (this.whole || [0, 0, 100, 100]).slice();
    this.apply();
  }

  apply() {
    if (this.svg) this.svg.setAttribute("viewBox", this.port.join(" "));
  }

  /** @param {number} factor @param {number} fx @param {number} fy where, as shares of the view */
  zoom(factor, fx, fy) {
    const [x, y, w, hh] = this.port;
    this.port = [x + w * fx * (1 - factor), y + hh * fy * (1 - factor), w * factor, hh * factor];
    this.apply();
  }

  /** @param {Element} svg */
  listen(svg) {
    const box = this.box;
    let drag = /** @type {{x: number, y: number, port: number[]} | null} */ (null);
    box.onwheel = (e) => {
      e.preventDefault();
      const area = box.getBoundingClientRect();
      this.zoom(e.deltaY > 0 ? 1.15 : 1 / 1.15, (e.clientX - area.left) / area.width, (e.clientY - area.top) / area.height);
    };
    box.onpointerdown = (e) => {
      if (e.button === 0) drag = { x: e.clientX, y: e.clientY, port: this.port.slice() };
    };
    box.onpointermove = (e) => {
      if (!drag || !(e.buttons & 1)) return;
      const scale = Math.max(drag.port[2] / box.clientWidth, drag.port[3] / box.clientHeight);
      this.port[0] = drag.port[0] - (e.clientX - drag.x) * scale;
      this.port[1] = drag.port[1] - (e.clientY - drag.y) * scale;
      this.apply();
    };
    box.onpointerup = () => { drag = null; };
    box.onkeydown = (e) => {
      if (e.key === "+" || e.key === "=") this.zoom(0.8, 0.5, 0.5);
      else if (e.key === "-") this.zoom(1.25, 0.5, 0.5);
      else if (e.key === "0") this.fit();
    };
    for (const node of svg.querySelectorAll("g.node")) {
      const title = node.querySelector("title");
      const name = this.nameOf(node);
      node.addEventListener("click", () => this.choose(node, name));
      node.addEventListener("contextmenu", (e) => {
        e.preventDefault();
        this.choose(node, name);
        const at = /** @type {MouseEvent} */ (e);
        if (name) this.app.openMenu(name, at.clientX, at.clientY);
      });
      if (title) title.textContent = name;
    }
  }

  /** The full name is in the tooltip, as "name (value)". @param {Element} node */
  nameOf(node) {
    const tip = node.querySelector("[data-tip]")?.getAttribute("data-tip") || "";
    return tip.replace(/ \([^()]*\)$/, "");
  }

  /** @param {Element} node @param {string} name */
  choose(node, name) {
    if (this.svg) for (const old of this.svg.querySelectorAll(".chosen")) old.classList.remove("chosen");
    node.classList.add("chosen");
    this.name = name;
    this.app.status(visible(name));
  }

  chosen() {
    return this.name;
  }
}
