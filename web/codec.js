// Writes the few questions that the painter asks by itself, in the encoding of the engine's view
// package: an op byte, then numbers as zigzag varints. Answers are never decoded here, except for
// the one number that leads a view.

/** First bytes of questions and answers; see view.Op. Append only, as there. */
export const OP_VIEW = 4;
export const OP_PAINT = 5;
export const OP_TIMELINE = 9;
export const ANSWER_OK = 0;

/** The version of calls and exports that this host speaks; see view.ABI. */
export const ABI = 1;

/**
 * Appends a signed number as Go's encoding/binary.AppendVarint does.
 * @param {number[]} bytes
 * @param {number|bigint} value a whole number
 */
export function appendVarint(bytes, value) {
  const n = BigInt(value);
  let rest = BigInt.asUintN(64, (n << 1n) ^ (n >> 63n));
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
}

/**
 * Reads one signed varint.
 * @param {Uint8Array} bytes
 * @param {number} offset
 * @returns {{value: number, next: number}} next is -1 when the bytes end too early
 */
export function readVarint(bytes, offset = 0) {
  let rest = 0n;
  for (let i = 0; i < 10; i++) {
    const byte = bytes[offset + i];
    if (byte === undefined) break;
    rest |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) {
      const value = BigInt.asIntN(64, (rest >> 1n) ^ -(rest & 1n));
      return { value: Number(value), next: offset + i + 1 };
    }
  }
  return { value: 0, next: -1 };
}

/**
 * Asks OP_VIEW or OP_PAINT for a moment: by event index when it is 0 or more, else by time.
 * @param {number} op
 * @param {{lab: number, ns: number, index: number}} at
 */
export function atQuestion(op, { lab, ns, index }) {
  return question(op, [lab, Math.round(ns), index]);
}

/** Asks for the timeline between two times (ns), drawn on so many columns; see view.Span. */
export function spanQuestion({ lab, from, to, columns }) {
  return question(OP_TIMELINE, [lab, Math.round(from), Math.round(to), columns]);
}

/**
 * The moment that an answer to OP_VIEW shows, in ns: the first field of view.View. It is how the
 * player learns the time of a moment that was asked for by event index.
 * @param {Uint8Array} answer
 * @returns {number|undefined}
 */
export function momentOfView(answer) {
  if (answer[0] !== ANSWER_OK) return undefined;
  const { value, next } = readVarint(answer, 1);
  return next < 0 ? undefined : value;
}

function question(op, numbers) {
  const bytes = [op];
  for (const n of numbers) appendVarint(bytes, n);
  return Uint8Array.from(bytes);
}
