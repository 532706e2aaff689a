// numbers.mjs PPROF FOLDER... - compares the page's numbers with the text reports.
//
// The tool and the page's code read every profile below the folders with the same
// filters; flat and cum of every node must be equal. Ends with "P passed, F failed".
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { decode, unpack } from "../../ui/decode.js";
import { defaults } from "../../ui/options.js";
import { exactly } from "../../ui/regex.js";
import { top } from "../../ui/tables.js";
import { View } from "../../ui/view.js";

const [pprof, ...folders] = process.argv.slice(2);
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "numbers-"));
const env = { ...process.env, PPROF_TMPDIR: temp, HOME: temp };
let passed = 0, failed = 0;

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(full);
    else yield full;
  }
}

function run(args) {
  return execFileSync(pprof, args, { env, stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 30 });
}

/** Filters made of names in this profile. */
function cases(p) {
  const list = [{}, { granularity: "lines" }, { granularity: "files" }, { granularity: "addresses" }, { noInlines: true }];
  const names = [...new Set(Array.from(p.fnName.subarray(0, 400), (id) => p.str(id)))].filter((n) => n && /^[\x20-\x7e]+$/.test(n));
  const pick = (k) => names[Math.floor((names.length * k) / 7)];
  if (names.length > 6) {
    list.push({ focus: exactly(pick(3)) }, { ignore: exactly(pick(2)) }, { hide: exactly(pick(4)) });
    list.push({ show: pick(1).slice(0, 3).replace(/\W/g, ".") }, { showFrom: exactly(pick(5)) }, { pruneFrom: exactly(pick(6)) });
    list.push({ focus: pick(3).slice(0, 2).replace(/\W/g, "."), hide: pick(2).slice(0, 2).replace(/\W/g, "."), relative: true });
  }
  if (p.types.length > 1) list.push({ sampleIndex: "0" });
  if (p.labelKey.length) list.push(...tagCases(p));
  return list;
}

function tagCases(p) {
  const key = p.str(p.labelKey[0]), list = [{ tagRoot: key }, { tagLeaf: key }];
  if (!/^[\w ]+$/.test(key)) return [];
  if (p.labelStr[0] !== 0xffffffff) {
    const value = p.str(p.labelStr[0]).replace(/[^\w]/g, ".");
    if (value) list.push({ tagFocus: `${key}=${value}` }, { tagIgnore: `${key}=${value}` }, { tagFocus: value });
  } else list.push({ tagFocus: `${key}=1:100000` });
  return list;
}

const FLAGS = {
  focus: "focus", ignore: "ignore", hide: "hide", show: "show", showFrom: "show_from", pruneFrom: "prune_from",
  tagFocus: "tagfocus", tagIgnore: "tagignore", tagRoot: "tagroot", tagLeaf: "tagleaf", sampleIndex: "sample_index",
};

function flagsOf(c) {
  const flags = [];
  for (const [name, value] of Object.entries(c)) {
    if (FLAGS[name]) flags.push(`-${FLAGS[name]}=${value}`);
    else if (name === "granularity") flags.push(`-${value}`);
    else if (name === "noInlines") flags.push("-noinlines");
    else if (name === "relative") flags.push("-relative_percentages");
  }
  return flags;
}

/** name -> "flat cum"; values of equal names are added. */
function table(rows) {
  const sums = new Map();
  for (const r of rows) {
    const old = sums.get(r.name) || [0, 0];
    sums.set(r.name, [old[0] + r.flat, old[1] + r.cum]);
  }
  return new Map([...sums].filter(([, v]) => v[0] || v[1]).map(([k, v]) => [k, v.join(" ")]));
}

function compare(file, p, c) {
  let want;
  try {
    want = JSON.parse(run(["-json", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-trim=false", "-symbolize=none", ...flagsOf(c), file]).toString());
  } catch {
    return "skip"; // the tool refuses it too: nothing to compare
  }
  const view = new View(p, { ...defaults(), ...c });
  const mine = table(top(view)), theirs = table(want.nodes);
  const wrong = [...new Set([...mine.keys(), ...theirs.keys()])].filter((k) => mine.get(k) !== theirs.get(k));
  if (view.total !== want.total) wrong.push(`total: ${view.total} instead of ${want.total}`);
  return wrong.length ? wrong.slice(0, 3).map((k) => `${k}: ${mine.get(k)} instead of ${theirs.get(k)}`).join("; ") : "";
}

for (const folder of folders) {
  for (const file of files(folder)) {
    const plain = path.join(temp, "plain.pb.gz");
    let p;
    try {
      run(["-proto", "-symbolize=none", `-output=${plain}`, file]);
      p = decode(await unpack(new Uint8Array(fs.readFileSync(plain))));
    } catch {
      continue; // the tool does not accept it either
    }
    for (const c of cases(p)) {
      const result = compare(plain, p, c);
      if (result === "skip") continue;
      if (result === "") passed++;
      else {
        failed++;
        console.log(`${path.basename(file)} ${JSON.stringify(c)}: ${result}`);
      }
    }
  }
}
fs.rmSync(temp, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
