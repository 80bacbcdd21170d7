/** The runs, each with what can be said of it in a few figures. */

import { h, plural, put } from "./dom";
import { gauge, sparkline } from "./spark";
import type { Progress, Run, Runs } from "./types";

const STATES: Record<Run["state"], string> = {
  running: "running",
  finished: "finished",
  stopped: "stopped",
  failed: "failed",
  lost: "gone",
};

const EXPLAINED: Partial<Record<Run["state"], string>> = { lost: "its process ended without saying so" };

export class Cards {
  readonly element = h("section", { class: "cards", "aria-label": "Runs" });
  private shown = "";

  constructor(private readonly chosen: (id: string) => void) {}

  show(runs: Runs, selected: string | null): void {
    const said = JSON.stringify([runs, selected]);
    if (said === this.shown) return;
    this.shown = said;
    const focused = this.element.contains(document.activeElement) ? document.activeElement?.getAttribute("data-run") : null;
    this.element.classList.toggle("alone", runs.runs.length === 1 && !runs.problems.length);
    put(
      this.element,
      ...runs.runs.map((run) => this.card(run, run.id === selected)),
      ...runs.problems.map((problem) =>
        h("div", { class: "card problem" }, h("b", {}, problem.path), h("p", {}, problem.message)),
      ),
    );
    if (focused) this.element.querySelector<HTMLElement>(`[data-run="${CSS.escape(focused)}"]`)?.focus();
  }

  private card(run: Run, selected: boolean): HTMLElement {
    return h(
      "button",
      { class: "card", "data-run": run.id, "aria-pressed": String(selected), onclick: () => this.chosen(run.id) },
      h(
        "div",
        { class: "card-head" },
        h("span", { class: "card-name", title: run.path }, run.name),
        h("span", { class: `state ${run.state}`, title: EXPLAINED[run.state] }, STATES[run.state]),
      ),
      run.message ? h("p", { class: "card-message" }, run.message) : null,
      run.progress ? h("div", { class: "figures" }, ...figures(run.progress)) : h("p", { class: "card-about" }, about(run)),
      run.progress ? foot(run, run.progress) : null,
    );
  }
}

function about(run: Run): string {
  const said = [
    run.rules === undefined ? null : plural(run.rules, "rule"),
    run.given === undefined ? null : plural(run.given, "input fact"),
    run.answers === undefined || run.answers === null ? null : plural(run.answers, "answer"),
  ].filter(Boolean);
  return said.length ? said.join(" · ") : run.state === "running" ? "no batch yet" : run.queries.join(", ");
}

function figures(progress: Progress): HTMLElement[] {
  const { rate, lag, answers, late, set_aside, open } = progress;
  return [
    figure("rate", rate === null ? "–" : `${short(rate)}/s`, "rows a second, in the last batches"),
    figure("lag", lag ?? "–", "how far the answers are behind the newest row"),
    open === null ? figure("answers", short(answers), "answers so far") : figure("open", short(open), "open hypotheses"),
    figure("late", short(late), "rows that came too late, so far", late > 0),
    figure("set aside", short(set_aside), "rows in quarantine, so far", set_aside > 0),
  ];
}

function foot(run: Run, progress: Progress): HTMLElement {
  return h(
    "div",
    { class: "card-foot" },
    progress.stored === null || run.kind === "hypotheses" ? h("span") : gauge(progress.stored, progress.bound),
    sparkline(run.history?.rate ?? [], "rows a second"),
  );
}

function figure(name: string, value: string, title: string, warn = false): HTMLElement {
  return h("span", { class: warn ? "figure warn" : "figure", title }, h("b", {}, value), h("small", {}, name));
}

/** A number in few characters. */
function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return Number(value.toPrecision(value < 100 ? 2 : 4)).toLocaleString("en-GB");
}
