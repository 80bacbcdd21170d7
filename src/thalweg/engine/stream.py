"""The stream reasoner (journal paper, Algorithms 1 to 6).

``advance(facts, to)`` takes one iteration of Algorithm 1, or many at once: applying the rules is exhaustive on
(t, to], so a whole batch of time points can go through it as columns. The window W holds what the next iteration may
still read; the history H what unbounded diamonds must never forget.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from thalweg.analysis.algorithm import choose_algorithm
from thalweg.analysis.granularity import granularity
from thalweg.columnar.arrays import Ints
from thalweg.columnar.bridge import bridge
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Values
from thalweg.engine.derive import Range
from thalweg.engine.evaluate import Evaluator
from thalweg.engine.fixpoint import DEFAULT_MAX_ROUNDS, saturate
from thalweg.engine.intake import Intake, check_batches, program_batches, program_ends
from thalweg.engine.interpretation import Interpretation
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.materialise import violation
from thalweg.engine.output_times import INTERVALS, OutputTimes, at_points
from thalweg.engine.read import Facts, read_facts_of
from thalweg.engine.rescale import coarsen, common_factor, refine
from thalweg.engine.snapshot import pack, unpack, values_from_json, values_to_json
from thalweg.errors import DataError, Diagnostic, InconsistencyError, UsageError
from thalweg.model.normal_form import normalise
from thalweg.model.program import Program
from thalweg.plan.stream import KEPT, make_stream_plan
from thalweg.syntax.fact_batch import FactBatch
from thalweg.time.interval import Endpoint, format_endpoint
from thalweg.time.ticks import NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline


@dataclass(frozen=True)
class Stored:
    """How many facts the reasoner holds: in the window W (``#``-facts included), and in the history H."""

    window: int
    history: int

    @property
    def total(self) -> int:
        """|W ∪ H|, which Theorems 12 and 15 bound."""
        return self.window + self.history


class StreamReasoner:
    """Answers a standing query as time advances.

    >>> import thalweg
    >>> program = thalweg.parse("Busy(S) :- boxminus[0,4] diamondminus[0,2] Signal(S).")
    >>> reasoner = StreamReasoner(program, "Busy")
    >>> print(reasoner.advance("Signal(a)@1\\nSignal(a)@2.5\\nSignal(a)@4", to=5).to_text())
    Busy(a)@[5,5]
    >>> print(reasoner.advance("Signal(a)@5.5", to=10).to_text())
    Busy(a)@(5,7.5]
    >>> reasoner.stored.total
    2

    ``output_times`` says when answers are wanted: ``"intervals"`` (as they are), ``"data"`` (at the time points of the
    data), ``"every:2"``, or a list of times. ``algorithm`` is 1 or 6, or None to choose: 6 where it applies
    (Definition 4, no punctual interval).
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
    ) -> None:
        self.queries = (query,) if isinstance(query, str) else tuple(query)
        self.algorithm = choose_algorithm(program, algorithm)
        self.program = normalise(program) if self.algorithm == 6 else program
        self._sharp_gap = Fraction(granularity(self.program)) if self.algorithm == 6 else None
        self.plan = make_stream_plan(self.program, self.queries, self._sharp_gap)
        self.output_times = OutputTimes.of(output_times)
        self.step = None if step is None else Fraction(step)
        if self.step is not None and self.step <= 0:
            raise UsageError(f"step={step}: a step must be positive")
        self._signatures = program.signatures
        self._max_rounds = max_rounds
        self._values = Values()
        self._fixed_tick = program.tick is not None or program.timeline is Timeline.INTEGER
        self._window = Interpretation()
        self._pending: dict[str, Relation] = {}
        self._data_times: Ints = np.empty(0, dtype=np.int64)
        self._now = NEGATIVE_INFINITY
        self._waiting: list[FactBatch] = program_batches(program)
        self._coarsest = program.tick or self._base_tick()
        self._set_ticks(Ticks(program.timeline, self._coarsest))

    @property
    def now(self) -> Endpoint:
        """The time up to which input is complete; −∞ before the first advance."""
        return self._ticks.decode(self._now, POSITIVE_INFINITY).start

    @property
    def delay(self) -> Fraction:
        """How far answers lag behind the input, because rules look ahead."""
        return max(self.plan.delays[name] for name in self.queries)

    @property
    def span(self) -> Fraction:
        """How far the window reaches behind the present."""
        return self.plan.span

    @property
    def stored(self) -> Stored:
        """How many facts are held now."""
        names = self._window.predicates()
        history = {remembered.name for remembered in self.plan.remembered}
        sizes = {name: len(self._window.relation(name, 0)) for name in names}
        past = sum(size for name, size in sizes.items() if name in history)
        return Stored(sum(sizes.values()) - past, past)

    def window(self) -> Materialisation:
        """The contents of W, predicate by predicate."""
        history = {remembered.name for remembered in self.plan.remembered}
        held = {
            name: self._window.relation(name, 0)
            for name in self._window.predicates()
            if name not in history and len(self._window.relation(name, 0))
        }
        return Materialisation(held, self._values, self._ticks, self.program.signatures)

    def advance(self, facts: Facts, to: Fraction | int | str) -> Materialisation:
        """Take in facts, move the present to ``to``, and return the answers that are now complete.

        Facts come as for :func:`thalweg.materialise`; one that cannot be read raises :class:`DataError`. They may lie
        anywhere after the present; those after ``to`` wait. With a step, the way is gone in strides of at most that,
        or to the next data point, as Algorithm 1 does; otherwise at once.
        """
        target = Fraction(to)
        arriving, problems = read_facts_of(self.program, facts)
        batches = [batch for batch in (*self._waiting, *arriving) if batch.predicate in self.plan.delays]
        problems += check_batches(self.program, batches)
        if problems:
            raise DataError(problems)
        self._fit_tick(batches, target)
        end = self._code(target)
        if end <= self._now:
            raise UsageError(f"cannot advance to {format_endpoint(target)}: it is {format_endpoint(self.now)} already")
        arrived = Intake(self._values, self._ticks).relations(batches)
        self._refuse_late(batches, arrived)
        self._waiting = []
        for name, relation in arrived.items():
            self._pending[name] = concat((self._pending.get(name, empty(relation.arity)), relation), relation.arity)
        self._note_data_times(arrived)
        answers: dict[str, list[Relation]] = {name: [] for name in self.queries}
        while self._now < end:
            for name, relation in self._iterate(self._next_stop(end)).items():
                answers[name].append(relation)
        return self._answers(answers)

    def snapshot(self) -> bytes:
        """The whole state, to be given to :meth:`restore` of a reasoner for the same program and query."""
        header = {
            "identity": self._identity(),
            "tick": [self._ticks.tick.numerator, self._ticks.tick.denominator],
            "started": not self._waiting,
            "values": values_to_json(self._values),
        }
        return pack(header, self._held())

    def restore(self, snapshot: bytes) -> None:
        """Go on from where a snapshot was taken."""
        header, relations = unpack(snapshot)
        if header["identity"] != self._identity():
            raise UsageError("this snapshot belongs to another program, query or algorithm")
        self._values = values_from_json(header["values"])
        self._waiting = [] if header["started"] else program_batches(self.program)
        self._window = Interpretation()
        self._hold(relations)
        self._set_ticks(Ticks(self._ticks.timeline, Fraction(*header["tick"])))

    def _identity(self) -> str:
        """What must be the same for a snapshot to make sense."""
        said = repr((self.program.rules, self.program.facts, self.program.timeline, self.queries, self.algorithm))
        return hashlib.sha256(said.encode()).hexdigest()

    def _iterate(self, stop: int) -> dict[str, Relation]:
        """One iteration of Algorithm 1: load, apply rules, stream out, forget."""
        self._load(stop)
        ranges = {name: self._range(name, stop) for name in self.plan.delays}
        for stage in self.plan.stages:
            saturate(stage, self._evaluator, ranges, self._max_rounds)
        self._check_constraints(stop)
        answers = {name: self._streamed_out(name, ranges[name]) for name in self.queries}
        self._forget(stop)
        self._now = stop
        return answers

    def _load(self, stop: int) -> None:
        for name, relation in list(self._pending.items()):
            inside = clip(relation, NEGATIVE_INFINITY, stop)
            if len(inside):
                self._window.set(name, concat((self._window.relation(name, inside.arity), inside), inside.arity))
            later = clip(relation, stop + 1, POSITIVE_INFINITY)
            if len(later):
                self._pending[name] = later
            else:
                del self._pending[name]

    def _streamed_out(self, name: str, within: Range) -> Relation:
        relation = self._window.relation(name, self._signatures[name].arity)
        relation = clip(relation, *within)
        points = self.output_times.points(*within, self._ticks.tick, self._ticks.timeline, self._data_times)
        return relation if points is None else at_points(relation, points)

    def _check_constraints(self, stop: int) -> None:
        """Rules with head ⊥, wherever their bodies have become complete."""
        found = []
        for plan in self.plan.constraints:
            behind = max((self._delays[name] for part in plan.literals for name in part.predicates), default=0)
            low = NEGATIVE_INFINITY if self._now == NEGATIVE_INFINITY else self._now - behind + 1
            problem = violation(plan, self._evaluator, (low, stop - behind))
            found += [problem] if problem else []
        if found:
            raise InconsistencyError(found)

    def _forget(self, stop: int) -> None:
        """Forget and Forget* (journal paper, Algorithms 3 and 5)."""
        edge = stop - self._length(self.plan.span)
        for remembered in self.plan.remembered:
            beyond_recall = edge + self._length(remembered.span)
            gone = clip(self._evaluator.full(remembered.node).relation, NEGATIVE_INFINITY, beyond_recall - 1)
            ever = gone.with_time(np.full(len(gone), NEGATIVE_INFINITY), np.full(len(gone), POSITIVE_INFINITY))
            self._window.add(remembered.name, ever)
        keep_always = {remembered.name for remembered in self.plan.remembered}
        for name in self.plan.sharp:
            self._keep_sharp(name, stop, edge)
        for name in list(self._window.predicates()):
            relation = self._window.relation(name, 0)
            if name not in keep_always and len(relation):
                self._window.set(name, clip(relation, edge, POSITIVE_INFINITY))
        self._data_times = self._data_times[self._data_times > edge]
        self._evaluator.forget()

    def _keep_sharp(self, name: str, stop: int, edge: int) -> None:
        """Keep the ``#``-facts; drop facts that are over and too short for any box (Algorithm 5, lines 2 to 4)."""
        assert self._sharp_gap is not None
        gap = self._length(self._sharp_gap)
        relation = self._window.relation(name, self.program.signatures[name].arity)
        kept = self._window.relation(name + KEPT, relation.arity)
        sharp = bridge(concat((relation, kept), relation.arity), gap)
        self._window.set(name + KEPT, clip(sharp, edge, POSITIVE_INFINITY))
        length = (relation.end + (relation.end & 1)) - (relation.start - (relation.start & 1))
        over = (relation.end < stop) & (length < gap)
        if over.any():
            self._window.set(name, relation.take(~over, coalesced=True))

    def _next_stop(self, end: int) -> int:
        """Where the iteration ends: at ``end``, or with a step at the next data point or after one step."""
        if self.step is None:
            return end
        starts = [relation.start[relation.start > self._now] for relation in self._pending.values()]
        following = min((int(part.min()) for part in starts if len(part)), default=POSITIVE_INFINITY)
        following += following & 1 if self._ticks.timeline is Timeline.RATIONAL else 0
        if self._now == NEGATIVE_INFINITY:
            return min(end, following)
        return min(end, following, self._now + self._length(self.step))

    def _range(self, name: str, stop: int) -> Range:
        """The times at which a predicate becomes complete in this iteration."""
        behind = self._delays[name]
        low = NEGATIVE_INFINITY if self._now == NEGATIVE_INFINITY else self._now - behind + 1
        return low, stop - behind

    def _answers(self, answers: dict[str, list[Relation]]) -> Materialisation:
        relations = {}
        for name, parts in answers.items():
            joined = concat(parts, self._signatures[name].arity)
            relations[name] = joined if self.output_times.kind != "intervals" else coalesce(joined)
        return Materialisation(relations, self._values, self._ticks, self._signatures)

    def _refuse_late(self, batches: list[FactBatch], arrived: dict[str, Relation]) -> None:
        for name, relation in arrived.items():
            late = np.flatnonzero(relation.start <= self._now)
            if len(late) and self._now != NEGATIVE_INFINITY:
                raise DataError([self._late(name, batches, int(late[0]))])

    def _late(self, name: str, batches: list[FactBatch], row: int) -> Diagnostic:
        for batch in batches:
            if batch.predicate == name:
                if row < len(batch.lines):
                    break
                row -= len(batch.lines)
        start = format_endpoint(batch.starts.values[batch.starts.codes[row]])
        values = ",".join(str(column.values[column.codes[row]]) for column in batch.arguments)
        message = f"{name}({values}) at {start} comes too late: answers up to {format_endpoint(self.now)} are out"
        return Diagnostic(
            "E450", None, message, "give facts in the order of time", f"{batch.source}:{batch.lines[row]}"
        )

    def _note_data_times(self, arrived: dict[str, Relation]) -> None:
        if self.output_times.kind == "data":
            ends = [end for relation in arrived.values() for end in (relation.start, relation.end)]
            points = np.concatenate([self._data_times, *ends])
            points = points[(points > NEGATIVE_INFINITY) & (points < POSITIVE_INFINITY)]
            if self._ticks.timeline is Timeline.RATIONAL:
                points = points[points & 1 == 0]
            self._data_times = np.unique(points)

    def _base_tick(self) -> Fraction:
        times = [*program_ends(self.program), *self.output_times.exact_times, *([self.step] if self.step else [])]
        return Fraction(1, math.lcm(*(time.denominator for time in times if isinstance(time, Fraction))))

    def _fit_tick(self, batches: list[FactBatch], target: Fraction) -> None:
        """Make the tick fine enough for new times; without a declared tick, what is held is counted anew."""
        if self._fixed_tick:
            if (target / self._ticks.tick).denominator != 1:
                raise UsageError(f"cannot advance to {target}: it is not a multiple of the tick {self._ticks.tick}")
            return
        self._relax_tick()
        denominators = {target.denominator, self._ticks.tick.denominator}
        for batch in batches:
            for column in (batch.starts, batch.ends):
                denominators |= {time.denominator for time in column.values if isinstance(time, Fraction)}
        finer = Fraction(1, math.lcm(*denominators))
        if finer != self._ticks.tick:
            factor = int(self._ticks.tick / finer)
            try:
                self._recount(finer, lambda relation: refine(relation, factor))
            except OverflowError as error:
                hint = "declare a tick and round the times to it before they come in"
                raise DataError([Diagnostic("E451", None, str(error), hint)]) from error

    def _relax_tick(self) -> None:
        """Make the tick coarser again when what needed a finer one has been forgotten."""
        if self._ticks.tick == self._coarsest:
            return
        factor = common_factor(int(self._coarsest / self._ticks.tick), self._held().values())
        if factor > 1:
            self._recount(self._ticks.tick * factor, lambda relation: coarsen(relation, factor))

    def _held(self) -> dict[str, Relation]:
        """Everything that is counted in ticks, as relations."""
        times, now = self._data_times, np.array([self._now])
        held = {f"W {name}": self._window.relation(name, 0) for name in self._window.predicates()}
        held |= {f"P {name}": relation for name, relation in self._pending.items()}
        return {**held, "T": Relation((), times, times), "now": Relation((), now, now)}

    def _hold(self, held: dict[str, Relation]) -> None:
        """Take back what :meth:`_held` gave."""
        self._data_times = held.pop("T").start
        self._now = int(held.pop("now").start[0])
        self._pending = {name[2:]: relation for name, relation in held.items() if name.startswith("P ")}
        for name, relation in held.items():
            if name.startswith("W "):
                self._window.set(name[2:], relation)

    def _recount(self, tick: Fraction, recount: Callable[[Relation], Relation]) -> None:
        self._hold({name: recount(relation) for name, relation in self._held().items()})
        self._set_ticks(Ticks(self._ticks.timeline, tick))

    def _set_ticks(self, ticks: Ticks) -> None:
        self._ticks = ticks
        self._evaluator = Evaluator(self._window, self._values, ticks)
        self._delays = {name: self._length(delay) for name, delay in self.plan.delays.items()}

    def _code(self, time: Fraction) -> int:
        per_tick = 2 if self._ticks.timeline is Timeline.RATIONAL else 1
        return int(time / self._ticks.tick) * per_tick

    def _length(self, length: Fraction) -> int:
        return self._code(length)
