// The stage: finds what the page has put there (cards of nodes, tapes, timer bars) and paints each
// frame into it. The page makes and removes elements as it likes; this file only follows.

import { Bar } from "./bar.js";
import { DotFlag } from "./blocks.js";
import { drawDots } from "./dots.js";
import { along, hit, link } from "./links.js";
import { drawTape } from "./paint.js";
import { isTight } from "./tape.js";
import { prepare } from "./theme.js";

/** A click this near to a message's dot means the message. Touch needs some room. */
const REACH = 14;

/** Time that tapes may take of a frame. */
const TAPES_MS = 3;
/**
 * While time runs, so many tapes of those in sight are drawn in one frame, or this share of them if
 * that is more. A canvas costs the browser more after it was drawn than drawing it.
 */
const TAPES = 3;
const TAPES_SHARE = 1 / 8;
/**
 * While time runs, words and numbers change with the page's own (see say), and at least this often.
 */
const WORDS_EVERY_MS = 400;
const CHANGES = {
  childList: true, subtree: true, attributes: true, attributeOldValue: true,
  attributeFilter: ["data-node", "data-part", "data-bar", "hidden"],
};
const FOUND = "[data-node], [data-part], [data-bar]";

/** A tape that is to be measured and drawn. */
const UNKNOWN = { size: undefined, look: "" };

export class Stage {
  #theme;
  #root;
  #overlay;
  #overlaySize = { width: 0, height: 0 };
  #scene = { nodes: [], parts: [], lanes: [] };
  #colorOfNode = new Map();
  #nodes = new Map(); // name -> element
  #boxes = new Map(); // name -> box in the overlay
  #tapes = new Map(); // partition -> [{canvas, size}]
  #bars = [];
  #dirty = true; // elements came or went
  #moved = true; // boxes are to be measured again
  #block;
  #ns = 0;
  #placed = [];
  #saidAt = 0; // when bars were told in words last
  #playing = false;
  #sayNumbers = true; // the numbers beside tapes are due
  #inSight = new Set(); // canvases of tapes
  #sights = new IntersectionObserver((list) => this.#sighted(list));
  #turn = 0; // tape that is painted first
  #request = 0;
  #mutations = new MutationObserver((list) => list.some(isNews) && this.#changed());
  #sizes = new ResizeObserver(() => this.#resized());

  /** Called with a message's number when its dot is clicked. */
  onmessage = null;

  /** @param {import("./theme.js").Theme} theme */
  constructor(theme) {
    this.#theme = theme;
    theme.onchange(() => this.redraw());
  }

