/** The timeline: lanes of bars under an axis. It draws only the lanes and the bars that are in view. */

import { drawAxis, gridLines, ticksOf } from "./axis";
import { Cursor } from "./cursor";
import { h, plural, put, s } from "./dom";
import { drawMark, ROW } from "./draw";
import { atom, type Bar, type Facts, type Lane } from "./facts";
import { marks, type Mark } from "./marks";
import type { Row } from "./rows";
import type { Clock, Span } from "./times";
import { Tip } from "./tip";
import { Viewport } from "./viewport";

export interface Moment {
  time: number;
  label: string;
}

interface Seen {
  mark: Mark;
  lane: Lane;
}

export interface Hooks {
  opened(bar: Bar): void;
  folded(predicate: string): void;
  followed(): void;
}

const OUTSIDE = 50;

export class Timeline {
  readonly element: HTMLElement;
  readonly viewport: Viewport;
  private readonly corner = h("div", { class: "corner" });
  private readonly axis = s("svg", { class: "axis", "aria-hidden": "true" });
  private readonly labels = h("div", { class: "labels" });
  private readonly plot = s("svg", { class: "plot", tabindex: "0", role: "application" });
  private readonly stage = h("div", { class: "stage" }, this.labels, this.plot);
  private readonly spacer = h("div", { class: "spacer" }, this.stage);
  private readonly scroller = h("div", { class: "scroller" }, this.spacer);
  private readonly tip = new Tip();
  private readonly said = h("div", { class: "said", "aria-live": "polite" });
  private readonly empty = h("div", { class: "empty-lanes", hidden: true });

  private rows: Row[] = [];
  private facts: Facts | null = null;
  private clock: Clock | null = null;
  private moments: Moment[] = [];
  private colours = new Map<string, string>();
  private seen: Seen[] = [];
  private selected: Bar | null = null;
  private pointed: { label: string; span: Span } | null = null;
  private readonly cursor = new Cursor({
    rows: () => this.rows,
    bars: (lane) => this.facts?.bars(lane) ?? [],
    reached: (row, bar) => {
      this.scrollTo(row);
      if (bar) this.viewport.reveal(bar.start, bar.end);
      this.said.textContent = bar && this.facts ? `${this.facts.atom(bar).label}, ${this.timesOf(bar)}` : "";
      this.redraw();
    },
  });
  private waiting = 0;

  constructor(private readonly hooks: Hooks) {
    this.plot.setAttribute(
      "aria-label",
      "Timeline. Left and right pan, plus and minus zoom, F fits; up and down choose a lane, " +
        "shift with left and right choose a fact, enter shows its proof.",
    );
    this.viewport = new Viewport(
      this.plot,
      () => {
        this.tip.hide();
        this.redraw();
        this.hooks.followed();
      },
      (pixels) => (this.scroller.scrollTop -= pixels),
    );
    const head = h("div", { class: "axis-row" }, this.corner, this.axis);
    this.element = h("div", { class: "timeline" }, head, this.scroller, this.empty, this.tip.element, this.said);
    this.listen();
  }

  /** Begin with the facts of another run. */
  begin(facts: Facts, clock: Clock): void {
    this.facts = facts;
    this.clock = clock;
    this.selected = this.pointed = null;
    this.cursor.leave();
    this.rows = [];
    this.moments = [];
    this.corner.textContent = clock.unit;
    this.corner.title = clock.dates ? "times are in UTC" : clock.unit ? "what the number 1 stands for" : "";
    this.viewport.begin(clock.dates);
    this.scroller.scrollTop = 0;
    this.show([], this.colours, "Reading …");
  }

  /** Show these rows; ``empty`` says why there are none. */
  show(rows: Row[], colours: Map<string, string>, empty: string): void {
    this.rows = rows;
    this.colours = colours;
    this.empty.textContent = empty;
    this.empty.hidden = rows.length > 0;
    this.spacer.style.height = `${rows.length * ROW}px`;
    this.redraw();
  }

  /** Mark moments of the run with a line. */
  mark(moments: Moment[]): void {
    this.moments = moments;
    this.redraw();
  }

  select(bar: Bar | null): void {
    this.selected = bar;
    this.redraw();
  }

  /** Point at a fact while somebody looks at it in a proof. */
  point(label: string, span: Span | null): void {
    this.pointed = span ? { label, span } : null;
    this.redraw();
  }

