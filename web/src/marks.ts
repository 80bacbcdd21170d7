/** From bars to what is drawn: only what is in view, and what is too small to be told apart as one mark. */

import type { Bar, Lane } from "./facts";

export interface Mark {
  /** In pixels; a point has no width. */
  left: number;
  right: number;
  first: Bar;
  last: Bar;
  count: number;
  /** How far it is to the next one. */
  room: number;
}

const SMALL = 3;
const NEAR = 3;
const WIDEST = 40;

/** The marks of the bars of a lane between two times. */
export function marks({ bars, longest }: Lane, from: number, to: number, place: (time: number) => number): Mark[] {
  const found: Mark[] = [];
  for (let index = firstAfter(bars, from - longest); index < bars.length; index++) {
    const bar = bars[index]!;
    if (bar.start > to) break;
    if (bar.end < from) continue;
    const left = place(bar.start);
    const right = place(bar.end);
    const before = found.at(-1);
    if (before && right - left < SMALL && mayGrow(before) && left - before.right < NEAR) {
      before.right = Math.max(before.right, right);
      before.last = bar;
      before.count++;
    } else {
      if (before) before.room = left - before.right;
      found.push({ left, right, first: bar, last: bar, count: 1, room: Infinity });
    }
  }
  return found;
}

/** Whether a mark is small, or has been made of small ones. */
function mayGrow(mark: Mark): boolean {
  const width = mark.right - mark.left;
  return mark.count > 1 ? width < WIDEST : width < SMALL;
}

/** The index of the first bar that does not begin before a time. */
function firstAfter(bars: Bar[], time: number): number {
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars[middle]!.start < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
