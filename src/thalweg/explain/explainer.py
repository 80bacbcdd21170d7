"""Questions about what follows from a program and facts: why, and why not."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence

from thalweg.analysis.stratification import require_stratified
from thalweg.engine.limits import NO_LIMITS, Limits
from thalweg.errors import UsageError
from thalweg.explain.asked import Asked, read_asked
from thalweg.explain.atoms import GroundAtom
from thalweg.explain.doubter import Doubter
from thalweg.explain.known import Known
from thalweg.explain.obstacles import Misfit, Obstacle
from thalweg.explain.proof import Proof
from thalweg.explain.prove import Prover
from thalweg.explain.times import whole
from thalweg.explain.why_not import WhyNot
from thalweg.model.program import Program
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.interval import Endpoint, Interval
from thalweg.time.interval_set import IntervalSet

DEFAULT_DEPTH = 50
"""Proofs go so many rules deep, unless more is asked for."""


class Explainer:
    """Derives everything once, and then answers questions about single facts.

    >>> import thalweg
    >>> from thalweg.engine.read import read_facts_of
    >>> program = thalweg.parse("Hot(P) :- Temp(P, C), C > 90.")
    >>> batches, _ = read_facts_of(program, "Temp(p1,95)@3")
    >>> print(Explainer(program, batches).why("Hot(p1)@3"))
    Hot(p1)@[3,3]
    └─ rule 1 (program:1): Hot(P) :- Temp(P, C), C > 90.   P = p1, C = 95
       ├─ Temp(p1,95)@[3,3]   given, facts:1
       └─ 95 > 90
    """

    def __init__(
        self,
        program: Program,
        batches: Sequence[FactBatch],
        *,
        start: Endpoint = -math.inf,
        end: Endpoint = math.inf,
        wanted: Collection[str] | None = None,
        limits: Limits = NO_LIMITS,
    ) -> None:
        require_stratified(program)
        if limits.restricted:
            raise UsageError("the restricted chase is not explained: it depends on the order of the rules; use skolem")
        limits.check(program)
        self.program = program
        self.known = Known.of(program, batches, start=start, end=end, wanted=wanted, limits=limits)

    def why(self, fact: str, *, depth: int | None = DEFAULT_DEPTH) -> Proof:
        """Why a fact holds; what does not hold of it is said.

        Without a time, every interval is explained in which the fact holds. ``depth`` is how many rules deep the proof
        goes, None for down to what was given.
        """
        asked = read_asked(fact, self.program)
        atom = asked.atom(self.known)
        held = self._held(atom, asked)
        prover = Prover(self.known)
        roots = tuple(prover.prove(atom, part, depth) for part in held.intervals)
        missing = () if asked.interval is None else self._missing(asked.interval, held).intervals
        return Proof(atom, asked.interval, roots, missing)

    def why_not(self, fact: str) -> WhyNot:
        """Why a fact does not hold: for each rule that could derive it, the first thing that is missing.

        Without a time, the question is why it never holds.
        """
        asked = read_asked(fact, self.program)
        atom = asked.atom(self.known)
        held = self._held(atom, asked)
        missing: tuple[Interval, ...] = () if held else (self.known.asked_for,)
        if asked.interval is not None:
            missing = self._missing(asked.interval, held).intervals
        if not missing:
            return WhyNot(atom, asked.interval, held.intervals, ())
        doubter = Doubter(self.known)
        inside = IntervalSet(missing, self.known.timeline)
        inside = inside.intersection(whole(self.known.asked_for, self.known.timeline))
        found = [
            doubter.doubt(rule, atom, inside, throughout=asked.interval is not None)
            for rule in (self.program.rules_for(atom.predicate) if inside else ())
        ]
        obstacles = tuple(each for each in found if isinstance(each, Obstacle))
        misfits = tuple(each for each in found if isinstance(each, Misfit))
        notes = tuple(self._notes(atom, missing[0]))
        return WhyNot(atom, asked.interval, held.intervals, missing, obstacles, misfits, notes)

    def _notes(self, atom: GroundAtom, missing: Interval) -> Iterator[str]:
        """What rules do not tell."""
        if not any(True for _ in self.program.rules_for(atom.predicate)):
            yield f"no rule derives {atom.predicate}: it holds where it is given"
            given = self.known.times(atom.predicate, atom.values)
            shown = ", ".join(map(str, given.intervals[:5])) + (" …" if len(given.intervals) > 5 else "")
            yield f"{atom} is given in {shown}" if given else f"{atom} is never given"
        if missing.intersection(self.known.asked_for) is None:
            yield f"{missing} lies outside {self.known.asked_for}, the times that are looked at"

    def _held(self, atom: GroundAtom, asked: Asked) -> IntervalSet:
        within = self.known.asked_for
        held = self.known.times(atom.predicate, atom.values, within)
        held = held.intersection(whole(within, self.known.timeline))
        return held if asked.interval is None else held.intersection(whole(asked.interval, self.known.timeline))

    def _missing(self, interval: Interval, held: IntervalSet) -> IntervalSet:
        return whole(interval, self.known.timeline).difference(held)
