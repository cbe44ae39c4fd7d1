// The page's side of the service worker: registers it, tells the page how offline use stands, and
// offers updates without ever reloading on its own.
//
// window.labOffline = {state, reason}, announced by a "lab:offline" event on window:
//   none        the browser or the frame does not allow a service worker
//   installing  files are being stored
//   ready       the lab opens without a network
//   update      a newer build is stored and waits for labActivateUpdate()
//   failed      storing did not succeed; reason says why, the page still works online
// go-app's own OnAppUpdate is called too when an update waits.

import { siteURL } from "./loader.js";

let registration;

export async function watchOffline() {
  if (registration || window.labOffline) return;
  if (!("serviceWorker" in navigator)) return tell("none");
  tell("installing");
  navigator.serviceWorker.addEventListener("message", hear);
  navigator.serviceWorker.startMessages();
  try {
    const options = { scope: siteURL("./"), updateViaCache: "none" };
    registration = await navigator.serviceWorker.register(siteURL("service-worker.js"), options);
  } catch (error) {
    return tell("none", error.message);
  }
  registration.addEventListener("updatefound", () => follow(registration.installing));
  follow(registration.installing);
  if (registration.waiting) offer();
  else if (registration.active && !registration.installing) tell("ready");
}

// The reader asked for it, so this is the one place that reloads, once the new worker is in charge.
window.labActivateUpdate = () => {
  const waiting = registration?.waiting;
  if (!waiting) return;
  const reload = () => location.reload();
  navigator.serviceWorker.addEventListener("controllerchange", reload, { once: true });
  waiting.postMessage({ type: "activate" });
};

function follow(worker) {
  worker?.addEventListener("statechange", () => {
    if (worker.state === "installed" && registration.active) offer();
    if (worker.state === "activated") tell("ready");
  });
}

function offer() {
  tell("update");
  window.goappOnUpdate();
}

function hear(event) {
  if (event.data?.type === "install-failed") tell("failed", event.data.reason);
}

function tell(state, reason = "") {
  window.labOffline = { state, reason };
  window.dispatchEvent(new CustomEvent("lab:offline", { detail: window.labOffline }));
}
