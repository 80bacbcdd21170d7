"""Answers: what holds in each, as tables, text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from thalweg.columnar.values import Value
from thalweg.engine.answers.mode import Mode
from thalweg.engine.materialisation import Materialisation
from thalweg.time.interval import Interval

_TIME = ("start", "end", "start_closed", "end_closed")


class Answer(Materialisation):
    """One answer (LARS paper, Definition 9): a stream of atoms, as maximal intervals."""

    def holds(self, predicate: str, *arguments: str | int | float | Fraction, at: int | Fraction) -> bool:
        """Whether an atom holds at a time: ``answer.holds("Open", "door7", at=3)``."""
        self._relation(predicate)  # complains of a predicate that is not asked for
        found = self._by_atom.get((predicate, tuple(map(_value, arguments))), ())
        return any(Fraction(at) in interval for interval in found)

    def to_json(self) -> list[dict[str, Any]]:
        """Every fact as a plain dictionary; decimals are texts, so that they stay exact."""
        return [_fact(name, row) for name in self.predicates for row in self.table(name).to_pylist()]

    @cached_property
    def _by_atom(self) -> dict[tuple[str, tuple[Value, ...]], tuple[Interval, ...]]:
        return self.facts()


@dataclass(frozen=True)
class Answers:
    """The answers of a program, or their consequences.

    In the modes "cautious" and "brave" the one element is what holds in all answers, or in some; there is none when the
    program has no answer.
    """

    mode: Mode
    found: tuple[Answer, ...]

    @property
    def count(self) -> int:
        """How many there are; 0 means that the program has no answer."""
        return len(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.found)

    def __getitem__(self, number: int) -> Answer:
        return self.found[number]

    def to_text(self) -> str:
        """A block for every answer; the facts alone when they are consequences."""
        if not self.found:
            return "No answer."
        if self.mode.is_consequences:
            return self.found[0].to_text()
        blocks = (f"Answer {number}:\n{each.to_text()}".rstrip() for number, each in enumerate(self.found, start=1))
        return "\n".join(blocks)

    def _repr_html_(self) -> str:
        """A timeline for every answer, for notebooks."""
        from thalweg.engine.lanes import draw_answers  # nothing but a notebook needs it

        return draw_answers(self)

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """The text, for notebooks that show no pictures."""
        printer.text(self.to_text())

    def to_json(self) -> dict[str, Any]:
        """``{"mode": …, "count": …, "answers": [[fact, …], …]}``."""
        return {"mode": self.mode.value, "count": self.count, "answers": [each.to_json() for each in self.found]}


def _value(argument: str | int | float | Fraction) -> Value:
    return argument if isinstance(argument, str) else Fraction(str(argument))


def _fact(predicate: str, row: dict[str, Any]) -> dict[str, Any]:
    exact = {name: str(value) if isinstance(value, Decimal) else value for name, value in row.items()}
    arguments = {name: value for name, value in exact.items() if name not in _TIME}
    return {"predicate": predicate, "arguments": arguments, **{name: exact[name] for name in _TIME}}
