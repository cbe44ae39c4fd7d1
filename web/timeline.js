// The timeline as the page knows it: what is shown, and what the reader does with it.

import { Lane } from "./blocks.js";
import { Board } from "./board.js";
import { listen } from "./gestures.js";
import { clampRange, followRange, panRange, shortNames, timeScale, zoomRange } from "./scale.js";
import { SpanSource } from "./span.js";

/**
 * @typedef {object} Model all that the picture is made of; times in ns
 * @property {import("./scale.js").Range} range what is shown
 * @property {number} horizon end of the run
 * @property {number} ns the cursor
 * @property {number} seen the future begins here: it is drawn when somebody has looked at it
 * @property {{nodes: string[], parts: string[],
 *   lanes: {kind: number, name: string, color: number}[]}} scene
 * @property {string[]} names of lanes, short where that is clear
 * @property {number[]} partLanes lanes that are partitions: lag curves are numbered as these
 * @property {import("./blocks.js").TimelineBlock|undefined} block
 * @property {import("./blocks.js").TimelineBlock|undefined} whole block of the whole run
 * @property {Map<number, {kind: number, at: number}[]>} marks by lane
 * @property {import("./front.js").Branch[]} branches
 * @property {{x: number, y: number}|undefined} hover
 * @property {number} scroll pixels by which the lanes are moved up
 */

