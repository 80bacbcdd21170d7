/** One lane as SVG: bars with their ends, points, and what is too small to be told apart. */

import { s } from "./dom";
import { END_CLOSED, START_CLOSED } from "./facts";
import type { Mark } from "./marks";

export const ROW = 24;
const BAR = 12;
const DOT = 3.6;
const ROOM_FOR_ENDS = 12;

/** The elements of a mark in a row that begins at ``top``; a value is written beside it where there is room. */
export function drawMark(mark: Mark, top: number, number: number, value: string): SVGGElement {
  const middle = top + ROW / 2;
  const group = s("g", { class: "mark", "data-mark": number });
  if (mark.count > 1) drawCluster(group, mark, middle);
  else if (mark.first.open) drawOpen(group, mark, middle);
  else if (mark.first.start === mark.first.end) group.append(s("circle", { class: "point", cx: mark.left, cy: middle, r: 4.2 }));
  else drawBar(group, mark, middle);
  const x = Math.max(mark.right, 0) + 8;
  if (value && mark.count === 1 && mark.room > 14 + value.length * 7) group.append(s("text", { class: "value", x, y: middle + 4 }, value));
  return group;
}

function drawBar(group: SVGGElement, mark: Mark, middle: number): void {
  const { left, right, first: bar } = mark;
  const width = Math.max(right - left, 3);
  group.append(s("rect", { class: "bar", x: left, y: middle - BAR / 2, width, height: BAR, rx: Math.min(3, width / 2) }));
  if (width < ROOM_FOR_ENDS) return;
  if (Number.isFinite(bar.start)) group.append(drawEnd(left, middle, bar.ends & START_CLOSED));
  else group.append(arrow(left + 70, middle, -1));
  if (Number.isFinite(bar.end)) group.append(drawEnd(right, middle, bar.ends & END_CLOSED));
  else group.append(arrow(right - 70, middle, 1));
}

/** A hypothesis: an empty dot where it may become true, and a dashed line to the time by which it is decided. */
function drawOpen(group: SVGGElement, { left, right }: Mark, middle: number): void {
  group.append(
    s("line", { class: "until", x1: left, x2: right, y1: middle, y2: middle }),
    s("line", { class: "deadline", x1: right, x2: right, y1: middle - 5, y2: middle + 5 }),
    s("circle", { class: "end open", cx: left, cy: middle, r: 4.2 }),
  );
}

function drawEnd(x: number, y: number, closed: number): SVGElement {
  return s("circle", { class: closed ? "end closed" : "end open", cx: x, cy: y, r: DOT });
}

function arrow(x: number, y: number, direction: number): SVGElement {
  return s("path", { class: "for-ever", d: `M${x},${y - 4}l${6 * direction},4l${-6 * direction},4` });
}

function drawCluster(group: SVGGElement, mark: Mark, middle: number): void {
  const width = Math.max(mark.right - mark.left + 2, 4);
  const x = mark.left - 1;
  group.append(s("rect", { class: "cluster", x, y: middle - BAR / 2, width, height: BAR, rx: 2 }));
}
