import assert from "node:assert/strict";
import { test } from "node:test";
import { barAt, seconds } from "../bar.js";

test("a bar shows the share of its time that is left", () => {
  assert.deepEqual(barAt(0, 45e9, 0), { share: 1, low: false, words: "45.0 s" });
  assert.deepEqual(barAt(0, 45e9, 22.5e9), { share: 0.5, low: false, words: "22.5 s" });
  assert.deepEqual(barAt(10e9, 20e9, 19.05e9), { share: 0.095, low: true, words: "0.9 s" });
});

test("a bar whose time is over, or that has none, is empty", () => {
  assert.deepEqual(barAt(0, 5e9, 6e9), { share: 0, low: true, words: "0.0 s" });
  assert.equal(barAt(5, 5, 5).share, 0);
});

test("what is left is rounded down, so that 0.0 s means over", () => {
  assert.equal(seconds(99e6), "0.0 s");
  assert.equal(seconds(298.69e9), "298.6 s");
  assert.equal(seconds(-1), "0.0 s");
});
