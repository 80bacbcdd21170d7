/** Where the data comes from: the server, or the report itself. */

import type { FactsPage, Hypotheses, ProgramText, ProofAnswer, Report, Runs, SetAside, WireTime } from "./types";

export interface FactKey {
  lane: number;
  start: WireTime;
  end: WireTime;
  ends: number;
}

export interface DataSource {
  /** Whether there can be news. */
  readonly live: boolean;
  runs(): Promise<Runs>;
  facts(run: string, cursor: string): Promise<FactsPage>;
  program(run: string): Promise<ProgramText>;
  hypotheses(run: string): Promise<Hypotheses>;
  aside(run: string): Promise<SetAside>;
  proof(run: string, fact: FactKey): Promise<ProofAnswer>;
}

/** The source of this page. */
export function openSource(): DataSource {
  const data = document.getElementById("report-data");
  return data ? new InReport(JSON.parse(data.textContent ?? "") as Report) : new OnServer();
}

class OnServer implements DataSource {
  readonly live = true;

  runs(): Promise<Runs> {
    return get("/api/runs");
  }

  facts(run: string, cursor: string): Promise<FactsPage> {
    return get(`${below(run)}/facts?${new URLSearchParams({ cursor })}`);
  }

  program(run: string): Promise<ProgramText> {
    return get(`${below(run)}/program`);
  }

  hypotheses(run: string): Promise<Hypotheses> {
    return get(`${below(run)}/hypotheses`);
  }

  aside(run: string): Promise<SetAside> {
    return get(`${below(run)}/aside`);
  }

  proof(run: string, fact: FactKey): Promise<ProofAnswer> {
    return get(`${below(run)}/proof?${query(fact)}`);
  }
}

class InReport implements DataSource {
  readonly live = false;

  constructor(private readonly report: Report) {}

  async runs(): Promise<Runs> {
    return this.report.runs;
  }

  async facts(_run: string, cursor: string): Promise<FactsPage> {
    return cursor ? { ...this.report.facts, lanes: [], facts: [], reset: false } : this.report.facts;
  }

  async program(): Promise<ProgramText> {
    return this.report.program;
  }

  async hypotheses(): Promise<Hypotheses> {
    return this.report.hypotheses;
  }

  async aside(): Promise<SetAside> {
    return this.report.aside;
  }

  async proof(_run: string, fact: FactKey): Promise<ProofAnswer> {
    return (
      this.report.proofs[query(fact)] ?? {
        refused: "The report does not hold the proof of this fact.",
        hint: "thalweg report --proofs N keeps the proofs of more answers; thalweg view shows all of them.",
      }
    );
  }
}

/** A fact as the address of its proof. */
function query(fact: FactKey): string {
  const { lane, start, end, ends } = fact;
  return new URLSearchParams({
    lane: String(lane),
    start: start === null ? "" : String(start),
    end: end === null ? "" : String(end),
    ends: String(ends),
  }).toString();
}

function below(run: string): string {
  return `/api/runs/${encodeURIComponent(run)}`;
}

async function get<T>(address: string): Promise<T> {
  const response = await fetch(address, { headers: { Accept: "application/json" } });
  const content = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Refused(content.error ?? `the server said ${response.status}`);
  return content;
}

/** The server is there, and says no. */
export class Refused extends Error {}
