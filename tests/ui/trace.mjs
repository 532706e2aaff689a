// trace.mjs PPROF - tests the trace viewer in a real Chromium.
//
// Serves stored traces with `cpprof trace -http`, and zooms, selects, clicks and
// searches. Ends with "P passed, F failed"; exits with 77 without a browser.
// SHOTS=folder saves pictures.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Chrome, findChrome } from "./chrome.mjs";

const cpprof = path.join(path.dirname(process.argv[2]), "cpprof"), SHOTS = process.env.SHOTS || "";
const program = findChrome();
if (!program) {
  console.log("no Chromium");
  process.exit(77);
}
const temp = fs.mkdtempSync(path.join(os.tmpdir(), "trace-"));
let passed = 0, failed = 0, page;

function check(name, ok, detail = "") {
  if (ok) passed++;
  else failed++;
  if (!ok) console.log(`${name}: ${detail}`);
}

async function part(name, act) {
  try {
    await act();
  } catch (e) {
    check(name, false, e.message);
  }
  check(`${name}: the console has no errors`, page.errors.length === 0, page.errors.splice(0).join("; "));
}

/** `cpprof trace -http` on a free port. */
async function serve(file) {
  const child = spawn(cpprof, ["trace", "-no_browser", "-http=localhost:0", file], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const url = await new Promise((done, fail) => {
    child.stderr.on("data", (text) => {
      said += text;
      const found = /Serving web UI on (\S+)/.exec(said);
      if (found) done(found[1]);
    });
    child.on("exit", () => fail(new Error(`cpprof ended: ${said}`)));
  });
  return { url: url + "/trace", stop: () => new Promise((done) => { child.on("exit", (code) => done(code)); child.kill("SIGTERM"); }) };
}

const READY = `document.body.dataset.state === "ready"`;
const ready = () => page.until(READY);
const text = (id) => page.run(`document.getElementById("${id}").textContent`);
const query = () => page.run("location.search");
const isThere = (selector) => page.until(`!!document.querySelector(${JSON.stringify(selector)})`);
async function open(url) {
  await page.open(url);
  await ready();
}
async function press(...keys) {
  for (const key of keys) await page.key(key);
  await ready();
}
async function shot(name) {
  if (SHOTS) await page.shot(path.join(SHOTS, `trace-${name}.png`));
}
async function drag(x0, x1, y) {
  const send = (type, x, more = {}) => page.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1, ...more });
  await send("mouseMoved", x0, { button: "none" });
  await send("mousePressed", x0);
  await send("mouseMoved", x1, { buttons: 1 });
  await send("mouseReleased", x1);
}
/** Number of pixels of the canvas with about this colour. */
const painted = (r, g, b) => page.run(`(() => { const c = document.getElementById("canvas"), d = c.getContext("2d").getImageData(210, 60, c.width - 210, c.height - 60).data; let n = 0;
  for (let i = 0; i < d.length; i += 4) if (Math.abs(d[i] - ${r}) < 3 && Math.abs(d[i + 1] - ${g}) < 3 && Math.abs(d[i + 2] - ${b}) < 3) n++; return n; })()`);
/** The top of a thread's row by its index in the list. */
const rowY = (row) => page.run(`document.getElementById("canvas").getBoundingClientRect().y + 60 + ${row} * 28 + 10`);

async function picture(url) {
  await open(url);
  check("the title is the name of the file", (await text("title")) === "go.trace", await text("title"));
  check("the totals have the number of events", /326 events/.test(await text("totals")), await text("totals"));
  check("running is painted", (await painted(58, 154, 91)) > 1000, await painted(58, 154, 91));
  check("runnable is painted", (await painted(240, 192, 74)) > 1000);
  check("the page fits the width of the window", await page.run("document.documentElement.scrollWidth <= innerWidth"));
  await shot("light");
  await page.key("t");
  await ready();
  check("the dark theme has its colours", (await painted(87, 184, 119)) > 1000);
  await shot("dark");
  await page.key("t");
}

async function zoom(url) {
  await open(url);
  const whole = await text("range");
  await press("w", "w", "w");
  const near = new URLSearchParams(await query());
  check("key W zooms in", Number(near.get("to")) - Number(near.get("from")) < 2e6, near.toString());
  await press("d");
  check("key D moves to the right", Number(new URLSearchParams(await query()).get("from")) > Number(near.get("from")));
  await press("a", "s");
  const again = await query();
  await open(url + again);
  check("the address keeps the view", (await query()) === again, await query());
  await press("0");
  check("key 0 shows the whole trace", (await text("range")) === whole, await text("range"));
}

