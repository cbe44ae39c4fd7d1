// Colours for canvases, taken from the page's CSS variables and taken anew when the theme changes.

const NAMES = ["ink", "dim", "line", "accent", "bad", "ok", "warn", "panel", "bg"];
const CLIENTS = 8;
const FALLBACK = { ink: "CanvasText", bg: "Canvas", panel: "Canvas", line: "GrayText" };

/** One monospace stack for all canvases: the page's own where it sets --mono. */
export const MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/**
 * @typedef {object} Colors CSS colours by variable name
 * @property {string} ink
 * @property {string} dim
 * @property {string} line
 * @property {string} accent
 * @property {string} bad
 * @property {string} ok
 * @property {string} warn
 * @property {string} panel
 * @property {string} bg
 * @property {string[]} clients --c0 to --c7
 */

export class Theme {
  /** @type {Colors|undefined} */
  #colors;
  #listeners = [];
  #patterns = new Map();
  #watching = false;
  #calm = matchMedia("(prefers-reduced-motion: reduce)");

  /** True when the reader asked for no motion. */
  calm = this.#calm.matches;

  /** @returns {Colors} */
  get colors() {
    if (!this.#watching) this.#watch();
    this.#colors ??= readColors();
    return this.#colors;
  }

  /** The colour of a client by its index, or the dim colour for -1. */
  client(index) {
    const { clients, dim } = this.colors;
    return index < 0 ? dim : clients[index % clients.length];
  }

  /** Calls listener after each change of theme, motion setting or screen density. */
  onchange(listener) {
    this.#listeners.push(listener);
  }

  /** Reads the colours again at the next use, and tells the listeners. */
  refresh() {
    this.#colors = undefined;
    this.calm = this.#calm.matches;
    this.#patterns.clear();
    for (const listener of this.#listeners) listener();
  }

  /**
   * A diagonal hatch. period and width are CSS pixels; slope 1 rises to the right, -1 falls.
   * @param {CanvasRenderingContext2D} ctx
   */
  hatch(ctx, color, { period = 7, width = 2, slope = 1 } = {}) {
    const ratio = pixelRatio();
    const key = [color, period, width, slope, ratio].join();
    let pattern = this.#patterns.get(key);
    if (!pattern) {
      pattern = ctx.createPattern(hatchTile(color, period, width, slope, ratio), "repeat");
      pattern.setTransform(new DOMMatrix().scale(1 / ratio));
      this.#patterns.set(key, pattern);
    }
    return pattern;
  }

  #watch() {
    this.#watching = true;
    const changed = () => this.refresh();
    const observer = new MutationObserver(changed);
    const options = { attributes: true, attributeFilter: ["class", "style", "data-theme"] };
    observer.observe(document.documentElement, options);
    observer.observe(document.body, options);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
    this.#calm.addEventListener("change", changed);
    this.#watchDensity();
  }

  // A media query names one density, so each change needs a new query.
  #watchDensity() {
    const query = matchMedia(`(resolution: ${pixelRatio()}dppx)`);
    query.addEventListener("change", () => {
      this.refresh();
      this.#watchDensity();
    }, { once: true });
  }
}

/** Screen pixels for one CSS pixel. */
export function pixelRatio() {
  return globalThis.devicePixelRatio || 1;
}

// A variable may hold any CSS text (light-dark(), color-mix()); as the colour of an element the
// browser computes it.
function readColors() {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const read = (name) => {
    probe.style.color = FALLBACK[name] ?? "GrayText";
    probe.style.color = `var(--${name}, ${probe.style.color})`;
    return style.color;
  };
  const colors = Object.fromEntries(NAMES.map((name) => [name, read(name)]));
  colors.clients = Array.from({ length: CLIENTS }, (_, i) => read(`c${i}`));
  probe.remove();
  return colors;
}

function hatchTile(color, period, width, slope, ratio) {
  const size = Math.max(2, Math.round(period * Math.SQRT2 * ratio));
  const tile = document.createElement("canvas");
  tile.width = size;
  tile.height = size;
  const ctx = tile.getContext("2d");
  ctx.strokeStyle = color;
  ctx.lineWidth = width * ratio;
  ctx.beginPath();
  for (const shift of [-size, 0, size]) { // the neighbours' ends reach into the corners
    ctx.moveTo(shift - 1, slope > 0 ? size + 1 : -1);
    ctx.lineTo(shift + size + 1, slope > 0 ? -1 : size + 1);
  }
  ctx.stroke();
  return tile;
}

/**
 * Makes a canvas as fine as the screen and clears it. Sizes are CSS pixels.
 * @returns {CanvasRenderingContext2D} one that draws in CSS pixels
 */
export function prepare(canvas, width, height) {
  const ratio = pixelRatio();
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  const ctx = canvas.getContext("2d");
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}
