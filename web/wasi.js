// What engine.wasm imports: a WASI without a world. The engine keeps its own time and chance, so
// the host's are constants. They exist because the Go runtime will not start without: it stops on
// a clock that says 0, seeds its maps from random bytes, and prints panics to stderr.

const OK = 0;
const BADF = 8;
const NOSYS = 52;

const CLOCK_START = 1_767_225_600_000_000_000n; // 2026-01-01T00:00:00Z
const CLOCK_STEP = 1_000n; // 1 us a reading: time that never moves would make waiting loops endless
const RANDOM_START = 0x2545f491;
const KEPT_TEXT = 64 * 1024;

/** Thrown by proc_exit: there is no other way to end a WebAssembly program from within. */
export class Exit extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`the engine ended itself with status ${code}`);
    this.code = code;
  }
}

/**
 * Makes one instance's world.
 * @returns {{imports: WebAssembly.Imports, bind: (m: WebAssembly.Memory) => void,
 *   text: () => string}} bind gives it the memory before the first export is called; text is the
 *   end of what was written to stdout and stderr
 */
export function createWasi() {
  let memory;
  let now = CLOCK_START;
  let random = RANDOM_START;
  let written = "";
  const decoder = new TextDecoder();
  const view = () => new DataView(memory.buffer);
  const set32 = (at, value) => view().setUint32(at, value, true);

  const nothing = (countAt, sizeAt) => {
    set32(countAt, 0);
    set32(sizeAt, 0);
    return OK;
  };

  const known = {
    args_get: () => OK,
    args_sizes_get: nothing,
    environ_get: () => OK,
    environ_sizes_get: nothing,
    sched_yield: () => OK,

    clock_time_get(_id, _precision, at) {
      now += CLOCK_STEP;
      view().setBigUint64(at, now, true);
      return OK;
    },

    random_get(at, length) {
      const bytes = new Uint8Array(memory.buffer, at, length);
      for (let i = 0; i < length; i++) {
        random ^= random << 13;
        random ^= random >>> 17;
        random ^= random << 5;
        bytes[i] = random & 0xff;
      }
      return OK;
    },

    fd_write(fd, vectors, count, sizeAt) {
      if (fd !== 1 && fd !== 2) return BADF;
      let size = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(vectors + 8 * i, true);
        const length = view().getUint32(vectors + 8 * i + 4, true);
        written += decoder.decode(new Uint8Array(memory.buffer, at, length), { stream: true });
        size += length;
      }
      // The beginning of a panic says what is wrong; a stack may be long, so the start is kept.
      written = written.slice(0, KEPT_TEXT);
      set32(sizeAt, size);
      return OK;
    },

    fd_fdstat_get(fd, at) {
      if (fd > 2) return BADF;
      new Uint8Array(memory.buffer, at, 24).fill(0);
      view().setUint8(at, 2); // a character device
      return OK;
    },
    fd_fdstat_set_flags: (fd) => (fd > 2 ? BADF : OK),
    fd_prestat_get: () => BADF, // ends the runtime's search for open folders
    fd_close: () => BADF,
    fd_read: () => BADF,

    // Every wait is over at once, with the clock moved on by as long as was asked for.
    poll_oneoff(subscriptions, events, count, countAt) {
      for (let i = 0; i < count; i++) {
        const from = subscriptions + 48 * i;
        const to = events + 32 * i;
        const kind = view().getUint8(from + 8);
        if (kind === 0) now = wakeTime(view(), from, now);
        new Uint8Array(memory.buffer, to, 32).fill(0);
        view().setBigUint64(to, view().getBigUint64(from, true), true);
        view().setUint8(to + 10, kind);
      }
      set32(countAt, count);
      return OK;
    },

    proc_exit(code) {
      throw new Exit(code);
    },
  };

  // A newer Go may list more imports than today's; what nobody calls need not exist.
  const functions = new Proxy(known, { get: (target, name) => target[name] ?? (() => NOSYS) });
  return {
    imports: { wasi_snapshot_preview1: functions },
    bind(instanceMemory) {
      memory = instanceMemory;
    },
    text: () => written,
  };
}

function wakeTime(view, at, now) {
  const timeout = view.getBigUint64(at + 24, true);
  const absolute = (view.getUint16(at + 40, true) & 1) === 1;
  if (!absolute) return now + timeout;
  return timeout > now ? timeout : now;
}
