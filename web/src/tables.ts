/** Open hypotheses, rows that were set aside, and the rules. */

import { h, plural } from "./dom";
import type { Clock } from "./times";
import type { Hypotheses, Hypothesis, ProgramText, SetAside, TimedAtom } from "./types";

export function hypothesesView(found: Hypotheses, clock: Clock, kind: string): HTMLElement {
  if (!found.open.length) {
    const why =
      kind === "hypotheses"
        ? "Nothing is open: nothing that has come so far may still lead to an answer."
        : "This run does not look for hypotheses. Start one that does with thalweg run … --stream --hypotheses --query P --output FOLDER.";
    return h("p", { class: "empty" }, why);
  }
  const left = found.count - found.open.length;
  return h(
    "div",
    { class: "hypotheses" },
    h("p", { class: "lead" }, `${plural(found.count, "answer")} may still become true, the one decided first on top.`),
    ...found.open.map((each) => hypothesis(each, clock)),
    left > 0 ? h("p", { class: "lead" }, `and ${plural(left, "other")}`) : null,
  );
}

export function asideView(found: SetAside): HTMLElement {
  if (!found.rows.length) {
    return h("p", { class: "empty" }, found.count ? `${plural(found.count, "row")} set aside.` : "No row was set aside.");
  }
  return h(
    "div",
    { class: "aside-rows" },
    h("p", { class: "lead" }, `${plural(found.count, "row")} set aside`, found.count > found.rows.length ? `; the last ${found.rows.length}:` : ":"),
    ...found.rows.map((row) =>
      h("div", { class: "aside-row" }, h("code", {}, row.text), h("span", { class: "reason" }, row.reason)),
    ),
  );
}

export function programView(program: ProgramText): HTMLElement {
  if (!program.text) return h("p", { class: "empty" }, "The record of this run does not hold its rules.");
  const lines = program.text.replace(/\n$/, "").split("\n");
  return h(
    "div",
    { class: "program" },
    h("p", { class: "lead" }, program.name),
    h("ol", { class: "listing" }, ...lines.map((line) => h("li", {}, h("code", {}, line || " ")))),
  );
}

function hypothesis(each: Hypothesis, clock: Clock): HTMLElement {
  return h(
    "article",
    { class: "hypothesis" },
    h(
      "header",
      {},
      h("span", { class: "fact-atom" }, each.text),
      h("span", { class: "fact-time" }, each.time === null ? "at some time" : clock.text(each.time, Infinity)),
      each.confidence === null ? null : h("span", { class: "confidence", title: "how likely it is" }, `${Math.round(each.confidence * 100)}%`),
    ),
    h("ul", {}, ...each.has.map((atom) => timed(atom, "has", clock)), ...each.awaits.map((atom) => timed(atom, "awaits", clock))),
    h("footer", {}, each.deadline === null ? "no time decides it" : `decided by ${clock.text(each.deadline, Infinity)}`),
  );
}

function timed(atom: TimedAtom, kind: "has" | "awaits", clock: Clock): HTMLElement {
  const time = atom.time === null ? "" : ` at ${clock.text(atom.time, Infinity)}`;
  const until = kind === "awaits" && atom.until != null ? ` until ${clock.text(atom.until, Infinity)}` : "";
  const verb = kind === "has" ? "has" : atom.negated ? "as long as not" : "awaits";
  return h("li", { class: kind }, h("span", { class: "verb" }, verb), " ", h("code", {}, atom.text), `${time}${until}`);
}
