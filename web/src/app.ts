/** The page: which run is shown, what is asked for, and when. */

import { Cards } from "./cards";
import { h, plural, put } from "./dom";
import { atom, Facts, type Bar } from "./facts";
import { rowsOfHypotheses } from "./open_lanes";
import { Panel, type Tab } from "./panel";
import type { ProofHooks } from "./proof_tree";
import { lanesOfProof, proofView } from "./proof_view";
import { layRows, type Filter, type Row } from "./rows";
import { Refused, type DataSource } from "./source";
import { asideView, hypothesesView, programView } from "./tables";
import { Clock } from "./times";
import { Timeline, type Moment } from "./timeline";
import { Toolbar } from "./toolbar";
import type { Hypothesis, ProofAnswer, Run, Runs } from "./types";

const EVERY = 1000;
const MOST_PAGES = 40;
const COLOURS = 6;

export class App {
  private readonly filter: Filter = { hidden: new Set(), folded: new Set(), text: "" };
  private readonly cards = new Cards((id) => this.choose(id));
  private readonly panel = new Panel((tab) => this.openTab(tab));
  private readonly timeline: Timeline;
  private readonly toolbar: Toolbar;
  private readonly banner = h("div", { class: "banner", role: "alert", hidden: true });
  private readonly where = h("span", { class: "where" });
  private readonly nothing = h("div", { class: "nothing", hidden: true });
  private readonly main: HTMLElement;

  private runs: Runs | null = null;
  private run: Run | null = null;
  private clock = new Clock({ clock: "number", unit: 1, integer: false });
  private facts = new Facts(this.clock);
  private cursor = "";
  private open: Hypothesis[] = [];
  private looking = false;
  private lookAgain = false;
  private asked: Bar | null = null;
  private answer: ProofAnswer | "waiting" | Error | null = null;
  private readonly proofHooks: ProofHooks = {
    pointed: (fact, span) => this.timeline.point(atom(fact.predicate, fact.arguments), span),
    revealed: (fact, span) => this.timeline.reveal(atom(fact.predicate, fact.arguments), span),
  };

  constructor(
    root: HTMLElement,
    private readonly source: DataSource,
  ) {
    this.timeline = new Timeline({
      opened: (bar) => void this.openProof(bar),
      folded: (predicate) => this.fold(predicate),
      followed: () => this.showFollow(),
    });
    this.toolbar = new Toolbar(this.filter, {
      filtered: () => this.showRows(),
      zoomed: (factor) => this.timeline.viewport.zoomBy(factor),
      panned: (share) => this.timeline.viewport.panBy(share),
      fitted: () => this.timeline.fit(),
      followed: (on) => this.setFollow(on),
    });
    const chart = h("section", { class: "chart", "aria-label": "Timeline" }, this.toolbar.element, this.timeline.element, legend());
    this.main = h("main", {}, chart, this.panel.element);
    const head = h("header", { class: "top" }, h("span", { class: "brand" }, "thalweg"), this.where);
    put(root, head, this.banner, this.cards.element, this.nothing, this.main);
  }

  /** Show what there is, and go on for as long as the page is open. */
  async start(): Promise<void> {
    await this.look();
    if (!this.source.live) return;
    for (;;) {
      await new Promise((done) => setTimeout(done, EVERY));
      if (!document.hidden) await this.look();
    }
  }

  /** Ask for what is new; never twice at the same time, or something would come twice. */
  private async look(): Promise<void> {
    if (this.looking) {
      this.lookAgain = true;
      return;
    }
    this.looking = true;
    do {
      this.lookAgain = false;
      await this.lookOnce();
    } while (this.lookAgain);
    this.looking = false;
  }

  private async lookOnce(): Promise<void> {
    try {
      this.runs = await this.source.runs();
      this.showRuns(this.runs);
      if (this.run) await this.lookAtRun(this.run);
      this.banner.hidden = true;
    } catch (error) {
      this.complain(error);
    }
  }

