// trace_main.js - starts the trace viewer and handles keys and mouse.

import { byId } from "./dom.js";
import { TraceApp } from "./trace_app.js";
import { GUTTER } from "./trace_draw.js";
import { RUN, duration, zoom } from "./trace_model.js";
import { helpDialog } from "./trace_panel.js";

/** @param {TraceApp} app */
function listenPointer(app) {
  const canvas = byId("canvas"), tip = byId("tip");
  /** @type {{x: number, view: {from: number, to: number}, isMove: boolean} | null} */
  let drag = null;
  canvas.addEventListener("pointerdown", (e) => {
    if (e.button === 2 || e.offsetX < GUTTER) return;
    drag = { x: e.offsetX, view: app.view, isMove: e.shiftKey || e.button === 1 };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!drag) return showTip(app, tip, e);
    tip.hidden = true;
    const ns = (e.offsetX - drag.x) * ((drag.view.to - drag.view.from) / (app.painter.width - GUTTER));
    if (drag.isMove) app.show({ from: drag.view.from - ns, to: drag.view.to - ns });
    else if (Math.abs(e.offsetX - drag.x) > 4) {
      app.selection = { from: app.painter.time(drag.x), to: app.painter.time(Math.max(GUTTER, e.offsetX)) };
      app.changed();
    }
  });
  canvas.addEventListener("pointerup", (e) => {
    const start = drag;
    drag = null;
    if (!start || start.isMove) return;
    if (Math.abs(e.offsetX - start.x) > 4) app.select({ from: Math.min(app.painter.time(start.x), app.painter.time(e.offsetX)), to: Math.max(app.painter.time(start.x), app.painter.time(e.offsetX)) });
    else app.click(e.offsetX, e.offsetY);
  });
  canvas.addEventListener("dblclick", (e) => {
    const found = app.at(e.offsetX, e.offsetY), item = found && found.item;
    if (item) app.show({ from: item.start - (item.end - item.start) / 4, to: item.end + (item.end - item.start) / 4 });
  });
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  byId("scroll").addEventListener("wheel", (e) => {
    const ns = (app.view.to - app.view.from) / (app.painter.width - GUTTER);
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      app.show(zoom(app.view, Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), app.painter.time(Math.max(GUTTER, e.offsetX)), app.info.duration));
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      const move = (e.deltaX || e.deltaY) * ns;
      app.show({ from: app.view.from + move, to: app.view.to + move });
    }
  }, { passive: false });
  byId("scroll").addEventListener("scroll", () => app.changed());
}

/** @param {TraceApp} app @param {HTMLElement} tip @param {PointerEvent} e */
function showTip(app, tip, e) {
  const found = app.at(e.offsetX, e.offsetY), item = found && found.item;
  tip.hidden = !item;
  if (!found || !item) return;
  const lane = app.lanes[found.row], text = item.state === RUN ? `${item.stack} spans in ${duration(item.end - item.start)}` : `${app.reason(item)}: ${duration(item.end - item.start)}`;
  tip.textContent = `${lane.name || "thread"} (${lane.id})\n${text}` + (found.mark ? `\n${found.mark.name || "CPU sample"} ${found.mark.text}` : "");
  tip.style.left = `${Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 6)}px`;
  tip.style.top = `${Math.min(e.clientY + 16, innerHeight - tip.offsetHeight - 6)}px`;
}

/** @param {TraceApp} app */
function toggleHelp(app) {
  const open = document.getElementById("overlay");
  if (open) open.remove();
  else document.body.append(helpDialog(() => toggleHelp(app)));
}

/** @param {TraceApp} app */
function toggleArrows(app) {
  app.showsArrows = !app.showsArrows;
  byId("arrows").setAttribute("aria-pressed", String(app.showsArrows));
  app.changed();
}

/** Moves the selected row. @param {TraceApp} app @param {number} way */
function moveRow(app, way) {
  const row = Math.max(0, Math.min(app.lanes.length - 1, app.row + way));
  if (app.lanes[row]) app.jump(app.lanes[row].lane, app.view.from);
}

/** What each key does. @param {TraceApp} app @returns {Record<string, (isControl: boolean) => void>} */
function keysOf(app) {
  const middle = () => (app.view.from + app.view.to) / 2, part = () => (app.view.to - app.view.from) / 5;
  const near = () => app.show(zoom(app.view, 1 / 1.5, middle(), app.info.duration)), far = () => app.show(zoom(app.view, 1.5, middle(), app.info.duration));
  const move = (/** @type {number} */ way) => () => app.show({ from: app.view.from + way * part(), to: app.view.to + way * part() });
  return {
    w: near, s: far, a: move(-1), d: move(1), "+": near, "-": far, ArrowLeft: move(-1), ArrowRight: move(1),
    ArrowUp: (isControl) => (isControl ? near() : moveRow(app, -1)), ArrowDown: (isControl) => (isControl ? far() : moveRow(app, 1)),
    0: () => app.show({ from: 0, to: app.info.duration }), z: () => app.selection && app.show(app.selection), f: () => toggleArrows(app),
    n: () => app.step(1), N: () => app.step(-1), t: () => app.setTheme(!app.isDark), "?": () => toggleHelp(app), "/": () => byId("search").focus(),
    Escape: () => (document.getElementById("overlay") ? toggleHelp(app) : app.clear()),
  };
}

/** @param {TraceApp} app */
function listenKeys(app) {
  const keys = keysOf(app);
  document.addEventListener("keydown", (e) => {
    const target = e.target;
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
      if (e.key === "Escape") byId("scroll").focus();
      return;
    }
    const act = keys[e.key] || keys[e.key.toLowerCase()];
    if (!act || e.altKey || e.metaKey || (e.ctrlKey && !e.key.startsWith("Arrow"))) return;
    e.preventDefault();
    act(e.ctrlKey);
  });
}

/** @param {TraceApp} app */
function listenControls(app) {
  const sort = /** @type {HTMLSelectElement} */ (byId("sort")), search = /** @type {HTMLInputElement} */ (byId("search")), where = /** @type {HTMLSelectElement} */ (byId("where"));
  let timer = 0;
  sort.value = app.sort;
  search.value = app.query;
  where.value = app.where;
  const go = () => {
    app.sort = sort.value;
    app.query = search.value;
    app.where = where.value;
    app.search();
  };
  sort.addEventListener("change", go);
  where.addEventListener("change", go);
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(go, 150);
  });
  search.addEventListener("keydown", (e) => e.key === "Enter" && (app.query === search.value ? app.step(e.shiftKey ? -1 : 1) : go()));
  byId("whole").addEventListener("click", () => app.show({ from: 0, to: app.info.duration }));
  byId("arrows").addEventListener("click", () => toggleArrows(app));
  byId("next").addEventListener("click", () => app.step(1));
  byId("previous").addEventListener("click", () => app.step(-1));
  byId("theme").addEventListener("click", () => app.setTheme(!app.isDark));
  byId("help").addEventListener("click", () => toggleHelp(app));
}

async function startTrace() {
  const app = new TraceApp();
  try {
    app.setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
    await app.start();
    listenControls(app);
    listenPointer(app);
    listenKeys(app);
    new ResizeObserver(() => app.resize()).observe(byId("scroll"));
    if (app.selection) app.select(app.selection);
    byId("scroll").focus();
  } catch (e) {
    app.error(e instanceof Error ? e.message : String(e));
  }
}

startTrace();
