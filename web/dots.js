// Draws messages in flight over the stage. Shape says what a message is (request: disc, answer:
// ring, error: cross in a ring, held: square with a pause sign), colour whose client it is.

import { DotFlag } from "./blocks.js";
import { along } from "./links.js";
import { MONO } from "./theme.js";

/** Names of requests by number, as in Kafka's protocol guide; from 1000 on those of its neighbours. */
const API = {
  0: "Produce", 1: "Fetch", 2: "ListOffsets", 3: "Metadata", 8: "OffsetCommit", 9: "OffsetFetch",
  10: "FindCoordinator", 11: "JoinGroup", 12: "Heartbeat", 13: "LeaveGroup", 14: "SyncGroup",
  15: "DescribeGroups", 16: "ListGroups", 18: "ApiVersions", 19: "CreateTopics",
  22: "InitProducerId", 23: "OffsetForLeaderEpoch", 24: "AddPartitionsToTxn",
  25: "AddOffsetsToTxn", 26: "EndTxn", 28: "TxnOffsetCommit", 32: "DescribeConfigs",
  37: "CreatePartitions", 42: "DeleteGroups", 44: "IncrementalAlterConfigs",
  47: "OffsetDelete", 56: "AlterPartition", 60: "DescribeCluster",
  68: "ConsumerGroupHeartbeat", 69: "ConsumerGroupDescribe",
  1000: "SUBSCRIBE", 1001: "PUBLISH", 1002: "message", 1003: "XADD", 1004: "XGROUP CREATE",
  1005: "XREADGROUP", 1006: "XACK", 1007: "XPENDING", 1008: "XCLAIM", 1009: "XAUTOCLAIM",
  1010: "basic.publish", 1011: "basic.qos", 1012: "basic.consume", 1013: "basic.deliver",
  1014: "basic.ack", 1015: "basic.nack", 1016: "TCP window",
};

/** More labels than this would hide each other, and on shorter lines they would hide the line. */
const MOST_LABELS = 10;
const LABELLED_LENGTH = 44;

/** With more dots than this, lines and fading tails cost more than they tell. */
const MOST_LINES = 24;
const RADIUS = 4.5;

/**
 * @typedef {object} PlacedDot
 * @property {number} id
 * @property {number} x
 * @property {number} y
 * @property {number} way
 * @property {number} flags
 * @property {number} api
 * @property {string} color
 * @property {import("./links.js").Link} link
 */

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {PlacedDot[]} dots
 * @param {import("./theme.js").Theme} theme
 */
export function drawDots(ctx, dots, theme) {
  const few = dots.length <= MOST_LINES;
  if (few) dots.forEach((dot) => drawLink(ctx, dot));
  for (const dot of dots) {
    if (theme.calm) drawArrow(ctx, dot);
    else drawTail(ctx, dot, few);
    drawDot(ctx, dot, theme.colors);
  }
  const labelled = dots.filter(worthLabel);
  const taken = [];
  for (const dot of labelled.slice(0, MOST_LABELS)) drawLabel(ctx, dot, theme.colors, taken);
}

function worthLabel({ flags, link }) {
  if (flags & DotFlag.held) return true;
  if (flags & DotFlag.beat) return false;
  return Math.hypot(link.x2 - link.x1, link.y2 - link.y1) >= LABELLED_LENGTH;
}

function drawLink(ctx, { link, color, flags }) {
  ctx.globalAlpha = 0.35;
  ctx.strokeStyle = color;
  ctx.lineWidth = 1;
  ctx.setLineDash(flags & DotFlag.response ? [2, 3] : []);
  ctx.beginPath();
  ctx.moveTo(link.x1, link.y1);
  ctx.lineTo(link.x2, link.y2);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

// The tail shows which way a dot flies even in a still picture.
function drawTail(ctx, { link, way, color, flags }, fading) {
  if (flags & DotFlag.held) return;
  const length = Math.hypot(link.x2 - link.x1, link.y2 - link.y1) || 1;
  const head = along(link, way);
  const tail = along(link, Math.max(0, way - 26 / length));
  ctx.strokeStyle = fading ? fade(ctx, tail, head, color) : color;
  ctx.lineWidth = fading ? 3 : 1.5;
  ctx.beginPath();
  ctx.moveTo(tail.x, tail.y);
  ctx.lineTo(head.x, head.y);
  ctx.stroke();
}

function fade(ctx, tail, head, color) {
  const gradient = ctx.createLinearGradient(tail.x, tail.y, head.x, head.y);
  // "transparent" is a black one and would make the middle grey.
  gradient.addColorStop(0, color.replace(/^rgb\((.*)\)$/, "rgba($1, 0)"));
  gradient.addColorStop(1, color);
  return gradient;
}

// Without motion a dot rests in the middle of its line, with an arrow for its direction.
function drawArrow(ctx, { link, x, y, color }) {
  const angle = Math.atan2(link.y2 - link.y1, link.x2 - link.x1);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(angle);
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(RADIUS + 8, 0);
  ctx.lineTo(RADIUS + 2, -4);
  ctx.lineTo(RADIUS + 2, 4);
  ctx.fill();
  ctx.restore();
}

function drawDot(ctx, { x, y, flags, color }, { panel, bad, ink }) {
  const radius = flags & DotFlag.beat ? RADIUS - 1.5 : RADIUS;
  const shade = flags & DotFlag.error ? bad : color;
  ctx.lineWidth = 2;
  ctx.strokeStyle = shade;
  ctx.fillStyle = flags & DotFlag.response ? panel : shade;
  ctx.beginPath();
  if (flags & DotFlag.held) ctx.roundRect(x - 7, y - 7, 14, 14, 3);
  else ctx.arc(x, y, radius, 0, 7);
  ctx.fill();
  ctx.stroke();
  if (flags & DotFlag.held) pauseSign(ctx, x, y, flags & DotFlag.response ? ink : panel);
  else if (flags & DotFlag.error) cross(ctx, x, y, flags & DotFlag.response ? bad : panel);
}

function pauseSign(ctx, x, y, color) {
  ctx.fillStyle = color;
  ctx.fillRect(x - 3.5, y - 3.5, 2.5, 7);
  ctx.fillRect(x + 1, y - 3.5, 2.5, 7);
}

function cross(ctx, x, y, color) {
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.4;
  ctx.beginPath();
  ctx.moveTo(x - 2, y - 2);
  ctx.lineTo(x + 2, y + 2);
  ctx.moveTo(x + 2, y - 2);
  ctx.lineTo(x - 2, y + 2);
  ctx.stroke();
}

function drawLabel(ctx, { x, y, api, flags }, { ink, panel, line }, taken) {
  const name = API[api] ?? `request ${api}`;
  const text = flags & DotFlag.held ? `${name}, held` : name;
  ctx.font = `10px ${MONO}`;
  const width = ctx.measureText(text).width + 8;
  const box = { x: x - width / 2, y: y - 24, width, height: 15 };
  if (taken.some((other) => overlaps(other, box))) return;
  taken.push(box);
  ctx.globalAlpha = 0.92;
  ctx.fillStyle = panel;
  ctx.strokeStyle = line;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.width, box.height, 4);
  ctx.fill();
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.fillStyle = ink;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, x, box.y + box.height / 2 + 0.5);
}

function overlaps(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width &&
    a.y < b.y + b.height && b.y < a.y + a.height;
}
