// trace_units.test.mjs - unit tests of the computations of the trace viewer.
import assert from "node:assert/strict";
import test from "node:test";
import { clampView, duration, itemAt, readWindow, rowsOf, ticks, timeText, zoom } from "../../ui/trace_model.js";

test("trace: times are formatted with units", () => {
  assert.deepEqual([0, 999, 1500, 2500000, 123456789, 3e9].map((ns) => duration(ns)), ["0 ns", "999 ns", "1.5 µs", "2.5 ms", "123.5 ms", "3 s"]);
  assert.equal(timeText(1.5e9, 1e8), "1.5 s");
  assert.equal(timeText(1500, 1), "1.500 µs");
  assert.deepEqual(ticks({ from: 0, to: 1000 }, 1000, 150), { step: 200, list: [0, 200, 400, 600, 800, 1000] });
});

test("trace: views stay within the trace", () => {
  assert.deepEqual(clampView({ from: -50, to: 50 }, 1000), { from: 0, to: 100 });
  assert.deepEqual(clampView({ from: 950, to: 1050 }, 1000), { from: 900, to: 1000 });
  assert.deepEqual(clampView({ from: 5, to: 5 }, 1000), { from: 5, to: 15 });
  assert.deepEqual(zoom({ from: 0, to: 100 }, 0.5, 20, 1000), { from: 10, to: 60 });
});

test("trace: the binary answer of the server is decoded", () => {
  const bytes = new ArrayBuffer(8 + 2 * 40), view = new DataView(bytes);
  view.setUint32(0, 7, true);
  view.setUint32(4, 2, true);
  view.setFloat64(8, 100, true);
  view.setFloat64(16, 200, true);
  view.setUint32(24, 5, true);
  view.setUint32(28, 3, true);
  view.setUint8(36, 1);
  view.setFloat64(48, 200, true);
  view.setFloat64(56, 300, true);
  view.setUint8(76, 255);
  view.setUint8(80, 255);
  const items = readWindow(bytes).get(7);
  assert.deepEqual([items[0].start, items[0].end, items[0].stack, items[0].by, items[0].state], [100, 200, 5, 2, 1]);
  assert.equal(items[1].shares[0], 1);
  assert.deepEqual([50, 100, 199, 200, 299, 300].map((t) => itemAt(items, t)), [-1, 0, 0, 1, 1, -1]);
  assert.throws(() => readWindow(bytes.slice(0, 60)), /cut short/);
});

test("trace: overlapping regions are placed in rows", () => {
  assert.deepEqual(rowsOf([{ start: 0, end: 9 }, { start: 1, end: 3 }, { start: 4, end: 6 }, { start: 9, end: 12 }]), [0, 1, 1, 0]);
});
