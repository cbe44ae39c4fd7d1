// Offers of a newer build, and whether the lab works without a network. The service worker itself
// is looked after by offline.js, which tells its state in window.labOffline.

let onwaiting = null;
let offered = false;
let settle;

/** True once the lab opens without a network; false when it never will in this page. */
const offlineReady = new Promise((resolve) => {
  settle = resolve;
});

function hear() {
  switch (window.labOffline?.state) {
    case "update":
      settle(true); // the build that runs is stored too
      if (!offered) onwaiting?.();
      offered = onwaiting !== null;
      break;
    case "ready":
      settle(true);
      break;
    case "none":
    case "failed":
      settle(false);
      break;
  }
}

window.addEventListener("lab:offline", hear);
hear();

export const updates = {
  offlineReady,

  /** Called once when a newer build is stored and waits. */
  get onwaiting() {
    return onwaiting;
  },
  set onwaiting(listener) {
    onwaiting = listener;
    hear();
  },

  /** Takes the newer build: the page is loaded again with it. */
  activate() {
    window.labActivateUpdate?.();
  },
};
