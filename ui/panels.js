// panels.js - the parts around a view: refine controls, breadcrumbs, the menu
// of a function, the list of keys.

import { fill, h, visible } from "./dom.js";
import { ROWS, defaults } from "./options.js";
import { exactly, plainly } from "./regex.js";

/** @typedef {import("./app.js").App} App */

const GRANULARITIES = [["", "functions"], ["filefunctions", "functions and files"], ["files", "files"], ["lines", "lines"], ["addresses", "addresses"]];
const UNITS = ["minimum", "ns", "us", "ms", "s", "hrs", "B", "kB", "MB", "GB"];

/** Controls for all options. @param {App} app */
export function refinePanel(app) {
  const o = /** @type {any} */ (app.store.state.options);
  const form = h("form", { class: "refine", onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); apply(); } });
  const inputs = new Map();
  const field = (/** @type {any} */ row) => {
    let input;
    if (row.kind === "flag") input = h("input", { type: "checkbox", checked: o[row.name] });
    else if (row.name === "granularity") input = h("select", { value: "" }, ...GRANULARITIES.map(([value, text]) => h("option", { value, selected: value === o.granularity }, text)));
    else if (row.name === "unit") input = h("select", {}, ...UNITS.map((u) => h("option", { value: u, selected: u === o.unit }, u === "minimum" ? "automatic" : u)));
    else input = h("input", { type: "text", value: o[row.name], placeholder: placeholder(row.name), spellcheck: "false", autocomplete: "off" });
    inputs.set(row.name, input);
    const [name, tip] = row.title.split(": ");
    return h("label", { class: row.kind, title: tip || name }, h("span", {}, name), input);
  };
  const apply = () => {
    /** @type {any} */
    const change = {};
    for (const row of ROWS) {
      const input = inputs.get(row.name);
      if (input) change[row.name] = row.kind === "flag" ? input.checked : input.value;
    }
    app.store.refine(change);
  };
  form.append(...ROWS.filter((row) => row.name !== "sampleIndex" && row.name !== "mean").map(field),
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Apply"), h("button", { type: "button", onclick: () => app.store.refine({ ...defaults(), sampleIndex: o.sampleIndex }) }, "Reset all"),
      ...configButtons(app)));
  return form;
}

/** Saved configurations: use, rename, delete and add. @param {App} app */
function configButtons(app) {
  const configs = app.configs, where = configs.isShared ? "Kept in settings.json, where the command line's pprof has them too" : "Kept in this browser";
  const name = h("input", { type: "text", class: "configname", placeholder: "Name", "aria-label": "Name of the configuration", maxlength: "200", spellcheck: "false", autocomplete: "off" });
  const save = () => {
    const text = /** @type {HTMLInputElement} */ (name).value.trim();
    if (text) configs.save(text);
    else name.focus();
  };
  name.addEventListener("keydown", (e) => {
    if (e.key !== "Enter") return;
    e.preventDefault();
    save();
  });
  return [h("span", { class: "gap" }), h("span", { class: "hint", title: where }, "Configurations"),
    ...configs.list.map((c) => h("span", { class: configs.isUsed(c) ? "config on" : "config" },
      h("button", { type: "button", class: "use", title: "Use this configuration", onclick: () => configs.use(c) }, visible(c.name)),
      h("button", { type: "button", class: "small", "aria-label": `Rename ${visible(c.name)}`, title: "Rename", onclick: (/** @type {Event} */ e) => renaming(app, /** @type {HTMLElement} */ (e.currentTarget), c.name) }, "✎"),
      h("button", { type: "button", class: "small", "aria-label": `Delete ${visible(c.name)}`, title: "Delete", onclick: () => configs.remove(c.name) }, "×"))),
    name, h("button", { type: "button", title: where, onclick: save }, "Save")];
}

/** A field in place of the button. @param {App} app @param {HTMLElement} button @param {string} name */
function renaming(app, button, name) {
  const input = /** @type {HTMLInputElement} */ (h("input", { type: "text", class: "configname", value: name, maxlength: "200", "aria-label": "New name" }));
  input.addEventListener("keydown", (e) => {
    if (e.key === "Enter") {
      e.preventDefault();
      const to = input.value.trim();
      if (to && to !== name) app.configs.rename(name, to);
      else app.drawBar();
    } else if (e.key === "Escape") app.drawBar();
  });
  button.parentElement?.replaceChildren(input);
  input.select();
}

/** @param {string} name */
function placeholder(name) {
  if (name === "tagFocus" || name === "tagIgnore") return "key=value or key=1kb:2mb";
  if (name === "tagRoot" || name === "tagLeaf" || name === "tagShow" || name === "tagHide") return "label key";
  return "regular expression";
}

