// What the timeline says in words: labels of segments, of the lag at the cursor, and the box under
// the pointer. Pure but for the colours, which come with the theme.

import { Lane, Seg } from "./blocks.js";
import { lagValues } from "./lag.js";
import { formatSpan, formatTime, sampleAt, segmentAt } from "./scale.js";

const KIND_NAMES = {
  [Seg.poll]: "poll", [Seg.work]: "process", [Seg.commit]: "commit", [Seg.idle]: "running",
  [Seg.rebalancing]: "rebalancing", [Seg.frozen]: "frozen", [Seg.dead]: "dead",
  [Seg.callback]: "callback", [Seg.owned]: "owned", [Seg.unread]: "unread",
  [Seg.stable]: "Stable", [Seg.preparing]: "PreparingRebalance",
  [Seg.completing]: "CompletingRebalance", [Seg.empty]: "Empty", [Seg.produce]: "producing",
  [Seg.sleep]: "sleep",
};

/** Kinds that stand for a mixture of short ones when the picture is wide. */
const BUSY = new Set([Seg.poll, Seg.work, Seg.commit, Seg.idle, Seg.sleep]);

/** Values beside the cursor: more would cover the chart. */
const MOST_VALUES = 3;

/** A value below this share of the largest lies on the base line. */
const WORTH_SAYING = 0.06;

/**
 * Words of a segment, the longest first; the first that fits is written.
 * @param {import("./blocks.js").Segment} segment
 * @param {string} owner what the owner of an unread partition is: "dead", "frozen" or nothing
 * @param {number|undefined} length of it in ns, as far as it was seen; undefined: not known
 * @returns {string[]}
 */
export function segmentWords({ kind, value }, owner, length) {
  const span = length === undefined ? "" : ` ${formatSpan(length)}`;
  switch (kind) {
    case Seg.stable:
      return [`Stable · generation ${value}`, `generation ${value}`, `gen ${value}`];
    case Seg.preparing: return [`PreparingRebalance${span}`, `Preparing${span}`, span.trim()];
    case Seg.completing: return [`CompletingRebalance${span}`, `Completing${span}`, span.trim()];
    case Seg.rebalancing: return [`rebalancing${span}`, span.trim()];
    case Seg.empty: return [`Empty · generation ${value}`, "Empty"];
    case Seg.frozen: return [`frozen${span}`, "frozen"];
    case Seg.dead: return ["dead"];
    case Seg.unread: {
      const why = owner ? `owned by a ${owner} member` : "no owner";
      return [`${why}: unread${span}`, `unread${span}`, span.trim()];
    }
  }
  return [];
}

/**
 * Where a segment really begins and ends. A block cuts segments off at its ends; the block of the
 * whole run knows the rest.
 * @param {import("./blocks.js").Segment} segment
 * @param {number} lane
 * @param {import("./timeline.js").Model} model
 * @returns {{from: number, to: number}|undefined} undefined: not known
 */
export function fullExtent(segment, lane, { block, whole }) {
  const cut = (segment.from <= block.from && block.from > 0) || segment.to >= block.to;
  if (!cut || block === whole) return segment;
  const middle = (segment.from + segment.to) / 2;
  const same = segmentAt(whole?.lanes[lane] ?? [], middle);
  return same?.kind === segment.kind ? same : undefined;
}

/** Length of an extent as far as it was seen, in ns. */
export function spanSeen({ from, to }, { seen }) {
  return Math.max(Math.min(to, seen) - from, 0);
}

/**
 * What has become of the owner of an unread partition.
 * @param {import("./blocks.js").Segment} segment
 * @param {import("./timeline.js").Model} model
 */
export function ownerState({ value, from, to }, { scene, block }) {
  if (value < 0) return "";
  const index = scene.lanes.findIndex(
    ({ kind, color }) => kind === Lane.consumer && color === value,
  );
  const during = (block.lanes[index] ?? []).filter((s) => s.from < to && s.to > from);
  return during.some(({ kind }) => kind === Seg.frozen) ? "frozen" : "dead";
}

/**
 * Labels of the largest lag values at the cursor.
 * @returns {{text: string, color: string, value: number}[]}
 */
export function lagLabels(model, chart, theme) {
  const { block, ns } = model;
  const all = lagValues(block, chart, ns);
  const values = all.filter(({ value }) => value > 0 && value >= all[0].value * WORTH_SAYING);
  return values.slice(0, MOST_VALUES).map(({ curve, value }) => ({
    text: `${partName(model, curve)} ${value}`, color: partColor(model, curve, ns, theme), value,
  }));
}

/**
 * Rows of the box under the pointer.
 * @param {{ns: number, lane: number, inLag: boolean}} at lane is -1 for none
 * @returns {{text: string, color?: string}[]}
 */
export function hoverRows(model, at, chart, theme) {
  const { block, names, seen } = model;
  const { dim } = theme.colors;
  const rows = [{ text: formatTime(at.ns, 1e6), color: dim }];
  if (!block || at.ns > seen) return rows;
  if (at.inLag) {
    rows[0].text += "  lag";
    for (const { curve, value } of lagValues(block, chart, at.ns)) {
      rows.push({
        text: `${partName(model, curve)} ${value}`, color: partColor(model, curve, at.ns, theme),
      });
    }
    return rows;
  }
  if (at.lane < 0) return rows;
  const segment = segmentAt(block.lanes[at.lane] ?? [], at.ns);
  rows.push({ text: names[at.lane] });
  if (segment) rows.push({ text: segmentLine(segment, model, at.lane) });
  const curve = model.partLanes.indexOf(at.lane);
  const lag = curve < 0 ? undefined : sampleAt(block.lag[curve], block, at.ns);
  if (lag !== undefined) rows.push({ text: `lag ${lag}`, color: dim });
  return rows;
}

function segmentLine(segment, model, lane) {
  const { kind, value } = segment;
  const name = KIND_NAMES[kind] ?? "";
  const extent = fullExtent(segment, lane, model);
  const span = extent ? ` ${formatSpan(spanSeen(extent, model))}` : "";
  if (model.scene.lanes[lane].kind === Lane.partition) {
    const owner = ownerName(model, value);
    if (kind === Seg.owned) return `read by ${owner}${span && ","}${span}`;
    return owner ? `unread${span}, ${owner} ${ownerState(segment, model)}` : `unread${span}`;
  }
  if (model.scene.lanes[lane].kind === Lane.group) return `${name}${span}, generation ${value}`;
  return BUSY.has(kind) ? name : `${name}${span}`;
}

function ownerName({ scene }, color) {
  const of = ({ kind, color: own }) => kind === Lane.consumer && own === color;
  return scene.lanes.find(of)?.name ?? "";
}

function partName({ names, partLanes }, curve) {
  return names[partLanes[curve]] ?? "";
}

function partColor({ block, partLanes }, curve, ns, theme) {
  const segments = block.lanes[partLanes[curve]] ?? [];
  const last = segments.filter(({ from, value }) => from <= ns && value >= 0).at(-1);
  return theme.client(last?.value ?? -1);
}
