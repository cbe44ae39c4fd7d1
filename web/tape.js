// Which cells of a partition tape are shown and what each of them is. Pure: no canvas, no DOM.

/** What one cell, which is one offset, is to the group that reads the partition. */
export const Cell = {
  none: 0, // outside the log
  committed: 1,
  done: 2, // before the position, not committed: a crash now would read it again
  work: 3, // its handler runs
  buffered: 4, // fetched, not yet given out by poll
  waiting: 5, // readable in the log, not fetched
  unseen: 6, // between high watermark and log end: not readable yet
};

/** Share of a tape's width that lies left of the place where the consumer is. */
const BEHIND = 0.58;

/**
 * The place where the consumer is, as a fractional offset: it moves evenly through a record while
 * that is worked on. Without a consumer it is the committed offset, without that the log end.
 * @param {import("./blocks.js").Tape} tape
 */
export function readingPlace(tape) {
  if (tape.work >= 0) return tape.work + tape.done;
  if (tape.position >= 0) return tape.position;
  return tape.committed >= 0 ? tape.committed : tape.end;
}

/**
 * The window of offsets on a tape.
 * @param {import("./blocks.js").Tape} tape
 * @param {number} cells how many cells fit
 * @param {boolean} smooth move between whole offsets too
 * @returns {{first: number, shift: number}} first offset shown, and the part of a cell by which it
 *   is already out of the window
 */
export function tapeWindow(tape, cells, smooth) {
  const left = Math.floor(cells * BEHIND);
  const place = readingPlace(tape) - left;
  // The beginning of a log stays at the left edge until the consumer is far enough in.
  const from = Math.max(place, tape.start);
  const first = Math.floor(from);
  return { first, shift: smooth ? from - first : 0 };
}

/** The first offset that no handler has finished: work in hand, else what poll gave out before. */
function workingPlace(tape) {
  if (tape.work >= 0) return tape.work;
  return tape.finished >= 0 ? Math.min(tape.finished, tape.position) : tape.position;
}

/**
 * What the cell of an offset is.
 * @param {import("./blocks.js").Tape} tape
 * @param {number} offset
 * @returns {number} of Cell
 */
export function cellAt(tape, offset) {
  if (offset < tape.start || offset >= tape.end) return Cell.none;
  if (offset === tape.work) return Cell.work;
  if (offset < tape.committed) return Cell.committed;
  if (offset >= tape.high) return Cell.unseen;
  if (offset < workingPlace(tape)) return Cell.done;
  // Records that poll gave out and whose turn has not come are in the process as well. What was in
  // a process that was killed is nowhere.
  if (!tape.dead && offset < Math.max(tape.fetched, tape.position)) return Cell.buffered;
  return Cell.waiting;
}

/**
 * The cells of a window as runs of one kind, for tapes too small to tell cells apart.
 * @returns {{kind: number, from: number, to: number}[]} offsets, to exclusive
 */
export function cellRuns(tape, first, count) {
  const runs = [];
  for (let offset = first; offset < first + count; offset++) {
    const kind = cellAt(tape, offset);
    const last = runs.at(-1);
    if (last?.kind === kind) last.to = offset + 1;
    else runs.push({ kind, from: offset, to: offset + 1 });
  }
  return runs;
}

/** Lower tapes than this are bands, not cells. */
export function isTight(height) {
  return height < 16;
}

/**
 * The size of cells on a canvas of the given size, in CSS pixels. left leaves room for the arrow
 * that points at what is out of the window.
 * @returns {{top: number, height: number, pitch: number, gap: number, left: number,
 *   count: number, tight: boolean}}
 */
export function tapeLayout(width, height) {
  const tight = isTight(height);
  const cell = tight ? Math.max(height - 3, 3) : Math.min(height - 8, 20);
  const pitch = Math.max(Math.round(cell * 1.2), 5);
  const left = tight ? 5 : 9;
  const top = tight ? 1 : 3;
  const count = Math.max(1, Math.floor((width - left - 2) / pitch));
  return { top, height: cell, pitch, gap: pitch > 8 ? 2 : 1, left, count, tight };
}
