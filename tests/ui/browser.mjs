// browser.mjs PPROF [FOLDER] - tests the page in a real Chromium.
//
// Serves profiles with `pprof -http`, and clicks and types in every view; FOLDER
// has real profiles. Ends with "P passed, F failed"; exits with 77 without a
// browser. SHOTS=folder saves a picture of every view.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { Chrome, findChrome } from "./chrome.mjs";
import { profileOf } from "./proto.mjs";

const [pprof, folder] = process.argv.slice(2), SHOTS = process.env.SHOTS || "";
const VIEWS = ["flamegraph", "top", "graph", "peek", "source", "disasm", "tags", "traces", "details"];
const NAMES = ["Flame graph", "Top", "Graph", "Peek", "Source", "Disassembly", "Labels", "Traces", "Details"];
const READY = `document.getElementById("busy").hidden && document.getElementById("main").ariaBusy !== "true" && !!document.querySelector("#main > .view")`;
const program = findChrome();
if (!program) {
  console.log("no Chromium");
  process.exit(77);
}
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "browser-"));
const env = { ...process.env, PPROF_TMPDIR: temp, HOME: temp };
let passed = 0, failed = 0, page;

function check(name, ok, detail = "") {
  if (ok) passed++;
  else failed++;
  if (!ok) console.log(`${name}: ${detail}`);
}

async function part(name, act) {
  const start = Date.now();
  try {
    await act();
  } catch (e) {
    check(name, false, e.message);
  }
  if (process.env.VERBOSE) console.log(`${name}: ${Date.now() - start} ms`);
  check(`${name}: the console has no errors`, page.errors.length === 0, page.errors.splice(0).join("; "));
}