/** Chips of the active filters, with buttons to remove them. @param {App} app */
export function breadcrumbs(app) {
  const s = app.store.state, o = /** @type {any} */ (s.options), list = [];
  for (const row of ROWS) {
    if (o[row.name] === row.value || o[row.name] === "" || row.name === "sampleIndex") continue;
    const [name] = row.title.split(": ");
    const text = row.kind === "flag" ? name : `${name}: ${visible(plainly(String(o[row.name])))}`;
    list.push(chip(text, () => app.store.refine({ [row.name]: row.value })));
  }
  if (s.pivot) list.push(chip(`Sandwich: ${visible(plainly(s.pivot))}`, () => app.store.go({ pivot: "" })));
  if (s.arg && ["peek", "source", "disasm"].includes(s.view)) list.push(chip(`Function: ${visible(plainly(s.arg))}`, () => app.store.go({ arg: "" })));
  return list;
}

/** @param {string} text @param {() => void} remove */
function chip(text, remove) {
  return h("span", { class: "chip", title: text }, h("span", {}, text), h("button", { "aria-label": `Remove ${text}`, onclick: remove }, "×"));
}

/** Adds an expression to an existing filter. @param {string} old @param {string} more */
function also(old, more) {
  return old ? `${more}|${old}` : more;
}

/** The menu of a function. @param {App} app @param {string} name */
export function functionMenu(app, name) {
  const o = app.store.state.options, exact = exactly(name);
  /** @type {[string, string, () => void][]} */
  const items = [
    ["Sandwich: callers and callees", "s", () => app.store.go({ view: "flamegraph", pivot: exact, path: [] })],
    ["Focus: only stacks through it", "f", () => app.store.refine({ focus: exact })],
    ["Ignore stacks through it", "i", () => app.store.refine({ ignore: also(o.ignore, exact) })],
    ["Hide this frame", "h", () => app.store.refine({ hide: also(o.hide, exact) })],
    ["Show from here", "o", () => app.store.refine({ showFrom: exact })],
    ["Peek", "p", () => app.store.go({ view: "peek", arg: exact })],
    ["Source", "u", () => app.store.go({ view: "source", arg: exact })],
    ["Disassembly", "d", () => app.store.go({ view: "disasm", arg: exact })],
    ["Copy name", "c", () => app.copy(name)],
  ];
  return items;
}

export const KEYS = [
  ["/", "search"], ["n  N", "next and previous match"], ["Esc", "close, clear the search, reset the zoom"],
  ["1 … 9", "the views"], ["r", "refine"], ["v", "flip the flame graph"], ["b", "callers or callees"],
  ["arrows", "move the selection"], ["Enter", "zoom to the selected box, or peek the row"], ["m", "menu of the selection"],
  ["s f i h o p u d c", "act on the selection, as in its menu"], ["[  ]", "previous and next sample type"], ["t", "light or dark"], ["?", "this list"],
];

/** @param {() => void} close */
export function helpBox(close) {
  const box = h("div", { class: "dialog", role: "dialog", "aria-modal": "true", "aria-label": "Keys" }, h("h2", {}, "Keys"), h("dl", {}, ...KEYS.flatMap(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])), h("button", { class: "primary", onclick: close }, "Close"));
  return box;
}

/** @param {HTMLElement} el @param {App} app @param {string} name @param {number} x @param {number} y */
export function placeMenu(el, app, name, x, y) {
  const items = functionMenu(app, name);
  const buttons = items.map(([text, key, act]) => h("button", { role: "menuitem", onclick: () => { app.closeMenu(); act(); } }, h("span", {}, text), h("kbd", {}, key)));
  fill(el, h("div", { class: "menuname" }, visible(name)), ...buttons);
  el.hidden = false;
  el.style.left = `${Math.max(4, Math.min(x, window.innerWidth - el.offsetWidth - 8))}px`;
  el.style.top = `${Math.max(4, Math.min(y, window.innerHeight - el.offsetHeight - 8))}px`;
  buttons[0].focus();
  el.onkeydown = (e) => {
    const at = buttons.indexOf(/** @type {any} */ (document.activeElement));
    if (e.key === "ArrowDown") buttons[(at + 1) % buttons.length].focus();
    else if (e.key === "ArrowUp") buttons[(at - 1 + buttons.length) % buttons.length].focus();
    else if (e.key === "Escape") app.closeMenu();
    else {
      const item = items.find(([, key]) => key === e.key);
      if (!item) return;
      app.closeMenu();
      item[2]();
    }
    e.preventDefault();
    e.stopPropagation();
  };
}
