import assert from "node:assert/strict";
import { test } from "node:test";

import { along, hit, link } from "../links.js";

const box = (x, y, width = 100, height = 60) => ({ x, y, width, height });

test("boxes side by side are joined by their facing edges", () => {
  const { x1, x2 } = link(box(0, 0), box(300, 0), false);
  assert.deepEqual([x1, x2], [100, 300]);
  const back = link(box(300, 0), box(0, 0), true);
  assert.deepEqual([back.x1, back.x2], [300, 100]);
});

test("boxes above each other are joined bottom to top", () => {
  const { y1, y2 } = link(box(0, 0), box(0, 200), false);
  assert.deepEqual([y1, y2], [60, 200]);
});

test("requests and answers do not lie on each other", () => {
  const request = link(box(0, 0), box(300, 0), false);
  const answer = link(box(300, 0), box(0, 0), true);
  assert.notEqual(request.y1, answer.y2);
});

test("a dot moves from one end to the other", () => {
  const line = { x1: 10, y1: 0, x2: 20, y2: 40 };
  assert.deepEqual(along(line, 0), { x: 10, y: 0 });
  assert.deepEqual(along(line, 0.5), { x: 15, y: 20 });
  assert.deepEqual(along(line, 1), { x: 20, y: 40 });
});

test("a click means the nearest dot within reach", () => {
  const dots = [{ id: 1, x: 0, y: 0 }, { id: 2, x: 10, y: 0 }];
  assert.equal(hit(dots, 7, 0, 14), 2);
  assert.equal(hit(dots, 100, 0, 14), undefined);
  assert.equal(hit([], 0, 0, 14), undefined);
});
