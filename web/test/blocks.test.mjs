import assert from "node:assert/strict";
import { test } from "node:test";

import { DotFlag, Mark, Pin, Seg, TICK, readPaint, readTimeline } from "../blocks.js";

/** The answer of the engine that carries numbers; shift puts it at an odd place of its buffer. */
function block(numbers, shift = 0) {
  const buffer = new ArrayBuffer(shift + 4 + 4 * numbers.length);
  const view = new DataView(buffer);
  numbers.forEach((n, i) => view.setInt32(shift + 4 + 4 * i, n, true));
  return new Uint8Array(buffer, shift);
}

const TAPE = [3, 1, 1, 0, 90, 88, -1, 40, 50, 41, 250, 41];
const DOT = [77, 0, 4, 500, DotFlag.response | DotFlag.held, 11];
const PINS = [2, 0, Pin.committed, 2, 33, 0, Pin.behind, -1, 85];
const PAINT = [1, 1200, 42, 1, 1, ...TAPE, ...DOT, ...PINS];

for (const shift of [0, 1, 4]) {
  test(`a paint block is read at ${shift} bytes from the start of its buffer`, () => {
    const got = readPaint(block(PAINT, shift));
    assert.equal(got.ns, 1200 * TICK);
    assert.equal(got.index, 42);
    assert.deepEqual(got.tapes, [{
      part: 3, color: 1, dead: true, start: 0, end: 90, high: 88, committed: -1, position: 40,
      fetched: 50, work: 41, done: 0.25, finished: 41, pins: [[1, 2, 33], [4, -1, 85]],
    }]);
    assert.deepEqual(got.dots, [{ id: 77, from: 0, to: 4, way: 0.5, flags: 3, api: 11 }]);
  });
}

test("what is not a paint block is not read", () => {
  assert.equal(readPaint(block([2, ...PAINT.slice(1)])), undefined, "another version");
  assert.equal(readPaint(block(PAINT.slice(0, -1))), undefined, "too short");
  assert.equal(readPaint(block(PAINT.slice(0, -9))), undefined, "no word about pins");
  assert.equal(readPaint(Uint8Array.from([1, 2, 3])), undefined, "an error");
  assert.equal(readPaint(new Uint8Array(0)), undefined, "nothing");
});

const TIMELINE = [
  1, 0, 1000, 3, 3, 2, 2,
  0, Seg.stable, 0, 1000, 7,
  1, Seg.work, 500, 900, 0,
  1, Seg.poll, 0, 500, 0,
  1, Mark.beat, 250, -1, Mark.command, 600,
  5, 6,
  8, 9,
];

test("a timeline block is read lane by lane, in order of time", () => {
  const got = readTimeline(block(TIMELINE), 10);
  assert.equal(got.from, 0);
  assert.equal(got.to, 1000 * TICK);
  assert.deepEqual(got.lanes[0], [
    { lane: 0, kind: Seg.stable, from: 0, to: 1000 * TICK, value: 7 },
  ]);
  assert.deepEqual(got.lanes[1].map(({ kind }) => kind), [Seg.poll, Seg.work]);
  assert.deepEqual(got.lanes[2], []);
  assert.deepEqual(got.marks, [
    { lane: 1, kind: Mark.beat, at: 250 * TICK }, { lane: -1, kind: Mark.command, at: 600 * TICK },
  ]);
  assert.deepEqual(got.lag.map((samples) => [...samples]), [[5, 6], [8, 9]]);
});

test("samples are as far apart as the engine makes them", () => {
  assert.equal(readTimeline(block(TIMELINE), 10).every, 100 * TICK);
  assert.equal(readTimeline(block(TIMELINE), 5000).every, Math.floor((1000 * TICK) / 600));
});

test("a timeline block that is cut off is not read", () => {
  assert.equal(readTimeline(block(TIMELINE.slice(0, 12)), 10), undefined);
});
