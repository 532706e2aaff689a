// units.test.mjs - unit tests of the page's computations, under `node --test`.
import assert from "node:assert/strict";
import test from "node:test";
import { compareProfiles } from "../../ui/compare.js";
import { Decoder, decode, decodeStream, unpack } from "../../ui/decode.js";
import { buildTree } from "../../ui/flame.js";
import { cleanPath, packageOf, shortName, simpleName } from "../../ui/names.js";
import { defaults, fromQuery, toQuery } from "../../ui/options.js";
import { compile, exactly } from "../../ui/regex.js";
import { folded, top } from "../../ui/tables.js";
import { hasTimes } from "../../ui/times.js";
import { label, percentage, sameFamily, scale } from "../../ui/units.js";
import { View } from "../../ui/view.js";
import { profileOf } from "./proto.mjs";

const load = async (samples, style) => decode(await unpack(new Uint8Array(profileOf(samples, style))));
const viewOf = (p, options = {}) => new View(p, { ...defaults(), ...options });

const STACKS = [
  { stack: ["main", "work", "hot"], value: 60, labels: { user: "ada" } },
  { stack: ["main", "work", "cold"], value: 30, labels: { user: "bob" } },
  { stack: ["main", "rest"], value: 10 },
];

/** "name:value" of every box, in order. */
const boxes = (v, options) => {
  const t = buildTree(v, { finest: 0, ...options });
  return Array.from(t.node, (node, i) => `${node < 0 ? "*" : v.nodes[node].name}:${t.value[i]}@${t.depth[i]}`);
};

test("units: the largest unit with a value of at least one is chosen", () => {
  assert.equal(label(1500, "nanoseconds"), "1.50us");
  assert.equal(label(2e9, "nanoseconds"), "2s");
  assert.equal(label(1536, "bytes"), "1.50kB");
  assert.equal(label(-1048576, "bytes"), "-1MB");
  assert.equal(label(0, "bytes"), "0");
  assert.equal(label(7, "count"), "7");
  assert.equal(label(2e9, "nanoseconds", "ms"), "2000ms");
  assert.deepEqual(scale(1, "hour", "s"), { value: 3600, unit: "s" });
  assert.ok(sameFamily("kb", "bytes") && !sameFamily("ms", "bytes"));
});

test("percentages are rounded", () => {
  assert.equal(percentage(1, 3), "33.33%");
  assert.equal(percentage(1, 1), "100%");
  assert.equal(percentage(-1, 2), "50.00%");
  assert.equal(percentage(1, 8000), "0.013%");
  assert.equal(percentage(1, 0), "0%");
});

