// trace_panel.js - the panel with details of a click and statistics of a selection.

import { fill, h, visible } from "./dom.js";
import { RUN, STATES, duration, timeText } from "./trace_model.js";

/** @typedef {import("./trace_app.js").TraceApp} TraceApp */

/** @param {[string, string | Node][]} rows */
function facts(rows) {
  return h("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/** @param {string[]} heads @param {(string | Node)[][]} rows the first column is text, the others numbers */
function table(heads, rows) {
  const cell = (/** @type {string} */ tag) => (/** @type {string | Node} */ value, /** @type {number} */ i) => h(tag, { class: i > 0 ? "num" : null, title: i === 0 && typeof value === "string" ? value : null }, value);
  return h("table", {}, h("thead", {}, h("tr", {}, ...heads.map(cell("th")))), h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell("td"))))));
}

/** @param {[string, string, number, string][]} frames */
export function stackList(frames) {
  if (!frames.length) return h("p", {}, "no stack here");
  return h("ol", { class: "stack" }, ...frames.map(([name, file, line, pc]) => h("li", {}, visible(name || pc), file ? h("span", {}, `${visible(file)}:${line}`) : null)));
}

/** Details of the clicked span. @param {TraceApp} app */
export async function pickSection(app) {
  const pick = app.pick;
  if (!pick) return null;
  const { item, lane } = pick, row = app.lanes[app.rowOf(lane)], name = row ? row.name || `thread ${row.id}` : `lane ${lane}`;
  /** @type {[string, string | Node][]} */
  const rows = [["Thread", visible(row ? `${name} (${row.id})` : name)], ["From", timeText(item.start, 1)], ["For", duration(item.end - item.start) + (item.isOpen ? ", to the end of the trace" : "")]];
  if (item.state === RUN) {
    rows.push(["Spans", String(item.stack)], ...STATES.map((s, i) => /** @type {[string, string]} */ ([s, duration(item.shares[i] * (item.end - item.start))])).filter((r, i) => item.shares[i] > 0));
    return h("section", { id: "pick" }, h("h2", {}, "Many short spans"), facts(rows), h("p", {}, "Zoom in to see each of them."));
  }
  const reason = app.reason(item);
  if (reason !== STATES[item.state]) rows.push(["Reason", visible(reason)]);
  const by = pick.waker ? app.rowOf(pick.waker.by) : -1;
  if (pick.waker && pick.waker.by >= 0) {
    const waker = by >= 0 ? app.lanes[by] : null, text = waker ? `${visible(waker.name || `thread ${waker.id}`)} (${waker.id})` : `lane ${pick.waker.by}`;
    rows.push(["Woken by", waker ? h("button", { class: "jump", onclick: () => app.jump(waker.lane, pick.waker ? pick.waker.start : 0) }, text) : text]);
  }
  const section = h("section", { id: "pick" }, h("h2", {}, STATES[item.state]), facts(rows));
  await addStack(app, section, item.stack, item.state === 1 ? "Made ready by" : "Where it began");
  if (item.state === 0 && pick.after && pick.after.state !== RUN && pick.after.start === item.end) await addStack(app, section, pick.after.stack, `Where it stopped: ${visible(app.reason(pick.after))}`);
  if (pick.waker && pick.waker !== item) await addStack(app, section, pick.waker.stack, "Woken at");
  return section;
}

/** @param {TraceApp} app @param {HTMLElement} section @param {number} stack @param {string} title */
async function addStack(app, section, stack, title) {
  if (!stack) return;
  const answer = await app.ask("stack", { id: stack });
  section.append(h("h3", {}, title), stackList(answer.frames));
}

/** A sample, message or region that was clicked. @param {TraceApp} app @param {import("./trace_app.js").Mark} m */
export async function markSection(app, m) {
  const kinds = ["CPU sample", "Message", "", "", "Task begins", "Task ends", "", "Region"];
  /** @type {[string, string | Node][]} */
  const rows = [["At", timeText(m.time, 1)]];
  if (m.name) rows.push([m.kind === 1 ? "Category" : "Name", visible(m.name)]);
  if (m.text) rows.push(["Text", visible(m.text)]);
  if (m.kind === 7) rows.push(["For", m.value < 0 ? "to the end of the trace" : duration(m.value - m.time)]);
  const section = h("section", { id: "mark" }, h("h2", {}, kinds[m.kind]), facts(rows));
  await addStack(app, section, m.stack, "Stack");
  return section;
}

