// Reads the int32 blocks that the engine makes for canvases; see view/paint.go, whose constants
// these are. A block is an answer: one byte that says OK, three of padding, then the numbers.

import { ANSWER_OK } from "./codec.js";

/** Nanoseconds in one unit of time of a block. */
export const TICK = 10_000;

const VERSION = 1;
const PADDING = 4;
const PAINT_HEAD = 5;
const TAPE = 12;
const DOT = 6;
const PIN = 4;
const TIMELINE_HEAD = 7;
const SEGMENT = 5;
const MARK = 3;
const MAX_SAMPLES = 600;

/** Bits of a dot's flags. */
export const DotFlag = { response: 1, held: 2, error: 4, beat: 8 };

/** Kinds of pins on a tape: what other groups have, and the followers' log ends. */
export const Pin = { committed: 1, position: 2, inSync: 3, behind: 4 };

/** Kinds of segments of a timeline. */
export const Seg = {
  poll: 1, work: 2, commit: 3, idle: 4, rebalancing: 5, frozen: 6, dead: 7, callback: 8,
  owned: 9, unread: 10, stable: 11, preparing: 12, completing: 13, empty: 14, produce: 15,
  sleep: 16,
};

/** Kinds of marks of a timeline. */
export const Mark = {
  beat: 1, commit: 2, error: 3, kill: 4, start: 5, freeze: 6, command: 7, rebalance: 8,
};

/** Kinds of lanes. */
export const Lane = { group: 1, consumer: 2, partition: 3, producer: 4 };

/**
 * @typedef {object} Tape one partition, for the group that reads it; -1 stands for none or unknown
 * @property {number} part index in the scene's parts
 * @property {number} color index of the owner's colour
 * @property {boolean} dead the owner was killed and still owns it
 * @property {number} start log start offset
 * @property {number} end log end offset
 * @property {number} high high watermark
 * @property {number} committed
 * @property {number} position
 * @property {number} fetched records from position to here are buffered
 * @property {number} work offset whose handler runs
 * @property {number} done share of its work that is done, 0 to 1
 * @property {number} finished next offset after the last one whose handler finished
 * @property {number[][]} pins each [kind of Pin, colour of the group's owner or -1, offset]
 */

/**
 * @typedef {object} Dot a message on its way
 * @property {number} id
 * @property {number} from index in the scene's nodes
 * @property {number} to
 * @property {number} way share of the way done, 0 to 1
 * @property {number} flags DotFlag bits
 * @property {number} api number of the request
 */

/**
 * Reads a paint block.
 * @param {Uint8Array} answer whole answer to OP_PAINT
 * @returns {{ns: number, index: number, tapes: Tape[], dots: Dot[]}|undefined} undefined: not one
 */
export function readPaint(answer) {
  const n = numbers(answer, PAINT_HEAD);
  if (!n) return undefined;
  const [, time, index, tapes, dots] = n;
  const dotsAt = PAINT_HEAD + tapes * TAPE;
  const pinsAt = dotsAt + dots * DOT + 1;
  if (n.length < pinsAt || n.length < pinsAt + n[pinsAt - 1] * PIN) return undefined;
  const block = { ns: time * TICK, index, tapes: [], dots: [] };
  for (let i = 0; i < tapes; i++) block.tapes.push(tape(n, PAINT_HEAD + i * TAPE));
  for (let i = 0; i < dots; i++) block.dots.push(dot(n, dotsAt + i * DOT));
  for (let i = pinsAt; i < pinsAt + n[pinsAt - 1] * PIN; i += PIN) {
    block.tapes[n[i]]?.pins.push([n[i + 1], n[i + 2], n[i + 3]]);
  }
  return block;
}

function tape(n, i) {
  return {
    part: n[i], color: n[i + 1], dead: n[i + 2] === 1, start: n[i + 3], end: n[i + 4],
    high: n[i + 5], committed: n[i + 6], position: n[i + 7], fetched: n[i + 8], work: n[i + 9],
    done: n[i + 10] / 1000, finished: n[i + 11], pins: [],
  };
}

function dot(n, i) {
  return {
    id: n[i], from: n[i + 1], to: n[i + 2], way: n[i + 3] / 1000, flags: n[i + 4], api: n[i + 5],
  };
}

/**
 * @typedef {object} Segment times in ns
 * @property {number} lane
 * @property {number} kind
 * @property {number} from
 * @property {number} to
 * @property {number} value colour of the owner, or generation
 */

/**
 * @typedef {object} TimelineBlock times in ns
 * @property {number} from
 * @property {number} to
 * @property {Segment[][]} lanes segments of each lane, in order of time
 * @property {{lane: number, kind: number, at: number}[]} marks lane is -1 for all
 * @property {Int32Array[]} lag samples of each partition lane, in order of lanes
 * @property {number} every time between two samples, the first being at from
 */

/**
 * Reads a timeline block.
 * @param {Uint8Array} answer whole answer to OP_TIMELINE
 * @param {number} columns as asked for: they say how far apart the samples are
 * @returns {TimelineBlock|undefined}
 */
export function readTimeline(answer, columns) {
  const n = numbers(answer, TIMELINE_HEAD);
  if (!n) return undefined;
  const [, from, to, lanes, segments, marks, samples] = n;
  const marksAt = TIMELINE_HEAD + segments * SEGMENT;
  const lagAt = marksAt + marks * MARK;
  if (n.length < lagAt) return undefined;
  const block = {
    from: from * TICK, to: to * TICK, lanes: Array.from({ length: lanes }, () => []), marks: [],
    lag: [], every: sampleDistance(from * TICK, to * TICK, columns),
  };
  for (let i = TIMELINE_HEAD; i < marksAt; i += SEGMENT) {
    block.lanes[n[i]]?.push({
      lane: n[i], kind: n[i + 1], from: n[i + 2] * TICK, to: n[i + 3] * TICK, value: n[i + 4],
    });
  }
  for (let i = marksAt; i < lagAt; i += MARK) {
    block.marks.push({ lane: n[i], kind: n[i + 1], at: n[i + 2] * TICK });
  }
  for (let i = lagAt; samples > 0 && i + samples <= n.length; i += samples) {
    block.lag.push(n.subarray(i, i + samples));
  }
  // A segment of a busy lane is written when its column ends, after a longer one that came later.
  for (const lane of block.lanes) lane.sort((a, b) => a.from - b.from);
  return block;
}

function sampleDistance(from, to, columns) {
  return Math.max(Math.floor((to - from) / Math.max(1, Math.min(columns, MAX_SAMPLES))), 1);
}

/** The numbers of an answer, or undefined when it is an error, too short or of another version. */
function numbers(answer, head) {
  if (answer.length < PADDING + 4 * head || answer[0] !== ANSWER_OK) return undefined;
  const at = answer.byteOffset + PADDING;
  const length = Math.floor((answer.length - PADDING) / 4);
  const n = at % 4 === 0
    ? new Int32Array(answer.buffer, at, length)
    : new Int32Array(answer.slice(PADDING, PADDING + 4 * length).buffer);
  return n[0] === VERSION ? n : undefined;
}
