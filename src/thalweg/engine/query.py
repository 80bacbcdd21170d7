"""Answers to queries (LARS+ paper, Definition 3): at a time, over a stretch of time, or as a stream advances."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import pyarrow as pa

from thalweg.analysis.checks import check_program
from thalweg.analysis.stratification import require_stratified
from thalweg.columnar.arrays import Bools
from thalweg.columnar.nulls import is_null
from thalweg.columnar.values import Value
from thalweg.engine.limits import DEFAULT_MAX_ROUNDS, NO_LIMITS, Limits
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.materialise import materialise
from thalweg.engine.memory_limit import Size
from thalweg.engine.output_times import INTERVALS, OutputTimes
from thalweg.engine.read import Facts
from thalweg.engine.replay import replay
from thalweg.engine.stream import StreamReasoner
from thalweg.errors import Diagnostic, DiagnosticError, ProgramError, UsageError
from thalweg.model.program import Program, Signature
from thalweg.model.query import ANSWER, Arities, Query, in_words_of_query, lower_query, open_columns
from thalweg.source import Source
from thalweg.syntax.ast import Parameter, QueryText
from thalweg.syntax.fact_batch import FactBatch
from thalweg.syntax.query import parse_query
from thalweg.time.interval import Endpoint, Interval, format_endpoint, format_rational
from thalweg.time.timeline import Timeline

NAME = "answer"
"""What answers are called where they are printed."""


class QueryAnswers(Materialisation):
    """The answers to a query: values for the variables asked for, each with the times at which it is an answer.

    They are certain answers, without nulls, unless nulls were asked for. To go over them gives each once; they are
    true when there is one. A Boolean query has the empty tuple for its one possible answer.
    """

    @classmethod
    def of(cls, query: Query, model: Materialisation, *, nulls: bool = False) -> QueryAnswers:
        """The answers among all that holds of the program with the query."""
        relation = model._relation(ANSWER)
        if relation.columns and not nulls:
            made_up: Bools = np.logical_or.reduce([is_null(column) for column in relation.columns])
            relation = relation.take(~made_up, coalesced=relation.coalesced)
        signature = Signature(NAME, tuple(map(Parameter, query.columns)))
        return cls({NAME: relation}, model._values, model._ticks, {NAME: signature}, model.divisions_by_zero)

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables asked for."""
        return tuple(parameter.name or "" for parameter in self._signatures[NAME].parameters)

    @property
    def is_boolean(self) -> bool:
        """Whether the query asks for no values, but whether something holds."""
        return not self.columns

    def __bool__(self) -> bool:
        return self.count(NAME) > 0

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        relation = self._sorted(NAME)
        columns = [self._values.decode(column) for column in relation.columns]
        return iter(dict.fromkeys(zip(*columns, strict=True) if columns else [()] * bool(self)))

    def times(self, *values: Value | int | float) -> tuple[Interval, ...]:
        """When some values are an answer; of a Boolean query, when it is true."""
        wanted = tuple(Fraction(str(value)) if isinstance(value, int | float) else value for value in values)
        if len(wanted) != len(self.columns):
            asked_for = ", ".join(self.columns) or "no values"
            raise UsageError(f"the query asks for {asked_for}, and {len(wanted)} values were given")
        return self._by_values.get((NAME, wanted), ())

    def holds(self, *values: Value | int | float, at: int | float | Fraction) -> bool:
        """Whether some values are an answer at a time: ``answers.holds("b1", at=4)``."""
        time = Fraction(str(at))
        return any(time in interval for interval in self.times(*values))

    def table(self, predicate: str = NAME) -> pa.Table:
        """A column for each variable asked for, then ``start``, ``end``, ``start_closed``, ``end_closed``."""
        return super().table(predicate)

    def _repr_html_(self) -> str:
        """A timeline, for notebooks."""
        from thalweg.engine.lanes import draw_query  # nothing but a notebook needs it

        return draw_query(self)

    @cached_property
    def _by_values(self) -> dict[tuple[str, tuple[Value, ...]], tuple[Interval, ...]]:
        return self.facts()


