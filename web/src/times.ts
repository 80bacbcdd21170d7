/** Times as the page draws and prints them. */

import { utcFormat } from "d3-time-format";
import type { Run, WireTime } from "./types";

const day = utcFormat("%Y-%m-%d");
const minute = utcFormat("%Y-%m-%d %H:%M");
const second = utcFormat("%Y-%m-%d %H:%M:%S");
const milli = utcFormat("%Y-%m-%d %H:%M:%S.%L");

/** How the times of a run are read and written. Drawn are numbers: units, or milliseconds where times are dates. */
export class Clock {
  readonly dates: boolean;

  constructor(private readonly run: Pick<Run, "clock" | "unit" | "integer">) {
    this.dates = run.clock === "timestamp" || run.clock === "date";
  }

  /** Where a time is drawn. */
  place(time: WireTime, infinite: number): number {
    if (time === null || time === "") return infinite;
    const number = typeof time === "number" ? time : fraction(time);
    return this.dates ? number / 1000 : number;
  }

  /** A time as it is printed. */
  text(time: WireTime, infinite: number): string {
    if (time === null || time === "") return infinite < 0 ? "-inf" : "inf";
    return this.dates ? moment(this.place(time, infinite)) : String(time);
  }

  /** The number of a proof, in units of the program, where it is drawn. */
  placeOfNumber(text: string): number {
    if (text === "inf" || text === "+inf") return Infinity;
    if (text === "-inf") return -Infinity;
    const number = fraction(text);
    return this.dates ? number * this.run.unit * 1000 : number;
  }

  /** A place on the axis, near enough for people. */
  roughly(place: number): string {
    return this.dates ? moment(place) : String(Number(place.toPrecision(6)));
  }

  /** What the number 1 stands for. */
  get unit(): string {
    if (this.dates) return "UTC";
    return this.run.unit === 1 ? "" : `1 = ${length(this.run.unit)}`;
  }

  get integer(): boolean {
    return this.run.integer;
  }
}

export interface Span {
  start: number;
  end: number;
  startClosed: boolean;
  endClosed: boolean;
}

/** The interval of a proof, such as ``[5,7.5)``. */
export function parseInterval(text: string, clock: Clock): Span {
  const comma = text.indexOf(",");
  return {
    start: clock.placeOfNumber(text.slice(1, comma)),
    end: clock.placeOfNumber(text.slice(comma + 1, -1)),
    startClosed: text.startsWith("["),
    endClosed: text.endsWith("]"),
  };
}

/** The interval of a proof as people read it: dates for dates, one time for a point. */
export function readable(text: string, clock: Clock): string {
  const comma = text.indexOf(",");
  if (comma < 0) return text;
  const [start, end] = [text.slice(1, comma), text.slice(comma + 1, -1)];
  if (start === end) return shown(start, clock);
  return `${text[0]}${shown(start, clock)}, ${shown(end, clock)}${text.at(-1)}`;
}

/** A number of seconds in words. */
export function length(seconds: number): string {
  const units: [number, string][] = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"], [0.001, "ms"]];
  for (const [size, name] of units) if (seconds >= size) return `${Number((seconds / size).toPrecision(4))} ${name}`;
  return `${seconds} s`;
}

function shown(number: string, clock: Clock): string {
  return clock.dates && !number.endsWith("inf") ? moment(clock.placeOfNumber(number)) : number;
}

function moment(milliseconds: number): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return String(milliseconds);
  if (milliseconds % 86_400_000 === 0) return day(date);
  if (milliseconds % 60_000 === 0) return minute(date);
  return milliseconds % 1000 === 0 ? second(date) : milli(date);
}

function fraction(text: string): number {
  const [over, under] = text.split("/");
  return under === undefined ? Number(over) : Number(over) / Number(under);
}
