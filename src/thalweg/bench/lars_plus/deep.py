"""Deep100 of ChaseBench: a thousand facts, and rules that make deep chains of new values.

The public data has the rules as ``v0(?X1,?X2) -> m1(?X1,?X2), m2(?X2,?X3) .``, and a CSV file
without a heading for each fact.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from thalweg.bench.data import DEEP, data_path
from thalweg.syntax.fact_batch import Coded, FactBatch

ABSENT = "Skipped: the data of Deep100 is not there."

WINDOWED = ("window[last {n}] all ", "window[last {n}] some ")


def is_there() -> bool:
    """Whether the data is."""
    return data_path(DEEP).is_dir()


class Atom(NamedTuple):
    """A predicate and its variables."""

    predicate: str
    variables: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.predicate}({', '.join(self.variables)})"


class Dependency(NamedTuple):
    """A rule with one body atom and several head atoms."""

    body: Atom
    heads: tuple[Atom, ...]

    @property
    def new_variables(self) -> tuple[str, ...]:
        """The variables for which there are to be values."""
        return tuple(dict.fromkeys(v for head in self.heads for v in head.variables if v not in self.body.variables))

    @property
    def frontier(self) -> tuple[str, ...]:
        """The variables that body and heads share."""
        used = {variable for head in self.heads for variable in head.variables}
        return tuple(variable for variable in dict.fromkeys(self.body.variables) if variable in used)


@dataclass(frozen=True)
class Deep:
    """The rules, and the facts as (predicate, values)."""

    dependencies: tuple[Dependency, ...]
    facts: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    def read(cls) -> Deep:
        folder = data_path(DEEP)
        files = sorted((folder / "dependencies").glob("*-tgds.txt"))
        lines = [line for path in files for line in path.read_text().splitlines() if line.strip()]
        tables = sorted((folder / "data").glob("*.csv"))
        rows = ((path.stem, row) for path in tables for row in csv.reader(path.read_text().splitlines()))
        return cls(tuple(map(_dependency, lines)), tuple((name, tuple(row)) for name, row in rows))

    @property
    def longest_chain(self) -> int:
        """How many rules, one after another, a fact may have come through."""
        return max(map(self._chain_after, self._successors))

    def rules(self, n: int = 0, seed: int = 0) -> str:
        """The program; for n > 0 half of the body atoms, by chance, at all of the last n time points, half at some."""
        prefixes = np.random.default_rng(seed).permutation(np.arange(len(self.dependencies)) % 2)
        written = [_rule(*pair, n) for pair in zip(self.dependencies, prefixes.tolist(), strict=True)]
        return "\n".join(["timeline integer.", *self._declarations(), *written])

    def clingo_rules(self) -> str:
        """The facts and rules for clingo: each new value is a function of the rule, the variable and the frontier."""
        facts = (f"{name}({', '.join(map(_quoted, values))})." for name, values in self.facts)
        rules = (line for number, each in enumerate(self.dependencies) for line in _skolemised(number, each))
        return "\n".join((*facts, *rules))

    def batches(self, first: int, last: int) -> list[FactBatch]:
        """All facts at each time point from one to another."""
        count = last - first + 1
        rows, closed = np.arange(count), np.ones(count, np.bool_)
        times = Coded(tuple(map(Fraction, range(first, last + 1))), rows)
        return [
            FactBatch(
                name, tuple(Coded((v,), np.zeros_like(rows)) for v in values), times, times, closed, closed, rows, ""
            )
            for name, values in self.facts
        ]

    def _declarations(self) -> list[str]:
        declared = {name: len(values) for name, values in self.facts}
        columns = {name: ", ".join(f"{chr(ord('A') + i)}: any" for i in range(n)) for name, n in declared.items()}
        return [f"input {name}({parameters})." for name, parameters in columns.items()]

    @cached_property
    def _successors(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for body, heads in self.dependencies:
            found.setdefault(body.predicate, set()).update(head.predicate for head in heads)
        return found

    def _chain_after(self, predicate: str) -> int:
        return max((1 + self._chain_after(name) for name in self._successors.get(predicate, ())), default=0)


def _dependency(line: str) -> Dependency:
    body, heads = (tuple(map(_atom, re.findall(r"\w+\([^)]*\)", side))) for side in line.split("->"))
    (only,) = body
    return Dependency(only, heads)


def _atom(text: str) -> Atom:
    predicate, variables = text.rstrip(")").split("(")
    return Atom(predicate, tuple(variable.strip().removeprefix("?") for variable in variables.split(",")))


def _rule(dependency: Dependency, prefix: int, n: int) -> str:
    new = ", ".join(dependency.new_variables)
    heads = ", ".join(map(str, dependency.heads))
    before = WINDOWED[prefix].format(n=n) if n else ""
    return f"{f'exists {new}: ' if new else ''}{heads} :- {before}{dependency.body}."


def _skolemised(number: int, dependency: Dependency) -> list[str]:
    frontier = ", ".join(dependency.frontier)
    terms = {variable: f"f_{number}_{variable}({frontier})" for variable in dependency.new_variables}
    heads = (Atom(name, tuple(terms.get(v, v) for v in variables)) for name, variables in dependency.heads)
    return [f"{head} :- {dependency.body}." for head in heads]


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
