// One instance of engine.wasm as a function from question to answer. Used by the Worker, and by the
// tests as it is.

import { ABI } from "./codec.js";
import { createWasi } from "./wasi.js";

/** The instance ended: a Go panic, or an error of WebAssembly itself. It must not be used again. */
export class Trap extends Error {
  /**
   * @param {string} message what went wrong, in one paragraph
   * @param {string} details all that the engine printed, its stack included
   */
  constructor(message, details) {
    super(message);
    this.details = details;
  }
}

/**
 * Starts the engine.
 * @param {(imports: WebAssembly.Imports) => Promise<{instance: WebAssembly.Instance}>} load
 * @returns {Promise<{call: (question: Uint8Array) => Uint8Array}>} call gives a copy of the answer,
 *   or throws a Trap
 */
export async function startEngine(load) {
  const wasi = createWasi();
  const { instance } = await load(wasi.imports);
  const { memory, _initialize, abi, alloc, call } = instance.exports;
  if (!memory || !_initialize || !abi || !alloc || !call) {
    throw new Error("engine.wasm is not a Rebalance Lab engine: it lacks the calls of one.");
  }
  wasi.bind(memory);
  const guarded = (action) => {
    try {
      return action();
    } catch (error) {
      throw trapOf(error, wasi.text());
    }
  };
  const version = guarded(() => {
    _initialize();
    return abi();
  });
  if (version !== ABI) {
    throw new Error(`engine.wasm speaks ABI ${version} and this page ABI ${ABI}: reload the ` +
      "page, and if that does not help, publish one whole build.");
  }
  return { call: (question) => guarded(() => ask(memory, alloc, call, question)) };
}

function ask(memory, alloc, call, question) {
  const at = alloc(question.length) >>> 0;
  if (at === 0) throw new Error(`the engine refused a question of ${question.length} bytes`);
  new Uint8Array(memory.buffer, at, question.length).set(question);
  const packed = call(at, question.length);
  const start = Number(BigInt.asUintN(32, packed >> 32n));
  const length = Number(BigInt.asUintN(32, packed));
  // The engine reuses the place at its next call, and memory that grows cuts views off: copy now.
  return new Uint8Array(memory.buffer, start, length).slice();
}

function trapOf(error, text) {
  const printed = text.trim();
  if (!printed) return new Trap(String(error?.message ?? error), String(error?.stack ?? ""));
  const [first] = printed.split(/\n\ngoroutine |\n\[recovered\]/);
  return new Trap(first.trim(), printed);
}
