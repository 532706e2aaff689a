// main.js - starts the page, or the worker: one script is both.

import { App } from "./app.js";
import { byId, fill, h } from "./dom.js";
import { LiveStrip } from "./live.js";
import { Calculator } from "./rpc.js";
import { startWorker } from "./worker.js";

/** @returns {Worker} */
function makeWorker() {
  const script = document.getElementById("script");
  if (!script || !script.textContent) return new Worker(new URL("./main.js", import.meta.url), { type: "module" });
  return new Worker(URL.createObjectURL(new Blob([script.textContent], { type: "text/javascript" })));
}

/** @param {string} text base 64 */
function bytesOf(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

async function startPage() {
  const info = JSON.parse(byId("info").textContent || "{}"), held = document.getElementById("profile");
  const app = new App(new Calculator(makeWorker()), { title: "profile", server: false, data: "", live: null, ...info });
  const main = byId("main"), tell = (/** @type {string} */ text) => fill(main, h("div", { class: "empty" }, text));
  app.start();
  try {
    if (held) {
      tell("Reading the profile…");
      const bytes = bytesOf((held.textContent || "").trim());
      held.remove();
      await app.load(bytes, app.title);
    } else if (app.info.data) {
      const first = await app.fetch(app.info.data, app.title, tell);
      if (app.live) app.live.add(first, "Start");
      if (app.live) app.live.draw();
    } else if (app.live instanceof LiveStrip) {
      app.live.draw();
      fill(byId("title"), app.title);
      document.title = `${app.title} · pprof`;
      tell("Choose what to take. CPU and wall clock run for some seconds, the others are there at once.");
    } else tell("There is no profile in this page.");
  } catch (e) {
    tell("");
    app.error(e instanceof Error ? e.message : String(e));
  }
}

if (typeof document === "undefined") startWorker();
else startPage();
