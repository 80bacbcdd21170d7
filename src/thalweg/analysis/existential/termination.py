"""Whether the chase of a program ends (LARS+ paper, Section 4), before it is run."""

from __future__ import annotations

import enum
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from thalweg.analysis.existential.assignments import TooLargeError, difference
from thalweg.analysis.existential.every_timeline import returns_in_time
from thalweg.analysis.existential.flows import flows
from thalweg.analysis.existential.grounding import tfgrnd
from thalweg.analysis.existential.strip import null_positions, strip
from thalweg.analysis.existential.weak_acyclicity import Cycle, PositionGraph, offending_cycle
from thalweg.analysis.existential.wfree import WindowFreeRule, refined_wfree, wfree
from thalweg.errors import Diagnostic, ProgramError
from thalweg.model.formula import At, Atom, Comparison, Constant, Formula, subformulas
from thalweg.model.program import Program
from thalweg.model.reads import places
from thalweg.time.interval import Interval

MOST_POINTS = 64
"""How long a timeline that nobody has declared or asked for becomes, at most."""

HINT = (
    "bound it with --max-nulls or --max-depth, or break the cycle: let new values depend on less (exists Y per X: …),"
    " or let the head of a rule on it hold later than its body (at T + 1)"
)


class Verdict(enum.Enum):
    """What is known of the chase."""

    NO_NULLS = "no nulls"
    LWA = "LWA"
    TLWA = "TLWA"
    NEITHER = "neither"
    NOT_DECIDED = "not decided"


class Choice(enum.Enum):
    """Where a timeline comes from."""

    GIVEN = "given"
    DECLARED = "declared"
    REACH = "as far as windows look and heads reach"


@dataclass(frozen=True)
class Termination:
    """Whether the chase ends.

    LWA: on every input, over every bounded stretch of time. TLWA: on every stream over ``timeline``, which was chosen
    as ``choice`` says, or over every bounded timeline, where it is None. It is ``refined`` if that takes more than the
    paper's definitions: that times in windows stay in them, and that what an atom without nulls has is no null.
    Otherwise ``cycle`` makes nulls from nulls in strip(P), and ``timed_cycle`` in tfgrnd_T(P) for the timeline T, if
    one was found there.
    """

    verdict: Verdict
    timeline: tuple[int, int] | None = None
    choice: Choice | None = None
    refined: bool = False
    cycle: Cycle | None = None
    timed_cycle: Cycle | None = None

    @property
    def is_promise(self) -> bool:
        """Whether the chase is certain to end on whatever the program is run on: a longer timeline is not promised."""
        if self.verdict is Verdict.TLWA:
            return self.choice is not Choice.REACH
        return self.verdict in (Verdict.NO_NULLS, Verdict.LWA)


def chase_termination(program: Program, timeline: tuple[int, int] | None = None) -> Termination:
    """Whether the chase of a program ends, over the timeline given or, without one, that of the program.

    The timeline of a program that declares no end is endless. Over every bounded one the chase ends if no cycle comes
    back to its time point; else cycles are looked for over timelines from as long as windows look back and heads reach
    to 64 time points. The answer for a program is remembered as long as the program is.
    """
    if not program.is_existential:
        return _NO_NULLS
    key = id(program)
    if key not in _known:
        _known[key] = _Known(weakref.ref(program, lambda _: _known.pop(key, None)), {})
    answers = _known[key].answers
    if timeline not in answers:
        answers[timeline] = _decide(program, timeline)
    return answers[timeline]


def require_terminating(
    program: Program,
    *,
    max_nulls: int | None = None,
    max_depth: int | None = None,
    timeline: tuple[int, int] | None = None,
) -> None:
    """Raise :class:`ProgramError` (E345) if the chase of a program may not end and no limit stops it."""
    if max_nulls is not None or max_depth is not None:
        return
    found = chase_termination(program, timeline)
    if not found.is_promise:
        assert found.cycle is not None
        cycle = found.timed_cycle.without_times() if found.timed_cycle else found.cycle
        message = f"the chase may not end: nulls are made from nulls along {cycle}{_where(found)}"
        raise ProgramError([Diagnostic("E345", cycle.maker.origin, message, HINT)])


def _where(found: Termination) -> str:
    if found.timeline is None:
        return ""
    over = f"the timeline [{found.timeline[0]},{found.timeline[1]}]"
    match found.verdict:
        case Verdict.TLWA:
            return f" on timelines longer than [{found.timeline[0]},{found.timeline[1]}]"
        case Verdict.NOT_DECIDED:
            return f" ({over} is too long to decide)"
        case _:
            return f" (over {over})"


class _Known(NamedTuple):
    program: weakref.ref[Program]
    answers: dict[tuple[int, int] | None, Termination]


_known: dict[int, _Known] = {}
_NO_NULLS = Termination(Verdict.NO_NULLS)