async function click(url) {
  await open(url + "?sort=id");
  const y = await rowY(15); /* main.receiver waits for a channel */
  await page.mouse(900, y);
  await isThere("#pick");
  check("a click shows the thread", /main\.receiver/.test(await text("panel")), await text("panel"));
  await press("Escape");
  check("Escape closes the panel", await page.run("document.getElementById('panel').hidden"));
  await press("f");
  check("the wake-up arrows are on", (await page.run("document.getElementById('arrows').getAttribute('aria-pressed')")) === "true");
  await shot("arrows");
  await press("?");
  await isThere("#overlay");
  await press("Escape");
  check("Escape closes the help", await page.run("!document.getElementById('overlay')"));
}

async function select(url) {
  await open(url);
  await drag(300, 900, await rowY(2));
  await isThere("#stats");
  const said = await text("panel");
  check("a selection shows the shares of the states", /running/.test(said) && /\d%/.test(said), said);
  check("a selection shows threads and waits", /main\.work/.test(said) && /Waiting/.test(said), said);
  check("a selection offers four profiles", await page.run(`[...document.querySelectorAll("#stats a")].map((a) => a.textContent).join() === "sched,sync,syscall,net"`));
  const size = await page.run(`fetch(document.querySelector("#stats a").href).then((a) => a.arrayBuffer()).then((b) => b.byteLength)`);
  check("a profile of the selection is served", size > 50, size);
  await ready();
  await shot("selection");
  const kept = await query();
  await open(url + kept);
  await isThere("#stats");
  check("the address keeps the selection", /s0=\d+/.test(kept), kept);
  await press("z");
  check("key z zooms to the selection", /from=/.test(await query()), await query());
}

async function search(url) {
  await open(url);
  await page.key("/");
  await page.type("locker");
  await page.until(`document.getElementById("count").textContent === "2"`);
  check("a search for a thread is in the address", /q=locker/.test(await query()), await query());
  await page.run(`(() => { const e = document.getElementById("search"); e.value = "("; e.dispatchEvent(new Event("input")); })()`);
  await page.until(`!document.getElementById("error").hidden`);
  check("a bad expression is reported", /missing closing/.test(await text("error")), await text("error"));
  page.errors.splice(0); /* the console reports the status 400 */
  await open(url + "?in=functions&q=main.receiver");
  await page.until(`/stacks/.test(document.getElementById("count").textContent)`);
  await ready();
  await press("n");
  await isThere("#pick");
  check("key n shows the next match", /main\.receiver/.test(await text("panel")), await text("panel"));
}

/** Markup in names is shown as text. */
async function hostile(data) {
  const file = path.join(temp, "evil.trace");
  fs.writeFileSync(file, Buffer.from(data.toString("latin1").replaceAll("main.work", "<img src>"), "latin1"));
  const server = await serve(file);
  await part("hostile", async () => {
    await open(server.url);
    await drag(300, 900, await rowY(2));
    await isThere("#stats");
    check("a name does not become an element", (await page.run(`document.querySelectorAll("img").length`)) === 0);
    check("a name with markup is shown as text", /<img src>/.test(await text("panel")), await text("panel"));
    check("the page loads nothing from another host", page.requests.every((r) => r.startsWith(server.url.replace("/trace", "")) || r.startsWith("blob:") || r.startsWith("data:") || /localhost/.test(r)), page.requests.join(" "));
  });
  check("the server exits with 0", (await server.stop()) === 0);
}

const chrome = new Chrome(program);
try {
  page = await chrome.page();
  const server = await serve("tests/data/go.trace");
  for (const [name, act] of Object.entries({ picture, zoom, click, select, search })) await part(name, () => act(server.url));
  await server.stop();
  const native = await serve("tests/data/native.trace");
  await part("native", async () => {
    await open(native.url);
    check("a native trace shows all its threads", (await page.run(`fetch("trace/lanes").then((a) => a.json()).then((a) => a.n)`)) === 4);
    await shot("native");
  });
  await native.stop();
  await hostile(fs.readFileSync("tests/data/go.trace"));
} finally {
  await chrome.close();
  fs.rmSync(temp, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
