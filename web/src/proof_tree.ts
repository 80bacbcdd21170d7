/** A proof as a tree: facts, the rules that derive them, and what those use, down to the input. */

import { h } from "./dom";
import { atom } from "./facts";
import { parseInterval, readable, type Clock, type Span } from "./times";
import type { FactText, Piece, Proof } from "./types";

export interface ProofHooks {
  pointed(fact: FactText, span: Span | null): void;
  revealed(fact: FactText, span: Span): void;
}

const OPEN_DEPTH = 3;

export class ProofTree {
  readonly element: HTMLElement;
  private readonly numbered = new Map<number, HTMLElement>();

  constructor(
    proofs: Proof[],
    private readonly clock: Clock,
    private readonly hooks: ProofHooks,
  ) {
    this.element = h("div", { class: "proof-tree" }, ...proofs.map((proof) => this.node(proof, 0)));
  }

  /** Open or close every fact but the first. */
  unfold(open: boolean): void {
    for (const each of this.element.querySelectorAll<HTMLDetailsElement>("details details")) each.open = open;
  }

  private node(proof: Proof, depth: number): HTMLElement {
    const { fact, pieces } = proof;
    if (proof.see !== undefined || !pieces) return this.again(proof);
    const details = h(
      "details",
      { class: "fact", open: depth < OPEN_DEPTH },
      h("summary", {}, this.heading(fact)),
      ...pieces.map((piece) => this.piece(piece, pieces.length > 1, depth)),
    );
    if (proof.number !== undefined) this.numbered.set(proof.number, details);
    return details;
  }

  /** A fact whose proof is elsewhere in the tree, or is not shown. */
  private again(proof: Proof): HTMLElement {
    return h(
      "div",
      { class: "fact again" },
      this.heading(proof.fact),
      proof.see === undefined
        ? h("span", { class: "place" }, "the proof goes deeper than is shown")
        : h("button", { class: "link", onclick: () => this.goTo(proof.see) }, "proved above"),
    );
  }

  private goTo(number: number | undefined): void {
    const found = number === undefined ? undefined : this.numbered.get(number);
    if (!found) return;
    for (let each: Element | null = found; each; each = each.parentElement) {
      if (each instanceof HTMLDetailsElement) each.open = true;
    }
    found.querySelector("summary")?.focus();
    found.scrollIntoView({ block: "center" });
  }

  private heading(fact: FactText): HTMLElement {
    const span = parseInterval(fact.interval, this.clock);
    const point = () => this.hooks.pointed(fact, span);
    const unpoint = () => this.hooks.pointed(fact, null);
    return h(
      "span",
      { class: "fact-head", onmouseenter: point, onmouseleave: unpoint, onfocusin: point, onfocusout: unpoint },
      h("span", { class: "fact-atom" }, atom(fact.predicate, fact.arguments)),
      h("span", { class: "fact-time" }, readable(fact.interval, this.clock)),
      h(
        "button",
        {
          class: "link locate",
          title: "show it on the timeline",
          "aria-label": `show ${fact.text} on the timeline`,
          onclick: (event) => {
            event.preventDefault();
            this.hooks.revealed(fact, span);
          },
        },
        "◎",
      ),
    );
  }

  private piece(piece: Piece, several: boolean, depth: number): HTMLElement {
    const part = several ? h("div", { class: "part" }, "in ", readable(piece.interval, this.clock)) : null;
    if (piece.kind !== "rule" || !piece.rule) {
      const kind = piece.kind === "background" ? "background" : "input fact";
      return h("div", { class: "piece given" }, part, h("span", { class: "kind" }, kind), piece.source ? h("span", { class: "place" }, piece.source) : null);
    }
    const instance = Object.entries(piece.instance ?? {});
    return h(
      "div",
      { class: "piece" },
      part,
      h("div", { class: "by" }, `rule ${piece.rule.number}`, piece.rule.place ? h("span", { class: "place" }, piece.rule.place) : null),
      h("pre", { class: "rule" }, piece.rule.text),
      instance.length ? h("div", { class: "with" }, "with ", ...listed(instance.map(([name, value]) => `${name} = ${value}`))) : null,
      ...(piece.conditions ?? []).map((each) => h("div", { class: "condition" }, h("code", {}, each))),
      ...(piece.absent ?? []).map((each) =>
        h("div", { class: "absent" }, "not ", h("code", {}, each.text), " in ", readable(each.interval, this.clock)),
      ),
      h("div", { class: "premises" }, ...(piece.premises ?? []).map((each) => this.node(each, depth + 1))),
    );
  }
}

function listed(texts: string[]): (HTMLElement | string)[] {
  return texts.flatMap((text, at) => (at ? [", ", h("code", {}, text)] : [h("code", {}, text)]));
}

/** The facts of proofs, each once. */
export function factsOf(proofs: Proof[]): FactText[] {
  const found = new Map<string, FactText>();
  const walk = (each: Proof): void => {
    found.set(each.fact.text, each.fact);
    each.pieces?.forEach((piece) => piece.premises?.forEach(walk));
  };
  proofs.forEach(walk);
  return [...found.values()];
}
