// web.mjs [--quick] [--alone] [SAMPLES...] - compares the web page with the
// reference's in a real Chromium. --quick: one run, and the largest profile without
// the reference, whose page takes minutes; --alone: without the reference.
//
// Both serve the same profile. The script prints the time from the request to the
// flame graph on the screen, the bytes sent, the memory of server and browser, and
// the time of a zoom and of a letter in a search. These times come from the
// browser's trace: EventTiming ends when the next frame is presented; a page with
// one box shows the browser's part. Runs alternate; the figures are medians.
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
const sizes = process.argv.slice(2).filter((a) => /^\d+$/.test(a)).map(Number);
const RUNS = isQuick ? 1 : 5, TIMEOUT = isQuick && !sizes.length ? 100000 : 300000;

const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];

const FRAME = 1000 / 60;
const inFrame = (list) => `${list.filter((ms) => ms <= FRAME).length} of ${list.length} within a frame`;

function profileOf(nSamples, labels) {
  const to = path.join(temp, `${nSamples}.${labels}.pb.gz`);
  execFileSync(path.join(root, "build/bench/gen_profile"), [to, String(nSamples), "10000", "1", labels]);
  return to;
}

/** Proportional memory of a process and its descendants, in bytes. */
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

/** CPU seconds of the computing threads, which do not depend on other load. */
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

