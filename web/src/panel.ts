/** The panel beside the timeline: a proof, hypotheses, rows set aside, rules. */

import { h, put } from "./dom";

export type Tab = "proof" | "hypotheses" | "aside" | "program";

const TABS: [Tab, string][] = [
  ["proof", "Proof"],
  ["hypotheses", "Hypotheses"],
  ["aside", "Set aside"],
  ["program", "Rules"],
];

export class Panel {
  readonly element: HTMLElement;
  tab: Tab = "proof";
  private readonly body = h("div", { class: "panel-body", role: "tabpanel", id: "panel-body", tabindex: "0" });
  private readonly buttons = new Map<Tab, HTMLButtonElement>();

  constructor(private readonly chosen: (tab: Tab) => void) {
    const bar = h("div", { class: "tabs", role: "tablist", "aria-label": "Details" });
    for (const [tab, name] of TABS) {
      const button = h("button", { role: "tab", "data-tab": tab, "aria-controls": "panel-body", onclick: () => this.chosen(tab) });
      button.append(name, h("span", { class: "badge", hidden: true }));
      button.addEventListener("keydown", (event) => this.walk(tab, event));
      this.buttons.set(tab, button);
      bar.append(button);
    }
    this.element = h("aside", { class: "panel", "aria-label": "Details" }, bar, this.body);
    this.select("proof");
  }

  select(tab: Tab): void {
    this.tab = tab;
    for (const [name, button] of this.buttons) {
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
    }
  }

  /** A number beside the name of a tab; none for 0. */
  badge(tab: Tab, count: number): void {
    const badge = this.buttons.get(tab)!.querySelector<HTMLElement>(".badge")!;
    badge.hidden = !count;
    badge.textContent = count > 999 ? "999+" : String(count);
  }

  show(...content: (HTMLElement | string)[]): void {
    put(this.body, ...content);
  }

  scrollToTop(): void {
    this.body.scrollTop = 0;
  }

  private walk(tab: Tab, event: KeyboardEvent): void {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const at = TABS.findIndex(([name]) => name === tab);
    const next = TABS[(at + by + TABS.length) % TABS.length]![0];
    this.chosen(next);
    this.buttons.get(next)!.focus();
  }
}
