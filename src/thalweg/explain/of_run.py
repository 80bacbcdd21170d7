"""Why an answer of a run holds: from the facts that the run kept, or from the files it read."""

from __future__ import annotations

import glob
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from thalweg.engine.limits import NO_LIMITS, Limits
from thalweg.engine.read import read_file, read_text
from thalweg.errors import ProgramError, UsageError
from thalweg.explain.asked import Asked, read_asked
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.explainer import DEFAULT_DEPTH, Explainer
from thalweg.explain.horizon import reads_lost
from thalweg.explain.proof import Proof
from thalweg.explain.why_not import WhyNot
from thalweg.model.lower import lower
from thalweg.model.program import Program
from thalweg.record.answers import TIMES
from thalweg.record.fact_id import DIGITS, fact_id
from thalweg.record.folder import RunFolder
from thalweg.record.run_record import BATCH, HYPOTHESES, RunRecord
from thalweg.syntax.fact_batch import FactBatch
from thalweg.syntax.parser import parse_program
from thalweg.time.exact import exact_endpoint
from thalweg.time.interval import Endpoint, Interval, format_endpoint

_ID = re.compile(f"[0-9a-f]{{{DIGITS}}}")
_SHOWN = 3
_RAISE = "the evidence for this answer is no longer kept: raise --explain N"
_DROPPED = "what is missing cannot be told: some facts of the run are no longer kept; raise --explain N"


def explain_answer(
    run: RunFolder, asked: str, *, depth: int | None = DEFAULT_DEPTH, limits: Limits = NO_LIMITS
) -> Proof:
    """Why an answer holds, by its id or as a fact such as ``P(a)@[1,2]``.

    Raises :class:`UsageError` that says what is missing, also where a proof would rest on the absence of facts which
    may have come but are no longer kept.
    """
    return RunExplainer(run, limits).why(asked, depth=depth)


def explain_absence(run: RunFolder, asked: str, *, limits: Limits = NO_LIMITS) -> WhyNot:
    """Why a fact is not among the answers of a run; raises :class:`UsageError` where that cannot be told any more."""
    return RunExplainer(run, limits).why_not(asked)


class RunExplainer:
    """Explains the answers of one run; what it has read and derived it uses again as long as nothing has changed."""

    def __init__(self, run: RunFolder, limits: Limits = NO_LIMITS) -> None:
        self.run, self.record, self.limits = run, run.record, limits
        self.program = program_of(self.record)
        self._facts: tuple[object, list[FactBatch]] | None = None
        self._explainers: dict[str, Explainer] = {}

    def why(self, asked: str, *, depth: int | None = DEFAULT_DEPTH) -> Proof:
        """Why an answer holds, by its id or as a fact."""
        self._refuse_hypotheses()
        is_answer = _ID.fullmatch(asked) is not None
        question = self._by_id(asked) if is_answer else asked
        about = read_asked(question, self.program)
        if not is_answer:
            self._refuse_undecided(about)
        explainer = self._explainer(about.predicate)
        horizon = self.run.kept.horizon
        proof = explainer.why(question, depth=None if horizon > -math.inf else depth)
        if horizon > -math.inf:
            if not proof.holds or reads_lost(proof, self.program, horizon):
                raise UsageError(f"{_RAISE}\n    facts that held until {format_endpoint(horizon)} have been dropped")
            proof = explainer.why(question, depth=depth)
        return proof

    def why_not(self, asked: str) -> WhyNot:
        """Why a fact does not hold: only as long as no fact has been dropped, since any of them might matter."""
        self._refuse_hypotheses()
        about = read_asked(asked, self.program)
        self._refuse_undecided(about)
        explainer = self._explainer(about.predicate)
        if self.run.kept.horizon > -math.inf:
            raise UsageError(_DROPPED)
        return explainer.why_not(asked)

    def _refuse_hypotheses(self) -> None:
        if self.record.kind == HYPOTHESES:
            raise UsageError(f"{self.run.path} holds hypotheses: they say themselves what they rest on")

    def _by_id(self, name: str) -> str:
        """The fact with a name: that of the answer's predicate and interval whose text has it."""
        predicate, interval = _find(self.run, self.record, name)
        known = self._explainer(predicate).known
        for values in known.matching(predicate, (None,) * known.arity(predicate), interval):
            text = f"{GroundAtom(predicate, values)}@{interval}"
            if fact_id(text) == name:
                return text
        raise UsageError(_RAISE)

    def _refuse_undecided(self, asked: Asked) -> None:
        """Facts may still come that change what holds at later times."""
        if self.record.kind == BATCH:
            return
        said = [each.answered_before for each in self.run.progress() if each.answered_before is not None]
        until = _endpoint(said[-1]) if said else -math.inf
        if until == math.inf or (asked.interval is not None and self._is_decided(asked.interval, until)):
            return
        if asked.interval is None:
            raise UsageError(f"{asked.text}: give a time, since the stream has not come to its end")
        shown = format_endpoint(until)
        raise UsageError(f"{asked.text}: the run has answered up to {shown} only, and later facts may change it")

    def _is_decided(self, interval: Interval, until: Endpoint) -> bool:
        # On Spark, facts at the very time reached may still come.
        includes_last = interval.end_closed and self.record.shards is not None
        return interval.end < until or (interval.end == until and not includes_last)

    def _explainer(self, predicate: str) -> Explainer:
        state = self._state()
        if self._facts is None or self._facts[0] != state:
            self._facts, self._explainers = (state, self._read()), {}
        if predicate not in self._explainers:
            self._explainers[predicate] = Explainer(
                self.program, self._facts[1], wanted=(predicate,), limits=self.limits
            )
        return self._explainers[predicate]

    def _state(self) -> object:
        if self.record.kind == BATCH:
            return None
        return [(path.name, path.stat().st_size) for path in self.run.kept.batches() if path.exists()]

    def _read(self) -> list[FactBatch]:
        if self.record.kind == BATCH:
            return _reread(self.record, self.program)
        kept = self.run.kept
        if not kept.is_kept:
            raise UsageError(f"{self.run.path} keeps no facts: run with --explain to have answers explained")
        return [batch for source in kept.sources() for batch in read_text(source, self.program).batches]


