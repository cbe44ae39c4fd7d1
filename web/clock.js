// The player's clock: which moment of the run to show at a moment of the wall. Pure, so that
// pausing, speeds and the horizon can be tested.

/** A frame later than this after the last one moves the run no further: the tab slept. */
const LONGEST_STEP_MS = 250;

export class Clock {
  /** Moment shown, in whole ns of the run. */
  ns = 0;
  /** End of the run, in ns. */
  horizon = 0;
  /** Nanoseconds of the run for each nanosecond of the wall. */
  speed = 1;
  playing = false;
  #exact = 0; // ns with the fraction that slow speeds add up
  #wall = undefined;

  /** Goes to a moment. A playing clock goes on from there. */
  seek(ns) {
    this.ns = clamp(ns, 0, this.horizon);
    this.#exact = this.ns;
    this.#wall = undefined;
  }

  play(speed = this.speed) {
    this.speed = speed;
    this.playing = this.horizon > 0;
    this.#wall = undefined;
  }

  pause() {
    this.playing = false;
    this.#wall = undefined;
  }

  /**
   * Moves on to the given wall time. At the horizon the clock stops.
   * @param {number} wallMs as in requestAnimationFrame
   * @returns {number} the moment to show
   */
  tick(wallMs) {
    if (!this.playing) return this.ns;
    const passed = wallMs - (this.#wall ?? wallMs);
    this.#wall = wallMs;
    if (passed > 0) {
      const step = Math.min(passed, LONGEST_STEP_MS) * 1e6 * this.speed;
      this.#exact = clamp(this.#exact + step, 0, this.horizon);
      this.ns = Math.round(this.#exact);
    }
    if (this.ns >= this.horizon) this.pause();
    return this.ns;
  }
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