  private complain(error: unknown): void {
    const gone = "The server does not answer. Start thalweg view again; the page goes on by itself when it is back.";
    this.banner.textContent = error instanceof Refused ? `The server could not answer: ${error.message}` : gone;
    this.banner.hidden = false;
    if (!(error instanceof Refused || error instanceof TypeError || error instanceof SyntaxError)) console.error(error);
  }

  private showRuns(runs: Runs): void {
    const wanted = this.run?.id ?? decodeURIComponent(location.hash.slice(1));
    const run = runs.runs.find((each) => each.id === wanted) ?? runs.runs[0] ?? null;
    this.where.textContent = runs.folder;
    this.where.title = runs.folder;
    this.nothing.hidden = run !== null;
    this.main.hidden = run === null;
    if (!run) put(this.nothing, ...noRuns(runs.folder));
    if (run?.id !== this.run?.id) this.begin(run);
    this.run = run;
    this.cards.show(runs, run?.id ?? null);
  }

  private choose(id: string): void {
    const run = this.runs?.runs.find((each) => each.id === id);
    if (!run || !this.runs || id === this.run?.id) return;
    location.hash = encodeURIComponent(id);
    this.begin(run);
    this.run = run;
    this.cards.show(this.runs, id);
    void this.look();
  }

  private begin(run: Run | null): void {
    this.cursor = "";
    this.open = [];
    this.asked = this.answer = null;
    this.filter.hidden.clear();
    this.filter.folded.clear();
    if (!run) return;
    this.clock = new Clock(run);
    this.facts = new Facts(this.clock);
    this.timeline.begin(this.facts, this.clock);
    this.timeline.viewport.follow = run.state === "running";
    this.openTab(run.kind === "hypotheses" ? "hypotheses" : "proof", run);
  }

  private async lookAtRun(run: Run): Promise<void> {
    let changed = false;
    for (let pages = 0, more = true; more && pages < MOST_PAGES; pages++) {
      const page = await this.source.facts(run.id, this.cursor);
      if (run.id !== this.run?.id) return;
      if (page.reset && this.cursor) this.forgetProof();
      changed = this.facts.take(page) || changed;
      this.cursor = page.cursor;
      more = page.more;
    }
    if (run.kind === "hypotheses") changed = (await this.lookAtOpen(run)) || changed;
    if (run.id !== this.run?.id) return;
    if (changed) this.showRows();
    const moments = this.moments(run);
    if (this.facts.count) moments.forEach((each) => this.facts.reach(each.time));
    this.timeline.mark(moments);
    if (changed) this.timeline.viewport.keepUp(this.facts.first, this.facts.last);
    this.showFollow();
    await this.refreshTab(run);
  }

  /** Ask what is open; whether that has changed. */
  private async lookAtOpen(run: Run): Promise<boolean> {
    const { open } = await this.source.hypotheses(run.id);
    if (run.id !== this.run?.id || JSON.stringify(open) === JSON.stringify(this.open)) return false;
    this.open = open;
    open.forEach((each) => this.facts.reach(this.clock.place(each.deadline, NaN)));
    return true;
  }

  private moments(run: Run): Moment[] {
    const { newest, answered_before: answered } = run.progress ?? { newest: null, answered_before: null };
    const found: Moment[] = [];
    if (answered !== null) found.push({ time: this.clock.place(answered, NaN), label: "answered" });
    if (newest !== null && newest !== answered) found.push({ time: this.clock.place(newest, NaN), label: "newest" });
    return run.state === "running" ? found : [];
  }

  private showRows(): void {
    const colours = this.colours();
    const rows = layRows(this.facts, this.filter);
    this.toolbar.show(this.facts, colours, this.run?.id ?? "");
    const open = rowsOfHypotheses(this.open, this.facts, this.clock);
    this.timeline.show([...open, ...this.rowsOfProof(rows), ...rows], colours, this.whyEmpty());
  }

  private rowsOfProof(rows: Row[]): Row[] {
    const proofs = this.answer && typeof this.answer === "object" && "proofs" in this.answer ? this.answer.proofs : null;
    if (!proofs) return [];
    const shown = new Set(rows.flatMap((row) => (row.kind === "lane" ? [row.lane] : [])));
    const lanes = lanesOfProof(proofs, this.facts, shown, this.clock);
    if (!lanes.length) return [];
    return [{ kind: "extra", title: "Only in this proof" }, ...lanes.map((lane): Row => ({ kind: "lane", lane }))];
  }

