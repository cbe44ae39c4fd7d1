// The maths of the timeline: time to pixels and back, ticks, zoom, and how much detail is worth
// drawing. Pure: no canvas, no DOM. Times are nanoseconds of the run, x is CSS pixels.

const SECOND = 1e9;
const MINUTE = 60 * SECOND;

/** No closer look than this: the clock of blocks ticks every 10 us. */
export const NARROWEST = 1e6;

/** Steps between labels, besides 1, 2, 5 times a power of ten below a second. */
const LONG_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
].map((s) => s * SECOND);

/** @typedef {{from: number, to: number}} Range */
/** @typedef {{x: (ns: number) => number, ns: (x: number) => number}} Scale */

/**
 * @param {Range} range
 * @param {number} width
 * @returns {Scale}
 */
export function timeScale({ from, to }, width) {
  const perNs = width / (to - from);
  return { x: (ns) => (ns - from) * perNs, ns: (x) => from + x / perNs };
}

/**
 * A range of at least NARROWEST within 0 to horizon, as near to the wanted one as possible.
 * @param {Range} range
 * @param {number} horizon
 * @returns {Range}
 */
export function clampRange({ from, to }, horizon) {
  const whole = Math.max(horizon, NARROWEST);
  const width = Math.min(Math.max(to - from, NARROWEST), whole);
  const start = Math.min(Math.max(from, 0), whole - width);
  return { from: start, to: start + width };
}

/** Zooms by a factor (below 1: closer), leaving the moment at in its place. */
export function zoomRange({ from, to }, factor, at, horizon) {
  const width = Math.min(Math.max((to - from) * factor, NARROWEST), Math.max(horizon, NARROWEST));
  const share = (at - from) / (to - from);
  return clampRange({ from: at - width * share, to: at + width * (1 - share) }, horizon);
}

/** Moves a range without changing its width. */
export function panRange({ from, to }, by, horizon) {
  return clampRange({ from: from + by, to: to + by }, horizon);
}

/** The range to show so that a moment is in it: the same one, or a page further. */
export function followRange(range, ns, horizon) {
  if (ns >= range.from && ns <= range.to) return range;
  const width = range.to - range.from;
  return clampRange({ from: ns - width * 0.1, to: ns + width * 0.9 }, horizon);
}

/**
 * Round times for labels that stand at least gap pixels apart.
 * @param {Range} range
 * @param {number} width
 * @returns {{step: number, times: number[]}}
 */
export function timeTicks({ from, to }, width, gap = 76) {
  const step = niceTimeStep(((to - from) * gap) / width);
  const times = [];
  for (let i = Math.ceil(from / step); i * step <= to; i++) times.push(i * step);
  return { step, times };
}

/** The smallest round step of at least least nanoseconds. */
export function niceTimeStep(least) {
  if (least > SECOND / 2) {
    const step = LONG_STEPS.find((s) => s >= least);
    return step ?? Math.ceil(least / LONG_STEPS.at(-1)) * LONG_STEPS.at(-1);
  }
  return niceStep(least);
}

/** The smallest of 1, 2, 5 times a power of ten that is at least least. */
export function niceStep(least) {
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((n) => n * power >= least * (1 - 1e-9));
  return step * power;
}

/**
 * mm:ss with as many decimals as the step between two labels needs.
 * @param {number} ns
 * @param {number} step in ns; MILLISECONDS for the page's usual mm:ss.mmm
 */
export function formatTime(ns, step = 1e6) {
  const digits = step >= SECOND ? 0 : Math.min(9, Math.ceil(-Math.log10(step / SECOND) - 1e-9));
  const unit = 10 ** (9 - digits);
  const rounded = Math.round(ns / unit) * unit;
  const minutes = Math.floor(rounded / MINUTE);
  const seconds = Math.floor((rounded - minutes * MINUTE) / SECOND);
  const text = `${two(minutes)}:${two(seconds)}`;
  if (digits === 0) return text;
  const rest = Math.round((rounded - minutes * MINUTE - seconds * SECOND) / unit);
  return `${text}.${String(rest).padStart(digits, "0")}`;
}

function two(n) {
  return String(n).padStart(2, "0");
}

/** A length of time with a unit and three or so figures: "42.3 s", "850 ms", "12.0 ms". */
export function formatSpan(ns) {
  if (ns >= 100 * SECOND) return `${(ns / SECOND).toFixed(0)} s`;
  if (ns >= SECOND) return `${(ns / SECOND).toFixed(1)} s`;
  if (ns >= 1e8) return `${(ns / 1e6).toFixed(0)} ms`;
  if (ns >= 1e6) return `${(ns / 1e6).toFixed(1)} ms`;
  return `${(ns / 1e3).toFixed(0)} us`;
}

/**
 * What to draw of a lane: segments in the picture with their places. Of several that share one
 * pixel only the first is kept, so a lane costs at most one drawing a pixel.
 * @param {import("./blocks.js").Segment[]} segments in order of time
 * @param {Scale} scale
 * @param {number} width
 * @returns {{segment: import("./blocks.js").Segment, x: number, width: number}[]}
 */
export function placeSegments(segments, scale, width) {
  const placed = [];
  let covered = -Infinity; // the last pixel that a thin segment has taken
  for (const segment of segments) {
    const x = scale.x(segment.from);
    const end = scale.x(segment.to);
    if (end < 0) continue;
    if (x > width) break;
    if (end - x < 1) {
      const pixel = Math.floor(x);
      if (pixel === covered) continue;
      covered = pixel;
    }
    placed.push({ segment, x, width: end - x });
  }
  return placed;
}

/** The segment of a lane at a moment. Of two that overlap the later one is on top. */
export function segmentAt(segments, ns) {
  let found;
  for (const segment of segments) {
    if (segment.from > ns) break;
    if (ns < segment.to) found = segment;
  }
  return found;
}

/** The value of samples at a moment: the last sample at or before it. */
export function sampleAt(samples, { from, every }, ns) {
  const i = Math.floor((ns - from) / every + 1e-9);
  return i < 0 || samples.length === 0 ? undefined : samples[Math.min(i, samples.length - 1)];
}

/**
 * The largest sample of each lag curve in a range, and the curves with the largest of them.
 * @param {Int32Array[]} lag
 * @param {{from: number, every: number}} block
 * @param {Range} range
 * @param {number} most how many curves to choose
 * @returns {{top: number, curves: number[]}}
 */
export function largestLag(lag, { from, every }, range, most) {
  const first = Math.max(0, Math.floor((range.from - from) / every));
  const last = Math.floor((range.to - from) / every);
  const peaks = lag.map((samples, curve) => {
    let peak = 0;
    for (let i = first; i <= last && i < samples.length; i++) peak = Math.max(peak, samples[i]);
    return { curve, peak };
  });
  peaks.sort((a, b) => b.peak - a.peak || a.curve - b.curve);
  const curves = peaks.slice(0, most).map(({ curve }) => curve);
  return { top: peaks[0]?.peak ?? 0, curves };
}

/** The round number at the top of an axis that must reach peak; half of it is whole too. */
export function axisTop(peak) {
  if (peak <= 10) return 10;
  const power = 10 ** Math.floor(Math.log10(peak));
  return power * [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].find((n) => n * power >= peak);
}

/** Short names of partitions: "p2" while all are of one topic. */
export function shortNames(names) {
  const topics = new Set(names.map((name) => name.slice(0, name.lastIndexOf("-"))));
  if (topics.size > 1) return names;
  return names.map((name) => `p${name.slice(name.lastIndexOf("-") + 1)}`);
}
