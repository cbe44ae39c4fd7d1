import assert from "node:assert/strict";
import { test } from "node:test";

import {
  OP_VIEW, appendVarint, atQuestion, momentOfView, readVarint, spanQuestion,
} from "../codec.js";

// The right-hand sides are what Go's binary.AppendVarint gives.
const GOLDEN = [
  [0, [0]], [-1, [1]], [1, [2]], [63, [126]], [-64, [127]], [64, [128, 1]], [-65, [129, 1]],
  [300, [216, 4]], [2 ** 31, [128, 128, 128, 128, 16]],
  [75_000_000_000, [128, 184, 201, 229, 174, 4]],
  [2n ** 63n - 1n, [254, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
  [-(2n ** 63n), [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
];

for (const [value, want] of GOLDEN) {
  test(`${value} is written as Go writes it`, () => {
    const bytes = [];
    appendVarint(bytes, value);
    assert.deepEqual(bytes, want);
  });
}

test("a number is read back with the place after it", () => {
  for (const [value, bytes] of GOLDEN) {
    const got = readVarint(Uint8Array.from([9, ...bytes, 9]), 1);
    assert.equal(got.value, Number(value));
    assert.equal(got.next, 1 + bytes.length);
  }
});

test("a number cut in half is not one", () => {
  assert.equal(readVarint(Uint8Array.from([128, 128])).next, -1);
  assert.equal(readVarint(new Uint8Array(0)).next, -1);
});

test("a moment is asked for with the fields of view.At in order", () => {
  const got = atQuestion(OP_VIEW, { lab: 2, ns: 300.2, index: -1 });
  assert.deepEqual([...got], [OP_VIEW, 4, 216, 4, 1]);
});

test("a span is asked for with the fields of view.Span in order", () => {
  const got = spanQuestion({ lab: 1, from: 0, to: 64, columns: 63 });
  assert.deepEqual([...got], [9, 2, 0, 128, 1, 126]);
});

test("the moment of a view is its first field, and an error has none", () => {
  assert.equal(momentOfView(Uint8Array.from([0, 216, 4, 7, 7])), 300);
  assert.equal(momentOfView(Uint8Array.from([1, 216, 4])), undefined);
  assert.equal(momentOfView(Uint8Array.from([0])), undefined);
});
