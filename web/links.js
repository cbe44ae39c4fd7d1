// Where messages fly: lines between the cards of two nodes. Pure.

/**
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {{x1: number, y1: number, x2: number, y2: number}} Link
 */

/** Requests and answers of one pair fly on lanes this far apart, in CSS pixels. */
export const LANE_GAP = 5;

/**
 * The line from the middle of the nearest edge of one box to that of the other. Boxes side by side
 * are joined left to right, boxes above each other top to bottom; answers keep to one side.
 * @param {Box} from
 * @param {Box} to
 * @param {boolean} response
 * @returns {Link}
 */
export function link(from, to, response) {
  const gapX = Math.max(to.x - (from.x + from.width), from.x - (to.x + to.width));
  const gapY = Math.max(to.y - (from.y + from.height), from.y - (to.y + to.height));
  const side = (response ? 1 : -1) * LANE_GAP;
  if (gapX >= gapY) {
    const right = to.x + to.width / 2 >= from.x + from.width / 2;
    return {
      x1: right ? from.x + from.width : from.x, y1: middleY(from, to, gapX) + side,
      x2: right ? to.x : to.x + to.width, y2: middleY(to, from, gapX) + side,
    };
  }
  const down = to.y + to.height / 2 >= from.y + from.height / 2;
  return {
    x1: from.x + from.width / 2 + side, y1: down ? from.y + from.height : from.y,
    x2: to.x + to.width / 2 + side, y2: down ? to.y : to.y + to.height,
  };
}

// With little room between two boxes a slanted line would be lost in the gap: a line that leans
// towards the other box's height is easier to follow.
function middleY(box, other, gap) {
  const middle = box.y + box.height / 2;
  if (gap > 60) return middle;
  const wish = other.y + other.height / 2;
  const reach = box.height / 4;
  return Math.min(Math.max(wish, middle - reach), middle + reach);
}

/** The point at a share of the way. */
export function along({ x1, y1, x2, y2 }, way) {
  return { x: x1 + (x2 - x1) * way, y: y1 + (y2 - y1) * way };
}

/**
 * The id of the dot nearest to a point, within reach.
 * @param {{id: number, x: number, y: number}[]} dots
 * @returns {number|undefined}
 */
export function hit(dots, x, y, reach) {
  let best;
  let bestDistance = reach;
  for (const dot of dots) {
    const distance = Math.hypot(dot.x - x, dot.y - y);
    if (distance > bestDistance) continue;
    best = dot.id;
    bestDistance = distance;
  }
  return best;
}
