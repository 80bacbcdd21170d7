"""The paper's own way to the model of a window: rew(P), rew(D) and rew(T) chased anew (LARS+ paper, Sections 3 and 5).

The prototype of the paper does this at every time point with a chase engine for existential rules. Here two engines do
it: Thalweg's own, on rules in which time is a value like others, and clingo, with function terms for new values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import clingo
import numpy as np

import thalweg
from thalweg.analysis.existential.names import box_name
from thalweg.analysis.existential.read_lars_plus import read_lars_plus
from thalweg.analysis.existential.rewriting import rewrite
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.analysis.existential.timeline_facts import stream_facts, timeline_facts
from thalweg.bench.lars_plus.scenarios import Scenario
from thalweg.bench.repeat import Timing, once
from thalweg.model.formula import Constant, Variable
from thalweg.model.program import Program
from thalweg.syntax.fact_batch import Coded, FactBatch
from thalweg.syntax.printer import format_text
from thalweg.time.interval import format_rational


@dataclass(frozen=True)
class Rewriting:
    """rew(P) with rew(T), and what holds always, for the timeline [0, horizon]."""

    rules: tuple[ExistentialRule, ...]
    facts: tuple[PlainAtom, ...]
    horizon: int

    @classmethod
    def of(cls, scenario: Scenario, horizon: int) -> Rewriting:
        source, refused = read_lars_plus(scenario.program)
        assert source is not None, refused
        rules = rewrite(source.clipped(horizon))
        arithmetic = timeline_facts([rule.body for rule in rules], horizon)
        return cls(rules, (*stream_facts(scenario.program.facts, horizon), *arithmetic), horizon)

    @cached_property
    def program(self) -> Program:
        """For Thalweg: at the one time point 0."""
        lines = [_with_exists(rule) for rule in self.rules]
        return thalweg.parse("\n".join(["timeline integer.", *lines, *(f"{_atom(fact)} @ 0." for fact in self.facts)]))

    @cached_property
    def clingo_text(self) -> str:
        """For clingo: each new value is a function of the rule, the variable and the frontier."""
        lines = [line for number, rule in enumerate(self.rules) for line in _with_functions(number, rule)]
        return "\n".join([*lines, *(f"{_atom(fact, clingo_text=True)}." for fact in self.facts)])


@dataclass(frozen=True)
class Rechased:
    """What a chase took, and how many facts of each predicate hold at the last time point."""

    timing: Timing
    newest: Counter[str]
    derived: int


def chase_with_thalweg(rewriting: Rewriting, facts: Sequence[FactBatch], queries: Sequence[str]) -> Rechased:
    """Chase with a plan that was made beforehand, if this is not the first call."""
    given = [_rewritten(batch) for batch in facts]
    wanted = [box_name(name) for name in queries]
    names = tuple(rewriting.program.derived_predicates)
    timing, model = once(lambda: thalweg.materialise(rewriting.program, given, start=0, end=0, queries=names))
    newest: Counter[str] = Counter()
    for name, box in zip(queries, wanted, strict=True):
        table = model.table(box)
        size, time = (np.array([int(value) for value in table[i].to_pylist()]) for i in _last_arguments(table))
        newest[name] = int(((size == 0) & (time == rewriting.horizon)).sum())
    return Rechased(timing, newest, sum(model.table(name).num_rows for name in names))


def chase_with_clingo(rewriting: Rewriting, facts: Sequence[FactBatch], queries: Sequence[str]) -> Rechased:
    """Ground and solve; what is read is not counted."""
    control = clingo.Control()
    control.add("base", [], rewriting.clingo_text)
    control.add("base", [], "\n".join(line for batch in facts for line in _lines(_rewritten(batch))))
    shown: list[clingo.Symbol] = []

    def solve() -> None:
        control.ground([("base", [])])
        control.solve(on_model=lambda model: shown.extend(model.symbols(atoms=True)))

    timing, _ = once(solve)
    names = {box_name(name): name for name in queries}
    zero, last = clingo.Number(0), clingo.Number(rewriting.horizon)
    newest = Counter(
        names[symbol.name] for symbol in shown if symbol.name in names and symbol.arguments[-2:] == [zero, last]
    )
    return Rechased(timing, newest, len(shown))


def _last_arguments(table: object) -> tuple[int, int]:
    names = [name for name in table.column_names if name.startswith("arg")]  # type: ignore[attr-defined]
    return len(names) - 2, len(names) - 1


def _rewritten(batch: FactBatch) -> FactBatch:
    """rew(D): the size 0 and the time become arguments; ``scenario.facts`` begins at the time point 0 for it."""
    length = len(batch)
    zero = Coded((Fraction(0),), np.zeros(length, np.int64))
    closed = np.ones(length, np.bool_)
    return FactBatch(
        box_name(batch.predicate),
        (*batch.arguments, zero, batch.starts),
        zero,
        zero,
        closed,
        closed,
        batch.lines,
        batch.source,
    )


def shifted(batches: Iterable[FactBatch], first: int) -> list[FactBatch]:
    """The facts with the time point ``first`` as 0."""
    return [replace(batch, starts=_earlier(batch.starts, first), ends=_earlier(batch.ends, first)) for batch in batches]


def _earlier(times: Coded, by: int) -> Coded:
    return Coded(tuple(time - by for time in times.values), times.codes)


def _with_exists(rule: ExistentialRule) -> str:
    names = ", ".join(variable.name for variable in rule.existential)
    head, body = (", ".join(map(_atom, atoms)) for atoms in (rule.head, rule.body))
    return f"{f'exists {names}: ' if names else ''}{head} :- {body}."


def _with_functions(number: int, rule: ExistentialRule) -> Iterator[str]:
    frontier = ", ".join(variable.name for variable in rule.frontier)
    new = {variable: f"f{number}_{variable.name.lower()}({frontier})" for variable in rule.existential}
    body = ", ".join(_atom(atom, clingo_text=True) for atom in rule.body)
    yield from (f"{_atom(atom, new, clingo_text=True)} :- {body}." for atom in rule.head)


def _atom(atom: PlainAtom, new: Mapping[Variable, str] | None = None, *, clingo_text: bool = False) -> str:
    terms = ", ".join(_term(term, new or {}, clingo_text) for term in atom.arguments)
    return f"{atom.predicate}({terms})"


def _term(term: Variable | Constant, new: Mapping[Variable, str], clingo_text: bool) -> str:
    if isinstance(term, Variable):
        return new.get(term, term.name)
    return _constant(term.value, clingo_text)


def _constant(value: str | Fraction, clingo_text: bool) -> str:
    if isinstance(value, Fraction):
        return format_rational(value)
    return f'"{value}"' if clingo_text else format_text(value)


def _lines(batch: FactBatch) -> Iterator[str]:
    columns = [[_constant(column.values[code], True) for code in column.codes.tolist()] for column in batch.arguments]
    return (f"{batch.predicate}({', '.join(row)})." for row in zip(*columns, strict=True))
