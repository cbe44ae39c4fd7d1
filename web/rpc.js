// The page's end of the Worker: questions and answers in order, a watchdog, and a fresh Worker
// after one that ended. No DOM, and the Worker is made by a function, so that tests can stand in.

/** A call may take this long. There is no way to interrupt WebAssembly but to end its Worker. */
export const WATCHDOG_MS = 5000;

/**
 * @typedef {object} Pending
 * @property {(reply: object) => void} resolve
 * @property {(error: Error) => void} reject
 */

export class Rpc {
  #spawn;
  #watchdogMs;
  #worker;
  #started;
  #settleStart;
  /** @type {Map<number, Pending>} in the order in which the Worker will answer */
  #pending = new Map();
  #last = 0;
  #timer = 0;
  #ready = false;

  /** Hears of the share of engine.wasm that has arrived. */
  onprogress = undefined;
  /** Hears that the Worker was replaced: labs loaded in it are gone. */
  onrestart = undefined;

  /**
   * @param {() => Worker} spawn
   * @param {number} watchdogMs
   */
  constructor(spawn, watchdogMs = WATCHDOG_MS) {
    this.#spawn = spawn;
    this.#watchdogMs = watchdogMs;
  }

  /** Starts the Worker if there is none, and resolves when its engine can be asked. */
  start() {
    this.#started ??= new Promise((resolve, reject) => {
      this.#settleStart = { resolve, reject };
      this.#worker = this.#spawn();
      const worker = this.#worker;
      worker.onmessage = ({ data }) => worker === this.#worker && this.#hear(data);
      worker.onerror = (event) => {
        event.preventDefault?.();
        if (worker === this.#worker) this.#workerFailed(event.message);
      };
    });
    // Callers hear of a failed start through what they asked for; it needs no second report.
    this.#started.catch(() => {});
    return this.#started;
  }

  /**
   * Sends one message and resolves with its reply. Replies come in the order of the messages.
   * @param {object} message without id
   */
  async post(message) {
    await this.start();
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ ...message, id });
      if (this.#pending.size === 1) this.#watch();
    });
  }

  /** Ends the Worker; what waits is rejected, and the next message starts a fresh one. */
  restart(message, details = "") {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#started = undefined;
    this.#ready = false;
    clearTimeout(this.#timer);
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of waiting) reject(trapError(message, details));
    this.onrestart?.(message);
  }

  #hear(data) {
    switch (data.type) {
      case "progress":
        this.onprogress?.(data.fraction);
        return;
      case "ready":
        this.#ready = true;
        this.#settleStart.resolve();
        return;
      case "failed":
        this.#failStart(data.message);
        return;
    }
    if (data.trap !== undefined) {
      this.restart(data.trap, data.details);
      return;
    }
    const pending = this.#pending.get(data.id);
    this.#pending.delete(data.id);
    this.#watch();
    pending?.resolve(data);
  }

  #workerFailed(message) {
    const text = `The engine's Worker has failed${message ? `: ${message}` : "."}`;
    if (this.#ready) this.restart(text);
    else this.#failStart(text);
  }

  #failStart(message) {
    const { reject } = this.#settleStart;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#started = undefined; // the next call tries again
    reject(new Error(message));
  }

  // The timer belongs to the oldest message: those behind it have not begun.
  #watch() {
    clearTimeout(this.#timer);
    if (this.#pending.size === 0) return;
    const due = now() + this.#watchdogMs;
    this.#timer = setTimeout(() => {
      // A machine that slept wakes with its timers overdue and its Worker as far as it was.
      if (now() > due + this.#watchdogMs / 2) this.#watch();
      else this.restart(this.#timeoutText());
    }, this.#watchdogMs);
  }

  #timeoutText() {
    const seconds = this.#watchdogMs / 1000;
    return `The engine did not answer within ${seconds} s and was stopped. Load the lab again.`;
  }
}

function trapError(message, details) {
  return Object.assign(new Error(message), { trap: true, details });
}

function now() {
  return globalThis.performance.now();
}
