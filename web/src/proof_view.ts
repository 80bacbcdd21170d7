/** The tab with the proof of the answer that was clicked. */

import { h } from "./dom";
import { atom, type Bar, type Facts, type Lane } from "./facts";
import { factsOf, ProofTree, type ProofHooks } from "./proof_tree";
import { parseInterval, readable, type Clock } from "./times";
import type { FactText, Proof, ProofAnswer } from "./types";

const MOST_LANES = 40;


/** What the tab shows before, while and after a proof is asked for. */
export function proofView(
  asked: Bar | null,
  answer: ProofAnswer | "waiting" | Error | null,
  facts: Facts,
  clock: Clock,
  hooks: ProofHooks,
): HTMLElement[] {
  if (!asked) return [h("p", { class: "empty" }, "Click a fact on the timeline to see why it holds.")];
  const title = h(
    "h2",
    { class: "why" },
    "Why ",
    h("span", { class: "fact-atom" }, facts.atom(asked).label),
    " ",
    h("span", { class: "fact-time" }, facts.interval(asked)),
  );
  if (answer === "waiting" || !answer) return [title, h("p", { class: "empty" }, "Looking for a proof …")];
  if (answer instanceof Error) return [title, refusal("The proof could not be fetched.", answer.message)];
  if (!answer.proofs) return [title, refusal(answer.refused ?? "There is no proof.", answer.hint)];
  const tree = new ProofTree(answer.proofs, clock, hooks);
  const buttons = h(
    "div",
    { class: "tree-buttons" },
    h("button", { class: "link", onclick: () => tree.unfold(true) }, "open all"),
    h("button", { class: "link", onclick: () => tree.unfold(false) }, "close all"),
  );
  const missing = (answer.missing ?? []).map((each) => readable(each, clock)).join(", ");
  return [title, ...(missing ? [refusal(`By what is known here it does not hold at ${missing}.`)] : []), buttons, tree.element];
}

/** Lanes for the facts of a proof that no lane in view has. */
export function lanesOfProof(proofs: Proof[], facts: Facts, shown: Set<Lane>, clock: Clock): Lane[] {
  const lanes = new Map<string, { lane: Lane; number: number }>();
  for (const fact of factsOf(proofs)) {
    const label = atom(fact.predicate, fact.arguments);
    const known = facts.find(label);
    if (known && shown.has(known.lane)) continue;
    const extra = lanes.get(label) ?? facts.extraLane(fact.predicate, fact.arguments, label);
    extra.lane.fresh.push(barOf(fact, extra.number, clock));
    lanes.set(label, extra);
  }
  return [...lanes.values()].slice(0, MOST_LANES).map((extra) => extra.lane);
}

function barOf(fact: FactText, number: number, clock: Clock): Bar {
  const { start, end, startClosed, endClosed } = parseInterval(fact.interval, clock);
  const [wireStart, wireEnd] = [start, end].map((time) => (Number.isFinite(time) ? (clock.dates ? time * 1000 : time) : null));
  return { start, end, ends: (startClosed ? 1 : 0) | (endClosed ? 2 : 0), wireStart: wireStart!, wireEnd: wireEnd!, atom: number };
}

function refusal(reason: string, hint?: string): HTMLElement {
  return h("div", { class: "refusal" }, h("p", {}, reason), hint ? h("p", { class: "hint" }, hint) : null);
}
