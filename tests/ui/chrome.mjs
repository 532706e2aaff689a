// chrome.mjs - controls a headless Chromium through its debugging pipe.
//
// Needs only the browser: messages are JSON, terminated by NUL, on two pipes.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const TIMEOUT = 240000;

/** Path of the browser, or "". */
export function findChrome() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("which", [name], { stdio: ["ignore", "pipe", "ignore"] }).toString().trim();
    } catch {
      continue;
    }
  }
  return "";
}

export class Chrome {
  constructor(program) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "chrome-"));
    const flags = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--hide-scrollbars", "--disable-dev-shm-usage", `--user-data-dir=${this.folder}`];
    this.child = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: this.folder } });
    this.waiting = new Map();
    this.pages = new Map();
    this.n = 0;
    this.rest = [];
    this.child.stdio[4].on("data", (chunk) => this.arrived(chunk));
    this.child.stdio[3].on("error", () => {});
    this.ended = new Promise((done) => this.child.on("exit", done));
  }

  arrived(chunk) {
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(0, from);
      this.rest.push(chunk.subarray(from, end < 0 ? chunk.length : end));
      if (end < 0) return;
      this.message(JSON.parse(Buffer.concat(this.rest).toString()));
      this.rest = [];
      from = end + 1;
    }
  }

  message(m) {
    const call = this.waiting.get(m.id);
    if (!call) return void this.pages.get(m.sessionId)?.event(m);
    this.waiting.delete(m.id);
    clearTimeout(call.timer);
    if (m.error) call.fail(new Error(`${call.method}: ${m.error.message}`));
    else call.done(m.result);
  }

  send(method, params = {}, sessionId = undefined, patience = TIMEOUT) {
    const id = ++this.n;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`${method}: no answer`)), patience);
      this.waiting.set(id, { done, fail, method, timer });
    });
  }

  async page() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    this.pages.set(sessionId, page);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.send(`${domain}.enable`);
    await this.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: this.folder });
    await page.size(1280, 800);
    return page;
  }

  async close() {
    await this.send("Browser.close").catch(() => this.child.kill("SIGKILL"));
    await this.ended;
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const CODES = { Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Tab: 9, Home: 36, End: 35, PageDown: 34 };

class Page {
  constructor(chrome, session) {
    this.chrome = chrome;
    this.session = session;
    /** Errors of the console. */
    this.errors = [];
    /** Requested addresses. */
    this.requests = [];
    /** Received bytes in all. */
    this.bytes = 0;
    /** Events of the browser's trace, while one runs. */
    this.traced = { events: [], ended: () => {} };
  }

  send(method, params, patience = TIMEOUT) {
    return this.chrome.send(method, params, this.session, patience);
  }

  event({ method, params }) {
    if (method === "Runtime.exceptionThrown") this.errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    else if (method === "Runtime.consoleAPICalled" && params.type === "error") this.errors.push(params.args.map((a) => a.value || a.description).join(" "));
    else if (method === "Log.entryAdded" && params.entry.level === "error") this.errors.push(`${params.entry.text} ${params.entry.url || ""}`);
    else if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    else if (method === "Network.dataReceived") this.bytes += params.dataLength;
    else if (method === "Tracing.dataCollected") this.traced.events.push(...params.value);
    else if (method === "Tracing.tracingComplete") this.traced.ended();
  }

  /** The browser's trace events of some categories during act. */
  async trace(categories, act) {
    await this.send("Tracing.start", { traceConfig: { includedCategories: categories }, transferMode: "ReportEvents" });
    await act();
    const ended = new Promise((done) => { this.traced = { events: [], ended: done }; });
    await this.send("Tracing.end");
    await ended;
    return this.traced.events;
  }

  size(width, height, deviceScaleFactor = 1) {
    return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor, mobile: false });
  }

  theme(value) {
    return this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
  }

  async run(expression, patience = TIMEOUT) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true }, patience);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  /** Waits until the expression is true; checks it in every frame. */
  async until(expression, patience = TIMEOUT) {
    await this.run(`new Promise((done, fail) => {
      const end = Date.now() + ${patience - 5000};
      const look = () => (${expression}) ? done() : Date.now() > end ? fail(new Error(${JSON.stringify("never: " + expression)})) : setTimeout(look, 10);
      look();
    })`, patience);
  }

  async open(url) {
    await this.send("Page.navigate", { url });
    await this.until(`document.readyState === "complete" && location.href !== "about:blank"`);
  }

  async mouse(x, y, button = "left", isMove = false) {
    await this.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    if (isMove) return;
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", x, y, button, clickCount: 1 });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", x, y, button, clickCount: 1 });
  }

  async click(selector, button = "left") {
    const at = await this.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) throw new Error("no ${selector.replace(/["\\]/g, "")}"); e.scrollIntoView({ block: "nearest" }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
    await this.mouse(at[0], at[1], button);
  }

  async key(key) {
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    const code = CODES[key] || key.toUpperCase().charCodeAt(0);
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text, windowsVirtualKeyCode: code });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
  }

  async type(text) {
    for (const letter of text) await this.key(letter);
  }

  async shot(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }
}
