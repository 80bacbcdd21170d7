"""Whole cases of hypothetical answers: a program without recursion, and facts that arrive late, but in time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from thalweg.model.formula import Data, Value
from thalweg.model.lower import lower
from thalweg.model.program import Program
from thalweg.source import Source
from thalweg.syntax.parser import parse_program
from thalweg.testing.hypotheses.arrivals import Arrival, arrival_times
from thalweg.testing.hypotheses.atoms import GroundAtom
from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.hypotheses_knobs import HypothesesKnobs
from thalweg.testing.strategies.hypotheses_rules import HypothesesRuleWriter
from thalweg.testing.strategies.vocabulary import Kind, Predicate

TEXTS: tuple[Data, ...] = ("a", "b")
NUMBERS: tuple[Data, ...] = (Fraction(0), Fraction(1), Fraction(2))

_INPUTS = (
    Predicate("B", (Kind.TEXT,)),
    Predicate("C", (Kind.TEXT,)),
    Predicate("A"),
    Predicate("D", (Kind.TEXT, Kind.TEXT)),
)
_NUMBERED = Predicate("N", (Kind.TEXT, Kind.NUMBER))
_KINDS = ((Kind.TEXT,), (Kind.TEXT,), (), (Kind.TEXT, Kind.TEXT))
_TYPES = {Kind.TEXT: "string", Kind.NUMBER: "integer"}


class HypothesesCase(NamedTuple):
    """A query and a stream: the facts arrive within δ, none before its time.

    ``constants`` are all values there are, ``times`` the time points from the first of the timeline on that are worth
    asking about; both may be cut down.
    """

    program: Program
    query: str
    arrivals: tuple[Arrival, ...]
    constants: tuple[Value, ...]
    times: range
    text: str


def hypotheses_cases(knobs: HypothesesKnobs | None = None) -> SearchStrategy[HypothesesCase]:
    """Cases without recursion; without further knobs, of Temporal Datalog, negation-free."""
    return _cases(knobs or HypothesesKnobs())


@st.composite
def _cases(draw: DrawFn, knobs: HypothesesKnobs) -> HypothesesCase:
    writer = _CaseWriter(Choices(draw), knobs)
    rules = writer.rules()
    text = "\n".join([*writer.declarations(), *rules])
    program = _read(text)
    constants = (*TEXTS, *(NUMBERS if knobs.comparisons else ()))
    arrivals = tuple(writer.arrival(program) for _ in range(writer.choices.one_of(range(2, knobs.max_facts + 1))))
    return HypothesesCase(program, writer.query, arrivals, constants, range(writer.first, knobs.last + 3), text)


class _CaseWriter:
    """Writes the program as a text: layer upon layer, every predicate derived from the one before it."""

    def __init__(self, choices: Choices, knobs: HypothesesKnobs) -> None:
        self.choices = choices
        self.knobs = knobs
        every = [*_INPUTS, *([_NUMBERED] if knobs.comparisons else [])]
        self.inputs = choices.draw(st.lists(st.sampled_from(every), min_size=1, max_size=3, unique=True))
        self.layers = choices.one_of(range(1, knobs.max_layers + 1))
        self.query = f"P{self.layers}"
        self.first = choices.one_of((0, 0, 0, 0, 1, 2)) if knobs.timelines else 0
        self.used: list[Predicate] = []

    def rules(self) -> list[str]:
        """The rules, one at least for each layer."""
        written: list[str] = []
        below: list[Predicate] = []
        for layer in range(1, self.layers + 1):
            head = Predicate(f"P{layer}", self.choices.one_of(_KINDS))
            spare = self.knobs.max_rules - len(written) - (self.layers - layer)
            write = HypothesesRuleWriter(self.choices, self.knobs, self.inputs, below)
            written += [write.rule(head) for _ in range(min(spare, self.choices.one_of((1, 1, 2))))]
            self.used = list(dict.fromkeys([*self.used, *(each for each in write.used if each in self.inputs)]))
            below.append(head)
        return written

    def declarations(self) -> list[str]:
        """The timeline, the arguments and delays of what is used."""
        line = "timeline integer"
        if self.first:
            line += f" from {self.first}"
        if self.knobs.timelines and self.choices.chance(12):
            line += f" to {self.knobs.last + self.choices.one_of((0, 1, 2))}"
        delays = [each for predicate in self.used for each in self._delays(predicate)]
        return [f"{line}.", *map(_signature, self.used), *delays]

    def arrival(self, program: Program) -> Arrival:
        """A fact at a time, and when it arrives."""
        predicate = self.choices.one_of(self.used)
        values = tuple(self.choices.one_of(self._values(kind)) for kind in predicate.kinds)
        atom = GroundAtom(predicate.name, values, self.choices.one_of(range(self.first, self.knobs.last + 1)))
        return Arrival(atom, self.choices.one_of(arrival_times(program, atom)))

    def _delays(self, predicate: Predicate) -> list[str]:
        """One for the whole predicate, some for patterns; none twice."""
        anything = ["_"] * len(predicate.kinds)
        patterns = [anything] if self.choices.chance(75) else []
        if self.knobs.instance_delays and predicate.kinds and self.choices.chance(35):
            for _ in range(self.choices.one_of((1, 1, 2))):
                patterns.append([self.choices.one_of(("_", *map(str, self._values(kind)))) for kind in predicate.kinds])
        lengths = range(self.knobs.max_delay + 1)
        return [
            f"delay {predicate.name}{_listed(pattern)} = {self.choices.one_of(lengths)}."
            for pattern in dict.fromkeys(map(tuple, patterns))
        ]

    def _values(self, kind: Kind) -> Sequence[Data]:
        return NUMBERS if kind is Kind.NUMBER else (*TEXTS, TEXTS[0])


def _signature(predicate: Predicate) -> str:
    parameters = (f"x{number}: {_TYPES[kind]}" for number, kind in enumerate(predicate.kinds, 1))
    return f"input {predicate.name}{_listed(parameters)}."


def _listed(parts: Iterable[str]) -> str:
    joined = ", ".join(parts)
    return f"({joined})" if joined else ""


def _read(text: str) -> Program:
    tree, found = parse_program(Source("generated.rules", text))
    program, more = lower(tree)
    errors = [each for each in (*found, *more) if each.is_error]
    assert not errors, (text, errors)
    return program
