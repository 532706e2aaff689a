/* index.js - copies commands and keeps the numbers up to date. */
"use strict";

function copyCommand(event) {
  const button = event.currentTarget;
  const code = button.previousElementSibling;
  const done = (text) => {
    button.textContent = text;
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  };
  const select = () => {
    getSelection().selectAllChildren(code);
    done(document.execCommand("copy") ? "Copied" : "Ctrl+C");
  };
  if (navigator.clipboard) {
    navigator.clipboard.writeText(code.textContent).then(() => done("Copied"), select);
  } else {
    select();
  }
}

function setText(id, text) {
  const element = document.getElementById(id);
  if (element && element.textContent !== text) {
    element.textContent = text;
  }
}

async function refresh() {
  if (document.hidden) {
    return;
  }
  try {
    const answer = await fetch("?format=json", { cache: "no-store" });
    const now = await answer.json();
    for (const kind of now.kinds) {
      setText("count-" + kind.name, kind.count_text);
    }
    for (const [name, text] of Object.entries(now.texts)) {
      setText(name, text);
    }
    document.getElementById("lost").classList.toggle("warn", now.lost > 0);
  } catch {
    setText("uptime", "not answering");
  }
}

for (const button of document.querySelectorAll(".copy button")) {
  button.addEventListener("click", copyCommand);
}
setInterval(refresh, 2000);
