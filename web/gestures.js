// Pointer, wheel and touch on the timeline: drag scrubs, shift or the middle button or two fingers
// pan, the wheel and a pinch zoom. Keys are the page's.

/** A press that moves less than this is a click. */
const CLICK_REACH = 4;
const ZOOM_PER_PIXEL = 0.0022;

/**
 * @typedef {object} Actions x and y are CSS pixels from the canvas's corner
 * @property {(x: number, dragging: boolean) => void} scrub
 * @property {(dx: number) => void} pan
 * @property {(factor: number, x: number) => void} zoom
 * @property {(x: number, y: number) => boolean} press true: something was hit, no scrubbing
 * @property {(at: {x: number, y: number}|undefined) => void} hover
 * @property {() => void} whole shows the whole run
 */

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Actions} actions
 * @returns {() => void} takes the listeners away
 */
export function listen(canvas, actions) {
  const control = new AbortController();
  const options = { signal: control.signal };
  const gestures = new Gestures(canvas, actions);
  // Up and down still scroll the page under a finger.
  canvas.style.touchAction = "pan-y";
  canvas.addEventListener("pointerdown", (event) => gestures.down(event), options);
  canvas.addEventListener("pointermove", (event) => gestures.move(event), options);
  canvas.addEventListener("pointerup", (event) => gestures.up(event), options);
  canvas.addEventListener("pointercancel", (event) => gestures.up(event), options);
  canvas.addEventListener("pointerleave", () => actions.hover(undefined), options);
  canvas.addEventListener("dblclick", () => actions.whole(), options);
  canvas.addEventListener("wheel", (event) => gestures.wheel(event), {
    ...options, passive: false,
  });
  return () => control.abort();
}

class Gestures {
  #canvas;
  #actions;
  #fingers = new Map(); // pointer id -> {x, y}
  #mode = ""; // scrub, pan or pinch while something is pressed
  #origin;

  constructor(canvas, actions) {
    this.#canvas = canvas;
    this.#actions = actions;
  }

  down(event) {
    if (event.button > 1) return;
    const at = this.#place(event);
    this.#fingers.set(event.pointerId, at);
    if (this.#fingers.size > 1) {
      this.#mode = "pinch";
      return;
    }
    if (event.button === 0 && !event.shiftKey && this.#actions.press(at.x, at.y)) {
      this.#fingers.clear();
      return;
    }
    event.preventDefault(); // no text selection, no autoscroll
    this.#canvas.focus?.({ preventScroll: true });
    this.#canvas.setPointerCapture(event.pointerId);
    this.#origin = at;
    this.#mode = event.button === 1 || event.shiftKey ? "pan" : "scrub";
    if (this.#mode === "scrub") this.#actions.scrub(at.x, true);
  }

  move(event) {
    const at = this.#place(event);
    const before = this.#fingers.get(event.pointerId);
    if (!before) {
      this.#actions.hover(at);
      return;
    }
    if (this.#mode === "scrub") {
      this.#actions.scrub(at.x, true);
      this.#actions.hover(this.#far(at) ? at : undefined);
    } else if (this.#mode === "pan") {
      this.#actions.pan(before.x - at.x);
    } else if (this.#mode === "pinch") {
      this.#pinch(event.pointerId, before, at);
    }
    this.#fingers.set(event.pointerId, at);
  }

  up(event) {
    if (!this.#fingers.delete(event.pointerId)) return;
    const at = this.#place(event);
    if (this.#mode === "scrub") this.#actions.scrub(at.x, false);
    this.#mode = this.#fingers.size > 0 ? "pinch" : "";
    if (event.pointerType === "touch") this.#actions.hover(undefined);
  }

  wheel(event) {
    event.preventDefault();
    const { x } = this.#place(event);
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.#actions.pan(event.deltaX * unit);
    } else if (event.shiftKey) {
      this.#actions.pan(event.deltaY * unit);
    } else {
      this.#actions.zoom(Math.exp(event.deltaY * unit * ZOOM_PER_PIXEL), x);
    }
  }

  // Of two fingers, what moves the middle pans, and what changes their distance zooms.
  #pinch(id, before, at) {
    const other = [...this.#fingers].find(([finger]) => finger !== id)?.[1];
    if (!other) return;
    this.#actions.pan((before.x - at.x) / 2);
    const was = Math.max(Math.abs(before.x - other.x), 8);
    const is = Math.max(Math.abs(at.x - other.x), 8);
    this.#actions.zoom(was / is, (at.x + other.x) / 2);
  }

  #far(at) {
    return Math.hypot(at.x - this.#origin.x, at.y - this.#origin.y) > CLICK_REACH;
  }

  #place({ clientX, clientY }) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }
}
