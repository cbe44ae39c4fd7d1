// Draws the lanes of a timeline: what every process, group and partition is in, and what happens to
// it. Looks differ in shape or pattern too, never in colour alone.

import { Lane, Mark, Seg } from "./blocks.js";
import { placeSegments } from "./scale.js";
import { MONO } from "./theme.js";

const WORD_MARGIN = 28; // of what a segment is, something must show beside the word
const WIDE = 6; // narrower segments have no round corners, no gap and no outline

/**
 * @typedef {object} LaneBox place of one lane
 * @property {number} y
 * @property {number} height
 * @property {import("./blocks.js").Segment[]} segments
 * @property {{kind: number, name: string, color: number}} lane
 */

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {LaneBox} box
 * @param {{scale: import("./scale.js").Scale, width: number,
 *   theme: import("./theme.js").Theme}} view
 */
export function drawLane(ctx, box, view) {
  for (const place of placeSegments(box.segments, view.scale, view.width)) {
    drawSegment(ctx, box, place, view.theme);
  }
}

function drawSegment(ctx, box, { segment, x, width }, theme) {
  const { accent, bad, warn, dim } = theme.colors;
  const own = theme.client(box.lane.kind === Lane.partition ? segment.value : box.lane.color);
  const paint = new Bar(ctx, box, x, width);
  switch (segment.kind) {
    case Seg.work: return paint.solid(own, 0.95);
    case Seg.poll: return paint.solid(own, 0.28);
    case Seg.commit: return paint.solid(own, 0.55).under(own);
    case Seg.callback: return paint.solid(own, 0.55).under(warn);
    case Seg.idle: return paint.thin(own, 0.55);
    case Seg.sleep: return paint.dotted(own);
    case Seg.rebalancing:
    case Seg.preparing: return paint.hatched(theme.hatch(ctx, warn, { period: 5, width: 3 }), 1);
    case Seg.completing:
      return paint.solid(warn, 0.25)
        .hatched(theme.hatch(ctx, warn, { period: 5, width: 1.6, slope: -1 }), 1);
    case Seg.frozen:
      return paint.solid(own, 0.12)
        .hatched(theme.hatch(ctx, dim, { period: 4, width: 1, slope: -1 }), 0.6).outlined(own);
    case Seg.dead: return paint.hatched(theme.hatch(ctx, bad, { period: 4.3, width: 1.2 }), 0.6);
    case Seg.owned: return paint.inset(1).solid(own, 0.75);
    case Seg.unread: return paint.inset(1).dashed(bad);
    case Seg.stable: return paint.solid(accent, 0.35);
    case Seg.empty: return paint.outlined(dim);
    case Seg.produce: return paint.solid(dim, 0.6);
  }
  return paint;
}

/** One segment's box; the looks can be put on top of each other. */
class Bar {
  constructor(ctx, { y, height }, x, width) {
    this.ctx = ctx;
    // A hair of space parts neighbours once they are wide enough to be told apart.
    const wide = width >= WIDE;
    this.x = x;
    this.y = y;
    this.width = wide ? width - 1 : Math.max(width, 1);
    this.height = height;
    this.radius = wide ? 2 : 0;
  }

  inset(by) {
    if (this.height < 7) return this;
    this.y += by;
    this.height -= 2 * by;
    return this;
  }

  solid(color, alpha) {
    const { ctx } = this;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = color;
    if (this.radius === 0) {
      ctx.fillRect(this.x, this.y, this.width, this.height);
    } else {
      ctx.beginPath();
      ctx.roundRect(this.x, this.y, this.width, this.height, this.radius);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
    return this;
  }

  hatched(pattern, alpha) {
    return this.solid(pattern, alpha);
  }

  thin(color, alpha) {
    const { ctx } = this;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = color;
    ctx.fillRect(this.x, this.y + this.height / 2 - 1, this.width, 2);
    ctx.globalAlpha = 1;
    return this;
  }

  dotted(color) {
    return this.#line(color, [1, 3], (ctx) => {
      ctx.moveTo(this.x, this.y + this.height / 2);
      ctx.lineTo(this.x + this.width, this.y + this.height / 2);
    }, 2);
  }

  under(color) {
    const { ctx } = this;
    ctx.fillStyle = color;
    ctx.fillRect(this.x, this.y + this.height - 3, this.width, 3);
    return this;
  }

  outlined(color) {
    if (this.radius === 0) return this.thin(color, 0.8);
    return this.#line(color, [], (ctx) => this.#outline(ctx));
  }

  dashed(color) {
    if (this.radius === 0) return this.thin(color, 1);
    return this.#line(color, [3, 3], (ctx) => this.#outline(ctx));
  }

  #outline(ctx) {
    ctx.roundRect(this.x + 0.5, this.y + 0.5, this.width - 1, this.height - 1, this.radius);
  }

  #line(color, dash, path, width = 1) {
    const { ctx } = this;
    ctx.strokeStyle = color;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.beginPath();
    path(ctx);
    ctx.stroke();
    ctx.setLineDash([]);
    return this;
  }
}

