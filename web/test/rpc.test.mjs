import assert from "node:assert/strict";
import { test } from "node:test";

import { Rpc } from "../rpc.js";

/** Stands in for a Worker: says ready, then lets the test answer. */
class FakeWorker {
  static made = [];
  posted = [];
  ended = false;

  constructor(first = { type: "ready" }) {
    FakeWorker.made.push(this);
    queueMicrotask(() => this.say(first));
  }

  postMessage(message) {
    this.posted.push(message);
  }

  say(data) {
    if (!this.ended) this.onmessage?.({ data });
  }

  terminate() {
    this.ended = true;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function makeRpc(watchdog = 10_000, first) {
  FakeWorker.made = [];
  return new Rpc(() => new FakeWorker(first), watchdog);
}

test("replies find their questions", async () => {
  const rpc = makeRpc();
  const a = rpc.post({ question: "a" });
  const b = rpc.post({ question: "b" });
  await turn();
  const [worker] = FakeWorker.made;
  for (const { id, question } of worker.posted) worker.say({ id, answer: question.toUpperCase() });
  assert.equal((await a).answer, "A");
  assert.equal((await b).answer, "B");
  assert.equal(FakeWorker.made.length, 1);
});

test("a trap rejects all that waits, and the next call has a fresh Worker", async () => {
  const rpc = makeRpc();
  let restarts = 0;
  rpc.onrestart = () => restarts++;
  const waiting = [rpc.post({}), rpc.post({})];
  await turn();
  const [worker] = FakeWorker.made;
  worker.say({ id: worker.posted[0].id, trap: "panic: boom", details: "stack" });
  for (const call of waiting) {
    await assert.rejects(call, { message: "panic: boom", trap: true, details: "stack" });
  }
  assert.equal(worker.ended, true);
  assert.equal(restarts, 1);
  const next = rpc.post({});
  await turn();
  assert.equal(FakeWorker.made.length, 2);
  FakeWorker.made[1].say({ id: FakeWorker.made[1].posted[0].id, answer: 1 });
  assert.equal((await next).answer, 1);
});

test("a call that takes too long ends the Worker", async () => {
  const rpc = makeRpc(20);
  await assert.rejects(rpc.post({}), { trap: true, message: /did not answer within/ });
  assert.equal(FakeWorker.made[0].ended, true);
});

test("the watchdog does not count the time that a call waited behind others", async () => {
  const rpc = makeRpc(60);
  const calls = [rpc.post({}), rpc.post({}), rpc.post({})];
  await turn();
  const [worker] = FakeWorker.made;
  for (const { id } of worker.posted) {
    await new Promise((resolve) => setTimeout(resolve, 35));
    worker.say({ id, answer: id });
  }
  assert.equal((await Promise.all(calls)).length, 3);
});

test("a failed start is one sentence, and the next start tries again", async () => {
  const rpc = makeRpc(1000, { type: "failed", message: "engine.wasm is missing" });
  await assert.rejects(rpc.start(), { message: "engine.wasm is missing" });
  await assert.rejects(rpc.post({}), { message: "engine.wasm is missing" });
  assert.equal(FakeWorker.made.length, 2);
});

test("progress is passed on", async () => {
  const rpc = makeRpc();
  const heard = [];
  rpc.onprogress = (fraction) => heard.push(fraction);
  await rpc.start();
  FakeWorker.made[0].say({ type: "progress", fraction: 0.5 });
  assert.deepEqual(heard, [0.5]);
});

test("what an ended Worker still says is not heard", async () => {
  const rpc = makeRpc();
  const call = rpc.post({});
  await turn();
  const [worker] = FakeWorker.made;
  rpc.restart("stopped");
  await assert.rejects(call, { trap: true });
  worker.ended = false;
  worker.say({ type: "failed", message: "late" });
  worker.say({ id: 1, answer: 1 });
});
