"""A stream reasoner that can say why: it keeps the facts that came in, as many as it is told."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from thalweg.engine import stream
from thalweg.engine.limits import DEFAULT_MAX_ROUNDS
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.memory_limit import Size
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.read import Facts, read_facts_of
from thalweg.errors import DataError, UsageError
from thalweg.explain.asked import read_asked
from thalweg.explain.explainer import DEFAULT_DEPTH, Explainer
from thalweg.explain.horizon import reads_lost
from thalweg.explain.proof import Proof
from thalweg.model.program import Program
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.interval import Endpoint, format_endpoint


class StreamReasoner(stream.StreamReasoner):
    """Answers a standing query as time advances, and says why.

    >>> import thalweg
    >>> program = thalweg.parse("Busy(S) :- boxminus[0,4] diamondminus[0,2] Signal(S).")
    >>> reasoner = StreamReasoner(program, "Busy", explain=1000)
    >>> print(reasoner.advance("Signal(a)@1\\nSignal(a)@2.5\\nSignal(a)@4", to=5).to_text())
    Busy(a)@[5,5]
    >>> print(reasoner.why("Busy(a)@5"))
    Busy(a)@[5,5]
    └─ rule 1 (program:1): Busy(S) :- boxminus[0,4] diamondminus[0,2] Signal(S).   S = a
       ├─ Signal(a)@[1,1]   given, facts:1
       ├─ Signal(a)@[2.5,2.5]   given, facts:2
       └─ Signal(a)@[4,4]   given, facts:3
    >>> print(reasoner.advance("Signal(a)@5.5", to=10).to_text())
    Busy(a)@(5,7.5]
    >>> reasoner.stored.total
    2

    ``output_times`` says when answers are wanted: ``"intervals"`` (as they are), ``"data"`` (at the time points of the
    data), ``"every:2"``, or a list of times. ``algorithm`` is 1 or 6, or None to choose: 6 where it applies
    (Definition 4, no punctual interval). ``max_nulls`` and ``max_depth`` bound the new values of rules that may never
    run out of them. ``max_memory`` is how much memory the process may take beyond what it has when the reasoner is
    made: ``"2g"``, ``"50%"`` of the machine's, or ``"none"``; three quarters of the machine's unless given. ``explain``
    is how many facts are kept for :meth:`why`, the latest; None keeps none.
    """

    def __init__(
        self,
        program: Program,
        query: str | Collection[str],
        output_times: OutputTimes | str | Iterable[Fraction | int] = INTERVALS,
        step: Fraction | int | None = None,
        *,
        algorithm: int | None = None,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        max_nulls: int | None = None,
        max_depth: int | None = None,
        max_memory: Size = None,
        explain: int | None = None,
    ) -> None:
        super().__init__(
            program,
            query,
            output_times,
            step,
            algorithm=algorithm,
            max_rounds=max_rounds,
            max_nulls=max_nulls,
            max_depth=max_depth,
            max_memory=max_memory,
        )
        if explain is not None and explain < 1:
            raise UsageError(f"explain={explain} is not a positive number")
        self._given_program = program
        self._kept = None if explain is None else _Kept(explain)

    def advance(self, facts: Facts, to: Fraction | int | str) -> Materialisation:
        """Take in facts, move the present to ``to``, and return the answers that are now complete.

        Facts come as for :func:`thalweg.materialise`; one that cannot be read raises :class:`DataError`. They may lie
        anywhere after the present; those after ``to`` wait. With a step, the way is gone in strides of at most that,
        or to the next data point, as Algorithm 1 does; otherwise at once.
        """
        if self._kept is None:
            return super().advance(facts, to)
        batches, problems = read_facts_of(self.program, facts)
        if problems:
            raise DataError(problems)
        answers = super().advance(batches, to)
        self._kept.add([batch for batch in batches if len(batch) and batch.predicate in self.plan.delays])
        return answers

    def restore(self, snapshot: bytes) -> None:
        """Go on from where a snapshot was taken; the facts that came before it are not kept."""
        super().restore(snapshot)
        if self._kept is not None:
            self._kept.lose_all()

    def why(self, answer: str, *, depth: int | None = DEFAULT_DEPTH) -> Proof:
        """Why an answer holds, written as ``P(a)@3`` or ``P(a)@[1,2]``; without a time, wherever it held so far.

        Raises :class:`UsageError` where the facts it rests on are no longer kept, and for times not yet answered.
        """
        if self._kept is None:
            raise UsageError("no facts are kept: give explain=N to have answers explained")
        if self.now == -math.inf:
            raise UsageError("nothing has been answered yet")
        asked = read_asked(answer, self._given_program)
        until = self.now - self.plan.delays.get(asked.predicate, self.delay)
        if asked.interval is not None and asked.interval.end > until:
            raise UsageError(f"{answer}: answers are out up to {format_endpoint(until)} only")
        explainer = Explainer(
            self._given_program, self._kept.batches, end=until, wanted=(asked.predicate,), limits=self._limits
        )
        proof, horizon = explainer.why(answer, depth=depth), self._kept.horizon
        if horizon > -math.inf:
            whole = explainer.why(answer, depth=None)
            if not whole.holds or reads_lost(whole, self._given_program, horizon):
                raise UsageError("the evidence for this answer is no longer kept: give a greater number as explain")
        return proof


@dataclass
class _Kept:
    """Facts that came in, advance by advance; at times after ``horizon`` no fact holds that has been dropped."""

    bound: int
    horizon: Endpoint = -math.inf

    def __post_init__(self) -> None:
        self._turns: deque[list[FactBatch]] = deque()
        self._lasting: list[FactBatch] = []

    @property
    def batches(self) -> list[FactBatch]:
        """All that is kept."""
        return [*self._lasting, *(batch for turn in self._turns for batch in turn)]

    def add(self, batches: Sequence[FactBatch]) -> None:
        """Keep the facts of one more advance, and drop the oldest."""
        self._turns.append([*batches])
        total = sum(map(len, self.batches))
        while self._turns and total > self.bound:
            for batch in self._turns.popleft():
                total += self._let_go(batch) - len(batch)
        if total > self.bound:
            self.lose_all()

    def lose_all(self) -> None:
        """Drop everything; facts without an end may be among it."""
        self.horizon = math.inf
        self._turns.clear()
        self._lasting = []

    def _let_go(self, batch: FactBatch) -> int:
        """Drop a batch but for its facts without an end; how many those are."""
        endless = np.array([end == math.inf for end in batch.ends.values])[batch.ends.codes]
        last = max((end for end in batch.ends.values if end != math.inf), default=-math.inf)
        self.horizon = max(self.horizon, last)
        if endless.any():
            self._lasting.append(batch.take(np.flatnonzero(endless)))
        return int(endless.sum())
