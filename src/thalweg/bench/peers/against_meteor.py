"""How much faster than MeTeoR in semi-naive mode, on the same rules and the same file of facts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import thalweg
from thalweg.bench.cost.measure import Answers, Measurement, measure, read_answers
from thalweg.bench.peers.meteor_defects import doubtful_predicates
from thalweg.bench.result import Check, Figure, Line, Result, Table, at_least, must_agree
from thalweg.bench.workbench import Workbench
from thalweg.time.interval_set import IntervalSet

CLOCK = "cpu"
PARTS = ("load", "reason", "total")
LEAST_SPEEDUP = {"p1": 50, "p3": 100}
FEW_FACTS = "the fixed cost of a run weighs more where there are few facts"

WHOLE_UNIVERSITY = 100_543
RUNS_OF_OURS = 3
"""Thalweg's runs for each of MeTeoR's, which take much longer."""

NOTE = """\
LUBM facts, one interval each; p1 mentions the predicates of a fifth of them, p3 of a quarter. Both systems read the
same files (*load*) and then derive all that follows, in memory (*reason*), each in a process of its own. Seconds of
processor time, medians: runs of MeTeoR {theirs}, of Thalweg {ours}, by turns. The seconds are this machine's; the
ratios are the result. Answers are compared at every size."""


class Pair(NamedTuple):
    """Both systems on one program and so many facts."""

    program: str
    facts: int
    ours: Measurement
    theirs: Measurement

    def faster(self, part: str) -> float:
        """How many times faster Thalweg is at a part."""
        return self.theirs.seconds(part, CLOCK) / self.ours.seconds(part, CLOCK)


def run(bench: Workbench) -> Result:
    """Measure both systems by turns, on few facts and on more."""
    programs = bench.choose(("p3",), ("p1", "p3"), ("p1", "p3"))
    sizes = bench.choose((10_000,), (3_000, 10_000, 30_000), (3_000, 10_000, 30_000, WHOLE_UNIVERSITY))
    pairs, checks = [], []
    for name, size in bench.track([(name, size) for name in programs for size in sizes], "programs and sizes"):
        pairs.append(_measure(bench, name, size))
        checks += _compare(f"{name}, {size:,} facts", bench.program(name), *_answers(bench, name, size))
    return Result(
        title="Temporal LUBM, against MeTeoR in semi-naive mode",
        note=NOTE.format(theirs=_repetitions(bench), ours=RUNS_OF_OURS * _repetitions(bench)),
        table=Table(
            ("program", "facts", "part", "Thalweg, s", "MeTeoR, s", "times faster"),
            tuple(_row(pair, part) for pair in pairs for part in PARTS),
        ),
        checks=(*checks, *(_target(pair) for pair in pairs if pair.facts == sizes[-1])),
        raw={
            f"{pair.program}, {pair.facts} facts": {"thalweg": pair.ours.as_json(), "meteor": pair.theirs.as_json()}
            for pair in pairs
        },
        figures=(_figure(programs, pairs),) if len(sizes) > 1 else (),
    )


def _measure(bench: Workbench, name: str, size: int) -> Pair:
    files = bench.program(name), bench.facts(size), bench.facts(1000)
    ours_to, theirs_to = _answer_files(bench, name, size)
    ours = measure("thalweg", *files, RUNS_OF_OURS, ours_to)
    theirs = measure("meteor", *files, 1, theirs_to)
    for _ in range(_repetitions(bench) - 1):
        ours = ours.and_again(measure("thalweg", *files, RUNS_OF_OURS))
        theirs = theirs.and_again(measure("meteor", *files))
    return Pair(name, size, ours, theirs)


def _repetitions(bench: Workbench) -> int:
    return bench.choose(1, 3, 3)


def _row(pair: Pair, part: str) -> tuple[str, ...]:
    seconds = pair.ours.seconds(part, CLOCK), pair.theirs.seconds(part, CLOCK)
    return (pair.program, f"{pair.facts:,}", part, *(f"{s:.3f}" for s in seconds), f"{pair.faster(part):.1f}")


def _target(pair: Pair) -> Check:
    promise = f"{pair.program}, {pair.facts:,} facts: times faster at reasoning"
    return at_least(promise, pair.faster("reason"), LEAST_SPEEDUP[pair.program], why=FEW_FACTS)


def _figure(programs: tuple[str, ...], pairs: list[Pair]) -> Figure:
    lines = []
    for name in programs:
        chosen = [pair for pair in pairs if pair.program == name]
        facts = tuple(float(pair.facts) for pair in chosen)
        lines.append(Line(f"{name}, reasoning", facts, tuple(pair.faster("reason") for pair in chosen)))
        lines.append(Line(f"{name}, with loading", facts, tuple(pair.faster("total") for pair in chosen)))
    title, faster = "Temporal LUBM: Thalweg against MeTeoR", "times faster than MeTeoR"
    return Figure("facts", title, "facts", faster, tuple(lines), log_x=True, log_y=True, points=True)


def _answer_files(bench: Workbench, name: str, size: int) -> tuple[Path, Path]:
    return bench.folder / f"{name}-{size}-thalweg.json", bench.folder / f"{name}-{size}-meteor.json"


def _answers(bench: Workbench, name: str, size: int) -> tuple[Answers, Answers]:
    ours, theirs = _answer_files(bench, name, size)
    return read_answers(ours), read_answers(theirs)


def _compare(where: str, program_path: Path, ours: Answers, theirs: Answers) -> list[Check]:
    """The answers are the same but for what MeTeoR is known to miss, and of that it invents nothing."""
    program = thalweg.load(program_path)
    doubtful = doubtful_predicates(program)
    differing = [atom for atom in {*ours, *theirs} if ours.get(atom) != theirs.get(atom)]
    unexplained = [atom for atom in differing if atom[0] not in doubtful or _adds(theirs, ours, atom)]
    derived = sum(predicate in program.derived_predicates for predicate, _ in ours)
    missed = len(differing) - len(unexplained)
    agreed = must_agree(f"{where}: {derived:,} derived ground atoms", len(unexplained))
    if not missed:
        return [agreed]
    found = f"{agreed.found}, but for {missed:,} of which MeTeoR misses a part: since and until over derived facts"
    return [replace(agreed, found=found)]


def _adds(theirs: Answers, ours: Answers, atom: tuple[str, tuple[str, ...]]) -> bool:
    return bool(IntervalSet(theirs.get(atom, ())).difference(IntervalSet(ours.get(atom, ()))))