/** Statistics of the selected time. @param {TraceApp} app @returns {Promise<HTMLElement[]>} */
export async function selectionSections(app) {
  const s = app.selection;
  if (!s) return [];
  const from = Math.max(0, Math.round(Math.min(s.from, s.to))), to = Math.round(Math.max(s.from, s.to)), answer = await app.ask("stats", { from, to });
  const total = answer.states.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0) || 1;
  const states = table(["State", "Time", "Share"], answer.states.map((/** @type {number} */ ns, /** @type {number} */ i) => [STATES[i], duration(ns), `${((100 * ns) / total).toFixed(1)}%`]));
  const profiles = h("p", {}, "Profiles: ", ...["sched", "sync", "syscall", "net"].flatMap((kind) => [h("a", { class: "jump", href: `trace/profile?kind=${kind}&from=${from}&to=${to}`, download: `trace.${kind}.pb.gz` }, kind), " "]));
  const lanes = table(["Thread", "Running", "Runnable", "System calls", "Blocked"], answer.lanes.map((/** @type {any[]} */ [lane, id, name, ns]) => [
    h("button", { class: "jump", onclick: () => app.jump(lane, from) }, `${visible(name || "thread")} (${id})`), duration(ns[0]), duration(ns[1]), duration(ns[2]), duration(ns[3] + ns[4] + ns[5] + ns[6])]));
  const waits = table(["Waited in", "For", "Time", "Times"], answer.waits.map((/** @type {any[]} */ [state, reason, stack, name, ns, n]) => [
    h("button", { class: "jump", onclick: () => app.showStack(stack) }, visible(name || "?")), visible(reason || STATES[state]), duration(ns), String(n)]));
  const sections = [
    h("section", { id: "stats" }, h("h2", {}, `${timeText(from, (to - from) / 100)} to ${timeText(to, (to - from) / 100)}: ${duration(to - from)}`), states, profiles),
    h("section", {}, h("h2", {}, `${answer.n_lanes} threads`), lanes),
    h("section", {}, h("h2", {}, answer.whole ? "Waiting" : "Waiting (of a part: too many spans)"), waits),
  ];
  if (answer.n_samples > 0) sections.push(h("section", {}, h("h2", {}, `${answer.n_samples} CPU samples`), table(["Function", "Samples", "Share"], answer.functions.map((/** @type {any[]} */ [name, n]) => [visible(name), String(n), `${((100 * n) / answer.n_samples).toFixed(1)}%`]))));
  return sections;
}

/** Puts sections into the panel; none hides it. @param {TraceApp} app @param {HTMLElement} panel @param {(HTMLElement | null)[]} sections */
export function showPanel(app, panel, sections) {
  const there = sections.filter((s) => s);
  panel.hidden = there.length === 0;
  fill(panel, h("button", { class: "close", "aria-label": "Close", title: "Close (Escape)", onclick: () => app.clear() }, "×"), ...there);
}

/** The list of keys. @param {() => void} close */
export function helpDialog(close) {
  const keys = [["W, S or ↑ ↓ with Ctrl", "zoom in, out"], ["A, D or ← →", "earlier, later"], ["↑ ↓", "thread above, below"], ["drag", "select a time: statistics"], ["Shift-drag", "move the picture"], ["Ctrl-wheel", "zoom at the pointer"],
    ["click", "state, stack, who woke it"], ["double click", "zoom to the span"], ["z", "zoom to the selection"], ["0", "the whole trace"], ["f", "all wake-ups"], ["/", "search"], ["n, N", "next, previous match"], ["t", "light or dark"], ["Escape", "close, select nothing"]];
  return h("div", { id: "overlay", role: "dialog", "aria-label": "Keys", onclick: close }, h("div", { class: "dialog" }, h("h2", {}, "Keys"), h("dl", {}, ...keys.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]))));
}
