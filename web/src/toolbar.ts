/** What is above the timeline: filters on the left, zoom and follow on the right. */

import { h, put } from "./dom";
import type { Facts } from "./facts";
import { sortedPredicates, type Filter } from "./rows";

export interface Actions {
  filtered(): void;
  zoomed(factor: number): void;
  panned(share: number): void;
  fitted(): void;
  followed(on: boolean): void;
}

export class Toolbar {
  readonly element: HTMLElement;
  private readonly predicates = h("div", { class: "chips", role: "group", "aria-label": "Predicates" });
  private readonly follow: HTMLInputElement;
  private readonly followLabel: HTMLElement;
  private readonly note = h("span", { class: "note" });
  private revision = "";

  constructor(
    private readonly filter: Filter,
    private readonly actions: Actions,
  ) {
    const search = h("input", {
      type: "search",
      placeholder: "filter by constant",
      "aria-label": "Filter by constant",
      spellcheck: "false",
      oninput: (event) => {
        filter.text = (event.target as HTMLInputElement).value;
        actions.filtered();
      },
    });
    this.follow = h("input", { type: "checkbox", onchange: () => actions.followed(this.follow.checked) });
    this.followLabel = h("label", { class: "follow" }, this.follow, "follow");
    this.element = h(
      "div",
      { class: "toolbar" },
      h("div", { class: "tools" }, search, this.note, h("span", { class: "stretch" }), this.buttons(), this.followLabel),
      this.predicates,
    );
  }

  /** Whether the newest is kept in view, and whether there can be anything new. */
  showFollow(on: boolean, possible: boolean): void {
    this.follow.checked = on && possible;
    this.follow.disabled = !possible;
    this.followLabel.title = possible ? "keep the newest time in view" : "nothing new comes: the run has ended";
    this.followLabel.hidden = !possible;
  }

  /** The predicates with a box to tick, each with its number of lanes. */
  show(facts: Facts, colours: Map<string, string>, id: string): void {
    this.note.textContent = facts.dropped
      ? `${facts.count.toLocaleString("en-GB")} facts are shown, ${facts.dropped.toLocaleString("en-GB")} are left out`
      : "";
    const revision = `${id} ${facts.revision}`;
    if (revision === this.revision) return;
    this.revision = revision;
    const shown = sortedPredicates(facts);
    put(
      this.predicates,
      ...shown.map((predicate) => this.chip(predicate.name, predicate.role, colours.get(predicate.name) ?? "")),
      shown.length > 3 ? this.all("all", false, facts) : null,
      shown.length > 3 ? this.all("none", true, facts) : null,
    );
  }

  private chip(name: string, role: string, colour: string): HTMLElement {
    const box = h("input", {
      type: "checkbox",
      "data-predicate": name,
      onchange: () => {
        if (box.checked) this.filter.hidden.delete(name);
        else this.filter.hidden.add(name);
        this.actions.filtered();
      },
    });
    box.checked = !this.filter.hidden.has(name);
    return h("label", { class: `chip ${colour}`, title: role }, box, h("span", { class: "swatch" }), h("span", {}, name));
  }

  private all(text: string, hide: boolean, facts: Facts): HTMLElement {
    return h(
      "button",
      {
        class: "link",
        onclick: () => {
          this.filter.hidden.clear();
          if (hide) for (const each of facts.predicates) this.filter.hidden.add(each.name);
          this.predicates.querySelectorAll("input").forEach((box) => (box.checked = !hide));
          this.actions.filtered();
        },
      },
      text,
    );
  }

  private buttons(): HTMLElement {
    const button = (text: string, title: string, act: () => void) =>
      h("button", { title, "aria-label": title, onclick: act }, text);
    return h(
      "div",
      { class: "buttons", role: "group", "aria-label": "Zoom and pan" },
      button("←", "earlier", () => this.actions.panned(-0.3)),
      button("→", "later", () => this.actions.panned(0.3)),
      button("−", "zoom out", () => this.actions.zoomed(1 / 1.6)),
      button("+", "zoom in", () => this.actions.zoomed(1.6)),
      button("Fit", "show all times", () => this.actions.fitted()),
    );
  }
}
