// Runs a real Go reactor behind the shim, as the Worker does. It needs the go command.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Trap, startEngine } from "../engine.js";
import { createWasi } from "../wasi.js";

const text = (bytes) => new TextDecoder().decode(bytes);
const bytes = (question) => new TextEncoder().encode(question);

let folder;
let module;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "reactor-"));
  const wasm = join(folder, "reactor.wasm");
  await promisify(execFile)("go", ["build", "-buildmode=c-shared", "-o", wasm, "."], {
    cwd: fileURLToPath(new URL("testdata/reactor", import.meta.url)),
    env: { ...process.env, GOOS: "wasip1", GOARCH: "wasm" },
  });
  module = await WebAssembly.compile(await readFile(wasm));
});

after(() => rm(folder, { recursive: true, force: true }));

const start = () => startEngine(async (imports) => ({
  instance: await WebAssembly.instantiate(module, imports),
}));

test("an answer is a copy that the next call does not change", async () => {
  const { call } = await start();
  const first = call(bytes("ehello"));
  const second = call(bytes("eworld"));
  assert.equal(text(first), "hello");
  assert.equal(text(second), "world");
});

test("an empty answer is empty", async () => {
  const { call } = await start();
  assert.equal(call(bytes("e")).length, 0);
});

test("a large question and a memory that grows are no trouble", async () => {
  const { call } = await start();
  const big = new Uint8Array(3 << 20).fill(65);
  big[0] = 101;
  assert.equal(call(big).length, big.length - 1);
  assert.deepEqual([...call(bytes("g"))], [7]);
  assert.equal(text(call(bytes("eafter"))), "after");
});

test("the clock is never 0 and starts in 2026", async () => {
  const { call } = await start();
  assert.equal(text(call(bytes("c"))), "2026-01-01true");
});

test("chance is the same in every instance", async () => {
  const [a, b] = [await start(), await start()];
  assert.deepEqual(a.call(bytes("m")), b.call(bytes("m")));
});

test("an hour's sleep is over at once and the clock has moved on by it", async () => {
  const { call } = await start();
  assert.equal(text(call(bytes("s"))), "true");
});

test("there are no environment and no files", async () => {
  const { call } = await start();
  assert.equal(text(call(bytes("w"))), "0 true");
});

test("a panic is a trap with the text of the panic, and the stack apart", async () => {
  const { call } = await start();
  assert.throws(() => call(bytes("?")), (error) => {
    assert.ok(error instanceof Trap);
    assert.match(error.message, /broken invariant "\?"/);
    assert.doesNotMatch(error.message, /goroutine/);
    assert.match(error.details, /goroutine 1/);
    return true;
  });
});

test("an exit is a trap that names the status", async () => {
  const { call } = await start();
  assert.throws(() => call(bytes("x")), /status 3/);
});

test("a module without the engine's calls is refused in a sentence", async () => {
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  const load = async (imports) => WebAssembly.instantiate(empty, imports);
  await assert.rejects(startEngine(load), /not a Rebalance Lab engine/);
});

test("another ABI is refused in a sentence that names both", async () => {
  const exports = { memory: new WebAssembly.Memory({ initial: 1 }), _initialize() {},
    abi: () => 7, alloc: () => 8, call: () => 0n };
  const load = async () => ({ instance: { exports } });
  await assert.rejects(startEngine(load), /ABI 7 .* ABI 1/);
});

test("every import that a module may list exists", () => {
  const { imports } = createWasi();
  assert.equal(imports.wasi_snapshot_preview1.sock_accept(), 52);
});

test("the clock moves by a constant", () => {
  const { imports, bind } = createWasi();
  const memory = new WebAssembly.Memory({ initial: 1 });
  bind(memory);
  const read = () => {
    imports.wasi_snapshot_preview1.clock_time_get(0, 0n, 8);
    return new DataView(memory.buffer).getBigUint64(8, true);
  };
  const [a, b, c] = [read(), read(), read()];
  assert.equal(b - a, c - b);
  assert.ok(a > 0n && b > a);
});