def program_of(record: RunRecord) -> Program:
    """The program that ran."""
    source = record.program
    if source.name.lower().endswith(".cql"):
        from thalweg.syntax.cql import translate  # the SQL parser is needed for queries only

        tree, found = translate(source)
    else:
        tree, found = parse_program(source)
    program, meaning = lower(tree)
    errors = [diagnostic for diagnostic in (*found, *meaning) if diagnostic.is_error]
    if errors:
        raise ProgramError(errors)
    return program


def _find(run: RunFolder, record: RunRecord, name: str) -> tuple[str, Interval]:
    """The predicate and the interval of the answer with a name."""
    for query in record.queries:
        for _, table in run.answers(query):
            if "id" not in table.column_names:
                continue
            for row in table.select(["id", "start", "end", "start_closed", "end_closed"]).to_pylist():
                if row["id"] == name:
                    return query, _interval(row)
    hint = _newest(run, record) if record.explain is not None else ": answers have ids in runs with --explain"
    raise UsageError(f"{run.path} has no answer with the id {name}{hint}")


def _newest(run: RunFolder, record: RunRecord) -> str:
    """The last answers of each query with their ids, for somebody who has none at hand."""
    lines = []
    for query in record.queries:
        tables = [table for _, table in run.answers(query) if len(table) and "id" in table.column_names]
        for table in tables[-1:]:
            rows = table.slice(max(0, len(table) - _SHOWN)).to_pylist()
            lines += [f"\n    {row['id']}  {_fact_text(query, row)}" for row in rows]
    return f"; the newest are{''.join(lines)}" if lines else ""


def _fact_text(query: str, row: Mapping[str, Any]) -> str:
    values = [str(value) for name, value in row.items() if name not in (*TIMES, "id")]
    return f"{query}({','.join(values)})@{_interval(row)}" if values else f"{query}@{_interval(row)}"


def _interval(row: Mapping[str, Any]) -> Interval:
    start = -math.inf if row["start"] is None else _endpoint(row["start"])
    end = math.inf if row["end"] is None else _endpoint(row["end"])
    return Interval(start, end, row["start_closed"], row["end_closed"])


def _reread(record: RunRecord, program: Program) -> list[FactBatch]:
    """The facts of a run that read files, as the files are now."""
    if record.tables is not None:
        raise UsageError(f"the facts of this run came from tables ({record.tables}), which are not read again")
    elsewhere = next((name for name in record.facts if "://" in name), None)
    if elsewhere is not None:
        raise UsageError(f"the facts of this run came from {elsewhere}, which is not read again")
    files = _files(record.facts)
    # A record may come from somebody else: what it names is read as facts or not at all, and a device never.
    missing = next((path for path in files if not path.is_file()), None)
    if missing is not None:
        raise UsageError(f"the facts of this run were in {missing}, which is no file any more")
    return [batch for path in files for batch in read_file(path, program).batches]


def _files(names: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for name in names:
        named = [Path(name)] if Path(name).exists() or not glob.has_magic(name) else map(Path, sorted(glob.glob(name)))
        for path in named:
            found += sorted(each for each in path.rglob("*") if _is_seen(each, path)) if path.is_dir() else [path]
    return found


def _is_seen(path: Path, top: Path) -> bool:
    return path.is_file() and not any(part.startswith((".", "_")) for part in path.relative_to(top).parts)


def _endpoint(text: str) -> Endpoint:
    return exact_endpoint(text)