/** Polls, because the current page may still be the previous one. */
async function shown(page, expression) {
  for (const end = performance.now() + TIMEOUT; performance.now() < end;) {
    if (await page.run(expression, TIMEOUT).catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`nothing on screen after ${TIMEOUT / 1000} s`);
}

/** One page load: seconds, bytes, memory. */
async function load(who, url) {
  const chrome = new Chrome(findChrome());
  try {
    const page = await chrome.page(), start = performance.now();
    await page.send("Page.navigate", { url: `${url}/ui/flamegraph` }, TIMEOUT);
    await shown(page, SHOWN[who]);
    const cpu = who === "ours" ? workerSeconds(chrome.child.pid) : NaN;
    const out = { shown: (performance.now() - start) / 1000, cpu, memory: memoryBelow(chrome.child.pid), bytes: page.bytes, arrived: NaN };
    if (who === "ours") {
      out.bytes += (await (await fetch(`${url}/ui/data/profile`)).arrayBuffer()).byteLength;
      out.arrived = await page.run(`performance.getEntriesByName("shown after arrival")[0].duration / 1000`);
    }
    return Object.assign(out, await interact(page, who));
  } finally {
    await chrome.close();
  }
}

/** Position of the nth box from the root on a vertical line. */
const BOX = {
  ours: (n) => `(() => { const r = document.querySelector("canvas.flame").getBoundingClientRect(); return [r.x + 200, r.y + ${n} * 21 + 10]; })()`,
  theirs: (n) => `(() => {
    const at = [...document.querySelectorAll(".boxbg")].map((e) => e.getBoundingClientRect()).filter((r) => r.x <= 200 && r.right > 200 && r.width > 1).sort((a, b) => a.y - b.y);
    const r = at[Math.min(${n}, at.length - 1)];
    return [200, r.y + r.height / 2]; })()`,
  floor: () => "[200, 100]",
};
const FIELD = { ours: "#search", theirs: "#search", floor: "input" };
const PAUSE = 300; // the pause before a user's next click; the worker may still compute boxes
const pause = () => new Promise((done) => setTimeout(done, PAUSE));

/** The reference searches some time after the letter, so that its trace does not show the frame with the result: it is the one after its boxes change. */
const WATCH = `{
  window.took = [];
  window.waiting = 0;
  document.addEventListener("input", (e) => { waiting = e.timeStamp; }, true);
  new MutationObserver(() => {
    const start = waiting;
    waiting = 0;
    if (start) requestAnimationFrame(() => setTimeout(() => took.push(performance.now() - start)));
  }).observe(document.querySelector(".boxbg").closest("body > *"), { subtree: true, attributes: true, childList: true });
}`;

/** Simulates clicks and letters of a user: milliseconds to the frame on the screen, in the event's script, and of CPU time in that. */
async function interact(page, who) {
  const events = await page.trace(["devtools.timeline"], async () => {
    for (const depth of [3, 4, 5, 1, 3, 4, 5, 1, 4, 0, 5, 1]) { // zooms in and out again
      const [x, y] = await page.run(BOX[who](depth), TIMEOUT);
      await page.mouse(x, y);
      await pause();
    }
    await page.run(`document.querySelector("${FIELD[who]}").focus()`, TIMEOUT);
    if (who === "theirs") await page.run(WATCH);
    for (const letter of "method_123") {
      await page.key(letter);
      if (who === "theirs") await page.until("!waiting", 8000).catch(() => {}); // a letter may change nothing
      await pause();
    }
  });
  const watched = who === "theirs" ? await page.run("took", TIMEOUT) : null;
  const timings = (type) => events.filter((e) => e.name === "EventTiming" && e.ph === "b" && e.args.data?.type === type).map((e) => e.args.data);
  const cpu = (type) => events.filter((e) => e.name === "EventDispatch" && e.args.data?.type === type).map((e) => (e.tdur || 0) / 1000);
  const script = (list) => list.map((d) => d.processingEnd - d.processingStart);
  const click = timings("click"), input = timings("input");
  return {
    zoom: click.map((d) => d.duration), zoomScript: script(click), zoomCpu: cpu("click"),
    search: watched || input.map((d) => d.duration), searchScript: script(input), searchCpu: cpu("input"),
  };
}

/** The browser's time for a page that changes the colour of one box. */
async function floor() {
  const chrome = new Chrome(findChrome());
  try {
    const page = await chrome.page();
    await page.open("data:text/html," + encodeURIComponent(`<div style="height:600px;background:#eee"></div><input><script>
      const box = document.querySelector("div"), flip = () => { box.style.background = box.style.background ? "" : "#ccc"; };
      box.onclick = document.querySelector("input").oninput = flip;</script>`));
    const { zoom, search } = await interact(page, "floor");
    console.log(`a page with one box: click ${median(zoom).toFixed(1)} ms, letter ${median(search).toFixed(1)} ms, to the frame on the screen; ${inFrame(zoom)} and ${inFrame(search)}; load ${os.loadavg()[0].toFixed(1)}`);
  } finally {
    await chrome.close();
  }
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
  for (const [title, key] of [["zoom, to the screen, ms", "zoom"], ["  of it script", "zoomScript"], ["  processor in that", "zoomCpu"], ["letter, to the screen, ms", "search"], ["  of it script", "searchScript"], ["  processor in that", "searchCpu"]])
    row(title, (r) => (r[key]?.length ? median(r[key]) : NaN), 1);
  const all = results.ours.flatMap((r) => [...(r.zoom || []), ...(r.search || [])]);
  console.log(`zooms: ${inFrame(results.ours.flatMap((r) => r.zoom))}, letters: ${inFrame(results.ours.flatMap((r) => r.search))}, worst ${Math.max(...all).toFixed(1)} ms; load ${os.loadavg()[0].toFixed(1)}`);
  for (const r of [...results.ours, ...results.theirs]) if (r.why) console.log(`gave up: ${r.why}`);
}

if (!findChrome()) {
  console.log("web: no Chromium");
  process.exit(0);
}
try {
  if (!peer) console.log("web: no reference to compare with");
  await floor();
  for (const [n, l] of sizes.length ? sizes.map((n) => [n, "plain"]) : isQuick ? [[20000, "plain"], [1000000, "plain"]] : [[20000, "plain"], [100000, "plain"], [1000000, "plain"], [1000000, "labels"]]) await compare(`${n.toLocaleString()} samples, ${l}`, profileOf(n, l), (isQuick && !sizes.length && n > 100000) || isAlone);
} finally {
  fs.rmSync(temp, { recursive: true, force: true });
}
