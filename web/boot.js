// Starts the page: gives go-app the few functions it expects on window, loads app.wasm with
// progress, shows what went wrong if it does not start or if it ends, and looks after offline use.

import "go:wasm_exec";
import { loadWasm, siteURL } from "./loader.js";
import { watchOffline } from "./offline.js";

// One page serves every address of the lab, so the path that the page was opened under (a sub-path,
// with or without index.html) is the prefix that go-app cuts off before it looks for the route "/".
const environment = {
  GOAPP_ROOT_PREFIX: location.pathname.replace(/\/$/, ""),
  GOAPP_STATIC_RESOURCES_URL: "web",
  BUILD_ID,
  LESSONS_URL,
};

Object.assign(window, {
  goappGetenv: (name) => environment[name] ?? "",
  goappNav: () => {},
  goappOnUpdate: () => {
    window.goappUpdatedBeforeWasmLoaded = true;
  },
  goappOnAppInstallChange: () => {
    window.goappAppInstallChangedBeforeWasmLoaded = true;
  },
});

// keepErrors remembers what the program writes to stderr: for a Go panic that is the message and
// the stack, which a report needs and which otherwise is seen only in the console. It returns a
// function that gives the text from the panic on.
function keepErrors() {
  const decoder = new TextDecoder();
  const write = globalThis.fs.writeSync;
  let text = "";
  globalThis.fs.writeSync = (fd, bytes) => {
    if (fd === 2) text = (text + decoder.decode(bytes)).slice(-100_000);
    return write.call(globalThis.fs, fd, bytes);
  };
  return () => text.slice(Math.max(0, text.search(/^(panic|fatal error): /m))).slice(0, 10_000);
}

function showProgress(loaded, size) {
  const bar = document.getElementById("boot-progress");
  if (!bar || !size) return;
  bar.value = Math.round((100 * loaded) / size);
}

// showFailure keeps what is on the page (the reader may want to copy from it) and adds a panel.
function showFailure(title, message, details = "") {
  document.getElementById("boot-progress")?.remove();
  document.getElementById("boot-text")?.remove();
  const panel = document.createElement("section");
  panel.id = "boot-failure";
  panel.setAttribute("role", "alert");
  panel.append(element("h2", title), element("p", message));
  panel.append(button("Reload", () => location.reload()));
  const copy = () => navigator.clipboard.writeText(report(title, details || message));
  panel.append(button("Copy report", copy));
  offerUpdate(panel);
  if (details) {
    const more = document.createElement("details");
    more.append(element("summary", "Details"), element("pre", details));
    panel.append(more);
  }
  document.body.append(panel);
}

// A build that fails to start cannot show its own update button, and the cure may be that update.
function offerUpdate(panel) {
  const offer = () => {
    if (window.labOffline?.state !== "update") return;
    window.removeEventListener("lab:offline", offer);
    const install = button("Install the update and reload", window.labActivateUpdate);
    panel.querySelector("p").after(install);
  };
  window.addEventListener("lab:offline", offer);
  offer();
}

function report(title, message) {
  return [title, `build ${BUILD_ID}`, location.href, navigator.userAgent, message].join("\n");
}

function element(tag, text) {
  const node = document.createElement(tag);
  node.textContent = text;
  return node;
}

function button(text, action) {
  const node = element("button", text);
  node.type = "button";
  node.addEventListener("click", action);
  return node;
}

// whenIdle keeps the storing of files for offline use out of the way of the first lesson.
function whenIdle(action) {
  const later = window.requestIdleCallback ?? ((run) => setTimeout(run, 1000));
  const start = () => later(action, { timeout: 5000 });
  if (document.readyState === "complete") start();
  else window.addEventListener("load", start, { once: true });
}

async function boot() {
  const go = new Go();
  const errors = keepErrors();
  try {
    if (typeof WebAssembly !== "object") throw new Error("This browser has no WebAssembly.");
    const options = { name: "app.wasm", size: APP_SIZE, onProgress: showProgress };
    const { instance } = await loadWasm(APP_URL, go.importObject, options);
    whenIdle(watchOffline);
    await go.run(instance);
    const details = errors();
    const [message] = details.split("\n\n");
    showFailure("The page's program has ended", message || "It gave no reason.", details);
  } catch (error) {
    watchOffline();
    showFailure("Rebalance Lab could not start", error.message ?? String(error));
  }
}

boot();
