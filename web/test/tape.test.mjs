import assert from "node:assert/strict";
import { test } from "node:test";

import { Cell, cellAt, cellRuns, readingPlace, tapeLayout, tapeWindow } from "../tape.js";

const tape = (over) => ({
  part: 0, color: 0, dead: false, start: 0, end: 30, high: 28, committed: 10, position: 15,
  fetched: 20, work: -1, done: 0, finished: -1, ...over,
});

const CASES = [
  [9, Cell.committed, "before the committed offset"],
  [10, Cell.done, "processed, not committed"],
  [14, Cell.done, "processed, not committed"],
  [15, Cell.buffered, "from the position on, fetched"],
  [20, Cell.waiting, "not fetched"],
  [27, Cell.waiting, "the last readable one"],
  [28, Cell.unseen, "from the high watermark on"],
  [30, Cell.none, "beyond the log end"],
];
for (const [offset, want, why] of CASES) {
  test(`offset ${offset} is ${Object.keys(Cell)[want]}: ${why}`, () => {
    assert.equal(cellAt(tape(), offset), want);
  });
}

test("records of a batch whose turn has not come are buffered, not done", () => {
  const batch = tape({ work: 12, position: 20, done: 0.5 });
  assert.equal(cellAt(batch, 11), Cell.done);
  assert.equal(cellAt(batch, 12), Cell.work);
  assert.equal(cellAt(batch, 13), Cell.buffered);
});

test("between two records only the finished ones are done", () => {
  const batch = tape({ position: 20, finished: 13 });
  assert.equal(cellAt(batch, 12), Cell.done);
  assert.equal(cellAt(batch, 13), Cell.buffered);
  const killed = tape({ dead: true, position: 20, finished: 13 });
  assert.equal(cellAt(killed, 12), Cell.done);
  assert.equal(cellAt(killed, 13), Cell.waiting);
});

test("a killed process has no buffer", () => {
  assert.equal(cellAt(tape({ dead: true }), 15), Cell.waiting);
  assert.equal(cellAt(tape({ dead: true }), 14), Cell.done);
});

test("offsets before the log start are not there", () => {
  assert.equal(cellAt(tape({ start: 5 }), 4), Cell.none);
});

test("the consumer is where it works, else at its position, else at the committed offset", () => {
  assert.equal(readingPlace(tape({ work: 12, done: 0.25 })), 12.25);
  assert.equal(readingPlace(tape()), 15);
  assert.equal(readingPlace(tape({ position: -1 })), 10);
  assert.equal(readingPlace(tape({ position: -1, committed: -1 })), 30);
});

test("the window follows the consumer without a jump between two records", () => {
  const place = (over) => {
    const far = tape({ position: 40, end: 90, high: 90, ...over });
    const { first, shift } = tapeWindow(far, 20, true);
    return first + shift;
  };
  assert.ok(Math.abs(place({ work: 30, done: 0.999 }) - place({ work: 31, done: 0 })) < 0.01);
  assert.equal(place({ work: 31, done: 0.5 }) - place({ work: 30, done: 0.5 }), 1);
});

test("without motion the window moves by whole offsets", () => {
  const { shift } = tapeWindow(tape({ work: 25, done: 0.5, position: 28 }), 10, false);
  assert.equal(shift, 0);
});

test("the beginning of a log stays at the left edge", () => {
  assert.deepEqual(tapeWindow(tape({ position: 3 }), 20, true), { first: 0, shift: 0 });
  assert.deepEqual(tapeWindow(tape({ start: 7, position: 9 }), 20, true), { first: 7, shift: 0 });
});

test("runs cover the window without a gap", () => {
  const runs = cellRuns(tape(), 5, 30);
  assert.equal(runs[0].from, 5);
  assert.equal(runs.at(-1).to, 35);
  for (let i = 1; i < runs.length; i++) assert.equal(runs[i].from, runs[i - 1].to);
  assert.deepEqual(runs.map(({ kind }) => kind),
    [Cell.committed, Cell.done, Cell.buffered, Cell.waiting, Cell.unseen, Cell.none]);
});

test("cells fit into their canvas", () => {
  for (const [width, height] of [[400, 30], [120, 12], [40, 6], [900, 60]]) {
    const { left, count, pitch, top, height: cell } = tapeLayout(width, height);
    assert.ok(left + count * pitch <= width, `${width} wide`);
    assert.ok(top + cell <= height, `${height} high`);
  }
});
