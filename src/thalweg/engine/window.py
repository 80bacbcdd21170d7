"""The sliding window of a stream reasoner (journal paper, Algorithms 1 to 6), in codes of ticks.

The window W holds what the next iteration may still read; the history H what unbounded diamonds must never forget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.analysis.algorithm import choose_algorithm
from thalweg.analysis.granularity import granularity
from thalweg.columnar.arrays import Ints
from thalweg.columnar.bridge import bridge
from thalweg.columnar.coalesce import coalesce
from thalweg.columnar.relation import Relation, concat, empty
from thalweg.columnar.shift import clip
from thalweg.columnar.values import Values
from thalweg.engine.compaction import compacted, is_due
from thalweg.engine.derive import Range
from thalweg.engine.divisions import Divisions, count_divisions, divides
from thalweg.engine.evaluate import Evaluator
from thalweg.engine.families import of_member, to_families
from thalweg.engine.fixpoint import saturate
from thalweg.engine.intake import program_ends
from thalweg.engine.interpretation import Interpretation
from thalweg.engine.limits import NO_LIMITS, Limits
from thalweg.engine.materialise import codes_of, violation
from thalweg.engine.merged import groups_of, table_facts
from thalweg.engine.on_timeline import on_timeline
from thalweg.engine.output_times import INTERVALS, OutputTimes, at_points
from thalweg.engine.rescale import coarsen, common_factor, refine
from thalweg.engine.state_errors import damaged
from thalweg.engine.tuple_windows import KEPT as LAST
from thalweg.engine.tuple_windows import kept_name, tuples_to_keep, with_kept
from thalweg.errors import DataError, Diagnostic, InconsistencyError
from thalweg.model.fold import Folding, fold
from thalweg.model.normal_form import normalise
from thalweg.model.program import Program
from thalweg.plan.nodes import Carried, Diamond
from thalweg.plan.rule_table import TABLE
from thalweg.plan.stream import KEPT, SEEN, Counted, make_stream_plan
from thalweg.plan.stretch import Stretch
from thalweg.time.ticks import FINITE_LIMIT, NEGATIVE_INFINITY, POSITIVE_INFINITY, Ticks
from thalweg.time.timeline import Timeline

_FEW_NULLS = 100_000
"""So many more nulls are held before the first is forgotten."""
_MOST_COUNTED = 200_000
"""Values beyond this number are not counted: it would cost a batch more than some ten milliseconds."""


@dataclass(frozen=True)
class Stored:
    """How many facts are held: in the window W (``#``-facts included), and in the history H."""

    window: int
    history: int

    @property
    def total(self) -> int:
        """|W ∪ H|, which Theorems 12 and 15 bound."""
        return self.window + self.history


class SlidingWindow:
    """What is held of a stream, and how it moves on.

    ``lengths`` are further lengths of time that the tick must divide, such as the delay of the data. ``beside`` has
    relations of whoever uses the window, counted in the same ticks and held with it.
    """

    def __init__(
        self,
        program: Program,
        queries: Collection[str],
        output_times: OutputTimes = INTERVALS,
        *,
        algorithm: int | None = None,
        limits: Limits = NO_LIMITS,
        lengths: Iterable[Fraction] = (),
    ) -> None:
        self.queries = tuple(queries)
        self.algorithm = choose_algorithm(program, algorithm)
        self.program = normalise(program) if self.algorithm == 6 else program
        self._sharp_gap = Fraction(granularity(self.program)) if self.algorithm == 6 else None
        self._folding = fold(self.program, self.queries) if self.algorithm != 6 else Folding(self.program)
        folded = tuple(dict.fromkeys(map(self._folding.name, self.queries)))
        self.plan = make_stream_plan(self._folding.program, folded, self._sharp_gap)
        self.plan = self.plan.with_members(self._folding.family_of)
        self._divides = any(divides(plan) for stage in self.plan.stages for plan in stage.rules)
        self.output_times = output_times
        self._signatures = program.signatures
        self._limits = limits
        self.values = Values()
        self._relations = Interpretation()
        self._pending: dict[str, Relation] = {}
        self._data_times: Ints = np.empty(0, dtype=np.int64)
        self.beside: dict[str, Relation] = {}
        self.divisions_by_zero: Divisions = {}
        self.now = NEGATIVE_INFINITY
        self._nulls_left = self._values_left = 0
        self.has_fixed_tick = program.tick is not None or program.timeline is Timeline.INTEGER
        self._coarsest = program.tick or self._base_tick(lengths)
        self._set_ticks(Ticks(program.timeline, self._coarsest))

    @property
    def ticks(self) -> Ticks:
        """How times are counted now."""
        return self._ticks

    @property
    def stored(self) -> Stored:
        """How many facts are held now."""
        names = [name for name in self._relations.predicates() if not name.startswith(TABLE)]
        history = {remembered.name for remembered in self.plan.remembered}
        sizes = {name: len(self._relations.relation(name, 0)) for name in names}
        past = sum(size for name, size in sizes.items() if name in history)
        return Stored(sum(sizes.values()) - past, past)

    @property
    def domain_size(self) -> int | None:
        """How many different values the facts held have; None where counting them would take long."""
        columns = [column for relation in self.relations().values() for column in relation.columns]
        if sum(map(len, columns)) > _MOST_COUNTED:
            return None
        count: int = pc.count_distinct(pa.chunked_array(columns, pa.int64())).as_py()
        return count

    @property
    def waiting(self) -> int:
        """How many facts wait for the present to reach them."""
        return sum(map(len, self._pending.values()))

    def relations(self) -> dict[str, Relation]:
        """The contents of W, predicate by predicate."""
        history = {remembered.name for remembered in self.plan.remembered}
        found = {}
        for name in self._relations.predicates():
            relation = self._relations.relation(name, 0)
            for member in self._folding.members.get(name, (name,)):
                found[member] = of_member(member, relation, self._folding, self.values)
        return {
            name: relation
            for name, relation in found.items()
            if len(relation) and name not in history and not name.startswith(TABLE)
        }

    def take_in(self, arrived: Mapping[str, Relation]) -> None:
        """Add facts after the present; they wait until it reaches them."""
        for name, relation in to_families(arrived, self._folding, self.values).items():
            if name not in self.program.background:
                relation = self._on_timeline(name, relation, arrived)
            waiting = self._pending.get(name, empty(relation.arity))
            self._pending[name] = concat((waiting, relation), relation.arity)

    def _on_timeline(self, name: str, relation: Relation, arrived: Mapping[str, Relation]) -> Relation:
        try:
            return on_timeline(name, relation, self._timeline, self._ticks)
        except DataError:
            for member in self._folding.members.get(name, ()):
                if member in arrived:  # say which predicate of the family it is
                    on_timeline(member, arrived[member], self._timeline, self._ticks)
            raise

    def note_data_times(self, times: Iterable[Ints]) -> None:
        """Add the time points of new data, where answers are wanted at them."""
        if self.output_times.kind == "data":
            points = np.concatenate([self._data_times, *times])
            points = points[(points > NEGATIVE_INFINITY) & (points < POSITIVE_INFINITY)]
            if self._ticks.timeline is Timeline.RATIONAL:
                points = points[points & 1 == 0]
            self._data_times = np.unique(points)

    def next_data_point(self) -> int:
        """The first time point after the present at which a waiting fact begins; +∞ when none does."""
        starts = [relation.start[relation.start > self.now] for relation in self._pending.values()]
        following = min((int(part.min()) for part in starts if len(part)), default=POSITIVE_INFINITY)
        return following + (following & 1 if self._ticks.timeline is Timeline.RATIONAL else 0)

    def move(self, stop: int) -> dict[str, Relation]:
        """One iteration of Algorithm 1, up to the code ``stop``: load, apply rules, stream out, forget.

        Returns the answers that are now complete. Applying the rules is exhaustive, so the stretch may hold one time
        point or a whole batch of them.
        """
        self._load(stop)
        ranges = {name: self._range(name, stop) for name in self.plan.delays}
        edge = NEGATIVE_INFINITY if self.now == NEGATIVE_INFINITY else self.now - self.code(self.plan.span)
        self._evaluator.frames.asked_for = edge, stop
        self._evaluator.is_single_point = self.now + 1 == stop and not any(self._delays.values())
        for stage in self.plan.stages:
            saturate(stage, self._evaluator, ranges, self._limits.rounds)
        is_continued = self.now > NEGATIVE_INFINITY
        count_divisions(self.plan.stages, self._evaluator, ranges, self.divisions_by_zero, is_continued=is_continued)
        self._check_constraints(stop)
        answers = {name: self._streamed_out(name, ranges[name]) for name in self.queries}
        self._forget(stop)
        self.now = stop
        return answers

    def answered_until(self, name: str) -> int:
        """The code up to which the answers for a predicate are out."""
        return self.now if abs(self.now) == POSITIVE_INFINITY else self.now - self._delays[name]

    def joined(self, name: str, parts: list[Relation]) -> Relation:
        """The answers of several moves as one relation."""
        joined = concat(parts, self._signatures[name].arity)
        return joined if self.output_times.kind != "intervals" else coalesce(joined)

    def fit_tick(self, denominators: Collection[int]) -> None:
        """Make the tick fine enough for new times; without a declared tick, what is held is counted anew."""
        if self.has_fixed_tick:
            return
        self._relax_tick()
        finer = Fraction(1, math.lcm(self._ticks.tick.denominator, *denominators))
        if finer != self._ticks.tick:
            factor = int(self._ticks.tick / finer)
            try:
                self._recount(finer, lambda relation: refine(relation, factor))
            except OverflowError as error:
                hint = "declare a tick and round the times to it before they come in"
                raise DataError([Diagnostic("E451", None, str(error), hint)]) from error

    def code(self, time: Fraction) -> int:
        """The code of a time point that the tick divides; also of a length of time."""
        per_tick = 2 if self._ticks.timeline is Timeline.RATIONAL else 1
        return int(time / self._ticks.tick) * per_tick

    def held(self) -> dict[str, Relation]:
        """Everything that is counted in ticks, as relations."""
        times, now = self._data_times, np.array([self.now])
        self._pending = {name: coalesce(relation) for name, relation in self._pending.items()}
        names = (name for name in self._relations.predicates() if not name.startswith(TABLE))
        held = {f"W {name}": self._relations.relation(name, 0) for name in names}
        held |= {f"P {name}": relation for name, relation in self._pending.items()}
        held |= {f"O {name}": relation for name, relation in self.beside.items()}
        return {**held, "T": Relation((), times, times), "now": Relation((), now, now)}

    def reach(self, held: str) -> tuple[int | None, int | None]:
        """Where a relation that is held was cut, and the code up to which its facts are known."""
        if abs(self.now) == POSITIVE_INFINITY:
            return None, None
        kind, _, name = held.partition(" ")
        edge = self._edge(name, self.now)
        if kind == "P":
            return self.now + 1, None
        if (
            kind != "W"
            or name in {remembered.name for remembered in self.plan.remembered}
            or name.startswith((LAST, SEEN))
        ):
            return None, None
        derived = name.removesuffix(KEPT)
        return edge, self.answered_until(derived) if derived in self._delays else None

    def hold(self, held: Mapping[str, Relation], values: Values, tick: Fraction) -> None:
        """Go on with what :meth:`held` gave, its values and its tick; raises :class:`StateError` for anything else."""
        self._check_shapes(held, tick)
        self.values = values
        self._relations = Interpretation()
        self._take_back(held)
        self._set_ticks(Ticks(self._ticks.timeline, tick))

    def _check_shapes(self, held: Mapping[str, Relation], tick: Fraction) -> None:
        """Refuse relations that the window cannot hold, before it holds any of them."""
        is_too_fine = tick <= 0 or self._coarsest / tick >= FINITE_LIMIT or (self._coarsest / tick).denominator != 1
        if is_too_fine or (self.has_fixed_tick and tick != self._coarsest):
            raise damaged("its tick is none that this program can have")
        if len(held["now"]) != 1 or held["now"].arity or held["T"].arity:
            raise damaged("it does not say which time it is")
        signatures = {**self._folding.program.signatures, **self.program.signatures}
        arities = {name: each.arity for name, each in signatures.items()}
        arities |= {each.head: each.arity for stage in self.plan.stages for each in stage.rules if each.head}
        arities |= {each.name: len(each.node.variables) for each in self.plan.remembered}
        arities |= {each.name: len(each.variables) for each in self.plan.carried}
        arities |= {kept_name(each.predicate, each.window): each.arity + 1 for each in self.plan.counted}
        for name, relation in held.items():
            kind, _, predicate = name.partition(" ")
            arity = arities.get(predicate.removesuffix(KEPT) if predicate not in arities else predicate)
            if name not in ("now", "T") and (kind not in ("W", "P", "O") or relation.arity != arity):
                raise damaged(f"it holds facts of {predicate[:80]} that this program has not")

    def _load(self, stop: int) -> None:
        for name, relation in list(self._pending.items()):
            if len(relation) and np.maximum.reduce(relation.end) <= stop:
                self._put_beside(name, relation)
                del self._pending[name]
                continue
            if holds_always(relation):
                # Background is loaded once and for all: what is derived from it is clipped in any case.
                self._relations.add(name, relation)
                del self._pending[name]
                continue
            inside = clip(relation, NEGATIVE_INFINITY, stop)
            if len(inside):
                self._put_beside(name, inside)
            later = clip(relation, stop + 1, POSITIVE_INFINITY)
            if len(later):
                self._pending[name] = later
            else:
                del self._pending[name]

    def _put_beside(self, name: str, arrived: Relation) -> None:
        """Put facts beside those that are held."""
        known = self._relations.relation(name, arrived.arity)
        self._relations.set(name, concat((known, arrived), arrived.arity))

    def _streamed_out(self, name: str, within: Range) -> Relation:
        held = self._relations.relation(self._folding.name(name), self._signatures[name].arity)
        relation = clip(of_member(name, held, self._folding, self.values), *within)
        if not len(relation):
            relation = empty(self._signatures[name].arity)
        points = self.output_times.points(*within, self._ticks.tick, self._ticks.timeline, self._data_times)
        return relation if points is None else at_points(relation, points)

    def _check_constraints(self, stop: int) -> None:
        """Rules with head ⊥, wherever their bodies have become complete."""
        found = []
        for plan in self.plan.constraints:
            behind = max((self._delays[name] for part in plan.literals for name in part.predicates), default=0)
            problem = violation(plan, self._evaluator, self._stretch(behind, stop))
            found += [problem] if problem else []
        if found:
            raise InconsistencyError(found)

    def _forget(self, stop: int) -> None:
        """Forget and Forget* (journal paper, Algorithms 3 and 5)."""
        edge = stop - self.code(self.plan.span)
        for remembered in self.plan.remembered:
            beyond_recall = edge + self.code(remembered.span)
            gone = clip(self._evaluator.full(remembered.node).relation, NEGATIVE_INFINITY, beyond_recall - 1)
            ever = gone.with_time(np.full(len(gone), NEGATIVE_INFINITY), np.full(len(gone), POSITIVE_INFINITY))
            self._relations.add(remembered.name, ever)
        for carried in self.plan.carried:
            self._carry(carried, stop)
        for counted in self.plan.counted:
            self._keep_tuples(counted, stop - self.code(self.plan.span_of(counted.predicate)))
        keep_always = {remembered.name for remembered in self.plan.remembered}
        keep_always |= {carried.name for carried in self.plan.carried}
        for name in self.plan.sharp:
            self._keep_sharp(name, stop, edge)
        for name in list(self._relations.predicates()):
            relation = self._relations.relation(name, 0)
            if name in keep_always or not len(relation):
                continue
            first_kept = self._edge(name, stop)
            if np.minimum.reduce(relation.start) < first_kept and not holds_always(relation):
                self._relations.set(name, clip(relation, first_kept, POSITIVE_INFINITY))
        self._data_times = self._data_times[self._data_times > edge]
        self._evaluator.forget()
        self.values.nulls.settle(stop - max(self._delays.values(), default=0))

    def _edge(self, name: str, stop: int) -> int:
        """From when on the facts of a predicate are kept.

        A family that is only read at the present is not kept at all: it is large.
        """
        span = self.plan.span_of(name)
        is_over = not span and name in self._folding.members and self.plan.spans and not self._divides
        return stop + 1 if is_over else stop - self.code(span)

    def forget_nulls(self) -> None:
        """Forget nulls that nothing held has any more, when there are far more than were left the last time.

        Answers that were given may still have them: whoever is to read them keeps a view of the values.
        """
        nulls = self.values.nulls
        if len(nulls) > 4 * self._nulls_left + _FEW_NULLS:
            columns = (column for relation in self.held().values() for column in relation.columns)
            self.values.nulls = nulls.kept(columns)
            self._nulls_left = len(self.values.nulls)

    def forget_values(self) -> None:
        """Forget values that nothing held has any more, when there are far more than were left the last time.

        Answers that were given keep the table that they were given with.
        """
        if is_due(self.values, self._values_left):
            self.hold(*compacted(self.held(), self.values), self._ticks.tick)
            self._values_left = len(self.values)

    def _carry(self, carried: Carried, stop: int) -> None:
        """Carry along the value of a diamond, or the facts of a box that may still go on."""
        edge = stop - self.code(self.plan.span_of(carried.name))
        whole = self._evaluator.carried(carried).relation
        if isinstance(carried.child, Diamond):
            kept = clip(whole, edge, POSITIVE_INFINITY)
        else:
            nearest, _ = self._evaluator.encoded(carried.child.interval)
            kept = whole.take(whole.end >= edge - nearest, coalesced=True)
        self._relations.set(carried.name, kept)

    def _keep_tuples(self, counted: Counted, edge: int) -> None:
        """Keep the last tuples of those that are about to be forgotten, as many as a window may still count."""
        known = self._relations.relation(counted.predicate, counted.arity)
        if holds_always(known):
            return
        gone = clip(known, NEGATIVE_INFINITY, edge - 1)
        if len(gone):
            gone = with_kept(gone, self._relations, counted.predicate, counted.window)
            kept = tuples_to_keep(gone, counted.window, self.values)
            self._relations.set(kept_name(counted.predicate, counted.window), kept)

    def _keep_sharp(self, name: str, stop: int, edge: int) -> None:
        """Keep the ``#``-facts; drop facts that are over and too short for any box (Algorithm 5, lines 2 to 4)."""
        assert self._sharp_gap is not None
        gap = self.code(self._sharp_gap)
        relation = self._relations.relation(name, self.program.signatures[name].arity)
        kept = self._relations.relation(name + KEPT, relation.arity)
        sharp = bridge(concat((relation, kept), relation.arity), gap)
        self._relations.set(name + KEPT, clip(sharp, edge, POSITIVE_INFINITY))
        length = (relation.end + (relation.end & 1)) - (relation.start - (relation.start & 1))
        over = (relation.end < stop) & (length < gap)
        if over.any():
            self._relations.set(name, relation.take(~over, coalesced=True))

    def _range(self, name: str, stop: int) -> Range:
        """The times at which a predicate becomes complete in this iteration."""
        return self._stretch(self._delays[name], stop)

    def _stretch(self, behind: int, stop: int) -> Range:
        """From the present to ``stop``, so much earlier; the beginning and the end of time stay where they are."""
        first, last = self._timeline
        low = NEGATIVE_INFINITY if self.now == NEGATIVE_INFINITY else self.now - behind + 1
        return max(low, first), min(last, stop if stop == POSITIVE_INFINITY else stop - behind)

    def _base_tick(self, lengths: Iterable[Fraction]) -> Fraction:
        times = [*program_ends(self.program), *self.output_times.exact_times, *lengths]
        return Fraction(1, math.lcm(*(time.denominator for time in times if isinstance(time, Fraction))))

    def _relax_tick(self) -> None:
        """Make the tick coarser again when what needed a finer one has been forgotten."""
        if self._ticks.tick == self._coarsest:
            return
        factor = common_factor(int(self._coarsest / self._ticks.tick), self.held().values())
        if factor > 1:
            self._recount(self._ticks.tick * factor, lambda relation: coarsen(relation, factor))

    def _recount(self, tick: Fraction, recount: Callable[[Relation], Relation]) -> None:
        self._take_back({name: recount(relation) for name, relation in self.held().items()})
        self._set_ticks(Ticks(self._ticks.timeline, tick))

    def _take_back(self, held: Mapping[str, Relation]) -> None:
        self._data_times = held["T"].start
        # Where it is a gap, the present is the end of it: a finer tick divides the gap.
        self.now = int(held["now"].end[0])
        self._pending = {name[2:]: relation for name, relation in held.items() if name.startswith("P ")}
        self.beside = {name[2:]: relation for name, relation in held.items() if name.startswith("O ")}
        for name, relation in held.items():
            if name.startswith("W "):
                self._relations.set(name[2:], relation)

    def _set_ticks(self, ticks: Ticks) -> None:
        self._ticks = ticks
        self._limits.impose(self.values)
        self.values.nulls.groups = groups_of(self.plan.tables)
        for table in self.plan.tables:
            self._relations.set(table.name, table_facts(table, self.values))
        self._timeline = codes_of(Stretch(*self.program.bounds), ticks)
        self._evaluator = Evaluator(self._relations, self.values, ticks, self._timeline)
        self._delays = {name: self.code(delay) for name, delay in self.plan.delays.items()}


def holds_always(relation: Relation) -> bool:
    """Whether all facts hold at all times."""
    return bool((relation.start == NEGATIVE_INFINITY).all() and (relation.end == POSITIVE_INFINITY).all())