export class Timeline {
  #theme;
  #source;
  #player;
  #canvas;
  #board;
  #unlisten;
  #frame = 0;
  #sizes = new ResizeObserver(() => this.redraw());
  /** @type {Model} */
  #model = {
    range: { from: 0, to: 60e9 }, horizon: 0, ns: 0, seen: 0,
    scene: { nodes: [], parts: [], lanes: [] }, names: [], partLanes: [],
    block: undefined, whole: undefined, marks: new Map(), branches: [], hover: undefined, scroll: 0,
  };

  /** Called with (fromNs, toNs) when the reader zooms or pans, or the cursor leaves the picture. */
  onrange = null;
  /** Called with the time under a press or drag; the player is already on its way there. */
  onseek = null;
  /**
   * Called with {lane, kind, ns} for a press on a lane (lane is its name), or {branch} (its id) for
   * one on a branch.
   */
  onpick = null;

  /**
   * @param {import("./rpc.js").Rpc} rpc
   * @param {import("./theme.js").Theme} theme
   */
  constructor(rpc, theme) {
    this.#theme = theme;
    this.#source = new SpanSource(rpc, (block) => this.#take(block));
    theme.onchange(() => this.redraw());
  }

  /** The player that scrubbing moves. */
  setPlayer(player) {
    this.#player = player;
  }

  /** Draws into this canvas from now on; null lets go of it. */
  attach(canvas) {
    if (canvas !== this.#canvas) {
      this.#unlisten?.();
      this.#sizes.disconnect();
      this.#canvas = canvas ?? undefined;
      this.#board = canvas ? new Board(canvas, this.#theme) : undefined;
      if (canvas) {
        this.#unlisten = listen(canvas, this.#actions());
        this.#sizes.observe(canvas);
      }
    }
    this.redraw();
  }

  /** A lab was opened: of its run nothing is seen but what lies before the cursor. */
  open(lab, horizon, scene) {
    const model = this.#model;
    const whole = model.range.from <= 0 && model.range.to >= model.horizon;
    const parts = scene.lanes.filter(({ kind }) => kind === Lane.partition);
    const short = shortNames(parts.map(({ name }) => name));
    Object.assign(model, {
      horizon, scene, block: undefined, whole: undefined, marks: new Map(),
      ns: Math.min(model.ns, horizon), seen: Math.min(model.ns, horizon),
      partLanes: parts.map((lane) => scene.lanes.indexOf(lane)),
      names: scene.lanes.map((lane) => short[parts.indexOf(lane)] ?? lane.name),
      range: clampRange(whole ? { from: 0, to: horizon } : model.range, horizon),
    });
    this.#source.open(lab, horizon);
    this.redraw();
  }

  /** The run now ends here. */
  horizon(ns) {
    const { range, horizon } = this.#model;
    const whole = range.from <= 0 && range.to >= horizon;
    this.#model.horizon = ns;
    this.range(range.from, whole ? ns : range.to);
  }

  /** Shows a part of the run. */
  range(from, to) {
    this.#model.range = clampRange({ from, to }, this.#model.horizon);
    this.redraw();
  }

  /** What is shown, as {from, to} in ns. */
  get shown() {
    return { ...this.#model.range };
  }

  /**
   * Counts everything up to a time as seen, and returns what is. A time before that hides nothing:
   * what was seen once stays until another lab is opened.
   */
  seen(ns = 0) {
    if (this.#see(ns)) this.#later();
    return this.#model.seen;
  }

  #see(ns) {
    const { seen, horizon } = this.#model;
    if (ns > seen) this.#model.seen = Math.min(ns, horizon);
    return ns > seen;
  }

  /**
   * Marks branches, given as an array or its JSON.
   * @param {import("./front.js").Branch[]|string} list
   */
  branches(list) {
    this.#model.branches = typeof list === "string" ? JSON.parse(list) : [...list];
    this.#later();
  }

  /** Moves the lanes up by so many pixels, for when there are more than fit. */
  scroll(pixels) {
    this.#model.scroll = Math.max(0, pixels);
    this.redraw();
  }

  /** The cursor is here now. */
  tick(ns, playing) {
    this.#model.ns = ns;
    this.#see(ns);
    if (playing) this.#show(followRange(this.#model.range, ns, this.#model.horizon));
    this.#draw();
  }

  /** Measures and draws everything again. */
  redraw() {
    if (!this.#board) return;
    this.#source.load(this.#model.range, this.#canvas.clientWidth);
    this.#board.invalidate();
    this.#later();
  }

  #later() {
    if (this.#board) this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    if (this.#frame) cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#board?.draw(this.#model);
  }

  #take(block) {
    this.#model.block = block;
    if (block.from <= 0 && block.to >= this.#model.horizon) this.#model.whole = block;
    const marks = new Map();
    for (const mark of block.marks) {
      if (!marks.has(mark.lane)) marks.set(mark.lane, []);
      marks.get(mark.lane).push(mark);
    }
    this.#model.marks = marks;
    this.#board?.invalidate();
    this.#later();
  }

  #show(range) {
    const { from, to } = this.#model.range;
    if (range.from === from && range.to === to) return;
    this.#model.range = range;
    this.redraw();
    this.onrange?.(Math.round(range.from), Math.round(range.to));
  }

  #actions() {
    const model = this.#model;
    const nsPerPixel = () => (model.range.to - model.range.from) / this.#board.width;
    return {
      press: (x, y) => this.#press(x, y),
      scrub: (x, dragging) => this.#scrub(x, dragging),
      pan: (dx) => this.#show(panRange(model.range, dx * nsPerPixel(), model.horizon)),
      zoom: (factor, x) => {
        const at = timeScale(model.range, this.#board.width).ns(x);
        this.#show(zoomRange(model.range, factor, at, model.horizon));
      },
      whole: () => this.#show(clampRange({ from: 0, to: model.horizon }, model.horizon)),
      hover: (at) => {
        model.hover = at;
        this.#later();
      },
    };
  }

  #press(x, y) {
    const { branch, lane, ns } = this.#board.at({ x, y }, this.#model);
    if (branch) {
      this.onpick?.({ branch: branch.id });
      return true;
    }
    const what = this.#model.scene.lanes[lane];
    if (what) this.onpick?.({ lane: what.name, kind: what.kind, ns: Math.round(ns) });
    return false;
  }

  #scrub(x, dragging) {
    const { range, horizon, ns: before } = this.#model;
    const ns = Math.round(timeScale(range, this.#board.width).ns(x));
    const moment = Math.min(Math.max(ns, 0), horizon);
    this.#player?.hold(dragging);
    if (moment === before) return;
    this.#model.ns = moment; // the cursor is under the finger at once, its frame follows
    this.seen(moment);
    this.#later();
    this.#player?.seek(moment);
    this.onseek?.(moment);
  }
}
