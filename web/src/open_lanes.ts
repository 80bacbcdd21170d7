/** Open hypotheses on the timeline: where they may become true, and by when that is decided. */

import type { Bar, Facts } from "./facts";
import type { Row } from "./rows";
import type { Clock } from "./times";
import type { Hypothesis } from "./types";

const MOST_LANES = 12;

/** Rows for the answers that are open, those that are decided first on top. */
export function rowsOfHypotheses(open: Hypothesis[], facts: Facts, clock: Clock): Row[] {
  const byAnswer = new Map<string, Hypothesis[]>();
  for (const each of open) {
    if (each.time !== null) byAnswer.set(each.text, [...(byAnswer.get(each.text) ?? []), each]);
  }
  const rows = [...byAnswer].slice(0, MOST_LANES).map(([text, found]): Row => {
    const { lane, number } = facts.extraLane("", [], text);
    lane.fresh.push(...found.map((each) => barOf(each, number, clock)));
    return { kind: "lane", lane };
  });
  return rows.length ? [{ kind: "extra", title: "May become true" }, ...rows] : [];
}

function barOf({ time, deadline }: Hypothesis, number: number, clock: Clock): Bar {
  const start = clock.place(time, Infinity);
  const end = Math.max(start, deadline === null ? start : clock.place(deadline, start));
  return { start, end, ends: 0, wireStart: time, wireEnd: deadline, atom: number, open: true };
}