  /** Scroll a fact into view. */
  reveal(label: string, span: Span): void {
    const row = this.rows.findIndex((each) => each.kind === "lane" && this.has(each.lane, label));
    if (row >= 0) this.scrollTo(row);
    this.viewport.reveal(span.start, span.end);
  }

  fit(): void {
    if (this.facts) this.viewport.fit(this.facts.first, this.facts.last);
  }

  /** Draw before the next picture, once. */
  redraw(): void {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.facts || !this.clock) return;
    const height = this.scroller.clientHeight;
    const width = this.plot.clientWidth;
    this.stage.style.height = `${height}px`;
    this.plot.setAttribute("height", String(height));
    this.axis.setAttribute("width", String(width));
    this.viewport.resize(width);
    const first = Math.floor(this.scroller.scrollTop / ROW);
    const offset = -(this.scroller.scrollTop % ROW);
    const rows = this.rows.slice(first, first + Math.ceil(height / ROW) + 1);
    this.seen = [];
    this.axis.classList.toggle("blank", !this.rows.length);
    const ticks = ticksOf(this.viewport.scale, width, this.clock);
    drawAxis(this.axis, this.viewport.scale, ticks, this.clock);
    put(this.labels, ...rows.map((row, at) => this.label(row, offset + at * ROW, first + at)));
    put(
      this.plot,
      gridLines(this.viewport.scale, ticks, height),
      ...rows.map((row, at) => this.row(row, offset + at * ROW, width, first + at)),
      this.lines(width, height),
    );
  }

  private lines(width: number, height: number): SVGElement {
    const group = s("g", { class: "moments" });
    for (const [at, { time, label }] of this.moments.entries()) {
      const x = this.viewport.scale(time);
      if (!(x >= 0 && x <= width)) continue;
      const onLeft = x > width - 70 || (at === 0 && x > 70);
      const y = height - 6 - 15 * at;
      group.append(
        s("line", { x1: x, x2: x, y1: 0, y2: height }),
        s("text", { x: onLeft ? x - 5 : x + 5, y, "text-anchor": onLeft ? "end" : "start" }, label),
      );
    }
    return group;
  }

  private label(row: Row, top: number, index: number): HTMLElement {
    const label = this.labelOf(row);
    label.style.transform = `translateY(${top}px)`;
    if (this.cursor.row === index) label.classList.add("at-cursor");
    return label;
  }

  private labelOf(row: Row): HTMLElement {
    if (row.kind === "extra") return h("div", { class: "label heading" }, row.title);
    if (row.kind === "lane") {
      const text = row.lane.entity.join(", ");
      return h("div", { class: "label lane", title: text }, h("span", {}, text || row.lane.predicate));
    }
    const { predicate, count, folded } = row;
    return h(
      "button",
      {
        class: `label heading ${this.colours.get(predicate.name) ?? ""}`,
        title: `${predicate.role}: ${atom(predicate.name, predicate.arguments.filter(Boolean))}`,
        "aria-expanded": String(!folded),
        onclick: () => this.hooks.folded(predicate.name),
      },
      h("span", { class: "caret" }, folded ? "▸" : "▾"),
      h("span", { class: "swatch" }),
      h("span", { class: "name" }, predicate.name),
      h("span", { class: "count" }, count.toLocaleString("en-GB")),
    );
  }

  private row(row: Row, top: number, width: number, index: number): SVGElement {
    if (row.kind !== "lane" || !this.facts) {
      return s("rect", { class: "heading-row", x: 0, y: top, width, height: ROW });
    }
    const { lane } = row;
    const group = s("g", { class: `lane ${this.colours.get(lane.predicate) ?? "role-derived"}` });
    group.append(s("line", { class: "rail", x1: 0, x2: width, y1: top + ROW / 2, y2: top + ROW / 2 }));
    if (this.cursor.row === index) group.append(s("rect", { class: "cursor-row", x: 0, y: top, width, height: ROW }));
    const [from, to] = this.viewport.domain;
    const slack = (to - from) * 0.01;
    this.facts.bars(lane);
    for (const mark of marks(lane, from - slack, to + slack, this.placing(width))) {
      const drawn = drawMark(mark, top, this.seen.length, this.facts.atom(mark.first).value);
      if (this.isSelected(lane, mark)) drawn.classList.add("selected");
      if (this.cursor.row === index && this.cursor.chosen === mark.first) drawn.classList.add("at-cursor");
      group.append(drawn);
      this.seen.push({ mark, lane });
    }
    if (this.pointed && this.has(lane, this.pointed.label)) group.append(this.pointer(top, width));
    return group;
  }

  private pointer(top: number, width: number): SVGElement {
    const { start, end } = this.pointed!.span;
    const place = this.placing(width);
    const left = place(start) - 6;
    const right = place(end) + 6;
    return s("rect", { class: "pointer", x: left, y: top + 1, width: right - left, height: ROW - 2, rx: 5 });
  }

  /** From times to pixels, but not far outside: browsers draw nothing at a place that is too far away. */
  private placing(width: number): (time: number) => number {
    const scale = this.viewport.scale;
    return (time) => {
      if (!Number.isFinite(time)) return time < 0 ? -OUTSIDE : width + OUTSIDE;
      return Math.max(-OUTSIDE, Math.min(width + OUTSIDE, scale(time)));
    };
  }

  private isSelected(lane: Lane, mark: Mark): boolean {
    if (!this.selected || this.facts!.atom(this.selected).lane !== lane) return false;
    if (mark.count === 1) return mark.first.atom === this.selected.atom && mark.first.start === this.selected.start;
    return mark.first.start <= this.selected.start && this.selected.start <= mark.last.start;
  }

  /** Whether a fact is in a lane: one of the server's, or one that only a proof has. */
  private has(lane: Lane, label: string): boolean {
    const bar = lane.bars[0] ?? lane.fresh[0];
    if (bar && bar.atom < 0) return this.facts!.atom(bar).label === label;
    return this.facts!.find(label)?.lane === lane;
  }

  private listen(): void {
    this.scroller.addEventListener("scroll", () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.scroller);
    this.plot.addEventListener("click", (event) => {
      const seen = this.under(event);
      if (seen) this.open(seen);
    });
    this.plot.addEventListener("pointermove", (event) => this.hover(event));
    this.plot.addEventListener("pointerleave", () => this.tip.hide());
    this.plot.addEventListener("keydown", (event) => this.pressed(event));
  }

  private under(event: Event): Seen | null {
    const mark = (event.target as Element).closest("[data-mark]");
    return (mark && this.seen[Number(mark.getAttribute("data-mark"))]) || null;
  }

  private open({ mark }: Seen): void {
    if (mark.count === 1 || mark.first.start === mark.last.end) {
      this.hooks.opened(mark.first);
      return;
    }
    const room = (mark.last.end - mark.first.start) * 0.2 || 1;
    this.viewport.untouched = this.viewport.follow = false;
    this.viewport.show(mark.first.start - room, mark.last.end + room);
  }

  private hover(event: PointerEvent): void {
    const seen = this.under(event);
    if (!seen || event.buttons) return this.tip.hide();
    const { mark, lane } = seen;
    if (mark.count > 1) this.tip.show(event, atom(lane.predicate, lane.entity), `${plural(mark.count, "fact")} here; click to zoom in`);
    else this.tip.show(event, this.facts!.atom(mark.first).label, this.timesOf(mark.first));
  }

  private timesOf(bar: Bar): string {
    if (!bar.open) return this.facts!.interval(bar);
    const [time, deadline] = [this.clock!.text(bar.wireStart, Infinity), this.clock!.text(bar.wireEnd, Infinity)];
    return `may become true at ${time}; decided by ${deadline}`;
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = this.actions(event.shiftKey)[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private actions(shift: boolean): Record<string, () => void> {
    return {
      ArrowLeft: () => (shift ? this.cursor.step(-1) : this.viewport.panBy(-0.15)),
      ArrowRight: () => (shift ? this.cursor.step(1) : this.viewport.panBy(0.15)),
      ArrowUp: () => this.cursor.walk(-1),
      ArrowDown: () => this.cursor.walk(1),
      PageUp: () => (this.scroller.scrollTop -= this.scroller.clientHeight * 0.9),
      PageDown: () => (this.scroller.scrollTop += this.scroller.clientHeight * 0.9),
      "+": () => this.viewport.zoomBy(1.5),
      "=": () => this.viewport.zoomBy(1.5),
      "-": () => this.viewport.zoomBy(1 / 1.5),
      f: () => this.fit(),
      "0": () => this.fit(),
      Enter: () => this.cursor.chosen && this.hooks.opened(this.cursor.chosen),
    };
  }

  private scrollTo(row: number): void {
    const [top, height] = [this.scroller.scrollTop, this.scroller.clientHeight];
    if (row * ROW < top + ROW) this.scroller.scrollTop = (row - 1) * ROW;
    else if ((row + 2) * ROW > top + height) this.scroller.scrollTop = (row + 2) * ROW - height;
    this.redraw();
  }
}
