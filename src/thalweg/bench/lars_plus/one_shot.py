"""Deep100 chased once, without time: ours and clingo's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import clingo

from thalweg.bench.lars_plus import anew, deep
from thalweg.bench.lars_plus.deep import Deep
from thalweg.bench.lars_plus.scenarios import Scenario
from thalweg.bench.repeat import Timing, once
from thalweg.bench.result import Result, Table, must_agree
from thalweg.bench.workbench import Workbench

KNOWN_FACTS = 20_426
"""So many are derived; those given are not counted."""

NOTE = """\
{given:,} facts, {rules:,} existential rules, one time point; {derived:,} facts are derived. Seconds of processor time,
in turn, the medians of so many runs: {repetitions}. *Chase* takes facts that have been read and rules that have been
parsed; for Thalweg it is with planning, which is done once for a stream, and then without; for clingo it is grounding
and solving. Clingo gets each new value as a function term of the rule, the variable and the frontier: that is the
semi-oblivious (skolem) chase, as ours."""

PARTS = {
    "parse the rules": ("parse", "clingo parse"),
    "plan and chase": ("chase", "clingo chase"),
    "chase": ("evaluation", "clingo chase"),
}
"""What is measured of Thalweg, and what of clingo does the same."""


def run(bench: Workbench) -> Result:
    """Chase with both systems in turn."""
    title = "Deep100 chased once, against clingo"
    if not deep.is_there():
        return Result(title, deep.ABSENT, Table(("system",), ()), (), {})
    data = Deep.read()
    repetitions = bench.choose(1, 5, 5)
    rules, clingo_rules = data.rules(), data.clingo_rules()
    seconds: dict[str, list[float]] = {}
    for _ in bench.track(range(repetitions), "chases"):
        ours, derived = _thalweg(Scenario(rules, data.batches, window=0, reach=0))
        theirs, derived_by_clingo = _clingo(clingo_rules, len(data.facts))
        for part, timing in (ours | theirs).items():
            seconds.setdefault(part, []).append(timing.median)
    medians = {part: Timing(tuple(found)).median for part, found in seconds.items()}
    return Result(
        title=title,
        note=NOTE.format(given=len(data.facts), rules=len(data.dependencies), derived=derived, repetitions=repetitions),
        table=Table(("part", "Thalweg, s", "clingo, s", "times faster"), tuple(_rows(medians))),
        checks=(
            must_agree(f"{derived:,} facts derived, as is known", abs(derived - KNOWN_FACTS)),
            must_agree(f"{derived:,} facts derived, as by clingo", abs(derived - derived_by_clingo)),
        ),
        raw={"seconds": seconds, "derived": derived},
    )


def _rows(medians: Mapping[str, float]) -> Iterator[tuple[str, ...]]:
    for part, (ours, theirs) in PARTS.items():
        yield _row(part, medians[ours], medians[theirs])
    yield _row("all", medians["parse"] + medians["chase"], medians["clingo parse"] + medians["clingo chase"])


def _row(part: str, ours: float, theirs: float) -> tuple[str, ...]:
    return part, f"{ours:.2f}", f"{theirs:.2f}", f"{theirs / ours:.2f}"


def _thalweg(scenario: Scenario) -> tuple[dict[str, Timing], int]:
    parse, _ = once(lambda: scenario.program)
    chased = anew.chase(scenario, 0, 0)
    return {"parse": parse, "chase": chased.called, "evaluation": chased.evaluation}, chased.derived.count()


def _clingo(rules: str, given: int) -> tuple[dict[str, Timing], int]:
    control = clingo.Control()
    parse, _ = once(lambda: control.add("base", [], rules))
    atoms: list[int] = []

    def chase() -> None:
        control.ground([("base", [])])
        control.solve(on_model=lambda model: atoms.append(len(model.symbols(atoms=True))))

    timing, _ = once(chase)
    return {"clingo parse": parse, "clingo chase": timing}, atoms[0] - given