/** `pprof -http` on a free port. */
async function serve(...args) {
  const child = spawn(pprof, ["-no_browser", "-symbolize=none", "-http=localhost:0", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const url = await new Promise((done, fail) => {
    const hear = (text) => {
      said += text;
      const found = /Serving web UI on (\S+)/.exec(said);
      if (found) done(found[1]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", () => fail(new Error(`pprof ended: ${said}`)));
  });
  return { url, stop: () => new Promise((done) => { child.on("exit", (code) => done(code)); child.kill("SIGTERM"); }) };
}

const text = (id) => page.run(`document.getElementById("${id}").textContent`);
const address = () => page.run("location.pathname.split('/').pop() + location.search");
const ready = (patience) => page.until(READY, patience);
const count = (selector) => page.run(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
async function press(...keys) {
  for (const key of keys) await page.key(key);
  await ready();
}
async function back(step = -1) {
  const old = await page.run("location.href");
  await page.run(`history.go(${step})`);
  await page.until(`location.href !== ${JSON.stringify(old)}`);
  await ready();
}
const tab = async (view) => {
  await page.click(`#tabs a:nth-child(${VIEWS.indexOf(view) + 1})`);
  await ready();
};
async function open(url) {
  await page.open(url);
  await ready();
}
async function shot(name) {
  if (SHOTS) await page.shot(path.join(SHOTS, `${name}.png`));
}
/** Whether nothing exceeds the width of the window. */
const fits = () => page.run("document.documentElement.scrollWidth <= innerWidth");

/** Opens every view of one profile by its tab. */
async function everyView(name, isWhole) {
  for (const view of VIEWS) {
    await tab(view);
    check(`${name} ${view}: the address has the view`, (await address()).startsWith(view), await address());
    check(`${name} ${view}: its tab is selected`, (await page.run("document.querySelector('#tabs .on').textContent")) === NAMES[VIEWS.indexOf(view)]);
    check(`${name} ${view}: no error is shown`, await page.run("document.getElementById('error').hidden"), await text("error"));
    const length = await page.run("document.querySelector('#main').textContent.length + 100 * document.querySelectorAll('#main canvas, #main svg').length");
    check(`${name} ${view}: the view is not empty`, length > 30, `${length} characters`);
    if (isWhole) check(`${name} ${view}: the view fits the width of the window`, await fits());
    if (isWhole) check(`${name} ${view}: its tab is visible`, await page.run("(() => { const r = document.querySelector('#tabs .on').getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth; })()"));
    if (isWhole) await shot(`${name}-${view}`);
  }
}

/** Zoom, search, menu, filters and Back, with the mouse. */
async function pointer(url) {
  await open(url);
  const flame = "canvas.flame";
  const area = await page.run(`(() => { const r = document.querySelector("${flame}").getBoundingClientRect(); return [r.x, r.y]; })()`);
  await page.mouse(area[0] + 40, area[1] + 32, "left", true);
  await page.until("document.getElementById('tip') && !document.getElementById('tip').hidden");
  check("the tooltip has the values of the box", /self/.test(await text("tip")), await text("tip"));
  check("the status line has a percentage", /\d%/.test(await text("status")), await text("status"));
  const totals = await text("totals");
  await page.mouse(area[0] + 40, area[1] + 32);
  await page.until("location.search.includes('z=')");
  await ready();
  const zoomed = await address();
  await back();
  check("Back leaves the zoom", !(await address()).includes("z="), await address());
  await back(1);
  check("Forward zooms again", (await address()) === zoomed, await address());
  await open(await page.run("location.href"));
  check("a shared address shows the same", (await address()) === zoomed && (await text("totals")) === totals);
  await back();
  await page.mouse(area[0] + 40, area[1] + 32, "right");
  await page.until("!document.getElementById('menu').hidden");
  const name = await page.run("document.querySelector('.menuname').textContent");
  await shot("menu");
  await page.click("#menu button:nth-of-type(1)");
  await page.until("location.search.includes('p=')");
  await ready();
  check("sandwich shows callers and callees", (await count("canvas.flame")) === 2);
  check("sandwich names its function", (await page.run("document.querySelector('.pivot').textContent")).includes(name));
  await shot("sandwich");
  await page.click(".chip button");
  await page.until("!location.search.includes('p=')");
}

/** Runs in the page: the effect of a click on the flame graph or of a letter before the next event. */
const AT_ONCE = `
  const canvas = document.querySelector("canvas.flame"), picture = () => canvas.toDataURL();
  const hit = (row, x) => { const r = canvas.getBoundingClientRect(); canvas.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: r.x + x, clientY: r.y + row * 21 + 10 })); };
  const search = (text) => { const el = document.getElementById("search"); el.value = text; el.dispatchEvent(new Event("input")); };
  const zoom = () => new URLSearchParams(location.search).getAll("z").join();`;
const atOnce = (body) => page.run(`(() => { ${AT_ONCE} ${body} })()`);

/** The event handler itself draws a zoom or search; the addresses follow in order. */
async function prompt(url) {
  await open(url);
  const whole = await atOnce("return picture();");
  check("zoom: the event handler draws it, before the address changes", await atOnce("const old = picture(); hit(2, 40); return picture() !== old && zoom() === '';"));
  await ready();
  const near = await page.run("new URLSearchParams(location.search).getAll('z').length");
  check("zoom: the address changes afterwards", near === 2, String(near));
  const zoomed = await atOnce("return picture();");
  check("zoom out: the event handler draws the whole graph", (await atOnce("hit(0, 40); return picture();")) === whole);
  await ready();
  check("zoom out: the picture stays after the address changed", (await atOnce("return picture();")) === whole && (await atOnce("return zoom();")) === "");
  check("zoom in again draws the same picture", (await atOnce("hit(2, 40); return picture();")) === zoomed);
  check("two clicks: the address has the first zoom", (await atOnce("hit(1, 40); return zoom();")).includes(","));
  await ready();
  check("two clicks: the address then has the second zoom", (await atOnce("return zoom();")) === "main", await atOnce("return zoom();"));
  await back();
  check("Back returns to the first zoom", (await atOnce("return zoom();")).includes(",") && (await atOnce("return picture();")) === zoomed);
  await atOnce("hit(0, 40);");
  await ready();
  await atOnce("hit(1, 40); document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));");
  await ready();
  check("Escape right after a click shows the whole graph", (await atOnce("return zoom();")) === "" && (await atOnce("return picture();")) === whole);
  await back(-3);
  check("search: the event handler draws the matches", await atOnce("const old = picture(); search('phase'); return picture() !== old;"));
  check("search: the event handler removes the matches", (await atOnce("search(''); return picture();")) === zoomed);
  await atOnce("search('phase');");
  await page.until("location.search.includes('q=phase')");
}

/** The root at the bottom in a low window; then a screen with a device pixel ratio of 2. */
async function cramped(url) {
  const hit = (row) => page.run(`(() => { const e = document.querySelector(".flamebox"); e.parentElement.scrollTop = 0; const r = e.getBoundingClientRect(); e.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: r.x + 40, clientY: r.bottom - ${row} * 21 - 10 })); })()`);
  const isAtRoot = () => page.run(`(() => { const s = document.querySelector(".flameview .scroll"); return s.scrollHeight > s.clientHeight + 21 && s.scrollTop + s.clientHeight >= s.scrollHeight - 1; })()`);
  await page.size(1280, 300);
  await open(`${url}/ui/flamegraph?flame=t`);
  check("flipped: the root is visible", await isAtRoot());
  await hit(1);
  await page.until("location.search.includes('z=')");
  await ready();
  check("flipped: the root is visible after a zoom", await isAtRoot());
  await hit(0);
  await page.until("!location.search.includes('z=')");
  await ready();
  check("flipped: the root is visible after zooming out", await isAtRoot());
  await page.size(1280, 300, 2);
  await page.run("(() => { const e = document.getElementById('search'); e.value = 'phase'; e.dispatchEvent(new Event('input')); })()");
  check("device pixel ratio 2: the canvas has twice the pixels", (await page.run("document.querySelector('canvas.flame').width")) === 2560);
  await page.size(1280, 800);
  await page.until("document.querySelector('canvas.flame').width === 1280");
}

/** A wider window shows boxes that were too narrow and keeps the selection. */
async function widened() {
  const to = path.join(temp, "narrow.pb.gz");
  fs.writeFileSync(to, profileOf([{ stack: ["main", "wide"], value: 1999e6 }, { stack: ["main", "thin", "thinner"], value: 1e6 }]));
  const server = await serve(to), rows = "Math.round(document.querySelector('.flamebox').offsetHeight / 21)";
  try {
    await page.size(640, 600);
    await open(server.url);
    await page.run("document.querySelector('canvas.flame').focus()");
    await press("ArrowDown", "ArrowDown");
    check("narrow window: boxes that are too narrow are not drawn", (await page.run(rows)) === 3, String(await page.run(rows)));
    await page.size(1600, 600);
    await page.until(`${rows} === 4`);
    await ready();
    check("widened window: the selection stays", await page.run("!document.querySelector('.outline.selected').hidden"));
    check("widened window: the selected box is wide", await page.run("document.querySelector('.outline.selected').offsetWidth > 1500"));
  } finally {
    await page.size(1280, 800);
    await server.stop();
  }
}

/** Filters of the panel, and their chips. */
async function refine(url) {
  await open(`${url}/ui/top`);
  const name = await page.run("document.querySelector('.rows .cell.name').textContent"), before = await text("totals");
  await page.click("#refine");
  await page.until("!!document.querySelector('.refine')");
  await shot("refine");
  await page.type(name.slice(0, 4));
  await page.key("Enter");
  await page.until("location.search.includes('f=')");
  await ready();
  check("refine: a filter adds a chip", (await count("#crumbs .chip")) === 1);
  check("refine: a filter reduces the samples", / of 60 samples/.test(await text("totals")), await text("totals"));
  await page.click("#crumbs .chip button");
  await page.until("!location.search.includes('f=')");
  await ready();
  check("refine: removing the chip restores the totals", (await text("totals")) === before, await text("totals"));
  await open(`${url}/ui/top?f=nothing_is_called_so`);
  check("refine: a filter without matches is explained", /Nothing is left/.test(await text("main")), await text("main"));
  await shot("nothing-left");
  await open(`${url}/ui/flamegraph?f=a(`);
  check("refine: a bad expression is reported", /focus/.test(await text("error")), await text("error"));
}

/** Everything that the mouse does, with the keyboard. */
async function keyboard(url) {
  await open(url);
  await press("2");
  check("key 2 opens the top view", (await address()).startsWith("top"));
  await page.run("document.querySelector('.topview .scroll').focus()");
  await press("ArrowDown", "ArrowDown", "Enter");
  check("Enter in the top view opens peek", (await address()).startsWith("peek?arg="), await address());
  await press("1");
  await page.run("document.querySelector('canvas.flame').focus()");
  await press("ArrowDown", "ArrowDown");
  check("arrow keys select a box", (await text("status")).length > 5, await text("status"));
  await press("Enter");
  check("Enter zooms to the selected box", (await address()).includes("z="), await address());
  await press("Escape");
  check("Escape resets the zoom", !(await address()).includes("z="), await address());
  await press("b");
  check("key b shows callers", (await address()).includes("up=t"));
  await press("b", "v");
  check("key v flips the graph", (await address()).includes("flame=t"));
  await press("v", "/", "m", "a");
  await page.until("/match/.test(document.getElementById('count').textContent)");
  check("the search counts its matches", /^1 match, 100%/.test(await text("count")), await text("count"));
  await press("Enter", "Escape", "Escape");
  await press("r");
  check("key r moves the focus to the filters", await page.run("document.activeElement.closest('.refine') !== null"));
  await press("Escape", "r", "?");
  check("key ? shows the keys", (await count("#overlay .dialog")) === 1);
  await shot("keys");
  await press("Escape");
  await press("t");
  check("key t changes the theme", ["dark", "light"].includes(await page.run("document.documentElement.dataset.theme")));
  await press("t");
}

async function themes(name, url) {
  for (const theme of ["dark", "light"]) {
    await page.theme(theme);
    await page.run("localStorage.clear()").catch(() => {});
    await open(url);
    const back = await page.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]");
    check(`theme ${theme}: the background has its brightness`, theme === "dark" ? Number(back) < 80 : Number(back) > 180, back);
    if (theme === "dark") await everyView(`${name}-dark`, true);
  }
  await page.size(380, 700);
  await open(url);
  await everyView(`${name}-narrow`, true);
  await page.size(1280, 800);
}

/** The saved page, opened as a file, without a server. */
async function file(profile) {
  const out = path.join(temp, "page.html");
  execFileSync(pprof, ["-html", "-symbolize=none", `-output=${out}`, profile], { env, stdio: "ignore" });
  check("saved page: its size is below 200 KB plus the profile", fs.statSync(out).size - fs.statSync(profile).size * 4 < 200000, String(fs.statSync(out).size));
  page.requests.length = 0;
  await open(`file://${out}`);
  check("saved page: shows the totals", (await text("totals")).length > 5);
  await press("2");
  check("saved page: the top view works", (await page.run("location.hash")) === "#top" && (await count(".rows .tr")) > 0);
  await press("3");
  check("saved page: the graph says that it needs pprof -http", /pprof -http/.test(await text("main")));
  const asked = page.requests.filter((u) => !/^(file|blob|data):/.test(u));
  check("saved page: sends no request", asked.length === 0, asked.join(" "));
}

/** Takes profiles of a running program, and shows their difference. */
async function live(first, second) {
  const html = path.join(temp, "live.html"), info = { title: "live", server: false, data: "", live: { base: "../", stats: "stats", kinds: [{ name: "profile", title: "CPU", seconds: 1 }, { name: "broken", title: "Broken", seconds: 0 }] } };
  execFileSync(path.join(import.meta.dirname || path.dirname(new URL(import.meta.url).pathname), "../../scripts/bundle_ui"), [html]);
  const body = fs.readFileSync(html, "utf8").replace("<!--DATA-->", `<script type="application/json" id="info">${JSON.stringify(info)}</script>`);
  const asked = [], answers = [first, second];
  const server = http.createServer((request, answer) => {
    asked.push(request.url);
    if (request.url === "/debug/pprof/ui/stats") answer.end(JSON.stringify({ time_ns: 1, rss: 5 << 20, heap: 3 << 20, threads: 4 + asked.length, cpu_ns: 1 }));
    else if (request.url.startsWith("/debug/pprof/ui/")) answer.setHeader("Content-Type", "text/html; charset=utf-8").end(body);
    else if (request.url === "/debug/pprof/profile?seconds=1") answer.end(fs.readFileSync(answers.shift()));
    else answer.writeHead(500).end("the profiler is busy\n");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    await page.open(`http://127.0.0.1:${server.address().port}/debug/pprof/ui/`);
    await page.until("document.querySelectorAll('#live button').length === 2");
    await page.until("document.querySelectorAll('.stat polyline').length === 3 && document.querySelector('.stat polyline').getAttribute('points').includes(' ')");
    check("live: the page shows memory and threads", /Memory 5MB.*Heap 3MB.*Threads \d/s.test(await page.run("document.querySelector('.stats').textContent")));
    check("live: the empty page says what to do", /Choose what to take/.test(await text("main")));
    check("live: the title is the program, and there is no search field", (await text("title")) === "live" && (await page.run("document.getElementById('search').offsetWidth")) === 0);
    for (const n of [1, 2]) {
      await page.click("#live button:nth-of-type(1)");
      await page.until(`document.querySelectorAll('.shot').length === ${n}`);
      await ready();
    }
    check("live: a profile adds the search field", (await page.run("document.getElementById('search').offsetWidth")) > 0);
    check("live: the page requested two profiles", asked.filter((u) => u === "/debug/pprof/profile?seconds=1").length === 2, asked.join(" "));
    await page.click(".shot:nth-of-type(2) .base");
    await page.click(".shot:last-child .use");
    await page.until("!document.getElementById('diffbar').hidden");
    await ready();
    check("live: the difference of two profiles is shown", / less /.test(await text("title")), await text("title"));
    await shot("live");
    await page.click("#live button:nth-of-type(2)");
    await page.until("!document.getElementById('error').hidden");
    check("live: the error message of the program is shown", (await text("error")) === "the profiler is busy", await text("error"));
    page.errors = page.errors.filter((e) => !/500/.test(e));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The same with `pprof -http ADDRESS`, whose server takes the profiles. */
async function liveServer(first, second) {
  const asked = [];
  const program = http.createServer((request, answer) => {
    asked.push(request.url);
    answer.end(fs.readFileSync(request.url.startsWith("/debug/pprof/heap") ? second : first));
  });
  await new Promise((done) => program.listen(0, "127.0.0.1", done));
  const server = await serve(`http://127.0.0.1:${program.address().port}/debug/pprof/profile?seconds=1`);
  try {
    await open(server.url);
    check("pprof -http ADDRESS: the first profile is in the strip", (await count(".shot")) === 1);
    await page.click("#live button:nth-of-type(2)");
    await page.until("document.querySelectorAll('.shot').length === 2");
    await ready();
    check("pprof -http ADDRESS: the server requested the profile", asked.includes("/debug/pprof/heap"), asked.join(" "));
    await tab("graph");
    check("pprof -http ADDRESS: the graph says that it is of another profile", /not this one/.test(await text("main")), await text("main"));
    await page.click(".shot:nth-of-type(2) .use");
    await page.until("!!document.querySelector('.graph svg')");
    await page.click(".shot:nth-of-type(2) .base");
    await page.click(".shot:nth-of-type(3) .use");
    await page.until("!document.getElementById('diffbar').hidden");
    await ready();
    await tab("flamegraph");
    check("pprof -http ADDRESS: the difference of two profiles is shown", / less /.test(await text("title")), await text("title"));
    await shot("live-server");
  } finally {
    program.closeAllConnections();
    program.close();
    check("pprof -http ADDRESS: the server exits with 0", (await server.stop()) === 0);
  }
}

const PROGRAM = `int spin(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 31 + i;
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    return spin(argc);
}
`;

/** Source and machine code side by side, with linked highlighting. */
async function code() {
  const file = path.join(temp, "spin.c"), binary = path.join(temp, "spin"), to = path.join(temp, "code.pb.gz");
  fs.writeFileSync(file, PROGRAM);
  execFileSync("gcc", ["-g", "-O0", "-no-pie", "-static", "-o", binary, file]);
  const symbols = execFileSync("nm", [binary]).toString(), address = (name) => Number(`0x${new RegExp(`^([0-9a-f]+) T ${name}$`, "m").exec(symbols)[1]}`);
  fs.writeFileSync(to, profileOf([{ stack: ["main", "spin"], value: 5e7 }], { code: { binary, file, places: { spin: [address("spin") + 8, 3], main: [address("main") + 4, 12] } } }));
  const server = await serve(to);
  try {
    await open(`${server.url}/ui/source?arg=${encodeURIComponent("^spin$")}`);
    check("code: source and instructions are shown", (await count(".sides > .code")) === 2 && (await count(".code:first-child .line")) > 5 && (await count(".code:last-child .line")) > 5, await text("main"));
    check("code: the hot line and instruction are coloured", (await count(".code:first-child .line[style*=heat]")) === 1 && (await count(".code:last-child .line[style*=heat]")) === 1);
    await page.click(".code:first-child .line[style*=heat]");
    await page.until("document.querySelectorAll('.code:first-child .same').length === 1 && document.querySelectorAll('.code:last-child .same').length > 0");
    const lit = await page.run("[...document.querySelectorAll('.code:first-child .same .text')].map((e) => e.textContent).join()");
    check("code: an instruction highlights its line", lit === "    int sum = 0;", lit);
    check("code: the view fits the width of the window", await fits());
    await shot("code");
    await tab("disasm");
    check("code: instructions are shown without source", (await count(".sides > .code")) === 1 && (await count(".line")) > 5);
  } finally {
    check("code: the server exits with 0", (await server.stop()) === 0);
  }
}

/** The flame graph by time, for samples with time labels. */
async function byTime() {
  const to = path.join(temp, "time.pb.gz");
  fs.writeFileSync(to, profileOf(Array.from({ length: 40 }, (_, i) => ({ stack: ["main", i % 10 < 5 ? "read" : "write", `step_${i % 3}`], value: 1e6, labels: { end_timestamp_ns: 1000 + i } }))));
  const server = await serve(to);
  try {
    await open(server.url);
    await page.run("(() => { const s = document.querySelector('.viewbar select'); s.value = 'time'; s.dispatchEvent(new Event('change')); })()");
    await page.until("location.search.includes('order=time')");
    await ready();
    await shot("time");
    const at = await page.run("(() => { const r = document.querySelector('canvas.flame').getBoundingClientRect(); return [r.x + r.width / 16, r.y + 2 * 21 + 10]; })()");
    await atOnce("hit(2, canvas.clientWidth / 16); hit(2, canvas.clientWidth / 16);");
    await ready();
    check("time: two clicks on a box zoom to its time", (await address()).endsWith("t=0-0.125"), await address());
    await page.mouse(at[0], at[1], "left", true);
    await page.until("/^read/.test(document.getElementById('status').textContent)");
    check("time: the status line has the values of the part", /^read: 5ms/.test(await text("status")), await text("status"));
    await press("Escape");
    check("time: Escape shows the whole time", !(await address()).includes("t=0"), await address());
  } finally {
    await server.stop();
  }
}

/** Saves, uses, renames and deletes configurations, in the file of google/pprof. */
async function configs(url) {
  const file = path.join(temp, ".config/pprof/settings.json"), saved = () => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")).configs : []);
  await open(`${url}/ui/top?f=phase_1&g=lines&noinlines=t`);
  await page.click("#refine");
  await page.until("!!document.querySelector('.buttons .configname')");
  await page.run("document.querySelector('.buttons .configname').focus()");
  await page.type("mine <b>");
  await page.key("Enter");
  await page.until("document.querySelectorAll('.config').length === 1");
  const [first] = saved();
  check("config: the file has the saved values", first && first.name === "mine <b>" && first.focus === "phase_1" && first.granularity === "lines" && first.noinlines === true && first.trim === true && first.sort === "flat" && first.nodefraction === 0.005, JSON.stringify(first));
  check("config: the used one is marked", (await count(".config.on")) === 1);
  await shot("configs");
  await open(`${url}/ui/top`);
  await page.click("#refine");
  await page.until("document.querySelectorAll('.config').length === 1");
  await page.click(".config .use");
  await page.until("location.search.includes('f=phase_1') && location.search.includes('noinlines=t')");
  await ready();
  await page.click(".config button[title=Rename]");
  await page.until("document.activeElement.classList.contains('configname')");
  await page.type("other");
  await page.key("Enter");
  await page.until("document.querySelector('.config .use')?.textContent === 'other'");
  check("config: the file has the new name", saved()[0].name === "other" && saved()[0].focus === "phase_1", JSON.stringify(saved()));
  await page.click(".config button[title=Delete]");
  await page.until("document.querySelectorAll('.config').length === 0");
  check("config: the file has no entry after deletion", saved().length === 0);
  await page.click("#refine");
}

/** Downloads of each format. */
async function save(url) {
  await open(`${url}/ui/flamegraph`);
  const seen = () => fs.readdirSync(page.chrome.folder).filter((n) => /\.(gz|folded|svg|png)$/.test(n));
  for (const kind of ["pb.gz", "folded", "svg", "png"]) {
    await page.run(`(() => { const s = document.getElementById("save"); s.value = "${kind}"; s.onchange(); })()`);
    const end = Date.now() + 240000;
    while (!seen().some((n) => n.endsWith(kind)) && Date.now() < end) await page.run("new Promise(requestAnimationFrame)");
    const name = seen().find((n) => n.endsWith(kind));
    check(`save: the ${kind} file is downloaded`, !!name);
    if (name && kind === "pb.gz") check("save: pprof reads the downloaded profile", execFileSync(pprof, ["-top", "-symbolize=none", path.join(page.chrome.folder, name)], { env, stdio: ["ignore", "pipe", "ignore"] }).length > 50);
  }
}

async function diff(profile, base) {
  const server = await serve(`-diff_base=${base}`, profile);
  await open(server.url);
  check("diff: the bar is shown", await page.run("!document.getElementById('diffbar').hidden"));
  const high = await page.run("document.getElementById('status').offsetHeight");
  await page.run("document.querySelector('canvas.flame').focus()");
  await press("ArrowDown");
  check("diff: the status line has both values", /→/.test(await text("status")), await text("status"));
  check("diff: the status line keeps its height", (await page.run("document.getElementById('status').offsetHeight")) === high);
  await shot("diff");
  await press("2");
  await shot("diff-top");
  check("the server exits with 0", (await server.stop()) === 0);
}

/** Submits the token form and waits for the next page. */
async function enter(word) {
  await page.run("window.isOld = true");
  await page.click("input");
  await page.type(word);
  await page.key("Enter");
  for (let isNew = false; !isNew;) isNew = await page.run(`!window.isOld && document.readyState === "complete"`).catch(() => false);
}

/** An endpoint with PPROFTOKEN: the form, the index, the page. */
async function token() {
  const library = path.join(path.dirname(path.resolve(pprof)), "libcpprof.so.0");
  const child = spawn("sleep", ["100000"], { env: { ...env, LD_PRELOAD: library, PPROFLISTEN: "localhost:0", PPROFTOKEN: "open-sesame" }, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((done) => child.on("exit", done));
  const url = await new Promise((done) => child.stderr.on("data", (text) => {
    const found = /profiles at http:\/\/[^:]*(:\d+\S+)/.exec(text);
    if (found) done(`http://localhost${found[1]}`);
  }));
  try {
    await logIn(url);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Logs in with the form of the endpoint at url and opens its page. */
async function logIn(url) {
  const forget401 = () => { page.errors = page.errors.filter((e) => !e.includes("401")); };
  await page.open(url);
  check("token: the endpoint shows a form", (await count("form input[name=token]")) === 1);
  forget401();
  await enter("wrong");
  check("token: a wrong token shows the form again", (await count("form input[name=token]")) === 1);
  forget401();
  await enter("open-sesame");
  check("token: the right token shows the index", (await count("a[href^='heap']")) > 0, await page.run("document.body.textContent"));
  check("token: scripts cannot read the cookie", (await page.run("document.cookie")) === "");
  await page.open(`${url}ui/`);
  await page.until(`document.querySelectorAll("#live button").length > 0`);
  check("token: the page can send requests", (await page.run(`fetch("../cmdline").then((r) => r.status)`)) === 200);
  await page.send("Page.navigate", { url: "about:blank" }); // the page polls its statistics
}

const EVIL = ["<script>document.title='owned'</script>", "<img src=x onerror=alert(1)>", "\"quotes' & <b>", "tab\tnew\nline\u0007bell\u001b[31m", "\u202egnirts desrever\u202c", "שלום::مرحبا", "a".repeat(5000), "constructor", "__proto__", "toString", "${x}", "%s%n", "x\" URL=\"javascript:document.title=%27owned%27\" b=\"", "\ufeff", " ", "🔥🔥"];

async function hostile() {
  const write = (name, data) => {
    const to = path.join(temp, name);
    fs.writeFileSync(to, data);
    return to;
  };
  const evil = write("evil.pb.gz", profileOf(EVIL.map((name, i) => ({ stack: ["main", name], value: i + 1, labels: { [name]: name } }))));
  const deep = write("deep.pb.gz", profileOf([{ stack: Array.from({ length: 10000 }, (_, i) => `f${i % 7}`), value: 5 }, { stack: Array.from({ length: 10000 }, (_, i) => `g${i}`), value: 3 }]));
  const sums = write("sums.pb.gz", profileOf([{ stack: ["a", "b"], value: 9223372036854775807n }, { stack: ["a", "c"], value: -9223372036854775807n }, { stack: ["a", "d"], value: -5 }, { stack: ["e"], value: 0 }]));
  const empty = write("empty.pb.gz", profileOf([]));
  for (const [name, profile] of Object.entries({ evil, deep, sums, empty })) {
    const server = await serve(profile);
    await part(`hostile ${name}`, async () => {
      await open(server.url);
      const views = VIEWS.filter((view) => view !== "graph" || name === "evil");
      for (const view of views) {
        await tab(view);
        check(`hostile ${name}: view ${view} is drawn`, (await text("main")).length + 100 * (await count("#main canvas")) > 0);
        await shot(`hostile-${name}-${view}`);
      }
      if (name === "deep") await scrollDeep();
      check(`hostile ${name}: no name becomes markup or script`, !(await page.run("document.title")).includes("owned") && (await count("#main script, #main img, #main b, #main [href^='javascript:']")) === 0);
    });
    if (name === "evil") await part("hostile picture", () => picture(server.url));
    check(`hostile ${name}: the server exits with 0`, (await server.stop()) === 0);
  }
}

/** The graph as a separate document: drawn, without links and scripts. */
async function picture(url) {
  await still(`${url}/ui/data/graph`);
  check("the graph document has nodes", (await count("g.node")) > 5, `${await count("g.node")} nodes`);
  check("the graph document has no links and scripts", (await count("a[*|href], script, image, foreignObject")) === 0);
  await still(`${url}/ui/data/configs`);
  await still(`${url}/ui/data/source?arg=main`);
}

/** Opens a document that permits no script, so that page.until does not work. */
async function still(url) {
  await page.send("Page.navigate", { url });
  while (!(await page.run(`location.href === ${JSON.stringify(url)} && document.readyState === "complete"`)));
}

/** A very deep stack: the canvas has the height of the window and scrolls to the deepest box. */
async function scrollDeep() {
  await tab("flamegraph");
  check("deep stack: the canvas is not larger than the window", await page.run("document.querySelector('canvas.flame').height <= innerHeight && document.querySelector('.flamebox').offsetHeight > 200000"));
  const at = await page.run("(() => { const s = document.querySelector('.flameview .scroll'); s.scrollTop = s.scrollHeight; const r = s.getBoundingClientRect(); return [r.x + 50, r.bottom - 12]; })()");
  await page.mouse(at[0], at[1], "left", true);
  await page.until("document.getElementById('status').textContent !== ''");
  check("deep stack: the deepest box can be reached", /^f3: /.test(await text("status")), await text("status"));
  await shot("hostile-deep-end");
}

async function many() {
  const data = profileOf(Array.from({ length: 1000000 }, (_, i) => ({ stack: [`function_${i}`], value: 1 + (i % 9) })));
  const to = path.join(temp, "many.pb.gz");
  fs.writeFileSync(to, data);
  const server = await serve(to);
  await part("a million functions", async () => {
    await page.open(server.url);
    await ready(280000);
    check("a million samples: a graph without visible boxes is explained", /No box below/.test(await text("main")), await text("main"));
    check("a million samples: the totals have the number", /1,000,000 samples/.test(await text("totals")), await text("totals"));
    await page.click("#tabs a:nth-child(2)");
    await ready(280000);
    check("a million samples: the table creates only the visible rows", (await count(".rows .tr")) < 200 && (await count(".rows .tr")) > 10);
  });
  await server.stop();
}

/** A selection of the real profiles, of all producers. */
function realProfiles() {
  const all = [];
  for (const maker of folder && fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const here = path.join(folder, maker), first = fs.readdirSync(here).find((n) => fs.statSync(path.join(here, n)).isFile());
    if (!first) continue;
    try {
      const out = path.join(temp, `${maker}.pb.gz`);
      execFileSync(pprof, ["-proto", "-symbolize=none", `-output=${out}`, path.join(here, first)], { env, stdio: "ignore" });
      if (fs.statSync(out).size > 2000 && fs.statSync(out).size < 3e6) all.push([maker, out]);
    } catch {
      continue;
    }
    if (all.length === 12) break;
  }
  return all;
}

const BUSY = Array.from({ length: 60 }, (_, i) => ({ stack: ["main", `phase_${i % 4}`, ...Array.from({ length: i % 9 }, (__, k) => `ns::step_${k}::call`)], value: (i + 1) * 1e6, labels: { user: `u${i % 5}` } }));

async function main() {
  const own = path.join(temp, "own.pb.gz"), base = path.join(temp, "base.pb.gz");
  fs.writeFileSync(own, profileOf(BUSY));
  fs.writeFileSync(base, profileOf(BUSY.slice(10).map((s, i) => ({ ...s, value: s.value + (i % 3) * 1e7 }))));
  const server = await serve(own);
  await part("views", async () => { await open(server.url); await everyView("own", true); });
  await part("pointer", () => pointer(server.url));
  await part("prompt", () => prompt(server.url));
  await part("cramped", () => cramped(server.url));
  await part("widened", widened);
  await part("refine", () => refine(server.url));
  await part("keyboard", () => keyboard(server.url));
  await part("save", () => save(server.url));
  await part("configs", () => configs(server.url));
  await part("themes", () => themes("own", server.url));
  check("the server exits with 0", (await server.stop()) === 0);
  await part("file", () => file(own));
  await part("diff", () => diff(own, base));
  await part("live", () => live(base, own));
  await part("live through the server", () => liveServer(own, base));
  await part("code", code);
  await part("time", byTime);
  await part("token", token);
  await hostile();
  if (!process.env.QUICK) await many();
  for (const [name, profile] of process.env.QUICK ? [] : realProfiles()) {
    const real = await serve(profile);
    await part(name, async () => { await open(real.url); await everyView(name, false); });
    await real.stop();
  }
}

const chrome = new Chrome(program);
try {
  page = await chrome.page();
  await main();
} finally {
  await chrome.close();
  fs.rmSync(temp, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
