// Draws partition tapes. One cell is one offset; what each look means is said beside it.

import { pixelRatio, prepare } from "./theme.js";
import { Pin } from "./blocks.js";
import { Cell, cellAt, cellRuns, tapeLayout, tapeWindow } from "./tape.js";

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{width: number, height: number}} size CSS pixels
 * @param {import("./blocks.js").Tape} tape
 * @param {import("./theme.js").Theme} theme
 */
export function drawTape(canvas, size, tape, theme) {
  const ctx = prepare(canvas, size.width, size.height);
  const layout = tapeLayout(size.width, size.height);
  const { first, shift } = tapeWindow(tape, layout.count, !theme.calm && !layout.tight);
  const place = (offset) => layout.left + (offset - first - shift) * layout.pitch;
  const look = { ctx, theme, tape, layout, color: theme.client(tape.color) };
  if (layout.tight) {
    drawBands(look, first, place);
  } else {
    ctx.save();
    ctx.beginPath();
    ctx.rect(layout.left - 1, 0, size.width, size.height);
    ctx.clip();
    const last = first + layout.count + (shift > 0 ? 1 : 0);
    for (let offset = first; offset < last; offset++) drawCell(look, offset, place(offset));
    ctx.restore();
  }
  drawMarkers(look, first, place, size);
  drawPins(look, first, place);
}

// A tape too low for cells: a band for each run of offsets of one kind.
function drawBands({ ctx, theme, tape, layout, color }, first, place) {
  const shade = {
    [Cell.committed]: [color, 0.92], [Cell.done]: [color, 0.5], [Cell.work]: [color, 1],
    [Cell.buffered]: [color, 0.22], [Cell.waiting]: [theme.colors.line, 1],
    [Cell.unseen]: [theme.colors.line, 0.5],
  };
  for (const { kind, from, to } of cellRuns(tape, first, layout.count)) {
    if (!shade[kind]) continue;
    const [ink, alpha] = shade[kind];
    const box = [place(from), layout.top, (to - from) * layout.pitch - layout.gap, layout.height];
    ctx.globalAlpha = alpha;
    ctx.fillStyle = tape.dead && kind === Cell.done
      ? theme.hatch(ctx, ink, { period: 4, width: 1.6 })
      : ink;
    ctx.fillRect(...box);
  }
  ctx.globalAlpha = 1;
}

function drawCell(look, offset, x) {
  const { ctx, theme, tape, layout, color } = look;
  const { line, dim } = theme.colors;
  const box = [x, layout.top, layout.pitch - layout.gap, layout.height];
  switch (cellAt(tape, offset)) {
    case Cell.committed:
      fill(ctx, box, color, 0.92);
      if (tape.dead) hatchBox(look, box, theme.colors.panel, 0.45);
      break;
    case Cell.done: // lighter: done here, but the group does not know
      fill(ctx, box, color, 0.45);
      if (tape.dead) hatchBox(look, box, theme.colors.panel, 0.75);
      outline(ctx, box, color, 0.6);
      break;
    case Cell.work: // filled as far as the work is done
      fill(ctx, box, color, 0.12);
      fill(ctx, [x, box[1], box[2] * tape.done, box[3]], color, 1);
      outline(ctx, box, color, 1, 1.5);
      break;
    case Cell.buffered: // outlined tint: in the consumer's memory
      fill(ctx, box, color, tape.dead ? 0.08 : 0.16);
      outline(ctx, box, color, tape.dead ? 0.5 : 0.95);
      break;
    case Cell.waiting: // hollow: in the log, nobody has fetched it
      outline(ctx, box, line, 1);
      break;
    case Cell.unseen: // hatched: not replicated to all in-sync replicas
      hatchBox(look, box, dim, 0.4);
      outline(ctx, box, line, 1);
      break;
  }
  if (offset % 10 === 0 && cellAt(tape, offset) !== Cell.none) drawTick(look, x);
}

// Every tenth offset has a tick below, as on a ruler, so that the eye can follow a tape that moves.
function drawTick({ ctx, theme, layout }, x) {
  if (layout.height < 12) return;
  ctx.fillStyle = theme.colors.dim;
  ctx.fillRect(x, layout.top + layout.height + 1.5, 1, 3);
}

function drawMarkers({ ctx, theme, tape, layout, color }, first, place, size) {
  const { top, height, left } = layout;
  const end = left + layout.count * layout.pitch;
  if (tape.committed >= 0) {
    const x = place(tape.committed) - layout.gap / 2;
    ctx.fillStyle = theme.colors.ink;
    if (tape.committed < first) {
      arrow(ctx, 1, top + height / 2, Math.min(5, height / 2));
    } else if (x <= end) {
      ctx.fillRect(snap(Math.max(x, left - 1) - 1), Math.max(0, top - 3), 2, height + 6);
    }
  }
  if (tape.position >= first && size.height >= 16) {
    const x = place(tape.position) - layout.gap / 2;
    if (x <= end + 1) triangle(ctx, x, top + height + 1, color);
  }
}

// What other groups have stands on the tape in their own colour: a thin line where they have
// committed, a small triangle above where they are. The log end of a follower is a notch in the
// upper edge, that of one out of sync in the colour of what is bad. An arrow points at what is further
// left.
function drawPins({ ctx, theme, tape, layout }, first, place) {
  const { top, height, left, gap, tight } = layout;
  const end = left + layout.count * layout.pitch;
  for (const [kind, color, offset] of tape.pins) {
    const x = place(offset) - gap / 2;
    if (x > end || tight && kind !== Pin.committed) continue;
    ctx.fillStyle = kind === Pin.behind ? theme.colors.bad : theme.client(color);
    if (offset < first) arrow(ctx, 1, top + height - 3, 3);
    else if (kind === Pin.committed) ctx.fillRect(snap(x - 0.5), top, 1, height);
    else if (kind === Pin.position) triangle(ctx, x, top + 3, theme.client(color), -1);
    else {
      ctx.fillRect(snap(x - 0.5), 0, 1, top + 4);
      ctx.fillRect(snap(x - 2.5), 0, 3, 1);
    }
  }
}

function snap(x) {
  const ratio = pixelRatio();
  return Math.round(x * ratio) / ratio;
}

function fill(ctx, [x, y, w, h], color, alpha) {
  if (w <= 0) return;
  ctx.globalAlpha = alpha;
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, Math.min(2, w / 2));
  ctx.fill();
  ctx.globalAlpha = 1;
}

function outline(ctx, [x, y, w, h], color, alpha, width = 1) {
  ctx.globalAlpha = alpha;
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.roundRect(x + width / 2, y + width / 2, w - width, h - width, Math.min(2, w / 2));
  ctx.stroke();
  ctx.globalAlpha = 1;
}

function hatchBox({ ctx, theme }, box, color, alpha) {
  fill(ctx, box, theme.hatch(ctx, color, { period: 4, width: 1.2 }), alpha);
}

function arrow(ctx, x, y, size) {
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + size, y - size);
  ctx.lineTo(x + size, y + size);
  ctx.fill();
}

// A triangle that points up at a tape from below, or with up = -1 down at it from above.
function triangle(ctx, x, y, color, up = 1) {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x - 4, y + 5 * up);
  ctx.lineTo(x + 4, y + 5 * up);
  ctx.fill();
}
