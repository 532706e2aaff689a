// web.mjs [--quick] [--alone] - the page beside the reference's, in a real
// Chromium; --quick: once, and the largest profile without the reference, whose
// page takes minutes for it; --alone: nothing of the reference.
//
// Both serve the same profile; the time from the request to a flame graph on
// screen, what came over the wire and the memory of server and browser are
// printed, then how long our page takes for a zoom and a search, by the
// browser's own clock. Runs alternate, and the median counts.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Chrome, findChrome } from "../tests/ui/chrome.mjs";

const root = path.dirname(path.dirname(new URL(import.meta.url).pathname));
const isQuick = process.argv.includes("--quick"), temp = fs.mkdtempSync(path.join(os.tmpdir(), "bench-web-"));
const peer = [process.env.PPROF_REF || "", path.join(os.homedir(), "go/bin/pprof")].find((p) => p && fs.existsSync(p)) || "";
const env = { ...process.env, PPROF_TMPDIR: temp, HOME: temp, PPROF_BINARY_PATH: temp };
const isAlone = process.argv.includes("--alone");
const RUNS = isQuick ? 1 : 5, PATIENCE = isQuick ? 100000 : 300000;

const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];

function profileOf(nSamples, labels) {
  const to = path.join(temp, `${nSamples}.${labels}.pb.gz`);
  execFileSync(path.join(root, "build/bench/gen_profile"), [to, String(nSamples), "10000", "1", labels]);
  return to;
}

/** Proportional memory of a process and all below it, in bytes. */
function memoryBelow(pid) {
  let sum = 0;
  try {
    sum += Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] || 0) * 1024;
    for (const task of fs.readdirSync(`/proc/${pid}/task`))
      for (const child of fs.readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ")) if (child) sum += memoryBelow(child);
  } catch {
    return sum; // it has just ended
  }
  return sum;
}

