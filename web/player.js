// The player: turns wall time into moments of a lab and fetches a frame for each. There is never
// more than one question under way: a moment that passes meanwhile is simply not drawn.

import { readPaint } from "./blocks.js";
import { Clock } from "./clock.js";
import { momentOfView } from "./codec.js";

/** The page gets a view at most this often while the cursor is dragged. */
export const VIEW_EVERY_MS = 100;
/** While time runs, words and numbers that change more often than this cannot be read anyway. */
const PLAYED_VIEW_EVERY_MS = 200;

/**
 * @typedef {object} Frame
 * @property {number} lab
 * @property {number} ns
 * @property {number} index -1 unless the moment is named by an event index
 */

export class Player {
  #rpc;
  #hooks;
  #clock = new Clock();
  #lab = -1;
  #opening = 0; // counts open(): an answer for an earlier lab is dropped
  #index = -1;
  #wanted = false; // the moment differs from what was asked for last
  #viewOwed = false;
  #viewAt = -Infinity;
  #viewTimer = 0;
  #inFlight = false;
  #held = false;
  #frameRequest = 0;
  #failed = false;

  /**
   * Called with a whole answer to OpView at most five times a second while playing, and once at
   * every stop and seek.
   * @type {((view: Uint8Array, ns: number, playing: boolean) => void)|null}
   */
  onframe = null;
  /** Called with the Error when frames cannot be had any more (the engine ended). */
  onerror = null;

  /**
   * @param {import("./rpc.js").Rpc} rpc
   * @param {{opened: Function, horizon: Function, paint: Function, tick: Function}} hooks
   *   opened(lab, horizonNs, scene), horizon(ns), paint(block), tick(ns, playing)
   */
  constructor(rpc, hooks) {
    this.#rpc = rpc;
    this.#hooks = hooks;
    document.addEventListener("visibilitychange", () => this.#schedule());
  }

  /**
   * Chooses the lab that frames come from, at the moment ns, by default the one shown before (or the horizon if that is
   * earlier). scene is view.Scene as JSON, or the same as an object.
   */
  open(lab, horizonNs, scene, ns = this.#clock.ns) {
    this.#opening++;
    this.#lab = lab;
    this.#failed = false;
    this.#clock.horizon = horizonNs;
    this.#hooks.opened(lab, horizonNs, typeof scene === "string" ? JSON.parse(scene) : scene);
    this.seek(ns);
  }

  /** Forgets the lab: nothing more is asked. */
  close() {
    this.#opening++;
    this.#lab = -1;
    this.#clock.pause();
  }

  seek(ns) {
    this.#clock.seek(ns);
    this.#index = -1;
    this.#want();
  }

  seekIndex(index) {
    this.#clock.pause();
    this.#index = index;
    this.#want();
  }

  play(speed) {
    if (this.#clock.ns >= this.#clock.horizon) this.#clock.seek(0);
    this.#index = -1;
    this.#clock.play(speed);
    this.#want();
  }

  pause() {
    this.#clock.pause();
    this.#want();
  }

  speed(factor) {
    this.#clock.speed = factor;
  }

  /** The run now ends here. */
  horizon(ns) {
    this.#clock.horizon = ns;
    if (this.#clock.ns > ns) this.seek(ns);
    this.#hooks.horizon(ns);
  }

  /** While true, playing waits: the reader holds the cursor. */
  hold(on) {
    this.#held = on;
    if (!on) this.#clock.seek(this.#clock.ns);
    this.#schedule();
  }

  get ns() {
    return this.#clock.ns;
  }

  get playing() {
    return this.#clock.playing;
  }

  /** Asks for the present moment again, with its view. */
  refresh() {
    this.#want();
  }

  #want() {
    this.#wanted = true;
    this.#viewOwed = true;
    this.#schedule();
  }

  #schedule() {
    if (this.#frameRequest || this.#lab < 0 || this.#failed) return;
    this.#frameRequest = requestAnimationFrame((wall) => {
      this.#frameRequest = 0;
      this.#frame(wall);
    });
  }

  #frame(wall) {
    const wasPlaying = this.#clock.playing;
    if (!this.#held) this.#clock.tick(wall);
    if (wasPlaying && !this.#clock.playing) this.#viewOwed = true; // it reached the horizon
    this.#hooks.tick(this.#clock.ns, this.#clock.playing);
    if (wasPlaying || this.#wanted) this.#ask(wall);
    if (this.#clock.playing) this.#schedule();
  }

  #ask(wall) {
    if (this.#inFlight) {
      this.#wanted = true; // asked when the answer is here
      return;
    }
    const every = this.#clock.playing && !this.#held ? PLAYED_VIEW_EVERY_MS : VIEW_EVERY_MS;
    const early = wall - this.#viewAt < every;
    const view = (this.#viewOwed || this.#clock.playing) && !early;
    if (this.#viewOwed && early) this.#askForViewLater(every - (wall - this.#viewAt));
    if (view) {
      this.#viewAt = wall;
      this.#viewOwed = false;
    }
    this.#wanted = false;
    this.#inFlight = true;
    const opening = this.#opening;
    const frame = { lab: this.#lab, ns: this.#clock.ns, index: this.#index };
    this.#rpc.post({ frame, view }).then(
      (reply) => this.#answered(reply, frame, opening),
      (error) => this.#broken(error, opening),
    );
  }

  #askForViewLater(wait) {
    clearTimeout(this.#viewTimer);
    this.#viewTimer = setTimeout(() => {
      if (this.#viewOwed) this.#want();
    }, wait);
  }

  #answered({ buffer, split }, frame, opening) {
    this.#inFlight = false;
    if (this.#wanted || this.#clock.playing) this.#schedule();
    if (opening !== this.#opening) return;
    const view = new Uint8Array(buffer, split);
    if (frame.index >= 0 && frame.index === this.#index) this.#landed(view, buffer, split);
    const block = readPaint(new Uint8Array(buffer, 0, split));
    if (block) this.#hooks.paint(block);
    if (view.length === 0) return;
    const ns = momentOfView(view) ?? frame.ns;
    this.onframe?.(view, ns, this.#clock.playing);
  }

  // The clock learns what time an event index stands for; the cursor goes there.
  #landed(view, buffer, split) {
    const paint = view.length ? undefined : readPaint(new Uint8Array(buffer, 0, split));
    const ns = view.length ? momentOfView(view) : paint?.ns;
    if (ns === undefined) return;
    this.#clock.seek(ns);
    this.#hooks.tick(this.#clock.ns, false);
  }

  #broken(error, opening) {
    this.#inFlight = false;
    if (opening !== this.#opening) return;
    this.#clock.pause();
    this.#failed = true; // until a lab is opened again
    this.onerror?.(error);
  }
}
