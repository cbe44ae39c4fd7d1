import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock } from "../clock.js";

function clock(horizon = 10e9) {
  const c = new Clock();
  c.horizon = horizon;
  return c;
}

test("time moves only while playing, and from the first frame on", () => {
  const c = clock();
  c.tick(1000);
  assert.equal(c.ns, 0);
  c.play(1);
  c.tick(5000);
  assert.equal(c.ns, 0, "the first frame says only what time it is");
  c.tick(5016);
  assert.equal(c.ns, 16e6);
});

test("speeds add up without losing parts of a nanosecond", () => {
  const c = clock();
  c.play(1e-9);
  for (let i = 0; i <= 1000; i++) c.tick(i * 100);
  assert.equal(c.ns, 100);
});

test("a tab that slept does not jump", () => {
  const c = clock();
  c.play(1);
  c.tick(0);
  c.tick(60_000);
  assert.ok(c.ns <= 0.3e9);
});

test("the clock stops at the horizon", () => {
  const c = clock(0.1e9);
  c.play(100);
  c.tick(0);
  c.tick(16);
  assert.equal(c.ns, 0.1e9);
  assert.equal(c.playing, false);
});

test("a seek stays within the run and does not stop it", () => {
  const c = clock();
  c.play(1);
  c.seek(99e9);
  assert.equal(c.ns, 10e9);
  c.seek(-1);
  assert.equal(c.ns, 0);
  assert.equal(c.playing, true);
});

test("nothing plays before a run is there", () => {
  const c = new Clock();
  c.play(1);
  assert.equal(c.playing, false);
});
