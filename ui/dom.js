// dom.js - elements without innerHTML: text is always text.

export const SVG = "http://www.w3.org/2000/svg";

/**
 * An element with properties and children. Properties that begin with "on" are
 * listeners, "class" and "aria-..." are attributes, the rest are attributes too
 * unless the value is a boolean.
 * @param {string} tag @param {Record<string, any>} [props] @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") /** @type {any} */ (el)[name] = value;
    else el.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child || child === "") el.append(child);
  return el;
}

/** Replaces all children. @param {Element} el @param {...(Node | string | null | undefined | false)} children */
export function fill(el, ...children) {
  el.replaceChildren(...children.filter((c) => c !== null && c !== undefined && c !== false).map((c) => /** @type {Node | string} */ (c)));
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const el = document.getElementById(id);
  if (!el) throw new Error(`no element ${id}`);
  return el;
}

/** Control characters and overrides of direction made visible. @param {string} text */
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f]/g, (c) => String.fromCharCode(0x2400 + (c === "\u007f" ? 0x21 : c.charCodeAt(0))))
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** Gives the reader a file. @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
