/** Which lanes are shown, in which order, under which headings. */

import type { Facts, Lane } from "./facts";
import type { Predicate, Role } from "./types";

export type Row =
  | { kind: "group"; predicate: Predicate; count: number; folded: boolean }
  | { kind: "extra"; title: string }
  | { kind: "lane"; lane: Lane };

export interface Filter {
  hidden: Set<string>;
  folded: Set<string>;
  text: string;
}

const ORDER: Record<Role, number> = { output: 0, derived: 1, input: 2, background: 3 };
const collator = new Intl.Collator("en", { numeric: true });

export function sortedPredicates(facts: Facts): Predicate[] {
  return [...facts.predicates].sort((a, b) => ORDER[a.role] - ORDER[b.role]);
}

/** The rows of the timeline, lanes grouped by predicate and then by arguments. */
export function layRows(facts: Facts, filter: Filter): Row[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const byPredicate = new Map<string, Lane[]>();
  for (const lane of facts.lanes) {
    if (filter.hidden.has(lane.predicate) || !words.every((word) => lane.searched.includes(word))) continue;
    const lanes = byPredicate.get(lane.predicate);
    if (lanes) lanes.push(lane);
    else byPredicate.set(lane.predicate, [lane]);
  }
  return sortedPredicates(facts).flatMap((predicate) => group(predicate, byPredicate.get(predicate.name), filter));
}

function group(predicate: Predicate, lanes: Lane[] | undefined, filter: Filter): Row[] {
  if (!lanes) return [];
  const folded = filter.folded.has(predicate.name);
  const heading: Row = { kind: "group", predicate, count: lanes.length, folded };
  if (folded) return [heading];
  lanes.sort((a, b) => compare(a.entity, b.entity));
  return [heading, ...lanes.map((lane): Row => ({ kind: "lane", lane }))];
}

function compare(a: string[], b: string[]): number {
  for (let position = 0; position < Math.min(a.length, b.length); position++) {
    const order = collator.compare(a[position]!, b[position]!);
    if (order) return order;
  }
  return a.length - b.length;
}
