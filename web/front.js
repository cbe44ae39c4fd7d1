// Draws what moves or changes often in a timeline: axis, cursor, shade of the future, branches and
// what the pointer is on.

import { BRANCHES } from "./geometry.js";
import { formatTime, timeTicks } from "./scale.js";
import { MONO } from "./theme.js";

/**
 * @typedef {object} Branch another run of the same scenario
 * @property {string} id
 * @property {number} at where it leaves, in ns
 * @property {number} [to] how far it was seen, in ns
 * @property {string} name
 * @property {boolean} [shown] it is the one that the lanes show
 */

/** Time axis with its grid. */
export function drawAxis(ctx, range, { scale, width, theme }, { top, bottom }) {
  const { line, dim } = theme.colors;
  const { step, times } = timeTicks(range, width);
  ctx.font = `10px ${MONO}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.strokeStyle = line;
  ctx.fillStyle = dim;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const time of times) {
    const x = Math.round(scale.x(time)) + 0.5;
    ctx.moveTo(x, top);
    ctx.lineTo(x, bottom);
    const text = formatTime(time, step);
    if (x + ctx.measureText(text).width < width) ctx.fillText(text, x + 3, top - 7);
  }
  ctx.stroke();
}

/** A veil over what comes after the cursor. */
export function drawFuture(ctx, x, { width, theme }, { top, bottom }) {
  if (x >= width) return;
  const from = Math.max(x, 0);
  ctx.globalAlpha = 0.5;
  ctx.fillStyle = theme.colors.bg;
  ctx.fillRect(from, top, width - from, bottom - top);
  ctx.globalAlpha = 1;
}

/** The cursor: a line with a head that can be taken hold of. */
export function drawCursor(ctx, x, { width, theme }, { top, bottom }) {
  if (x < -6 || x > width + 6) return;
  const { ink, panel } = theme.colors;
  ctx.fillStyle = panel;
  ctx.fillRect(x - 1.8, top - 4, 3.6, bottom - top + 4);
  ctx.fillStyle = ink;
  ctx.fillRect(x - 0.8, top - 6, 1.6, bottom - top + 8);
  ctx.beginPath();
  ctx.roundRect(x - 6, top - 15, 12, 7, 2);
  ctx.moveTo(x - 6, top - 9);
  ctx.lineTo(x + 6, top - 9);
  ctx.lineTo(x, top - 1);
  ctx.fill();
}

/**
 * Branches in the strip at the bottom: a bar from where they leave to how far they were seen.
 * @param {CanvasRenderingContext2D} ctx
 * @param {Branch[]} branches
 * @returns {{branch: Branch, from: number, to: number}[]} places, for clicks
 */
export function drawBranches(ctx, branches, { scale, width, theme }, bottom) {
  const places = [];
  const y = bottom - BRANCHES;
  const bar = bottom - 2;
  ctx.font = `10px ${MONO}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  let taken = -Infinity; // labels never lie on each other
  for (const branch of branches) {
    const from = scale.x(branch.at);
    const to = Math.max(scale.x(branch.to ?? branch.at), from + 10);
    places.push({ branch, from: from - 6, to });
    if (to < 0 || from > width) continue;
    const color = branch.shown ? theme.colors.accent : theme.colors.dim;
    fork(ctx, { from, to, y: bar, above: y - 3 }, color, branch.shown);
    const x = Math.max(from + 10, 2);
    const text = branch.shown ? `${branch.name} (shown)` : branch.name;
    const needed = ctx.measureText(text).width;
    if (x < taken || x + needed > width) continue;
    ctx.fillStyle = theme.colors.panel;
    ctx.globalAlpha = 0.85;
    ctx.fillRect(x - 2, y, needed + 4, BRANCHES - 5);
    ctx.globalAlpha = 1;
    ctx.fillStyle = branch.shown ? theme.colors.accent : theme.colors.ink;
    ctx.fillText(text, x, y + 6.5);
    taken = x + needed + 12;
  }
  return places;
}

function fork(ctx, { from, to, y, above }, color, shown) {
  ctx.strokeStyle = color;
  ctx.lineWidth = shown ? 3 : 2;
  ctx.beginPath();
  ctx.moveTo(from - 5, above);
  ctx.quadraticCurveTo(from - 5, y, from + 2, y);
  ctx.lineTo(to, y);
  ctx.stroke();
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.arc(from - 5, above, 2.6, 0, 7);
  ctx.fill();
}

/**
 * What the pointer is on: a hair line and a box of lines of text.
 * @param {CanvasRenderingContext2D} ctx
 * @param {{x: number, y: number}} at
 * @param {{text: string, color?: string}[]} rows
 */
export function drawHover(ctx, at, rows, { width, height, theme }, { top, bottom }) {
  const { dim, ink, panel, line } = theme.colors;
  ctx.globalAlpha = 0.7;
  ctx.fillStyle = dim;
  ctx.fillRect(at.x - 0.5, top, 1, bottom - top);
  ctx.globalAlpha = 1;
  if (rows.length === 0) return;
  ctx.font = `11px ${MONO}`;
  const needed = Math.max(...rows.map(({ text }) => ctx.measureText(text).width)) + 16;
  const tall = rows.length * 15 + 8;
  const x = at.x + 12 + needed > width ? Math.max(at.x - 12 - needed, 0) : at.x + 12;
  const y = Math.min(Math.max(at.y - tall / 2, 2), height - tall - 2);
  ctx.save();
  ctx.shadowColor = "rgb(0 0 0 / .22)";
  ctx.shadowBlur = 10;
  ctx.shadowOffsetY = 2;
  ctx.fillStyle = panel;
  ctx.beginPath();
  ctx.roundRect(x, y, needed, tall, 6);
  ctx.fill();
  ctx.restore();
  ctx.strokeStyle = line;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  rows.forEach(({ text, color }, i) => {
    ctx.fillStyle = color ?? ink;
    ctx.fillText(text, x + 8, y + 12 + i * 15);
  });
}

/** Values of the lag curves beside the cursor. */
export function drawLagValues(ctx, x, labels, chart, { width, theme }) {
  ctx.font = `10px ${MONO}`;
  ctx.textBaseline = "middle";
  const left = x > width * 0.5;
  ctx.textAlign = left ? "right" : "left";
  const at = left ? x - 7 : x + 7;
  let last = -Infinity;
  for (const { text, color, value } of labels) {
    const share = 1 - Math.min(value / chart.top, 1);
    const y = Math.max(chart.y + chart.height * share, chart.y + 2, last + 11);
    if (y > chart.y + chart.height + 2) break;
    last = y;
    const needed = ctx.measureText(text).width;
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = theme.colors.panel;
    ctx.fillRect(left ? at - needed - 2 : at - 2, y - 6, needed + 4, 12);
    ctx.globalAlpha = 1;
    ctx.fillStyle = color;
    ctx.fillText(text, at, y + 0.5);
  }
}