  /** Follows what is under root; null lets go of it. */
  attach(root) {
    if (root === this.#root) return this.redraw();
    this.#detach();
    if (!root) return;
    this.#root = root;
    if (getComputedStyle(root).position === "static") root.style.position = "relative";
    this.#overlay = document.createElement("canvas");
    this.#overlay.className = "overlay";
    this.#overlay.setAttribute("aria-hidden", "true"); // the text twin tells it
    Object.assign(this.#overlay.style, {
      position: "absolute", left: "0", top: "0", pointerEvents: "none", zIndex: "5",
    });
    root.addEventListener("click", this.#click, { capture: true });
    root.addEventListener("pointermove", this.#point);
    root.addEventListener("scroll", this.#scrolled, { capture: true, passive: true });
    this.#mutations.observe(root, CHANGES);
    this.redraw();
  }

  /** Names what the numbers in blocks mean. */
  setScene(scene) {
    this.#scene = scene;
    this.#colorOfNode.clear();
    for (const { name, color } of scene.lanes) {
      if (color >= 0) this.#colorOfNode.set(name, color);
    }
    this.#block = undefined;
    this.#changed();
  }

  /** Paints a block, after everything was measured anew if need be. */
  paint(block) {
    this.#block = block;
    if (!this.#root) return;
    this.#find();
    if (this.#sayNumbers) this.#setNumbers();
    this.#sayNumbers = !this.#playing;
    this.#measure();
    this.#paintTapes();
    this.#paintDots();
  }

  /** Sets the timer bars to a moment. */
  tick(ns, playing = false) {
    this.#ns = ns;
    this.#playing = playing;
    if (!this.#root) return;
    this.#find();
    const say = !playing || performance.now() - this.#saidAt >= WORDS_EVERY_MS;
    if (say) return this.say();
    for (const bar of this.#bars) bar.set(ns, false);
  }

  /**
   * Brings the words of bars and the numbers of tapes up to the moment. The page calls this when it
   * has changed words itself, so that all of them are laid out together.
   */
  say() {
    if (!this.#root) return;
    this.#find();
    this.#saidAt = performance.now();
    for (const bar of this.#bars) bar.set(this.#ns, true);
    if (this.#block) this.#setNumbers();
    this.#sayNumbers = !this.#playing;
  }

  /** Measures and paints everything again. */
  redraw() {
    this.#dirty = true;
    this.#sayNumbers = true;
    if (!this.#root) return;
    this.tick(this.#ns, this.#playing);
    if (this.#block) this.paint(this.#block);
  }

  #detach() {
    this.#mutations.disconnect();
    this.#sizes.disconnect();
    this.#sights.disconnect();
    this.#root?.removeEventListener("click", this.#click, { capture: true });
    this.#root?.removeEventListener("pointermove", this.#point);
    this.#root?.removeEventListener("scroll", this.#scrolled, { capture: true });
    this.#overlay?.remove();
    this.#root = undefined;
  }

  // Mutations come in bursts while the page renders: the work is left to the next painting, and one
  // is asked for in case time stands still.
  #changed() {
    this.#dirty = true;
    this.#later();
  }

  #resized() {
    this.#moved = true;
    for (const tape of [...this.#tapes.values()].flat()) Object.assign(tape, UNKNOWN);
    this.#later();
  }

  #scrolled = () => {
    this.#moved = true;
    this.#later();
  };

  #later() {
    this.#request ||= requestAnimationFrame(() => {
      this.#request = 0;
      if (!this.#root) return;
      this.tick(this.#ns, this.#playing);
      if (this.#block) this.paint(this.#block);
    });
  }

  #find() {
    if (!this.#dirty) return;
    this.#dirty = false;
    this.#moved = true;
    this.#sayNumbers = true;
    const root = this.#root;
    if (this.#overlay.parentNode !== root) root.append(this.#overlay);
    this.#sizes.disconnect();
    this.#sights.disconnect();
    this.#inSight.clear();
    this.#sizes.observe(root);
    this.#nodes.clear();
    for (const element of root.querySelectorAll("[data-node]")) {
      // A node may have several elements; the first is its card.
      if (this.#nodes.has(element.dataset.node)) continue;
      this.#nodes.set(element.dataset.node, element);
      this.#sizes.observe(element);
    }
    this.#tapes.clear();
    for (const canvas of root.querySelectorAll("canvas[data-part]")) {
      const { part } = canvas.dataset;
      if (!this.#tapes.has(part)) this.#tapes.set(part, []);
      const numbers = [...canvas.parentElement.querySelectorAll("[data-number]")];
      this.#tapes.get(part).push({ canvas, numbers, ...UNKNOWN });
      this.#sizes.observe(canvas);
      this.#sights.observe(canvas);
      this.#inSight.add(canvas); // until it is known
    }
    this.#bars = [...root.querySelectorAll("[data-bar]")].map((element) => new Bar(element));
    // Mutations of our own making (the overlay) are no news.
    this.#mutations.takeRecords();
  }

  #measure() {
    if (!this.#moved) return;
    this.#moved = false;
    const base = this.#origin();
    this.#boxes.clear();
    for (const [name, element] of this.#nodes) {
      const rect = element.getBoundingClientRect();
      if (rect.width === 0) continue; // hidden
      const box = {
        x: rect.x - base.x, y: rect.y - base.y, width: rect.width, height: rect.height,
      };
      this.#boxes.set(name, box);
    }
    for (const tapes of this.#tapes.values()) {
      for (const tape of tapes) {
        tape.size ??= { width: tape.canvas.clientWidth, height: tape.canvas.clientHeight };
      }
    }
    const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = this.#root;
    Object.assign(this.#overlay.style, {
      width: `${width}px`, height: `${height}px`,
      transform: `translate(${scrollLeft}px, ${scrollTop}px)`,
    });
    this.#overlaySize = { width, height };
  }

  // Numbers are laid out, so they change when bars change their words, and not in each frame.
  #setNumbers() {
    for (const tape of this.#block.tapes) {
      for (const { numbers } of this.#tapes.get(this.#scene.parts[tape.part]) ?? []) {
        numbers.forEach((element) => setText(element, offset(tape[element.dataset.number])));
      }
    }
  }

  // Tapes do not fit all into one frame: what is left is drawn in the next one, which goes on from
  // there, so that every tape has its turn.
  #paintTapes() {
    const { tapes } = this.#block;
    const most = this.#playing ? Math.max(TAPES, this.#inSight.size * TAPES_SHARE) : Infinity;
    const start = performance.now();
    let drawn = 0;
    for (let i = 0; i < tapes.length; i++) {
      const turn = (this.#turn + i) % tapes.length;
      drawn += this.#paintTape(tapes[turn]);
      if (drawn < most && performance.now() - start <= TAPES_MS) continue;
      this.#turn = turn + 1;
      if (!this.#playing) this.#later();
      return;
    }
  }

  /** Returns how many canvases were drawn. */
  #paintTape(tape) {
    let drawn = 0;
    for (const shown of this.#tapes.get(this.#scene.parts[tape.part]) ?? []) {
      if (!shown.size || shown.size.width === 0 || !this.#inSight.has(shown.canvas)) continue;
      const look = tapeLook(tape, shown.size.height);
      if (look === shown.look) continue;
      shown.look = look;
      drawTape(shown.canvas, shown.size, tape, this.#theme);
      drawn++;
    }
    return drawn;
  }

  #sighted(list) {
    for (const { target, isIntersecting } of list) {
      if (isIntersecting) this.#inSight.add(target);
      else this.#inSight.delete(target);
    }
    this.#later();
  }

  #paintDots() {
    const { width, height } = this.#overlaySize;
    const ctx = prepare(this.#overlay, width, height);
    this.#placed = this.#block.dots.map((dot) => this.#place(dot)).filter(Boolean);
    drawDots(ctx, this.#placed, this.#theme);
  }

  #place(dot) {
    const from = this.#scene.nodes[dot.from];
    const to = this.#scene.nodes[dot.to];
    const a = this.#boxes.get(from);
    const b = this.#boxes.get(to);
    if (!a || !b) return undefined;
    const line = link(a, b, (dot.flags & DotFlag.response) !== 0);
    const atRest = this.#theme.calm || (dot.flags & DotFlag.held) !== 0;
    const way = atRest ? 0.5 : dot.way;
    const color = this.#colorOfNode.get(from) ?? this.#colorOfNode.get(to) ?? -1;
    return { ...dot, way, link: line, ...along(line, way), color: this.#theme.client(color) };
  }

  /** Where the overlay's corner is in the window: inside the root's border. */
  #origin() {
    const { x, y } = this.#root.getBoundingClientRect();
    return { x: x + this.#root.clientLeft, y: y + this.#root.clientTop };
  }

  #hit(event) {
    const base = this.#origin();
    return hit(this.#placed, event.clientX - base.x, event.clientY - base.y, REACH);
  }

  #click = (event) => {
    const control = event.target.closest("button, a, input, select, textarea");
    const id = control ? undefined : this.#hit(event);
    if (id === undefined) return;
    event.stopPropagation(); // the card underneath was not meant
    this.onmessage?.(id);
  };

  #point = (event) => {
    const cursor = this.#hit(event) === undefined ? "" : "pointer";
    if (this.#root.style.cursor !== cursor) this.#root.style.cursor = cursor;
  };
}

/** An offset as the page writes it. */
function offset(n) {
  return n < 0 ? "\u2013" : String(n);
}

function setText(element, text) {
  if (element.textContent === text) return;
  if (element.firstChild) element.firstChild.nodeValue = text;
  else element.textContent = text;
}

/** All that a tape's picture depends on: what looks the same is not drawn again. */
function tapeLook(tape, height) {
  const looks = isTight(height) ? { ...tape, done: 0 } : tape;
  return Object.values(looks).join();
}

// Most changes are words, and new times of bars that are known. Whatever makes a card larger or
// smaller is heard of by its size.
function isNews({ type, attributeName, oldValue, addedNodes, removedNodes }) {
  if (type === "attributes") return attributeName !== "data-bar" || oldValue === null;
  return [...addedNodes, ...removedNodes].some(
    (node) => node instanceof Element && (node.matches(FOUND) || node.querySelector(FOUND)));
}
