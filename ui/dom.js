// dom.js - creates elements without innerHTML, so that text never becomes markup.

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

/**
 * Makes control characters, blank names, zero-width characters and direction marks
 * visible, and isolates right-to-left text.
 * @param {string} text
 */
export function visible(text) {
  const plain = text.replace(/[\u0000-\u001f\u007f]/g, (c) => String.fromCharCode(0x2400 + (c === "\u007f" ? 0x21 : c.charCodeAt(0))))
    .replace(/[\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "\ufffd");
  if (plain !== "" && plain.trim() === "") return "␣".repeat(plain.length);
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** Calls act after the next frame, or soon if the page is hidden and draws none. @param {() => void} act */
export function afterFrame(act) {
  let isDone = false;
  const once = () => {
    if (!isDone) act();
    isDone = true;
  };
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(once)));
  setTimeout(once, 200);
}

/** Offers a file for download. @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
