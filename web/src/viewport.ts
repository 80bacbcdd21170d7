/** The stretch of time in view: zoom, pan, fit, and following what is new. */

import { scaleLinear, scaleUtc, type ScaleLinear, type ScaleTime } from "d3-scale";
import { select } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform, type D3ZoomEvent, type ZoomBehavior } from "d3-zoom";

export type TimeScale = ScaleLinear<number, number> | ScaleTime<number, number>;

const MARGIN = 0.04;

export class Viewport {
  follow = false;
  /** Whether nobody has zoomed or panned yet: then everything is kept in view. */
  untouched = true;

  private base: TimeScale = scaleLinear();
  private width = 1;
  private readonly zoom: ZoomBehavior<SVGSVGElement, unknown>;
  private draggedTo = 0;

  constructor(
    private readonly plot: SVGSVGElement,
    private readonly changed: () => void,
    private readonly dragged: (pixels: number) => void,
  ) {
    this.zoom = zoom<SVGSVGElement, unknown>()
      .scaleExtent([1e-5, 1e7])
      .filter((event: MouseEvent) => !event.button && !(event.type === "wheel" && sideways(event as WheelEvent)))
      .on("zoom", (event: D3ZoomEvent<SVGSVGElement, unknown>) => this.moved(event));
    select(plot).call(this.zoom);
    plot.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
  }

  /** Begin anew, with times or with dates. */
  begin(dates: boolean): void {
    this.base = dates ? scaleUtc() : scaleLinear();
    this.base.domain([0, 1]);
    this.base.range([0, this.width]);
    this.untouched = true;
    select(this.plot).property("__zoom", zoomIdentity);
  }

  /** The scale from times to pixels. */
  get scale(): TimeScale {
    return zoomTransform(this.plot).rescaleX(this.base as ScaleLinear<number, number>);
  }

  get domain(): [number, number] {
    const [from, to] = this.scale.domain();
    return [Number(from), Number(to)];
  }

  resize(width: number): void {
    if (width === this.width || width < 1) return;
    const domain = this.domain;
    this.width = width;
    this.show(...domain);
  }

  /** Bring a stretch of time into view. */
  show(from: number, to: number): void {
    if (!(to > from)) [from, to] = [from - 1, to + 1];
    this.base.domain([from, to]);
    this.base.range([0, this.width]);
    select(this.plot).call(this.zoom.transform, zoomIdentity);
  }

  /** Bring everything into view. */
  fit(first: number, last: number): void {
    if (first > last) return;
    const room = (last - first || 1) * MARGIN;
    this.show(first - room, last + room);
  }

  /** Keep what is new in view, if that is wanted. */
  keepUp(first: number, last: number): void {
    if (this.untouched) this.fit(first, last);
    else if (this.follow) this.showEnd(last);
  }

  panBy(share: number): void {
    const [from, to] = this.domain;
    const step = (to - from) * share;
    this.untouched = this.follow = false;
    this.show(from + step, to + step);
  }

  zoomBy(factor: number): void {
    const [from, to] = this.domain;
    const middle = this.follow ? to : (from + to) / 2;
    this.untouched = false;
    this.show(middle - (middle - from) / factor, middle + (to - middle) / factor);
  }

  /** Bring a time into view, and no more than that. */
  reveal(start: number, end: number): void {
    const [from, to] = this.domain;
    const finite = [start, end].filter(Number.isFinite);
    if (!finite.length || finite.some((time) => time >= from && time <= to) || (start < from && end > to)) return;
    const middle = finite[0]!;
    const half = (to - from) / 2;
    this.untouched = this.follow = false;
    this.show(middle - half, middle + half);
  }

  private showEnd(last: number): void {
    const [from, to] = this.domain;
    const length = to - from;
    if (last <= to - length * MARGIN && last >= to - length / 2) return;
    const end = last + length * MARGIN * 2;
    this.show(end - length, end);
  }

  private moved(event: D3ZoomEvent<SVGSVGElement, unknown>): void {
    const by = event.sourceEvent as Event | null;
    if (by && by.type !== "wheel" && by.type !== "dblclick") {
      this.dragged(event.transform.y - this.draggedTo);
      this.follow = false;
    }
    if (by) this.untouched = false;
    this.draggedTo = event.transform.y;
    this.changed();
  }

  private wheeled(event: WheelEvent): void {
    if (!sideways(event)) return;
    event.preventDefault();
    this.panBy((event.deltaX || event.deltaY) / this.width);
  }
}

function sideways(event: WheelEvent): boolean {
  return event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
}
