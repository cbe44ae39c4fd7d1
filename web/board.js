// The timeline's picture. What stands still is drawn once into a layer of its own; each frame
// copies as much of that as the reader has seen and puts the cursor on top.

import { Mark } from "./blocks.js";
import {
  drawAxis, drawBranches, drawCursor, drawFuture, drawHover, drawLagValues,
} from "./front.js";
import { AXIS, BRANCHES, LAG, LANE } from "./geometry.js";
import { MOST_CURVES, drawLag, drawLagAxis, drawLagScale } from "./lag.js";
import { drawLane, drawLines, drawMarks, drawWords } from "./lanes.js";
import { axisTop, largestLag, placeSegments, timeScale } from "./scale.js";
import {
  fullExtent, hoverRows, lagLabels, ownerState, segmentWords, spanSeen,
} from "./tell.js";
import { pixelRatio, prepare } from "./theme.js";

/** Narrower or lower segments have no room for a word. */
const WORD_WIDTH = 44;
const WORD_HEIGHT = 9;
const LAG_MARGIN = 7;
const CURVES_EVERY_MS = 500;

export class Board {
  #theme;
  #canvas;
  #layer = document.createElement("canvas");
  #stale = true;
  #width = 0;
  #height = 0;
  #lane = LANE;
  #lanesBottom = AXIS;
  #chart = { y: 0, height: 0, top: 10, curves: [] };
  #branchPlaces = [];
  #fittedAt = -Infinity;
  #wide = []; // segments with room for words, by lane

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import("./theme.js").Theme} theme
   */
  constructor(canvas, theme) {
    this.#canvas = canvas;
    this.#theme = theme;
  }

  get width() {
    return this.#width || this.#canvas.clientWidth;
  }

  /** The layer does not show any more what it should. */
  invalidate() {
    this.#stale = true;
  }

  /**
   * Draws one frame.
   * @param {import("./timeline.js").Model} model
   */
  draw(model) {
    if (!this.#canvas.isConnected) return;
    if (this.#stale) this.#measure(model);
    if (this.#fitLag(model) || this.#stale) this.#drawLayer(model);
    this.#stale = false;
    const ctx = prepare(this.#canvas, this.#width, this.#height);
    const view = this.#view(model);
    const span = this.#span();
    const cursor = view.scale.x(model.ns);
    drawAxis(ctx, model.range, view, span);
    drawLagAxis(ctx, this.#chart, view);
    this.#copyLayer(ctx, Math.min(Math.max(view.scale.x(model.seen), 0), this.#width));
    drawLagScale(ctx, this.#chart, view);
    this.#drawWords(ctx, model, view);
    drawFuture(ctx, cursor, view, span);
    this.#branchPlaces = drawBranches(ctx, model.branches, view, this.#height);
    if (model.block) {
      const labels = lagLabels(model, this.#chart, this.#theme);
      if (cursor >= 0 && cursor <= this.#width) {
        drawLagValues(ctx, cursor, labels, this.#chart, view);
      }
    }
    drawCursor(ctx, cursor, view, span);
    if (model.hover) this.#drawHover(ctx, model, view);
  }

  /**
   * What is at a place of the canvas.
   * @returns {{ns: number, lane: number, inLag: boolean,
   *   branch: import("./front.js").Branch|undefined}} lane is -1 for none
   */
  at({ x, y }, model) {
    const ns = timeScale(model.range, this.#width).ns(x);
    const index = Math.floor((y - AXIS + model.scroll) / this.#lane);
    const inLanes = y >= AXIS && y < this.#lanesBottom && index < model.scene.lanes.length;
    const inStrip = y > this.#height - BRANCHES - 6;
    const branch = inStrip
      ? this.#branchPlaces.find(({ from, to }) => x >= from && x <= to)?.branch
      : undefined;
    const inLag = y >= this.#chart.y && y < this.#height - BRANCHES;
    return { ns, lane: inLanes ? index : -1, inLag, branch };
  }

  #view(model) {
    return {
      scale: timeScale(model.range, this.#width), width: this.#width, height: this.#height,
      theme: this.#theme,
    };
  }

  #span() {
    return { top: AXIS, bottom: this.#height - BRANCHES };
  }

  #measure(model) {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const style = getComputedStyle(this.#canvas);
    const lag = parseFloat(style.getPropertyValue("--lag")) || LAG;
    this.#lane = parseFloat(style.getPropertyValue("--lane")) || LANE;
    this.#width = width;
    this.#height = height;
    const room = Math.max(height - BRANCHES - lag, AXIS);
    this.#lanesBottom = Math.min(AXIS + model.scene.lanes.length * this.#lane, room);
    this.#chart.y = this.#lanesBottom + LAG_MARGIN;
    this.#chart.height = Math.max(height - BRANCHES - 1 - this.#chart.y, 1);
    prepare(this.#canvas, width, height);
    // A canvas without a height in its style grows with its pixels: then this is its height.
    if (this.#canvas.clientHeight !== height) this.#canvas.style.height = `${height}px`;
  }

  // The axis must not tell what is still to come, so it fits what was seen.
  #fitLag({ block, range, seen }) {
    if (!block) return false;
    const visible = { from: range.from, to: Math.min(range.to, seen) };
    const { top, curves } = largestLag(block.lag, block, visible, MOST_CURVES);
    const fits = axisTop(top);
    const { top: before, curves: had } = this.#chart;
    const others = curves.some((curve) => !had.includes(curve));
    // Of many curves near each other the largest change all the time: the layer cannot follow.
    const now = performance.now();
    if (fits === before && !(others && now - this.#fittedAt > CURVES_EVERY_MS)) return false;
    this.#fittedAt = now;
    this.#chart.top = fits;
    this.#chart.curves = curves;
    return true;
  }

  #drawLayer(model) {
    const { block, marks, partLanes } = model;
    const ctx = prepare(this.#layer, this.#width, this.#height);
    if (!block) return;
    const view = this.#view(model);
    const boxes = this.#boxes(model);
    this.#findWide(boxes, view);
    this.#inLanes(ctx, () => {
      for (const box of boxes) drawLane(ctx, box, view);
    });
    const owners = partLanes.map((index) => block.lanes[index] ?? []);
    drawLag(ctx, block, owners, this.#chart, view);
    const lines = block.marks.filter(({ kind }) => kind === Mark.kill || kind === Mark.command);
    drawLines(ctx, lines, view, this.#span());
    this.#inLanes(ctx, () => {
      for (const box of boxes) drawMarks(ctx, box, marks.get(box.index) ?? [], view);
    });
  }

  #inLanes(ctx, draw) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(0, AXIS, this.#width, this.#lanesBottom - AXIS);
    ctx.clip();
    draw();
    ctx.restore();
  }

  /** Places of the lanes that are in the picture. */
  #boxes({ scene, block, scroll }) {
    const boxes = [];
    const space = this.#lane < 10 ? 1 : 4;
    scene.lanes.forEach((lane, index) => {
      const y = AXIS + index * this.#lane - scroll;
      if (y + this.#lane < AXIS || y > this.#lanesBottom) return;
      const segments = block?.lanes[index] ?? [];
      boxes.push({ index, lane, y: y + space / 2, height: this.#lane - space, segments });
    });
    return boxes;
  }

  #copyLayer(ctx, seen) {
    const ratio = pixelRatio();
    const pixels = Math.round(seen * ratio);
    if (pixels < 1) return;
    const { height } = this.#layer;
    ctx.drawImage(this.#layer, 0, 0, pixels, height, 0, 0, pixels / ratio, height / ratio);
  }

  // Words follow what was seen, so they are not part of the layer.
  #drawWords(ctx, model, view) {
    if (!model.block) return;
    const edge = Math.min(view.scale.x(model.seen), this.#width);
    let above = "";
    this.#inLanes(ctx, () => {
      for (const { box, places } of this.#wide) {
        let here = "";
        for (const place of places) here += this.#drawWord(ctx, model, box, place, { edge, above });
        above = here;
      }
    });
  }

  // Most segments are too narrow for words: those need no look in each frame.
  #findWide(boxes, view) {
    this.#wide = boxes.filter(({ height }) => height >= WORD_HEIGHT).map((box) => ({
      box,
      places: placeSegments(box.segments, view.scale, view.width)
        .filter(({ width }) => width >= WORD_WIDTH),
    }));
  }

  // What the lane above says already is said shorter. Returns what was said.
  #drawWord(ctx, model, box, { segment, x, width }, { edge, above }) {
    const from = Math.max(x, 0);
    const room = Math.min(x + width, edge) - from;
    if (room < WORD_WIDTH) return "";
    const extent = fullExtent(segment, box.index, model);
    const length = extent && spanSeen(extent, model);
    let words = segmentWords(segment, ownerState(segment, model), length);
    const said = `${words[0]}|`;
    if (words.length > 1 && above.includes(said)) words = words.slice(1);
    drawWords(ctx, box, { x: from, width: room }, words, segment.kind, this.#theme);
    return said;
  }

  #drawHover(ctx, model, view) {
    const at = this.at(model.hover, model);
    const rows = hoverRows(model, at, this.#chart, this.#theme);
    drawHover(ctx, model.hover, rows, view, this.#span());
  }
}
