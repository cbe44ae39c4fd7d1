// Sizes that the timeline's canvas shares with the lane labels, which are DOM and made by the page.
// All are CSS pixels. LANE and LAG are what --lane and --lag say where the page sets neither.

/** Height of the time axis at the top. */
export const AXIS = 20;

/** Height of one lane. */
export const LANE = 15;

/** Height of the lag chart under the lanes. */
export const LAG = 64;

/** Height of the strip at the bottom that shows branches. */
export const BRANCHES = 16;

/** Height of a timeline with the given number of lanes. */
export function timelineHeight(lanes, lane = LANE, lag = LAG) {
  return AXIS + lanes * lane + lag + BRANCHES;
}
