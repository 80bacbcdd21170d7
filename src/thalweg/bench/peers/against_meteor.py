"""How much faster than MeTeoR in semi-naive mode, on the same rules and the same file of facts."""

from __future__ import annotations

from pathlib import Path

import thalweg
from thalweg.bench.cost.measure import Answers, Measurement, measure, read_answers
from thalweg.bench.peers.meteor_defects import doubtful_predicates
from thalweg.bench.result import Check, Result, Table, at_least, at_most
from thalweg.bench.workbench import Workbench
from thalweg.time.interval_set import IntervalSet

PROGRAMS = ("p1", "p3")
PARTS = ("load", "reason", "total")
LEAST_SPEEDUP = 50

WHOLE_UNIVERSITY = 100_543
REPETITIONS = 3
RUNS_OF_OURS = 3
"""Thalweg's runs for each of MeTeoR's, which take much longer."""


def run(bench: Workbench) -> Result:
    """Measure both systems by turns."""
    size = 10_000 if bench.quick else WHOLE_UNIVERSITY
    rows, checks, raw = [], [], {}
    for name in PROGRAMS:
        ours, theirs = _measure(bench, name, size)
        rows += [_row(name, part, ours, theirs) for part in PARTS]
        checks.append(at_least(f"{name}: times faster at reasoning", _ratio("reason", ours, theirs), LEAST_SPEEDUP))
        checks += _compare(name, bench.program(name), *_answers(bench, name))
        raw[name] = {"facts": size, "thalweg": ours.as_json(), "meteor": theirs.as_json()}
    return Result(
        title="Against MeTeoR, semi-naive mode",
        note=f"{size:,} LUBM facts, one interval each; p1 mentions the predicates of a fifth of them, p3 of a quarter."
        f" Medians: runs of MeTeoR {_repetitions(bench)}, of Thalweg {RUNS_OF_OURS * _repetitions(bench)}, by turns."
        " The seconds are this machine's; the ratios are the result.",
        table=Table(("program", "part", "Thalweg, s", "MeTeoR, s", "times faster"), tuple(rows)),
        checks=tuple(checks),
        raw=raw,
    )


def _measure(bench: Workbench, name: str, size: int) -> tuple[Measurement, Measurement]:
    files = bench.program(name), bench.facts(size), bench.facts(1000)
    ours_to, theirs_to = _answer_files(bench, name)
    ours = measure("thalweg", *files, RUNS_OF_OURS, ours_to)
    theirs = measure("meteor", *files, 1, theirs_to)
    for _ in range(_repetitions(bench) - 1):
        ours = ours.and_again(measure("thalweg", *files, RUNS_OF_OURS))
        theirs = theirs.and_again(measure("meteor", *files))
    return ours, theirs


def _repetitions(bench: Workbench) -> int:
    return 1 if bench.quick else REPETITIONS


def _row(name: str, part: str, ours: Measurement, theirs: Measurement) -> tuple[str, ...]:
    seconds = ours.seconds(part), theirs.seconds(part)
    return (name, part, *(f"{s:.3f}" for s in seconds), f"{_ratio(part, ours, theirs):.1f}")


def _ratio(part: str, ours: Measurement, theirs: Measurement) -> float:
    return theirs.seconds(part) / ours.seconds(part)


def _answer_files(bench: Workbench, name: str) -> tuple[Path, Path]:
    return bench.folder / f"{name}-thalweg.pickle", bench.folder / f"{name}-meteor.pickle"


def _answers(bench: Workbench, name: str) -> tuple[Answers, Answers]:
    ours, theirs = _answer_files(bench, name)
    return read_answers(ours), read_answers(theirs)


def _compare(name: str, program_path: Path, ours: Answers, theirs: Answers) -> list[Check]:
    """The answers are the same but for what MeTeoR is known to miss, and of that it invents nothing."""
    program = thalweg.load(program_path)
    doubtful = doubtful_predicates(program)
    differing = [atom for atom in {*ours, *theirs} if ours.get(atom) != theirs.get(atom)]
    unexplained = [atom for atom in differing if atom[0] not in doubtful or _adds(theirs, ours, atom)]
    derived = sum(predicate in program.derived_predicates for predicate, _ in ours)
    missed = len(differing) - len(unexplained)
    return [
        at_least(f"{name}: derived ground atoms", derived, 1),
        at_most(f"{name}: ground atoms that differ without explanation", len(unexplained), 0),
        Check(
            f"{name}: ground atoms of which MeTeoR misses a part, for since and until over derived facts",
            f"{missed} of {derived}",
            (missed > 0) == bool(doubtful),
        ),
    ]


def _adds(theirs: Answers, ours: Answers, atom: tuple[str, tuple[str, ...]]) -> bool:
    return bool(IntervalSet(theirs.get(atom, ())).difference(IntervalSet(ours.get(atom, ()))))
