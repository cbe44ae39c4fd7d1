import assert from "node:assert/strict";
import { test } from "node:test";

import {
  NARROWEST, axisTop, clampRange, followRange, formatSpan, formatTime, largestLag, niceTimeStep,
  panRange, placeSegments, sampleAt, segmentAt, shortNames, timeScale, timeTicks, zoomRange,
} from "../scale.js";

const S = 1e9;
const H = 75 * S;

test("time and pixels turn into each other", () => {
  const { x, ns } = timeScale({ from: 10 * S, to: 30 * S }, 1000);
  assert.equal(x(10 * S), 0);
  assert.equal(x(20 * S), 500);
  assert.equal(ns(1000), 30 * S);
});

test("a range never leaves the run, whatever was wanted", () => {
  assert.deepEqual(clampRange({ from: -5 * S, to: 5 * S }, H), { from: 0, to: 10 * S });
  assert.deepEqual(clampRange({ from: 70 * S, to: 80 * S }, H), { from: 65 * S, to: H });
  assert.deepEqual(clampRange({ from: -9 * S, to: 900 * S }, H), { from: 0, to: H });
  assert.deepEqual(clampRange({ from: 5, to: 5 }, H), { from: 5, to: 5 + NARROWEST });
  assert.deepEqual(clampRange({ from: 0, to: 9 }, 0), { from: 0, to: NARROWEST });
});

test("zooming leaves the moment under the pointer in its place", () => {
  const before = { from: 10 * S, to: 50 * S };
  const after = zoomRange(before, 0.5, 20 * S, H);
  assert.equal(after.to - after.from, 20 * S);
  assert.equal(timeScale(before, 1000).x(20 * S), timeScale(after, 1000).x(20 * S));
});

test("zooming out ends at the whole run, zooming in at the narrowest", () => {
  assert.deepEqual(zoomRange({ from: 1, to: H }, 100, 9, H), { from: 0, to: H });
  const close = zoomRange({ from: 10 * S, to: 11 * S }, 1e-9, 10.5 * S, H);
  assert.ok(Math.abs(close.to - close.from - NARROWEST) < 1);
});

test("panning keeps the width at both ends", () => {
  assert.deepEqual(panRange({ from: 5 * S, to: 15 * S }, -9 * S, H), { from: 0, to: 10 * S });
  assert.deepEqual(panRange({ from: 5 * S, to: 15 * S }, 90 * S, H), { from: 65 * S, to: H });
});

test("the picture follows a cursor only when it has left it", () => {
  const range = { from: 0, to: 10 * S };
  assert.equal(followRange(range, 5 * S, H), range);
  const next = followRange(range, 11 * S, H);
  assert.ok(next.from <= 11 * S && 11 * S <= next.to);
  assert.equal(next.to - next.from, 10 * S);
});

test("labels stand at round times and far enough apart", () => {
  for (const width of [300, 900, 1400]) {
    for (const length of [2e6, 3e7, 1 * S, 75 * S, 1800 * S, 20000 * S]) {
      const { step, times } = timeTicks({ from: 0.3 * length, to: 1.3 * length }, width);
      assert.ok((step * width) / length >= 70, `${width} px, ${length} ns: step ${step}`);
      assert.ok(times.length >= 1 && times.every((time) => Math.abs(time % step) < 1));
    }
  }
});

test("steps between labels are those of a clock", () => {
  assert.equal(niceTimeStep(3 * S), 5 * S);
  assert.equal(niceTimeStep(11 * S), 15 * S);
  assert.equal(niceTimeStep(31 * S), 60 * S);
  assert.equal(niceTimeStep(3e6), 5e6);
  assert.equal(niceTimeStep(0.6 * S), 1 * S);
});

test("times have the decimals that their step needs", () => {
  assert.equal(formatTime(54.341 * S, S), "00:54");
  assert.equal(formatTime(54.341 * S), "00:54.341");
  assert.equal(formatTime(59.9996 * S), "01:00.000");
  assert.equal(formatTime(72.25 * S, 1e7), "01:12.25");
  assert.equal(formatTime(72.2500123 * S, 1e4), "01:12.25001");
  assert.equal(formatTime(3600 * S, 60 * S), "60:00");
});

test("lengths have units", () => {
  assert.equal(formatSpan(42.3 * S), "42.3 s");
  assert.equal(formatSpan(300 * S), "300 s");
  assert.equal(formatSpan(850e6), "850 ms");
  assert.equal(formatSpan(12e6), "12.0 ms");
  assert.equal(formatSpan(250e3), "250 us");
});

const segments = (...pairs) => pairs.map(([from, to]) => ({ from: from * S, to: to * S, kind: 1 }));

test("segments outside the picture are left out", () => {
  const scale = timeScale({ from: 10 * S, to: 20 * S }, 100);
  const placed = placeSegments(segments([0, 5], [8, 12], [12, 19], [30, 40]), scale, 100);
  assert.deepEqual(placed.map(({ x, width }) => [x, width]), [[-20, 40], [20, 70]]);
});

test("of segments that share a pixel one is drawn, so that a lane costs its pixels at most", () => {
  const many = Array.from({ length: 100_000 }, (_, i) => [i * 0.0007, (i + 1) * 0.0007]);
  const placed = placeSegments(segments(...many), timeScale({ from: 0, to: 70 * S }, 500), 500);
  assert.ok(placed.length <= 501, `${placed.length} drawn`);
  assert.ok(placed.length >= 490, `${placed.length} drawn`);
});

test("of two segments at one moment the later one is on top", () => {
  const lane = segments([0, 10], [4, 6]);
  assert.equal(segmentAt(lane, 5 * S), lane[1]);
  assert.equal(segmentAt(lane, 6 * S), lane[0]);
  assert.equal(segmentAt(lane, 11 * S), undefined);
});

test("a lag value holds until the next sample", () => {
  const samples = Int32Array.from([3, 5, 9]);
  const block = { from: 10 * S, every: 2 * S };
  assert.equal(sampleAt(samples, block, 9 * S), undefined);
  assert.equal(sampleAt(samples, block, 13.9 * S), 5);
  assert.equal(sampleAt(samples, block, 14 * S), 9);
  assert.equal(sampleAt(samples, block, 99 * S), 9);
});

test("the lag axis knows nothing of what lies beyond the range", () => {
  const lag = [[1, 2, 900], [4, 3, 0], [0, 0, 0]].map((samples) => Int32Array.from(samples));
  const block = { from: 0, every: S };
  assert.deepEqual(largestLag(lag, block, { from: 0, to: 1.5 * S }, 2), { top: 4, curves: [1, 0] });
  assert.equal(largestLag(lag, block, { from: 0, to: 2 * S }, 2).top, 900);
  assert.deepEqual(largestLag([], block, { from: 0, to: S }, 2), { top: 0, curves: [] });
});

test("the top of an axis is round, reaches the peak and has a whole half", () => {
  for (const peak of [0, 1, 10, 11, 119, 121, 1059, 2401, 99_999, 123_456_789]) {
    const top = axisTop(peak);
    assert.ok(top >= peak && (peak < 10 || top <= peak * 2));
    assert.equal((top / 2) % 1, 0);
  }
});

test("partitions have short names while they are of one topic", () => {
  assert.deepEqual(shortNames(["order_events-0", "order_events-11"]), ["p0", "p11"]);
  assert.deepEqual(shortNames(["a-0", "b-0"]), ["a-0", "b-0"]);
  assert.deepEqual(shortNames([]), []);
});
