// The timeline's data: asks the engine for a span of a run, one question at a time, and keeps the
// last answer until a better one is here.

import { readTimeline } from "./blocks.js";
import { spanQuestion } from "./codec.js";
import { clampRange } from "./scale.js";

/** More columns than this help nobody, and cost the engine and the message. */
const MOST_COLUMNS = 2400;

export class SpanSource {
  #rpc;
  #onblock;
  #asked = ""; // what the last question was about
  #asking = false;
  #wanted; // range to ask for when the answer is here
  #opening = 0;
  #lab = -1;
  #horizon = 0;

  /**
   * @param {import("./rpc.js").Rpc} rpc
   * @param {(block: import("./blocks.js").TimelineBlock) => void} onblock
   */
  constructor(rpc, onblock) {
    this.#rpc = rpc;
    this.#onblock = onblock;
  }

  /** From now on spans are of this lab; answers about an earlier one are dropped. */
  open(lab, horizon) {
    this.#opening++;
    this.#lab = lab;
    this.#horizon = horizon;
    this.#asked = "";
  }

  /** Asks for a range that is shown on so many pixels, unless it was asked for already. */
  async load(range, width) {
    if (this.#lab < 0 || width < 1) return;
    this.#wanted = { range, width };
    if (this.#asking) return;
    const question = { lab: this.#lab, ...spanFor(range, width, this.#horizon) };
    const key = JSON.stringify(question);
    if (key === this.#asked) return;
    this.#asked = key;
    this.#asking = true;
    const opening = this.#opening;
    try {
      const { answer } = await this.#rpc.post({ question: spanQuestion(question) });
      const block = readTimeline(answer, question.columns);
      if (opening === this.#opening && block) this.#onblock(block);
    } catch {
      return; // the engine ended; the player tells the page
    } finally {
      this.#asking = false;
    }
    this.load(this.#wanted.range, this.#wanted.width); // it may have moved on meanwhile
  }
}

/**
 * A little more than is shown, so that panning does not run into emptiness, on as many columns as
 * it has pixels.
 * @param {import("./scale.js").Range} range
 */
export function spanFor({ from, to }, width, horizon) {
  const margin = (to - from) / 2;
  const wide = clampRange({ from: from - margin, to: to + margin }, horizon);
  const columns = Math.ceil((width * (wide.to - wide.from)) / (to - from));
  return {
    from: Math.floor(wide.from), to: Math.ceil(wide.to), columns: Math.min(columns, MOST_COLUMNS),
  };
}
