/** The facts of a run, lane by lane: disjoint bars in the order of time. */

import type { Clock } from "./times";
import type { FactsPage, Predicate, WireTime } from "./types";

export const START_CLOSED = 1;
export const END_CLOSED = 2;

export interface Bar {
  start: number;
  end: number;
  ends: number;
  wireStart: WireTime;
  wireEnd: WireTime;
  /** The number that the server gives to the fact without its time; negative for others. */
  atom: number;
  /** Not yet a fact: it may become true at its start, and is decided by its end. */
  open?: boolean;
}

/** The facts of one entity: those that differ only in measured values share a lane. */
export interface Lane {
  predicate: string;
  entity: string[];
  searched: string;
  bars: Bar[];
  fresh: Bar[];
  /** How long its longest bar is. */
  longest: number;
}

export interface Atom {
  predicate: string;
  arguments: string[];
  label: string;
  /** The measured values alone. */
  value: string;
  lane: Lane;
}

export class Facts {
  predicates: Predicate[] = [];
  lanes: Lane[] = [];
  dropped = 0;
  count = 0;
  /** Grows whenever lanes come or go. */
  revision = 0;
  first = Infinity;
  last = -Infinity;
  private atoms: Atom[] = [];
  private readonly extra: Atom[] = [];
  private readonly byLabel = new Map<string, Atom>();
  private readonly byEntity = new Map<string, Lane>();

  constructor(private readonly clock: Clock) {}

  /** Take in what is new; whether anything is. */
  take(page: FactsPage): boolean {
    if (page.reset) this.clear();
    const before = this.count;
    if (page.lanes.length || page.reset || page.predicates.length !== this.predicates.length) this.revision++;
    this.predicates = page.predicates;
    this.dropped = page.dropped;
    for (const [predicate, given] of page.lanes) this.atoms.push(this.newAtom(predicate, given));
    for (const [number, start, end, ends] of page.facts) this.add(number, start, end, ends);
    return page.reset || this.count > before;
  }

  /** The fact of a bar, without its time. */
  atom(bar: Bar): Atom {
    return bar.atom < 0 ? this.extra[-1 - bar.atom]! : this.atoms[bar.atom]!;
  }

  /** The fact with a label, if there is one. */
  find(label: string): Atom | undefined {
    return this.byLabel.get(label);
  }

  /** An empty lane for a fact that the server did not send, such as one in a proof; always the same. */
  extraLane(predicate: string, given: string[], label: string): { lane: Lane; number: number } {
    let at = this.extra.findIndex((each) => each.label === label);
    if (at < 0) at = this.extra.push({ predicate, arguments: given, label, value: "", lane: emptyLane(predicate, [label]) }) - 1;
    const { lane } = this.extra[at]!;
    lane.bars = [];
    lane.fresh = [];
    return { lane, number: -1 - at };
  }

  /** The bars of a lane. */
  bars(lane: Lane): Bar[] {
    if (lane.fresh.length) {
      lane.bars = merged([...lane.bars, ...lane.fresh], this.clock.integer);
      lane.longest = lane.bars.reduce((most, bar) => Math.max(most, bar.end - bar.start), 0);
      lane.fresh = [];
    }
    return lane.bars;
  }

  /** The interval of a bar as text. */
  interval(bar: Bar): string {
    const start = this.clock.text(bar.wireStart, -Infinity);
    if (bar.start === bar.end) return start;
    const end = this.clock.text(bar.wireEnd, Infinity);
    return `${bar.ends & START_CLOSED ? "[" : "("}${start}, ${end}${bar.ends & END_CLOSED ? "]" : ")"}`;
  }

  private newAtom(predicate: string, given: string[]): Atom {
    const values = new Set(this.predicates.find((each) => each.name === predicate)?.values ?? []);
    const entity = given.filter((_, at) => !values.has(at));
    const value = given.filter((_, at) => values.has(at)).join(", ");
    const lane = this.laneOf(predicate, entity);
    if (value) lane.searched += `\n${value.toLowerCase()}`;
    const found = { predicate, arguments: given, label: atom(predicate, given), value, lane };
    this.byLabel.set(found.label, found);
    return found;
  }

  private laneOf(predicate: string, entity: string[]): Lane {
    const key = JSON.stringify([predicate, entity]);
    const known = this.byEntity.get(key);
    if (known) return known;
    const lane = emptyLane(predicate, entity);
    this.byEntity.set(key, lane);
    this.lanes.push(lane);
    return lane;
  }

  private add(number: number, wireStart: WireTime, wireEnd: WireTime, ends: number): void {
    const lane = this.atoms[number]?.lane;
    if (!lane) return;
    const start = this.clock.place(wireStart, -Infinity);
    const end = this.clock.place(wireEnd, Infinity);
    lane.fresh.push({ start, end, ends, wireStart, wireEnd, atom: number });
    this.count++;
    this.reach(start);
    this.reach(end);
  }

  /** Count a time among those that are there to be seen. */
  reach(time: number): void {
    if (!Number.isFinite(time)) return;
    this.first = Math.min(this.first, time);
    this.last = Math.max(this.last, time);
  }

  private clear(): void {
    this.lanes = [];
    this.atoms = [];
    this.extra.length = 0;
    this.byLabel.clear();
    this.byEntity.clear();
    this.count = 0;
    this.first = Infinity;
    this.last = -Infinity;
  }
}

function emptyLane(predicate: string, entity: string[]): Lane {
  return { predicate, entity, searched: entity.join("\n").toLowerCase(), bars: [], fresh: [], longest: 0 };
}

export function atom(predicate: string, given: string[]): string {
  return given.length ? `${predicate}(${given.join(", ")})` : predicate;
}

/** Bars in order, those of one fact that touch as one: a stream answers piece by piece. */
function merged(bars: Bar[], integer: boolean): Bar[] {
  bars.sort((a, b) => a.start - b.start || (b.ends & START_CLOSED) - (a.ends & START_CLOSED));
  const found: Bar[] = [];
  const lastOf = new Map<number, Bar>();
  for (const bar of bars) {
    const last = bar.open ? undefined : lastOf.get(bar.atom);
    if (last && touches(last, bar, integer)) extend(last, bar);
    else {
      found.push(bar);
      lastOf.set(bar.atom, bar);
    }
  }
  return found;
}

function touches(last: Bar, next: Bar, integer: boolean): boolean {
  if (next.start < last.end) return true;
  if (next.start === last.end) return Boolean(last.ends & END_CLOSED || next.ends & START_CLOSED);
  return integer && next.start === last.end + 1;
}

function extend(last: Bar, next: Bar): void {
  const farther = next.end > last.end || (next.end === last.end && next.ends & END_CLOSED);
  if (!farther) return;
  last.end = next.end;
  last.wireEnd = next.wireEnd;
  last.ends = (last.ends & START_CLOSED) | (next.ends & END_CLOSED);
}