  private whyEmpty(): string {
    if (this.facts.count) return "No lane fits the filter.";
    return this.run?.state === "running" ? "No answer yet." : "There are no answers.";
  }

  private colours(): Map<string, string> {
    const outputs = this.facts.predicates.filter((each) => each.role === "output").map((each) => each.name);
    const colour = (name: string, role: string) => (role === "output" ? `c${outputs.indexOf(name) % COLOURS}` : `role-${role}`);
    return new Map(this.facts.predicates.map(({ name, role }) => [name, colour(name, role)]));
  }

  private fold(predicate: string): void {
    if (!this.filter.folded.delete(predicate)) this.filter.folded.add(predicate);
    this.showRows();
  }

  private setFollow(on: boolean): void {
    this.timeline.viewport.follow = on;
    if (on) this.timeline.viewport.keepUp(this.facts.first, this.facts.last);
  }

  private showFollow(): void {
    this.toolbar.showFollow(this.timeline.viewport.follow, this.source.live && this.run?.state === "running");
  }

  private async openProof(bar: Bar): Promise<void> {
    const run = this.run;
    if (!run || bar.atom < 0) return;
    this.asked = bar;
    this.answer = "waiting";
    this.timeline.select(bar);
    this.openTab("proof");
    const answer = await this.source
      .proof(run.id, { lane: bar.atom, start: bar.wireStart, end: bar.wireEnd, ends: bar.ends })
      .catch((error: Error) => error);
    if (this.asked !== bar) return;
    this.answer = answer;
    this.openTab("proof");
    this.showRows();
  }

  private forgetProof(): void {
    this.asked = this.answer = null;
    this.timeline.select(null);
    if (this.panel.tab === "proof") this.openTab("proof");
  }

  private openTab(tab: Tab, run: Run | null = this.run): void {
    this.panel.select(tab);
    this.panel.scrollToTop();
    if (tab === "proof") {
      this.panel.show(...proofView(this.asked, this.answer, this.facts, this.clock, this.proofHooks));
    } else if (run) {
      this.panel.show(h("p", { class: "empty" }, "…"));
      this.refreshTab(run, true).catch((error: unknown) => this.complain(error));
    }
  }

  /** Bring the tab up to date; the rules never change. */
  private async refreshTab(run: Run, opened = false): Promise<void> {
    const { tab } = this.panel;
    this.panel.badge("hypotheses", run.progress?.open ?? 0);
    this.panel.badge("aside", run.progress?.set_aside ?? 0);
    if (tab === "proof" || (!opened && (run.state !== "running" || tab === "program"))) return;
    const view =
      tab === "program"
        ? programView(await this.source.program(run.id))
        : tab === "aside"
          ? asideView(await this.source.aside(run.id))
          : hypothesesView(await this.source.hypotheses(run.id), this.clock, run.kind);
    if (this.panel.tab === tab && (run.id === this.run?.id || opened)) this.panel.show(view);
  }
}

function noRuns(folder: string): HTMLElement[] {
  return [
    h("h2", {}, "No runs below this folder"),
    h("p", {}, folder),
    h("p", {}, "Start one, and it appears here by itself:"),
    h("pre", {}, "thalweg run PROGRAM FACTS… --stream --explain --checkpoint CHECKPOINT --output FOLDER"),
    h("p", {}, "Or look at a program and its facts without a run:"),
    h("pre", {}, "thalweg view PROGRAM FACTS…"),
  ];
}

function legend(): HTMLElement {
  const item = (kind: string, text: string) => h("span", { class: "legend-item" }, h("span", { class: `sample ${kind}` }), text);
  return h(
    "footer",
    { class: "legend" },
    item("closed", "end included"),
    item("open", "end not included"),
    item("point", "time point"),
    item("many", `${plural(2, "fact")} or more`),
    h("span", { class: "stretch" }),
    h("span", {}, "wheel zooms · drag pans · keys: ← → + − F"),
  );
}
