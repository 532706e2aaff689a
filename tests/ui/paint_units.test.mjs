// paint_units.test.mjs - unit tests of the pixels and labels of a flame graph and of
// the order of state changes, under `node --test`, with a minimal fake browser.
import assert from "node:assert/strict";
import test from "node:test";
import { frameColor, tintOf } from "../../ui/colors.js";
import { Lines, fitting } from "../../ui/flamepaint.js";
import { Store } from "../../ui/state.js";

const image = (width, height) => ({ width, height, data: new Uint8ClampedArray(4 * width * height) });
globalThis.document = { createElement: () => ({ getContext: () => ({ createImageData: image, putImageData() {} }) }) };

/** "colour alpha" of the pixels of a line; "-" for a transparent one. */
const seen = (lines, line, n) => Array.from(lines.pixels.subarray(line * lines.width, line * lines.width + n), (p) => (p ? `${(p & 0xffffff).toString(16)} ${((p >>> 24) / 255).toFixed(2)}` : "-"));

test("colours are parsed into numbers", () => {
  assert.equal(tintOf("#b8860b"), 0x0b86b8);
  assert.equal(tintOf("hsl(0 100% 50%)"), 0x0000ff);
  assert.equal(tintOf("hsl(120 100% 25%)"), 0x008000);
  assert.equal(tintOf("hsl(240 50% 50%)"), 0xbf4040);
  assert.equal(tintOf(frameColor(0, false)), 0xb1b1ed);
  assert.equal(tintOf("hsl(200 0% 81%)"), 0xcfcfcf);
});

test("lines: a box covers its pixels, partly at its edges", () => {
  const lines = new Lines();
  lines.begin(8, 2);
  lines.put(0, 1.25, 2.25, 0x0000ff, 1);
  assert.deepEqual(seen(lines, 0, 6), ["-", "ff 0.75", "ff 1.00", "ff 0.50", "-", "-"]);
  lines.put(1, -5, 7, 0x00ff00, 0.4);
  lines.put(1, 6, 100, 0x00ff00, 1);
  lines.put(1, 9, 4, 0x0000ff, 1);
  lines.put(1, 4.25, 0.5, 0xff0000, 1);
  assert.deepEqual(seen(lines, 1, 8), ["ff00 0.40", "ff00 0.40", "-", "-", "ff0000 0.50", "-", "ff00 1.00", "ff00 1.00"]);
  assert.deepEqual(seen(lines, 0, 1), ["-"], "a box past the edge is not on the next line");
});

test("lines: two boxes on one pixel are mixed, and begin clears the line", () => {
  const lines = new Lines();
  lines.begin(4, 1);
  lines.put(0, 0, 0.5, 0x0000ff, 1);
  lines.put(0, 0.5, 0.5, 0xff0000, 1);
  assert.deepEqual(seen(lines, 0, 2), ["aa0055 0.75", "-"]);
  lines.put(0, 0, 1, 0x00ff00, 1);
  assert.deepEqual(seen(lines, 0, 1), ["ff00 1.00"]);
  lines.begin(4, 1);
  assert.deepEqual(seen(lines, 0, 1), ["-"]);
});

test("labels are whole, shortened, truncated or omitted by width", () => {
  let nMeasured = 0;
  const g = { measureText: (text) => ({ width: 6 * [...text].length, n: nMeasured++ }) };
  const name = "example.com/service/pkg.(*Type).method";
  assert.equal(fitting(g, name, 6 * name.length), name);
  assert.equal(fitting(g, name, 6 * name.length - 1), "pkg.(*Type).method");
  assert.equal(fitting(g, name, 6 * 18), "pkg.(*Type).method");
  assert.equal(fitting(g, name, 6 * 18 - 1), "pkg.(*Type).meth…");
  assert.equal(fitting(g, name, 6 * 3), "pk…");
  assert.equal(fitting(g, name, 6 * 3 - 1), "");
  const before = nMeasured;
  assert.equal(fitting(g, name, 6 * 18 - 1), "pkg.(*Type).meth…");
  assert.equal(nMeasured, before, "nothing is measured twice");
});

/** A store in a fake browser whose animation frames the test triggers. */
function storeWithFrames() {
  const frames = [], done = [], listeners = {};
  globalThis.location = { hash: "", pathname: "/ui/flamegraph", search: "", href: "" };
  globalThis.window = { addEventListener: (type, act) => { listeners[type] = act; } };
  globalThis.history = { pushState: (_, __, url) => done.push(`push ${url}`), replaceState: (_, __, url) => done.push(`replace ${url}`) };
  globalThis.requestAnimationFrame = (act) => frames.push(act);
  const store = new Store(true, (now) => done.push(`shown ${now.path}${now.search}`));
  const later = async () => {
    while (frames.length) frames.shift()();
    await new Promise((go) => setTimeout(go, 5));
  };
  return { store, done, later, back: () => listeners.popstate() };
}

test("state: a change is shown at once, or with isLater in the next frame", async () => {
  const { store, done, later } = storeWithFrames();
  store.go({ path: ["a"] });
  assert.deepEqual(done.splice(0), ["push flamegraph?z=a", "shown a"]);
  store.go({ search: "x" }, { isQuiet: true, isLater: true });
  assert.equal(store.state.search, "x", "the state changes at once");
  assert.deepEqual(done, []);
  await later();
  assert.deepEqual(done.splice(0), ["replace flamegraph?z=a&q=x", "shown ax"]);
});

test("state: changes before a frame are shown together and pushed in order", async () => {
  const { store, done, later } = storeWithFrames();
  store.go({ path: ["a"] }, { isLater: true });
  store.go({ path: ["b"] }, { isLater: true });
  assert.deepEqual(done.splice(0), ["push flamegraph?z=a"]);
  assert.ok(store.isDue);
  store.go({ search: "x" });
  assert.deepEqual(done.splice(0), ["push flamegraph?z=b", "push flamegraph?z=b&q=x", "shown bx"]);
  await later();
  assert.deepEqual(done, []);
  assert.ok(!store.isDue);
});

test("state: Back discards pending changes", async () => {
  const { store, done, later, back } = storeWithFrames();
  store.go({ path: ["a"] }, { isLater: true });
  back();
  await later();
  assert.deepEqual(done, ["shown "]);
  assert.deepEqual(store.state.path, []);
});
