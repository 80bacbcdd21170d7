"""What the engine has open and has said, in the terms of the reference."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from thalweg.analysis.hypotheses.equations import holds
from thalweg.analysis.hypotheses.terms import PatternTerm, Shifted, TimedAtom
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.matching import UNBOUND
from thalweg.engine.hypotheses.stream import HypothesisStream, HypotheticalAnswers
from thalweg.model.formula import Comparison, Constant, Variable, expression_with
from thalweg.syntax.facts import format_value
from thalweg.testing.hypotheses import Answer, GroundAtom, Known, Pattern, Row, Sum, Supported, future_possible
from thalweg.testing.hypotheses.terms import variables_of


def open_rows(stream: HypothesisStream) -> Iterator[tuple[Row, tuple[Comparison, ...]]]:
    """The open rows, each with the conditions that its instances must satisfy."""
    reasoner = stream._reasoner
    for change in reasoner.open_rows():
        pattern = change.pattern.pattern
        for index in range(len(change.rows)):
            bound = {name: int(column[index]) for name, column in change.rows.columns.items()}
            matched = [bool(change.rows.has(i)[index]) for i in range(len(pattern.atoms))]
            atoms = [_pattern(atom, bound, reasoner.values) for atom in pattern.atoms]
            row = Row(
                _pattern(pattern.answer, bound, reasoner.values),
                frozenset(atom for atom, here in zip(atoms, matched, strict=True) if not here),
                frozenset(atom for atom, here in zip(atoms, matched, strict=True) if here),
            )
            known = {Variable(name): Constant(reasoner.values.value(code)) for name, code in bound.items()}
            conditions = tuple(
                Comparison(c.operator, expression_with(c.left, known), expression_with(c.right, known))
                for c in pattern.conditions
            )
            yield row, tuple(c for c in conditions if holds(c) is None)


def instances(
    case, row: Row, conditions: tuple[Comparison, ...], closed: int, universe: frozenset[GroundAtom]
) -> Iterator[Supported]:
    """The ground instances of a row with future-possible hypotheses, over the constants and times of a case."""
    atoms = (row.answer, *row.hypotheses)
    names = sorted(variables_of(atoms))
    timed = {atom.time.variable for atom in atoms if isinstance(atom.time, Sum)}
    times = [Known(Fraction(time)) for time in range(case.times.start - 3, case.times.stop + 3)]
    columns = [times if name in timed else [Known(value) for value in case.constants] for name in names]
    for choice in product(*columns):
        values = dict(zip(names, choice, strict=True))
        constants = {Variable(name): Constant(each.value) for name, each in values.items()}
        if not all(_holds(condition, constants) for condition in conditions):
            continue
        ground = row.under(values, case.program)
        hypotheses = frozenset(each.ground() for each in ground.hypotheses)
        evidence = frozenset(each.ground() for each in ground.evidence)
        if hypotheses <= universe and all(future_possible(case.program, each, closed) for each in hypotheses):
            yield Supported(Answer(*ground.answer.ground()[1:]), hypotheses, evidence)


def _holds(condition: Comparison, values: dict[Variable, Constant]) -> bool:
    left, right = (expression_with(side, values) for side in (condition.left, condition.right))
    return bool(holds(Comparison(condition.operator, left, right)))


def said(answers: HypotheticalAnswers, status: str) -> set[Answer]:
    """The ground answers with a status."""
    found = set()
    for row, kind in enumerate(answers.rows.status.to_pylist()):
        codes = [int(column[row]) for column in answers.rows.answers]
        if kind == status and UNBOUND not in codes:
            *values, time = (answers.values.value(code) for code in codes)
            found.add(Answer(tuple(values), int(time)))
    return found


def fact_text(atoms: frozenset[GroundAtom]) -> str:
    """Facts as a file has them."""
    lines = []
    for atom in sorted(atoms, key=str):
        inside = ",".join(format_value(value) for value in atom.values)
        lines.append(f"{atom.predicate}({inside})@{atom.time}" if inside else f"{atom.predicate}@{atom.time}")
    return "\n".join(lines) or " "


def _pattern(atom: TimedAtom, bound: dict[str, int], values: Values) -> Pattern:
    *arguments, time = (_term(term, bound, values) for term in atom.terms)
    return Pattern(atom.predicate, tuple(arguments), time)


def _term(term: PatternTerm, bound: dict[str, int], values: Values) -> Known | Sum:
    if not isinstance(term, Shifted):
        return Known(term.value)
    if term.variable not in bound:
        return Sum(term.variable, term.offset)
    value = values.value(bound[term.variable])
    return Known(value + term.offset if isinstance(value, Fraction) else value)
