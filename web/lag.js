// Draws the lag chart: a curve for each of the partitions that lag most, in the colour of the
// member that owned the partition at the time.

import { Seg } from "./blocks.js";
import { sampleAt } from "./scale.js";
import { MONO } from "./theme.js";

/** More curves than this in one small chart cannot be told apart. */
export const MOST_CURVES = 8;

/** Areas of more curves than this make mud. */
const FILLED_CURVES = 2;

/**
 * @typedef {object} Chart
 * @property {number} y top of the chart
 * @property {number} height
 * @property {number} top value at the top
 * @property {number[]} curves indices into the block's lag, largest first
 */

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {import("./blocks.js").TimelineBlock} block
 * @param {import("./blocks.js").Segment[][]} owners segments of each partition lane
 * @param {Chart} chart
 */
export function drawLag(ctx, block, owners, chart, { scale, theme, width }) {
  // The largest last: it is what the reader should see.
  for (const curve of [...chart.curves].reverse()) {
    const samples = block.lag[curve];
    const filled = chart.curves.indexOf(curve) < FILLED_CURVES;
    for (const run of colorRuns(samples, block, owners[curve] ?? [])) {
      const color = theme.client(run.color);
      drawRun(ctx, samples, block, run, chart, { scale, width, color, filled });
    }
  }
}

/**
 * Parts of a curve that have one colour. A partition without an owner keeps the last one's.
 * @returns {{from: number, to: number, color: number}[]} indices of samples, both inclusive
 */
export function colorRuns(samples, { from, every }, segments) {
  const runs = [];
  let next = 0;
  let color = -1;
  for (let i = 0; i < samples.length; i++) {
    const at = from + i * every;
    while (next < segments.length && segments[next].from <= at) {
      const { kind, value } = segments[next++];
      if ((kind === Seg.owned || kind === Seg.unread) && value >= 0) color = value;
    }
    const last = runs.at(-1);
    if (last?.color === color) last.to = i;
    else runs.push({ from: Math.max(i - 1, 0), to: i, color });
  }
  return runs;
}

function drawRun(ctx, samples, { from, every }, run, chart, { scale, width, color, filled }) {
  const y = (value) => chart.y + chart.height * (1 - Math.min(value / chart.top, 1));
  const line = new Path2D();
  let first;
  let last;
  for (let i = run.from; i <= run.to; i++) {
    const x = scale.x(from + i * every);
    if (x < -width || x > 2 * width) continue;
    if (first === undefined) line.moveTo(x, y(samples[i]));
    else line.lineTo(x, y(samples[i]));
    first ??= x;
    last = x;
  }
  if (first === undefined) return;
  if (filled) {
    const area = new Path2D(line);
    area.lineTo(last, chart.y + chart.height);
    area.lineTo(first, chart.y + chart.height);
    ctx.fillStyle = color;
    ctx.globalAlpha = 0.14;
    ctx.fill(area);
    ctx.globalAlpha = 1;
  }
  ctx.strokeStyle = color;
  ctx.lineWidth = filled ? 1.6 : 1;
  ctx.lineJoin = "round";
  ctx.stroke(line);
}

/** Lines of the chart's axis, to be drawn under the curves, which stand on the lowest. */
export function drawLagAxis(ctx, chart, { width, theme }) {
  ctx.strokeStyle = theme.colors.line;
  ctx.lineWidth = 1;
  for (const share of [0, 0.5, 1]) {
    const y = axisLine(chart, share);
    ctx.setLineDash(share === 0 ? [] : [2, 4]);
    ctx.beginPath();
    ctx.moveTo(0, y);
    ctx.lineTo(width, y);
    ctx.stroke();
    ctx.setLineDash([]);
  }
}

function axisLine({ y, height }, share) {
  return Math.round(y + height * (1 - share)) + 0.5;
}

/** Values of the axis, to be written over the curves. */
export function drawLagScale(ctx, chart, { theme }) {
  const { dim, panel } = theme.colors;
  ctx.font = `10px ${MONO}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const share of [0.5, 1]) {
    const y = axisLine(chart, share);
    const text = String(chart.top * share);
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = panel;
    ctx.fillRect(1, y - 6, ctx.measureText(text).width + 6, 12);
    ctx.globalAlpha = 1;
    ctx.fillStyle = dim;
    ctx.fillText(text, 4, y + 0.5);
  }
}

/**
 * Values of the chart's curves at a moment, largest first.
 * @returns {{curve: number, value: number}[]}
 */
export function lagValues(block, chart, ns) {
  return chart.curves
    .map((curve) => ({ curve, value: sampleAt(block.lag[curve], block, ns) }))
    .filter(({ value }) => value !== undefined)
    .sort((a, b) => b.value - a.value || a.curve - b.curve);
}
