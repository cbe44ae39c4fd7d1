// Measures what frames cost, for the benchmark: the time between two of them while playing, and the
// main thread's work in each. The page's own work (go-app) is not in it.

const KEPT = 1200;

export class Meter {
  #intervals = [];
  #works = [];
  #last = undefined;
  #work = 0;

  /** A frame begins. */
  frame(playing) {
    const now = performance.now();
    if (this.#last !== undefined) {
      push(this.#intervals, now - this.#last);
      push(this.#works, this.#work);
    }
    this.#work = 0;
    this.#last = playing ? now : undefined;
  }

  /** Counts what action takes as work of the present frame. */
  work(action) {
    const start = performance.now();
    action();
    this.#work += performance.now() - start;
  }

  /**
   * Percentiles in milliseconds of all frames since the last call, at most the latest 1200.
   * @returns {{frames: number, intervalP50: number, intervalP95: number, workP50: number,
   *   workP95: number}}
   */
  take() {
    const intervals = this.#intervals.sort((a, b) => a - b);
    const works = this.#works.sort((a, b) => a - b);
    this.#intervals = [];
    this.#works = [];
    return {
      frames: intervals.length,
      intervalP50: share(intervals, 0.5), intervalP95: share(intervals, 0.95),
      workP50: share(works, 0.5), workP95: share(works, 0.95),
    };
  }
}

function push(list, value) {
  list.push(value);
  if (list.length > KEPT) list.shift();
}

function share(sorted, part) {
  return sorted.length ? sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] : 0;
}
