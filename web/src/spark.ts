/** A small picture of how a figure went. */

import { max } from "d3-array";
import { h, s } from "./dom";

const WIDTH = 92;
const HEIGHT = 22;

export function sparkline(values: number[], name: string): HTMLElement {
  const top = max(values) || 1;
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  const points = values.map((value, at) => `${(at * step).toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 5)).toFixed(1)}`);
  const picture = s("svg", { class: "spark", width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  picture.setAttribute("aria-label", `${name}, the last ${values.length} batches`);
  if (values.length > 1) {
    picture.append(
      s("path", { class: "area", d: `M0,${HEIGHT}L${points.join("L")}L${WIDTH},${HEIGHT}Z` }),
      s("path", { class: "line", d: `M${points.join("L")}` }),
    );
  }
  return h("span", { class: "spark-of", title: `${name}, the last ${values.length} batches` }, picture);
}

/** How much of a bound is used. */
export function gauge(value: number, bound: number | null): HTMLElement {
  const share = bound ? Math.min(1, value / bound) : 0;
  const bar = s("svg", { class: "gauge", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" });
  if (bound) bar.append(s("rect", { class: "track", width: 100, height: 6 }));
  if (bound) bar.append(s("rect", { class: value > bound ? "fill over" : "fill", width: Math.max(share * 100, value ? 1 : 0), height: 6 }));
  const said = bound
    ? `stored ${value.toLocaleString("en-GB")} of at most ${bound.toLocaleString("en-GB")}`
    : `stored ${value.toLocaleString("en-GB")}, no bound is known`;
  return h("div", { class: "gauge-row", title: said }, h("span", { class: "gauge-text" }, said), bar);
}
