/** What the server tells the page. */

/** A number, the text of a fraction, or null for an infinite end; microseconds since 1970 where times are dates. */
export type WireTime = number | string | null;

export type Role = "output" | "derived" | "input" | "background";

export interface Predicate {
  name: string;
  role: Role;
  arguments: string[];
  /** The places of arguments that are measured values, and do not tell one entity from another. */
  values: number[];
}

export type State = "running" | "finished" | "stopped" | "failed" | "lost";

export interface Progress {
  rows: number;
  answers: number;
  late: number;
  set_aside: number;
  stored: number | null;
  bound: number | null;
  waiting: number | null;
  open: number | null;
  lag: string | null;
  rate: number | null;
  newest: WireTime;
  answered_before: WireTime;
}

export interface Run {
  id: string;
  name: string;
  path: string;
  kind: "batch" | "stream" | "hypotheses" | "program";
  state: State;
  message: string | null;
  queries: string[];
  clock: "number" | "text" | "timestamp" | "date";
  unit: number;
  integer: boolean;
  explain: boolean;
  progress?: Progress | null;
  history?: { rate: number[] };
  rules?: number;
  given?: number;
  answers?: number | null;
}

export interface Runs {
  version: string;
  folder: string;
  runs: Run[];
  problems: { path: string; message: string }[];
}

export interface FactsPage {
  cursor: string;
  reset: boolean;
  more: boolean;
  dropped: number;
  predicates: Predicate[];
  lanes: [string, string[]][];
  facts: [number, WireTime, WireTime, number][];
}

export interface FactText {
  predicate: string;
  arguments: string[];
  interval: string;
  text: string;
}

export interface Proof {
  fact: FactText;
  number?: number;
  see?: number;
  cut?: boolean;
  pieces?: Piece[];
}

export interface Piece {
  kind: "given" | "background" | "rule";
  interval: string;
  source?: string | null;
  rule?: { number: number; text: string; place: string | null };
  instance?: Record<string, string>;
  body?: string;
  premises?: Proof[];
  absent?: { text: string; interval: string }[];
  conditions?: string[];
}

export interface ProofAnswer {
  /** One for each interval in which the fact holds, of those asked about. */
  proofs?: Proof[];
  missing?: string[];
  refused?: string;
  hint?: string;
}

export interface TimedAtom {
  text: string;
  time: WireTime;
  until?: WireTime;
  negated?: boolean;
}

export interface Hypothesis {
  text: string;
  time: WireTime;
  deadline: WireTime;
  confidence: number | null;
  has: TimedAtom[];
  awaits: TimedAtom[];
}

export interface Hypotheses {
  count: number;
  open: Hypothesis[];
}

export interface SetAside {
  count: number;
  rows: { reason: string; text: string; batch: number | null }[];
}

export interface ProgramText {
  name: string;
  text: string;
}

/** Everything of one run, in a report. */
export interface Report {
  runs: Runs;
  facts: FactsPage;
  program: ProgramText;
  hypotheses: Hypotheses;
  aside: SetAside;
  proofs: Record<string, ProofAnswer>;
}
