// The Worker: owns engine.wasm and answers one message at a time, in order.
//
//   page -> worker   {id, question}               one call
//                    {id, frame, view}            a paint block for a moment, its view if wanted
//   worker -> page   {type: "progress", fraction}
//                    {type: "ready"} | {type: "failed", message}
//                    {id, answer}                 Uint8Array, its buffer transferred
//                    {id, buffer, split, ms}      paint block up to split, then the view's answer
//                    {id, trap, details}          the engine ended; nothing more will be answered

import { atQuestion, OP_PAINT, OP_VIEW } from "./codec.js";
import { startEngine } from "./engine.js";
import { loadWasm } from "./loader.js";

const engine = startEngine((imports) => loadWasm(ENGINE_URL, imports, {
  name: "engine.wasm",
  size: ENGINE_SIZE,
  onProgress: (loaded, size) => {
    if (size) postMessage({ type: "progress", fraction: Math.min(loaded / size, 1) });
  },
}));
engine.then(
  () => postMessage({ type: "ready" }),
  (error) => postMessage({ type: "failed", message: error.message }),
);

self.addEventListener("message", async ({ data }) => {
  let ready;
  try {
    ready = await engine;
  } catch {
    return; // the page was told by "failed"
  }
  try {
    if (data.frame) answerFrame(ready, data);
    else answerCall(ready, data);
  } catch (error) {
    postMessage({ id: data.id, trap: error.message, details: error.details ?? "" });
  }
});

function answerCall({ call }, { id, question }) {
  const answer = call(question);
  postMessage({ id, answer }, [answer.buffer]);
}

// One buffer carries both parts, so that a frame costs one message and one transfer.
function answerFrame({ call }, { id, frame, view }) {
  const start = performance.now();
  const paint = call(atQuestion(OP_PAINT, frame));
  const shown = view ? call(atQuestion(OP_VIEW, frame)) : new Uint8Array(0);
  const both = new Uint8Array(paint.length + shown.length);
  both.set(paint);
  both.set(shown, paint.length);
  const ms = performance.now() - start;
  postMessage({ id, buffer: both.buffer, split: paint.length, ms }, [both.buffer]);
}