/**
 * Writes words into a segment: the first of them that fits, if any.
 * @param {CanvasRenderingContext2D} ctx
 * @param {LaneBox} box
 * @param {{x: number, width: number}} place
 * @param {string[]} words
 * @param {number} kind of the segment
 * @param {import("./theme.js").Theme} theme
 */
export function drawWords(ctx, { y, height }, { x, width }, words, kind, theme) {
  ctx.font = `10px ${MONO}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const text = words.find((word) => widthOf(ctx, word) + WORD_MARGIN <= width);
  if (!text) return;
  const { ink, bad, panel } = theme.colors;
  if (kind !== Seg.stable) { // on a hatch, letters need ground
    const ground = widthOf(ctx, text) + 8;
    ctx.globalAlpha = 0.9;
    ctx.fillStyle = panel;
    ctx.fillRect(x + width / 2 - ground / 2, y, ground, height);
    ctx.globalAlpha = 1;
  }
  ctx.fillStyle = kind === Seg.unread || kind === Seg.dead ? bad : ink;
  ctx.fillText(text, x + width / 2, y + height / 2 + 0.5);
}

// Words are the same ones frame after frame. All are in the one font of drawWords.
const widths = new Map();
const MOST_WIDTHS = 2000;

function widthOf(ctx, word) {
  let width = widths.get(word);
  if (width === undefined) {
    if (widths.size >= MOST_WIDTHS) widths.clear(); // lengths of time make ever new words
    width = ctx.measureText(word).width;
    widths.set(word, width);
  }
  return width;
}

/**
 * Marks of one lane. Those of all lanes (lane -1) are lines and drawn by drawLines.
 * @param {CanvasRenderingContext2D} ctx
 * @param {LaneBox} box
 * @param {{kind: number, at: number}[]} marks
 */
export function drawMarks(ctx, box, marks, { scale, width, theme }) {
  const middle = box.y + box.height / 2;
  const { panel, ok, bad, ink } = theme.colors;
  let beat = -Infinity;
  for (const { kind, at } of marks) {
    const x = scale.x(at);
    if (x < -4 || x > width + 4) continue;
    switch (kind) {
      case Mark.beat:
        if (x - beat < 5 || box.height < 7) break; // dots that touch say nothing more
        beat = x;
        disc(ctx, x, middle, 1.8, panel);
        break;
      case Mark.commit:
        ctx.fillStyle = ok;
        ctx.fillRect(x - 0.75, box.y + box.height - 3, 1.5, 5);
        break;
      case Mark.error:
        disc(ctx, x, middle, 4, panel);
        cross(ctx, x, middle, 2.6, bad);
        break;
      case Mark.kill:
        disc(ctx, x, middle, 5, panel);
        cross(ctx, x, middle, 3.4, bad);
        break;
      case Mark.start:
        flag(ctx, x, box, ink);
        break;
      case Mark.freeze:
        ctx.fillStyle = ink;
        ctx.fillRect(x, box.y + 1, 2, box.height - 2);
        ctx.fillRect(x + 3.5, box.y + 1, 2, box.height - 2);
        break;
    }
  }
}

/** Lines over all lanes: kills, and commands as arrow heads under the axis. */
export function drawLines(ctx, marks, { scale, width, theme }, { top, bottom }) {
  const { bad, warn, dim } = theme.colors;
  const look = { [Mark.kill]: bad, [Mark.command]: dim, [Mark.rebalance]: warn };
  for (const { kind, at } of marks) {
    const x = scale.x(at);
    if (!look[kind] || x < 0 || x > width) continue;
    ctx.strokeStyle = look[kind];
    ctx.fillStyle = look[kind];
    ctx.lineWidth = 1;
    ctx.setLineDash(kind === Mark.kill ? [2, 3] : [1, 4]);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
    ctx.setLineDash([]);
    if (kind !== Mark.command) continue;
    ctx.beginPath();
    ctx.moveTo(x - 3.5, top - 5);
    ctx.lineTo(x + 3.5, top - 5);
    ctx.lineTo(x, top);
    ctx.fill();
  }
}

function disc(ctx, x, y, radius, color) {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 7);
  ctx.fill();
}

function cross(ctx, x, y, size, color) {
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.6;
  ctx.beginPath();
  ctx.moveTo(x - size, y - size);
  ctx.lineTo(x + size, y + size);
  ctx.moveTo(x + size, y - size);
  ctx.lineTo(x - size, y + size);
  ctx.stroke();
}

function flag(ctx, x, { y, height }, color) {
  ctx.fillStyle = color;
  ctx.fillRect(x, y, 1.5, height);
  ctx.beginPath();
  ctx.moveTo(x + 1, y);
  ctx.lineTo(x + 6, y + 3);
  ctx.lineTo(x + 1, y + 6);
  ctx.fill();
}