class QueryStream:
    """Answers a query as time advances.

    >>> import thalweg
    >>> program = thalweg.parse("timeline integer. Hot(B) :- Temp(B, T), T > 80.")
    >>> stream = QueryStream(program, "window 2 all Hot(B)")
    >>> print(stream.advance("Temp(b1,90)@[0,4]", to=3).to_text())
    answer(b1)@[0,3]
    >>> print(stream.advance("Temp(b2,85)@[5,7]", to=9).to_text())
    answer(b1)@[4,4]
    answer(b2)@[7,7]

    The predicates of the query must be those of the program: what only facts have, it must declare. ``output_times``
    and limits are those of :class:`thalweg.StreamReasoner`, which does the work.
    """

    def __init__(
        self,
        program: Program,
        query: str | Query,
        output_times: OutputTimes | str | Iterable[Fraction | int] = INTERVALS,
        *,
        nulls: bool = False,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        max_nulls: int | None = None,
        max_depth: int | None = None,
        max_memory: Size = None,
    ) -> None:
        self.nulls = nulls
        self.query = query if isinstance(query, Query) else read_query(query, program, None)
        with _said_of(self.query):
            self.reasoner = StreamReasoner(
                self.query.program,
                ANSWER,
                output_times,
                max_rounds=max_rounds,
                max_nulls=max_nulls,
                max_depth=max_depth,
                max_memory=max_memory,
            )

    def advance(self, facts: Facts, to: Fraction | int | str) -> QueryAnswers:
        """Take in facts, move the present to ``to``, and return the answers that are now complete."""
        with _said_of(self.query):
            return self._answers(self.reasoner.advance(facts, to))

    def replay(
        self, batches: Sequence[FactBatch], step: Fraction = Fraction(1), until: Fraction | None = None
    ) -> Iterator[QueryAnswers]:
        """Take in facts that are all there in strides of ``step``, as if they came now; the answers of each."""
        with _said_of(self.query):
            for stride in replay(self.reasoner, batches, step, until):
                yield self._answers(stride.answers)

    def _answers(self, model: Materialisation) -> QueryAnswers:
        return QueryAnswers.of(self.query, model, nulls=self.nulls)


def written_query(text: str) -> QueryText:
    """The query in a text; raises :class:`ProgramError` with what is wrong with it."""
    tree, found = parse_query(Source("query", text))
    if tree is None:
        raise ProgramError(found)
    return tree


def read_query(query: str | QueryText, program: Program, given: Arities | None) -> Query:
    """A query asked of a program; raises :class:`ProgramError` with everything that is wrong with it.

    It may ask for the predicates of facts that are ``given``, too; None means that they are still to come.
    """
    tree = query if isinstance(query, QueryText) else written_query(query)
    lowered, found = lower_query(tree, program, given)
    found += () if lowered is None else _checked(lowered, tree)
    if lowered is None or any(each.is_error for each in found):
        raise ProgramError(found)
    return lowered


def answer_query(
    query: Query,
    batches: Sequence[FactBatch],
    *,
    start: Endpoint = -math.inf,
    end: Endpoint = math.inf,
    nulls: bool = False,
    limits: Limits = NO_LIMITS,
) -> QueryAnswers:
    """The answers inside [start, end]; certain ones only, unless ``nulls``."""
    require_stratified(query.program)
    limits.check(query.program)
    with _said_of(query):
        model = materialise(query.program, batches, start=start, end=end, wanted=(ANSWER,), limits=limits)
    return QueryAnswers.of(query, model, nulls=nulls)


def require_time_point(query: Query, time: Endpoint, name: str) -> Fraction:
    """The time itself; raises :class:`UsageError` when the timeline has no such time point."""
    program, shown = query.program, format_endpoint(time)
    if isinstance(time, float):
        raise UsageError(f"{name} {shown}: write a time at which the query is asked")
    if program.timeline is Timeline.INTEGER and time.denominator != 1:
        raise UsageError(f"{name} {shown}: the integer timeline has no time between two integers")
    if program.tick is not None and (time / program.tick).denominator != 1:
        raise UsageError(f"{name} {shown} is not a multiple of the tick, {format_rational(program.tick)}")
    first, last = program.bounds
    if not first <= time <= last:
        raise UsageError(f"{name} {shown} lies outside the timeline, {Interval(first, last)}")
    return time


def arities(batches: Iterable[FactBatch]) -> dict[str, int]:
    """The predicates of facts, with the numbers of their arguments."""
    return {batch.predicate: len(batch.arguments) for batch in batches}


def _checked(query: Query, tree: QueryText) -> tuple[Diagnostic, ...]:
    """What checks say of the query's rule, and not of the program's own."""
    source = tree.span.source if tree.span else None
    found = [each for each in check_program(query.program) if each.span is not None and each.span.source is source]
    # A query has no head that a person would know of: its variables are those that are asked for.
    others = [
        replace(each, message=each.message.replace("in the head", "that is asked for"))
        for each in found
        if each.code != "E202"
    ]
    spans = [each.span for each in others]
    others += [each for each in open_columns(query) if each.span not in spans]
    return in_words_of_query(others, query.rule.number)


@contextmanager
def _said_of(query: Query) -> Iterator[None]:
    """Let errors speak of the query where the engine speaks of its rule."""
    try:
        yield
    except DiagnosticError as error:
        raise type(error)(in_words_of_query(error.diagnostics, query.rule.number)) from None
