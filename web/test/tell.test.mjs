import assert from "node:assert/strict";
import { test } from "node:test";

import { Lane, Seg } from "../blocks.js";
import { colorRuns } from "../lag.js";
import { spanFor } from "../span.js";
import { fullExtent, hoverRows, lagLabels, ownerState, segmentWords, spanSeen } from "../tell.js";

const S = 1e9;
const theme = { colors: { dim: "dim" }, client: (color) => `c${color}` };
const chart = { curves: [0] };

/** One member, killed at 12 s, and its partition, unread until 57 s. */
function model(over) {
  const dead = { lane: 0, kind: Seg.dead, from: 12 * S, to: 75 * S, value: 0 };
  const read = { lane: 1, kind: Seg.owned, from: 3 * S, to: 12 * S, value: 1 };
  const unread = { lane: 1, kind: Seg.unread, from: 12 * S, to: 57 * S, value: 1 };
  const block = {
    from: 0, to: 75 * S, lanes: [[dead], [read, unread]], marks: [], every: S,
    lag: [Int32Array.from({ length: 76 }, (_, i) => (i < 12 ? 3 : (i - 12) * 25))],
  };
  const lanes = [
    { kind: Lane.consumer, name: "B", color: 1 }, { kind: Lane.partition, name: "t-2", color: -1 },
  ];
  return {
    range: { from: 0, to: 75 * S }, horizon: 75 * S, ns: 54 * S, seen: 54 * S,
    scene: { nodes: [], parts: ["t-2"], lanes }, names: ["B", "p2"], partLanes: [1],
    block, whole: block, ...over,
  };
}

test("an unread partition says whose it is and for how long it was seen unread", () => {
  const m = model();
  const [, unread] = m.block.lanes[1];
  const length = spanSeen(fullExtent(unread, 1, m), m);
  assert.equal(ownerState(unread, m), "dead");
  assert.equal(segmentWords(unread, "dead", length)[0], "owned by a dead member: unread 42.0 s");
  assert.equal(segmentWords(unread, "", length)[0], "no owner: unread 42.0 s");
});

test("a segment cut off by its block has the length that the whole run knows", () => {
  const cut = { lane: 1, kind: Seg.unread, from: 20 * S, to: 30 * S, value: 1 };
  const near = { ...model().block, from: 20 * S, to: 30 * S, lanes: [[], [cut]] };
  assert.equal(fullExtent(cut, 1, model({ block: near })).from, 12 * S);
  assert.equal(fullExtent(cut, 1, model({ block: near, whole: undefined })), undefined);
  assert.equal(segmentWords(cut, "dead", undefined)[0], "owned by a dead member: unread");
});

test("the pointer says nothing of a future that nobody has seen", () => {
  const rows = hoverRows(model(), { ns: 60 * S, lane: 1, inLag: false }, chart, theme);
  assert.deepEqual(rows.map(({ text }) => text), ["01:00.000"]);
});

test("the pointer on a partition says who reads it, or why nobody, and its lag", () => {
  const at = (ns) => hoverRows(model(), { ns, lane: 1, inLag: false }, chart, theme)
    .map(({ text }) => text);
  assert.deepEqual(at(5 * S), ["00:05.000", "p2", "read by B, 9.0 s", "lag 3"]);
  assert.deepEqual(at(20 * S), ["00:20.000", "p2", "unread 42.0 s, B dead", "lag 200"]);
});

test("the pointer on the chart says the lag of each curve", () => {
  const rows = hoverRows(model(), { ns: 20 * S, lane: -1, inLag: true }, chart, theme);
  assert.deepEqual(rows[1], { text: "p2 200", color: "c1" });
});

test("the lag at the cursor stands beside it", () => {
  const want = [{ text: "p2 1050", color: "c1", value: 1050 }];
  assert.deepEqual(lagLabels(model(), chart, theme), want);
});

test("a lag curve has the colour of the owner at the time, and keeps it when there is none", () => {
  const segments = [
    { kind: Seg.owned, from: 2 * S, value: 1 }, { kind: Seg.unread, from: 4 * S, value: -1 },
    { kind: Seg.owned, from: 6 * S, value: 2 },
  ];
  const runs = colorRuns(new Int32Array(10), { from: 0, every: S }, segments);
  assert.deepEqual(runs.map(({ color }) => color), [-1, 1, 2]);
  assert.deepEqual(runs.map(({ from, to }) => [from, to]), [[0, 1], [1, 5], [5, 9]]);
});

test("more than is shown is asked for, on as many columns as it has pixels", () => {
  assert.deepEqual(spanFor({ from: 0, to: 75 * S }, 1000, 75 * S),
    { from: 0, to: 75 * S, columns: 1000 });
  assert.deepEqual(spanFor({ from: 20 * S, to: 30 * S }, 1000, 75 * S),
    { from: 15 * S, to: 35 * S, columns: 2000 });
  assert.equal(spanFor({ from: 20 * S, to: 30 * S }, 4000, 75 * S).columns, 2400);
});
