// Bars that run down: what they show at a moment. The page says only from when to when ("from,to"
// in ns), so that it has nothing to do while time passes.

/** A bar with less than this share of its time left is marked. */
const LOW = 0.2;

/**
 * What a bar shows at a moment.
 * @param {number} from ns
 * @param {number} to ns
 * @param {number} ns
 * @returns {{share: number, low: boolean, words: string}} share of the time that is left, 0 to 1
 */
export function barAt(from, to, ns) {
  const length = to - from;
  const left = to - ns;
  const share = length > 0 ? Math.min(Math.max(left / length, 0), 1) : 0;
  return { share, low: share < LOW, words: seconds(left) };
}

/** A length of time in seconds with one decimal, rounded down: "44.9 s". */
export function seconds(ns) {
  const tenths = Math.floor(Math.max(ns, 0) / 1e8);
  return `${Math.floor(tenths / 10)}.${tenths % 10} s`;
}

/** One bar of the page. A bar moves by a transform, which costs no layout. */
export class Bar {
  #element;
  #text;
  #span = [0, 0];
  #share = -1;
  #words = "";

  /** @param {HTMLElement} element the part of the bar that moves; the words stand after the bar */
  constructor(element) {
    this.#element = element;
  }

  /** @param {boolean} say also in words: those are laid out, so not in each frame */
  set(ns, say) {
    const text = this.#element.dataset.bar ?? "";
    if (text !== this.#text) {
      this.#text = text;
      this.#span = text.split(",").map(Number);
    }
    const { share, low, words } = barAt(...this.#span, ns);
    const rounded = Math.round(share * 1000) / 1000;
    if (rounded !== this.#share) {
      this.#share = rounded;
      this.#element.style.transform = `scaleX(${rounded})`;
      this.#element.parentElement.classList.toggle("low", low);
    }
    if (say && words !== this.#words) {
      this.#words = words;
      const place = this.#element.parentElement.nextElementSibling;
      if (place?.firstChild) place.firstChild.nodeValue = words;
      else if (place) place.textContent = words;
    }
  }
}