async function serve(program, profile) {
  const child = spawn(program, ["-no_browser", "-symbolize=none", "-http=localhost:", profile], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const url = await new Promise((done, fail) => {
    const hear = (text) => {
      const found = /Serving web UI on (\S+)/.exec((said += text));
      if (found) done(found[1]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", () => fail(new Error(`${program} ended: ${said}`)));
  });
  return { url, pid: child.pid, stop: () => new Promise((done) => { child.removeAllListeners("exit"); child.on("exit", done); child.kill("SIGTERM"); }) };
}

const SHOWN = {
  ours: `performance.getEntriesByName("shown after request").length > 0`,
  theirs: `document.querySelectorAll(".boxbg").length > 3`,
};

/** CPU seconds of the threads that calculate, which other work on the machine does not change. */
function workerSeconds(pid) {
  let sum = 0;
  try {
    for (const task of fs.readdirSync(`/proc/${pid}/task`)) {
      const stat = fs.readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8"), rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (stat.includes("(Dedicated")) sum += (Number(rest[11]) + Number(rest[12])) / 100;
      for (const child of fs.readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ")) if (child) sum += workerSeconds(child);
    }
  } catch {
    return sum;
  }
  return sum;
}

/** Asks again and again, because the page that is asked may still be the one before. */
async function shown(page, expression) {
  for (const end = performance.now() + PATIENCE; performance.now() < end;) {
    if (await page.run(expression, PATIENCE).catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`nothing on screen after ${PATIENCE / 1000} s`);
}

/** One page load: seconds, bytes, memory. */
async function load(who, url) {
  const chrome = new Chrome(findChrome());
  try {
    const page = await chrome.page(), start = performance.now();
    await page.send("Page.navigate", { url: `${url}/ui/flamegraph` });
    await shown(page, SHOWN[who]);
    const cpu = who === "ours" ? workerSeconds(chrome.child.pid) : NaN;
    const out = { shown: (performance.now() - start) / 1000, cpu, memory: memoryBelow(chrome.child.pid), bytes: page.bytes, arrived: NaN, zoom: [], search: [] };
    if (who === "ours") {
      out.bytes += (await (await fetch(`${url}/ui/data/profile`)).arrayBuffer()).byteLength;
      out.arrived = await page.run(`performance.getEntriesByName("shown after arrival")[0].duration / 1000`);
      await interact(page, out);
    }
    return out;
  } finally {
    await chrome.close();
  }
}

/** Clicks and keys as a person's; the time their handlers took, to the drawn canvas. */
async function interact(page, out) {
  await page.run(`(() => { window.took = { click: [], input: [] }; window.script = { click: [], input: [] };
    for (const type of ["click", "input"]) {
      let start = 0;
      addEventListener(type, () => { start = performance.now(); requestAnimationFrame(() => { took[type].push(performance.now() - start); }); }, true);
      addEventListener(type, () => { script[type].push(performance.now() - start); });
    } })()`);
  const area = await page.run(`(() => { const r = document.querySelector("canvas.flame").getBoundingClientRect(); return [r.x, r.y]; })()`);
  for (const depth of [3, 4, 5, 1, 3, 4, 5, 1, 4, 0, 5, 1]) { // in and out again
    await page.mouse(area[0] + 200, area[1] + depth * 21 + 10);
    await page.until(`took.click.length > ${out.zoom.length}`);
    out.zoom = await page.run("took.click");
  }
  await page.key("/");
  for (const letter of "func_1") {
    await page.key(letter);
    await page.until(`took.input.length > ${out.search.length}`);
    out.search = await page.run("took.input");
  }
  Object.assign(out, { zoomScript: await page.run("script.click"), searchScript: await page.run("script.input") });
}

async function compare(name, profile, isAlone) {
  const results = { ours: [], theirs: [] }, programs = { ours: path.join(root, "build/pprof"), theirs: isAlone ? "" : peer };
  for (let run = 0; run < RUNS; run++)
    for (const who of ["ours", "theirs"]) {
      if (!programs[who]) continue;
      const start = performance.now(), server = await serve(programs[who], profile), ready = (performance.now() - start) / 1000;
      try {
        const one = { ready, ...(await load(who, server.url)) };
        one.server = memoryBelow(server.pid);
        results[who].push(one);
      } catch (e) {
        results[who].push({ ready, shown: NaN, memory: NaN, bytes: NaN, server: memoryBelow(server.pid), why: e.message });
      }
      await server.stop();
    }
  report(name, results);
}

function report(name, results) {
  console.log(`\n${name}\n${"".padEnd(30)}${"cpprof".padStart(12)}${"reference".padStart(12)}${"ratio".padStart(9)}`);
  const row = (title, pick, digits = 2) => {
    const a = median(results.ours.map(pick)), b = results.theirs.length ? median(results.theirs.map(pick)) : NaN;
    const show = (x) => (Number.isFinite(x) ? x.toFixed(digits) : "-").padStart(12);
    console.log(title.padEnd(30) + show(a) + show(b) + (Number.isFinite(b / a) ? `${(b / a).toFixed(1)}x` : "-").padStart(9));
  };
  row("start to serving, s", (r) => r.ready);
  row("request to flame graph, s", (r) => r.shown);
  row("last byte to flame graph, s", (r) => r.arrived);
  row("worker's CPU until then, s", (r) => r.cpu);
  row("received, MB", (r) => r.bytes / 1e6);
  row("browser, MB", (r) => r.memory / 1e6, 0);
  row("server, MB", (r) => r.server / 1e6, 0);
  const ms = (list) => `best ${Math.min(...list).toFixed(1)} ms, median ${median(list).toFixed(1)} ms, worst ${Math.max(...list).toFixed(1)} ms`;
  for (const [title, key] of [["zoom, to the drawn frame", "zoom"], ["  of it our script", "zoomScript"], ["search, to the drawn frame", "search"], ["  of it our script", "searchScript"]])
    console.log(`${title.padEnd(30)}${ms(results.ours.flatMap((r) => r[key] || []))}`);
  for (const r of [...results.ours, ...results.theirs]) if (r.why) console.log(`gave up: ${r.why}`);
}

if (!findChrome()) {
  console.log("web: no Chromium");
  process.exit(0);
}
try {
  if (!peer) console.log("web: no reference to compare with");
  for (const [n, l] of isQuick ? [[20000, "plain"], [1000000, "plain"]] : [[20000, "plain"], [100000, "plain"], [1000000, "plain"], [1000000, "labels"]]) await compare(`${n.toLocaleString()} samples, ${l}`, profileOf(n, l), (isQuick && n > 100000) || isAlone);
} finally {
  fs.rmSync(temp, { recursive: true, force: true });
}
