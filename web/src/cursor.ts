/** The fact that was chosen with the keyboard. */

import type { Bar, Lane } from "./facts";
import type { Row } from "./rows";

export interface Walked {
  rows(): Row[];
  bars(lane: Lane): Bar[];
  reached(row: number, bar: Bar | null): void;
}

export class Cursor {
  row = -1;
  private bar = 0;

  constructor(private readonly on: Walked) {}

  /** The chosen fact, if there is one. */
  get chosen(): Bar | null {
    const row = this.on.rows()[this.row];
    return row?.kind === "lane" ? (this.on.bars(row.lane)[this.bar] ?? null) : null;
  }

  /** Choose the next lane, up or down. */
  walk(by: number): void {
    const rows = this.on.rows();
    let row = this.row + by;
    while (rows[row] && rows[row]!.kind !== "lane") row += by;
    if (!rows[row]) return;
    this.row = row;
    this.bar = 0;
    this.on.reached(row, this.chosen);
  }

  /** Choose the next fact of the lane, earlier or later. */
  step(by: number): void {
    const row = this.on.rows()[this.row];
    if (row?.kind !== "lane") return this.walk(1);
    this.bar = Math.max(0, Math.min(this.on.bars(row.lane).length - 1, this.bar + by));
    this.on.reached(this.row, this.chosen);
  }

  leave(): void {
    this.row = -1;
  }
}
