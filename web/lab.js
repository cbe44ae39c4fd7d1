// The page bridge: window.rebalanceLab, through which the app (Go, in app.wasm) uses the Worker,
// the painter, the timeline and the editor. Everything is safe to call at any time.

import * as geometry from "./geometry.js";
import { siteURL } from "./loader.js";
import { Meter } from "./meter.js";
import { Player } from "./player.js";
import { prefs } from "./prefs.js";
import { Rpc } from "./rpc.js";
import { Stage } from "./stage.js";
import { Theme } from "./theme.js";
import { Timeline } from "./timeline.js";
import { updates } from "./updates.js";

const rpc = new Rpc(() => new Worker(siteURL(WORKER_URL), { type: "module", name: "engine" }));
const theme = new Theme();
const meter = new Meter();
const stage = new Stage(theme);
const timeline = new Timeline(rpc, theme);
const player = new Player(rpc, {
  opened(lab, horizon, scene) {
    stage.setScene(scene);
    timeline.open(lab, horizon, scene);
  },
  horizon: (ns) => timeline.horizon(ns),
  paint: (block) => meter.work(() => stage.paint(block)),
  tick(ns, playing) {
    meter.frame(playing);
    meter.work(() => {
      stage.tick(ns, playing);
      timeline.tick(ns, playing);
    });
  },
});
timeline.setPlayer(player);

/** @type {Promise<{open: Function}>|undefined} */
let editorModule;

const editor = {
  /**
   * Opens a text editor under parent. The code of the editor is loaded when it is first wanted.
   * @returns {Promise<import("./editor.js").Handle>}
   */
  async open(parent, text, options = {}) {
    editorModule ??= import(siteURL(EDITOR_URL));
    try {
      return (await editorModule).open(parent, text, options);
    } catch (error) {
      editorModule = undefined; // the network may be back at the next try
      throw new Error(`The editor could not be loaded: ${error.message}`);
    }
  },
};

window.rebalanceLab = {
  /** Called with the share of engine.wasm that has arrived, 0 to 1. */
  onprogress: null,
  /** Called with a sentence when the Worker was replaced: the labs in it are gone. */
  onrestart: null,

  /** Starts the engine. Rejects with an Error whose message is one sentence for the reader. */
  start: () => rpc.start(),

  /**
   * Asks the engine one question. Rejects with {message, trap: true, details} when the engine ended
   * or took too long; the next call starts a fresh one.
   * @param {Uint8Array} question
   * @returns {Promise<Uint8Array>}
   */
  async call(question) {
    const { answer } = await rpc.post({ question });
    return answer;
  },

  player: {
    open: (lab, horizonNs, scene, ns) => player.open(lab, horizonNs, scene, ns),
    close: () => player.close(),
    seek: (ns) => player.seek(ns),
    seekIndex: (index) => player.seekIndex(index),
    play: (speed) => player.play(speed),
    pause: () => player.pause(),
    speed: (factor) => player.speed(factor),
    horizon: (ns) => player.horizon(ns),
    redraw() {
      stage.redraw();
      timeline.redraw();
      player.refresh();
    },
    get ns() { return player.ns; },
    get playing() { return player.playing; },
    get onframe() { return player.onframe; },
    set onframe(listener) { player.onframe = listener; },
    get onerror() { return player.onerror; },
    set onerror(listener) { player.onerror = listener; },
    /** Frame intervals and main-thread work since the last call; see Meter.take. */
    stats: () => meter.take(),
  },

  timeline,
  stage,
  editor,
  updates,
  prefs,
  geometry,
};

// The engine is fetched and compiled while app.wasm is: the app asks for it later and finds it under
// way. If it fails, the app's own start tries again and hears why.
rpc.start();
rpc.onprogress = (fraction) => window.rebalanceLab.onprogress?.(fraction);
rpc.onrestart = (message) => window.rebalanceLab.onrestart?.(message);