def _decide(program: Program, timeline: tuple[int, int] | None) -> Termination:
    graph = PositionGraph.of(strip(program))
    cycle = graph.shortest_cycle()
    if cycle is None:
        return Termination(Verdict.LWA)
    nulls = null_positions(program)
    refined_graph = PositionGraph.of(strip(program, nulls))
    refined_cycle = refined_graph.shortest_cycle()
    if refined_cycle is None:
        return Termination(Verdict.LWA, refined=True, cycle=cycle)
    declared, choice = (timeline, Choice.GIVEN) if timeline else (_declared(program), Choice.DECLARED)
    as_defined = tuple(flows(wfree(program), graph))
    refined = tuple(flows(refined_wfree(program, nulls), refined_graph))
    for rules, is_refined in ((as_defined, False), (refined, True)):
        if not returns_in_time(rules):
            return Termination(Verdict.TLWA, declared, choice if declared else None, is_refined, refined_cycle)
    if not program.is_windowed:
        # Without a timeline to stay on, the program derives facts at any time.
        return Termination(Verdict.NEITHER, cycle=refined_cycle)
    both = _Flows(as_defined, refined, refined_cycle)
    return both.over(declared, choice) if declared else both.over_growing(program)


@dataclass(frozen=True)
class _Flows:
    """The flows of wfree(P), as it is defined and refined, and a cycle without times."""

    as_defined: tuple[WindowFreeRule, ...]
    refined: tuple[WindowFreeRule, ...]
    cycle: Cycle

    def over(self, timeline: tuple[int, int], choice: Choice) -> Termination:
        """Whether the chase ends over a timeline.

        A cycle over a part of it is one over all of it, so the start of a long one is looked at first.
        """
        start, end = timeline
        if end - start >= MOST_POINTS:
            part = self.over((start, start + MOST_POINTS - 1), choice)
            if part.verdict is not Verdict.TLWA:
                return replace(part, timeline=timeline) if part.verdict is Verdict.NOT_DECIDED else part
        found: Cycle | None = None
        for rules, is_refined in ((self.as_defined, False), (self.refined, True)):
            try:
                found = offending_cycle(tfgrnd(rules, range(start, end + 1)))
            except TooLargeError:
                return Termination(Verdict.NOT_DECIDED, timeline, choice, cycle=self.cycle)
            if found is None:
                return Termination(Verdict.TLWA, timeline, choice, is_refined, self.cycle)
        return Termination(Verdict.NEITHER, timeline, choice, cycle=self.cycle, timed_cycle=found)

    def over_growing(self, program: Program) -> Termination:
        """Whether the chase ends over timelines that are longer and longer, as far as that can be decided."""
        start, length = _start(program), min(_reach(program) + 1, MOST_POINTS)
        found = self.over((start, start + length - 1), Choice.REACH)
        while found.verdict is Verdict.TLWA and length < MOST_POINTS:
            length = min(2 * length, MOST_POINTS)
            longer = self.over((start, start + length - 1), Choice.REACH)
            if longer.verdict is Verdict.NOT_DECIDED:
                break
            found = longer
        return found


def _start(program: Program) -> int:
    return int(program.timeline_start or 0)


def _declared(program: Program) -> tuple[int, int] | None:
    if not program.is_windowed or program.timeline_end is None:
        return None
    return _start(program), int(program.timeline_end)


def _reach(program: Program) -> int:
    """How far windows and operators look, how far heads reach, and how far from the start times are that are named."""
    looks = (width for rule in program.rules for literal in rule.body for width in _widths(literal))
    reaches = (_width(rule.reach) for rule in program.rules)
    shifts = (abs(shift) for rule in program.rules for shift in _shifts(rule.body))
    named = (abs(time - _start(program)) for rule in program.rules for time in _times((rule.head, *rule.body)))
    reach = max(max(reaches, default=Fraction(0)), max(shifts, default=Fraction(0)))
    return int(max(max(looks, default=Fraction(0)) + reach, max(named, default=Fraction(0))))


def _widths(literal: Formula) -> Iterator[Fraction]:
    for part, place in places(literal):
        if isinstance(part, Atom):
            yield _width(place.at)
        elif isinstance(part, At):
            yield _width(place.within)


def _width(offsets: Interval) -> Fraction:
    """How far the offsets lie from 0, as far as they are finite."""
    ends = (end for end in (offsets.start, offsets.end) if not isinstance(end, float))
    return max((abs(end) for end in ends), default=Fraction(0))


def _shifts(body: Sequence[Formula]) -> Iterator[Fraction]:
    """The distances that comparisons put between two variables."""
    for literal in body:
        linear = difference(literal) if isinstance(literal, Comparison) else None
        if linear is not None and len(linear.coefficients) > 1:
            yield linear.constant


def _times(formulas: Sequence[Formula]) -> Iterator[Fraction]:
    """The times that are named by numbers."""
    for formula in formulas:
        for part in subformulas(formula):
            if isinstance(part, At) and isinstance(part.time, Constant) and isinstance(part.time.value, Fraction):
                yield part.time.value
