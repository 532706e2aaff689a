// colors.js - colours of frames and of differences, in both themes.

import { packageOf } from "./names.js";

/** @type {Map<string, number>} */
const hues = new Map();

/** A constant hue for the package, namespace or class of a name. @param {string} name */
export function hueOf(name) {
  const key = packageOf(name);
  let hue = hues.get(key);
  if (hue === undefined) {
    let sum = 2166136261;
    for (let i = 0; i < key.length; i++) sum = Math.imul(sum ^ key.charCodeAt(i), 16777619);
    hue = ((sum >>> 0) * 0.61803398875 * 360) % 360;
    hues.set(key, hue);
  }
  return hue;
}

/** @param {number} hue in whole degrees @param {boolean} isDark */
export function frameColor(hue, isDark) {
  return isDark ? `hsl(${hue} 32% 34%)` : `hsl(${hue} 62% 81%)`;
}

/**
 * Colour of growth (orange) and shrinkage (blue). Both also differ in lightness, so
 * that colour-blind users can distinguish them. Users can choose red and green.
 * @param {number} change from -1 to 1 @param {boolean} isDark @param {boolean} isClassic
 */
export function diffColor(change, isDark, isClassic) {
  const strength = Math.min(1, Math.abs(change));
  if (strength < 0.004) return isDark ? "#3a3d42" : "#e4e4e2";
  const grown = isClassic ? 4 : 24, shrunk = isClassic ? 130 : 212;
  const hue = change > 0 ? grown : shrunk;
  const light = isDark ? 26 + strength * (change > 0 ? 26 : 14) : 92 - strength * (change > 0 ? 26 : 36);
  return `hsl(${hue} ${Math.round(30 + strength * 45)}% ${Math.round(light)}%)`;
}

/** @type {Map<string, number>} */
const tints = new Map();

/** One of the colours above, "hsl(...)" or "#rrggbb", as a number: blue, green, red from the highest byte. @param {string} color */
export function tintOf(color) {
  let tint = tints.get(color);
  if (tint === undefined) {
    const [r, g, b] = color[0] === "#" ? [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) : fromHsl(color);
    tint = (b << 16) | (g << 8) | r;
    tints.set(color, tint);
  }
  return tint;
}

/** @param {string} color */
function fromHsl(color) {
  const [hue, strong, light] = (color.match(/[\d.]+/g) || []).map(Number), l = light / 100, most = (strong / 100) * Math.min(l, 1 - l);
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (l - most * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
}