test("names are shortened without arguments and packages", () => {
  assert.equal(simpleName("ns::f(int, char)"), "ns::f");
  assert.equal(simpleName("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
  assert.equal(simpleName("A::operator()(int)"), "A::operator()");
  assert.equal(shortName("github.com/a/b/v2/pkg.(*T).Do"), "pkg.(*T).Do");
  assert.equal(shortName("java.util.concurrent.Thing.run(Ljava;)"), "Thing.run");
  assert.equal(packageOf("std::vector<int>::push"), "std");
  assert.equal(cleanPath("/a/./b//c/../d"), "/a/b/d");
});

test("expressions are translated to JavaScript", () => {
  assert.ok(compile("(?i)MAIN", "focus").test("main"));
  assert.ok(compile("^[[:alpha:]]+$", "focus").test("abc"));
  assert.throws(() => compile("a(", "focus"), /^Error: focus: /);
  for (const name of ["a.b", "f(int)", "[x]{2}|y^$", "back\\slash", "a+b?*"]) {
    assert.ok(compile(exactly(name), "x").test(name), name);
    assert.ok(!compile(exactly(name), "x").test(name + "!"), name);
  }
});

test("options are the same after writing and reading the address", () => {
  const o = { ...defaults(), focus: "a&b=c#", noInlines: true, unit: "ms", tagFocus: "k=1:2" };
  assert.deepEqual(fromQuery(new URLSearchParams(toQuery(o, new URLSearchParams()).toString())), o);
  assert.equal(toQuery(defaults(), new URLSearchParams()).toString(), "");
});

test("tree: callees, callers, zoomed, around a function", async () => {
  const v = viewOf(await load(STACKS));
  assert.deepEqual(boxes(v), ["*:100@0", "main:100@1", "work:90@2", "rest:10@2", "hot:60@3", "cold:30@3"]);
  assert.deepEqual(boxes(v, { isUp: true }).slice(0, 4), ["*:100@0", "hot:60@1", "cold:30@1", "rest:10@1"]);
  const id = (name) => v.nodes.findIndex((n) => n.name === name);
  const only = (node) => Uint8Array.from(v.nodes, (_, i) => (i === node ? 1 : 0));
  assert.deepEqual(boxes(v, { path: [id("main"), id("work")] }), ["*:100@0", "main:100@1", "work:90@2", "hot:60@3", "cold:30@3"]);
  assert.deepEqual(boxes(v, { pivots: only(id("work")) }), ["*:90@0", "hot:60@1", "cold:30@1"]);
  assert.deepEqual(boxes(v, { pivots: only(id("work")), isUp: true }), ["*:90@0", "main:90@1"]);
});

test("tree: invisible boxes are not expanded, and sums are complete", async () => {
  const p = await load([{ stack: ["a", "b"], value: 1 }, { stack: ["c", "d"], value: 9999 }]);
  const t = buildTree(viewOf(p), { finest: 0.01 });
  assert.equal(t.value[0], 10000);
  assert.equal(t.node.length, 3);
  assert.ok(t.isCut);
});

test("recursion is a box within a box and counts once in cum", async () => {
  const v = viewOf(await load([{ stack: ["f", "f", "f"], value: 5 }]));
  assert.deepEqual(boxes(v), ["*:5@0", "f:5@1", "f:5@2", "f:5@3"]);
  assert.deepEqual(top(v).map((r) => [r.name, r.flat, r.cum]), [["f", 5, 5]]);
});

test("layout: boxes are sorted by value or name, without gaps", async () => {
  const v = viewOf(await load(STACKS));
  const at = (order, who) => {
    const t = buildTree(v, { finest: 0, order });
    return t.x[t.node.findIndex((n) => n >= 0 && v.nodes[n].name === who)];
  };
  assert.equal(at("weight", "hot"), 0);
  assert.equal(at("weight", "cold"), 0.6);
  assert.equal(at("name", "cold"), at("name", "work"));
  assert.equal(at("name", "rest"), 0);
});

test("tag filters select samples", async () => {
  const p = await load(STACKS), total = (o) => top(viewOf(p, o)).find((r) => r.name === "main")?.cum || 0;
  assert.equal(total({ tagFocus: "user=ada" }), 60);
  assert.equal(total({ tagFocus: "user=ada,bob" }), 90);
  assert.equal(total({ tagIgnore: "ada" }), 40);
  assert.equal(total({ tagFocus: "user=nobody" }), 0);
  assert.match(folded(viewOf(p, { tagRoot: "user" })), /ada;main;work;hot 60/);
});

test("compare: equal functions are matched, shares are relative to the base", async () => {
  const a = await load([{ stack: ["main", "x"], value: 70 }, { stack: ["main", "new"], value: 5 }]);
  const b = await load([{ stack: ["main", "x"], value: 50 }, { stack: ["main", "old"], value: 20 }]);
  const v = viewOf(compareProfiles(a, b)), flat = Object.fromEntries(top(v).map((r) => [r.name, r.flat]));
  assert.deepEqual({ x: flat.x, new: flat.new, old: flat.old }, { x: 20, new: 5, old: -20 });
  assert.equal(v.total, 70);
  const other = await load([{ stack: ["m"], value: 1 }], { type: "space", unit: "bytes" });
  assert.throws(() => compareProfiles(a, other), /nothing to compare/);
});

test("rows: boxes of a depth are ordered from left to right, by parent", async () => {
  const stacks = Array.from({ length: 300 }, (_, i) => ({ stack: ["main", `a${i % 7}`, `b${i % 11}`, ...(i % 3 ? [`c${i % 5}`, "d"] : [])], value: 1 + (i % 13) }));
  const t = buildTree(viewOf(await load(stacks)), { finest: 0 });
  assert.equal(t.rowFirst[t.rowFirst.length - 1], t.node.length);
  for (let d = 0; d + 1 < t.rowFirst.length; d++)
    for (let i = t.rowFirst[d]; i < t.rowFirst[d + 1]; i++) {
      assert.equal(t.depth[i], d);
      if (i > t.rowFirst[d]) assert.ok(t.x[i] >= t.x[i - 1] + t.w[i - 1] - 1e-12);
      if (i === 0) continue;
      const p = t.parent[i];
      assert.ok(t.depth[p] === d - 1 && t.x[i] >= t.x[p] - 1e-12 && t.x[i] + t.w[i] <= t.x[p] + t.w[p] + 1e-12);
    }
  const kids = new Float64Array(t.node.length);
  for (let i = 1; i < t.node.length; i++) kids[t.parent[i]] += t.value[i];
  for (let i = 0; i < t.node.length; i++) assert.equal(kids[i] + t.self[i], t.value[i]);
});

test("by time: neighbouring samples with the same stack share a box", async () => {
  const at = (time, stack, value = 10) => ({ stack, value, labels: { end_timestamp_ns: time } });
  const p = await load([at(40, ["main", "a"]), at(10, ["main", "a"]), at(20, ["main", "a"], 20), at(30, ["main", "b"]), at(50, ["other"])]);
  const v = viewOf(p);
  assert.ok(hasTimes(p) && !hasTimes(await load(STACKS)));
  assert.deepEqual(boxes(v, { order: "time" }), ["*:60@0", "main:50@1", "other:10@1", "a:30@2", "b:10@2", "a:10@2"]);
  const t = buildTree(v, { finest: 0, order: "time" });
  assert.deepEqual(Array.from(t.x, (x) => Math.round(x * 60)), [0, 0, 50, 0, 30, 40]);
  assert.deepEqual(boxes(v, { order: "time", range: [0.5, 4 / 6] }), ["*:10@0", "main:10@1", "b:10@2"]);
  assert.deepEqual(boxes(v, { order: "time", isUp: true }).slice(0, 3), ["*:60@0", "a:30@1", "b:10@1"]);
});

/** The content of a view of a profile, for comparison. */
const gist = (p) => JSON.stringify([top(viewOf(p)).map((r) => ({ ...r, node: 0 })), folded(viewOf(p, { tagRoot: "user" })), p.types]);

test("a profile that arrives in pieces of any size is the same", async () => {
  const packed = new Uint8Array(profileOf(STACKS)), whole = await unpack(packed), want = gist(decode(whole));
  for (const size of [1, 2, 7, 33, 100, 1000]) {
    const d = new Decoder(size === 7 ? whole.length : 0);
    for (let at = 0; at < whole.length; at += size) d.push(whole.subarray(at, at + size));
    assert.equal(gist(d.finish()), want, `pieces of ${size}`);
  }
  assert.equal(gist(await decodeStream(new Blob([packed]).stream())), want);
  assert.equal(gist(await decodeStream(new Blob([whole]).stream(), () => {}, whole.length)), want);
});

test("ids of any size and order are accepted", async () => {
  const want = gist(await load(STACKS));
  for (const id of [(k) => 1000 - k, (k) => k * 3, (k) => k * 1e6, (k) => 2 ** 40 + k * 7, (k) => (k % 2 ? k : 2 ** 33 + k)])
    assert.equal(gist(await load(STACKS, { id })), want, String(id));
});

test("damaged input is refused with a message", async () => {
  const whole = await unpack(new Uint8Array(profileOf(STACKS)));
  for (let cut = 1; cut < whole.length; cut += 3) {
    try {
      decode(whole.slice(0, cut));
    } catch (e) {
      assert.ok(e instanceof Error && e.constructor.name === "FormatError", String(e.stack));
    }
  }
});
