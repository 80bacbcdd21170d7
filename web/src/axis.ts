/** The axis of time, and the lines that it draws through the lanes. */

import { axisTop, type AxisScale } from "d3-axis";
import { select } from "d3-selection";
import { put, s } from "./dom";
import type { Clock } from "./times";
import type { TimeScale } from "./viewport";

type Tick = number | Date;

const ROOM = 110;
/** Texts so near to the left end would be cut off. */
const EDGE = 14;

/** The times that are written on the axis; whole numbers where no others exist. */
export function ticksOf(scale: TimeScale, width: number, clock: Clock): Tick[] {
  const ticks = scale.ticks(Math.max(2, Math.floor(width / ROOM))) as Tick[];
  return clock.integer && !clock.dates ? ticks.filter((time) => Number.isInteger(time)) : ticks;
}

export function drawAxis(parent: SVGSVGElement, scale: TimeScale, ticks: Tick[], clock: Clock): void {
  const shown = ticks.filter((time) => scale(time) > EDGE);
  const axis = axisTop(scale as AxisScale<Tick>).tickSizeOuter(0).tickPadding(5).tickValues(shown);
  axis.tickFormat(clock.dates ? ((scale as { tickFormat(): unknown }).tickFormat() as (time: Tick) => string) : plain);
  const group = s("g", { transform: "translate(0,27)" });
  select(group).call(axis as never);
  put(parent, group);
}

export function gridLines(scale: TimeScale, ticks: Tick[], height: number): SVGElement {
  const lines = ticks.map((time) => {
    const x = Math.round(scale(time)) + 0.5;
    return s("line", { x1: x, x2: x, y1: 0, y2: height });
  });
  return s("g", { class: "grid" }, ...lines);
}

function plain(time: Tick): string {
  return String(Number(Number(time).toPrecision(12)));
}
