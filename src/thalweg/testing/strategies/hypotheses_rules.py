"""Rules of generated cases of hypothetical answers, as texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from thalweg.testing.strategies.drawing import Choices
from thalweg.testing.strategies.hypotheses_knobs import HypothesesKnobs
from thalweg.testing.strategies.vocabulary import Kind, Predicate

_NAMES = {Kind.TEXT: ("X", "X", "Y", "Z"), Kind.NUMBER: ("M", "N")}
_CONSTANTS = {Kind.TEXT: ("a", "a", "b"), Kind.NUMBER: ("0", "1", "2")}
_OFFSETS = ("", "", "", " + 1", " + 2", " - 1", " - 2")
_INTERVALS = ("[0,1]", "[1,1]", "[1,2]", "[0,2]", "[2,3]", "(0,2)")
_UNARY = ("diamondminus", "diamondplus", "boxminus", "boxplus")


@dataclass
class HypothesesRuleWriter:
    """Writes rules over the input predicates and those derived in the layers below, the last of which is preferred."""

    choices: Choices
    knobs: HypothesesKnobs
    inputs: Sequence[Predicate]
    below: Sequence[Predicate]
    used: list[Predicate] = field(default_factory=list)

    def rule(self, head: Predicate) -> str:
        """A rule with ``at``, without, or with metric operators."""
        styles = ["at"] * 6 + ["bare"] * self.knobs.bare + ["metric"] * 5 * self.knobs.metric
        match self.choices.one_of(styles):
            case "metric":
                write: _RuleWriter = _MetricRule(self)
            case "bare":
                write = _RuleWriter(self)
            case _:
                write = _AtRule(self)
        return write.rule(head)

    def predicate(self, first: bool) -> Predicate:
        """One for a body atom."""
        if self.below and self.choices.chance(90 if first else 25):
            return self.choices.one_of([self.below[-1], *self.below[::-1]])
        return self.choices.one_of(self.inputs)


class _RuleWriter:
    """A rule whose atoms all hold at one time; ``bound`` are the variables of its positive atoms."""

    def __init__(self, parent: HypothesesRuleWriter) -> None:
        self.parent = parent
        self.choices = parent.choices
        self.knobs = parent.knobs
        self.bound: dict[str, Kind] = {}

    def rule(self, head: Predicate) -> str:
        """Head and body."""
        most = max(1, self.knobs.max_atoms - (1 if self.parent.below else 0))
        body = [self.literal(number == 0) for number in range(self.choices.one_of(range(1, most + 1)))]
        if self.knobs.comparisons and self.choices.chance(45):
            body += self.comparison()
        if self.knobs.negation and self.choices.chance(55):
            body.append(self.negated())
        return f"{self.head(head)} :- {', '.join(body)}."

    def literal(self, first: bool) -> str:
        """A positive literal, which binds its variables."""
        return self.atom(self.parent.predicate(first), self.new_term)

    def head(self, predicate: Predicate) -> str:
        """A head whose variables are bound."""
        return self.atom(predicate, self.bound_term, is_head=True)

    def negated(self) -> str:
        """A negated atom: its variables are bound, or stand for anything."""
        return f"not {self.atom(self.parent.predicate(False), self.bound_or_any)}"

    def comparison(self) -> list[str]:
        """A comparison of bound variables, if there are some."""
        options = [
            *(f"{name} {sign} {value}" for name in self.of(Kind.NUMBER) for sign in ("<", ">=") for value in "12"),
            *(f"{one} < {other} + 1" for one in self.of(Kind.NUMBER) for other in self.of(Kind.NUMBER) if one < other),
            *(f"{name} != b" for name in self.of(Kind.TEXT)),
            *(f"{one} != {other}" for one in self.of(Kind.TEXT) for other in self.of(Kind.TEXT) if one < other),
        ]
        return [self.choices.one_of(options)] if options else []

    def atom(self, predicate: Predicate, term: Callable[[Kind], str], is_head: bool = False) -> str:
        """P(t₁, …, tₙ)."""
        if not is_head:
            self.parent.used.append(predicate)
        terms = [term(kind) for kind in predicate.kinds]
        return predicate.name + (f"({', '.join(terms)})" if terms else "")

    def new_term(self, kind: Kind) -> str:
        """A variable, which is bound from now on, or a constant."""
        if self.knobs.constants and self.choices.chance(20):
            return self.choices.one_of(_CONSTANTS[kind])
        name = self.choices.one_of(_NAMES[kind])
        self.bound[name] = kind
        return name

    def bound_term(self, kind: Kind) -> str:
        """A bound variable; a constant now and then, and where none is bound."""
        names = self.of(kind)
        if not names or (self.knobs.constants and self.choices.chance(8)):
            return self.choices.one_of(_CONSTANTS[kind])
        return self.choices.one_of(names)

    def bound_or_any(self, kind: Kind) -> str:
        """A bound variable, a constant or ``_``."""
        return "_" if self.choices.chance(20) else self.bound_term(kind)

    def of(self, kind: Kind) -> list[str]:
        """The bound variables of a kind."""
        return [name for name, own in self.bound.items() if own is kind]


class _AtRule(_RuleWriter):
    """A rule whose atoms have times of their own."""

    def __init__(self, parent: HypothesesRuleWriter) -> None:
        super().__init__(parent)
        self.times: list[str] = []

    def literal(self, first: bool) -> str:
        return f"{super().literal(first)} at {self._body_time(first)}"

    def head(self, predicate: Predicate) -> str:
        if self.knobs.named_times and self.choices.chance(8):
            return f"{super().head(predicate)} at {self.choices.one_of('0123')}"
        return f"{super().head(predicate)} at {self._bound_time()}"

    def negated(self) -> str:
        return f"{super().negated()} at {self._bound_time()}"

    def comparison(self) -> list[str]:
        if self.choices.chance(50):
            return super().comparison()
        if len(self.times) > 1 and self.choices.chance(70):
            return [self.choices.one_of(("T < S", "S <= T", "T != S", "S < T + 2"))]
        return [self.choices.one_of(("T > 1", "T <= 4", "T != 3"))]

    def _body_time(self, first: bool) -> str:
        if self.knobs.named_times and not first and self.choices.chance(8):
            return self.choices.one_of("01234")
        name = "S" if self.knobs.several_times and not first and self.choices.chance(20) else "T"
        if name not in self.times:
            self.times.append(name)
        return name + self.choices.one_of(_OFFSETS)

    def _bound_time(self) -> str:
        return self.choices.one_of(["T", "T", *self.times]) + self.choices.one_of(_OFFSETS)


class _MetricRule(_RuleWriter):
    """A rule with metric operators in the body, and boxes in the head."""

    def literal(self, first: bool) -> str:
        atom = super().literal(first)
        shape = self.choices.one_of(("unary", "unary", "unary", "binary", "nested", "plain"))
        if shape == "plain":
            return atom
        if shape == "binary":
            left = self.atom(self.parent.predicate(False), self.bound_or_any)
            return f"({left} {self.choices.one_of(('since', 'until'))}{self._interval()} {atom})"
        nested = f"{self.choices.one_of(_UNARY)}[0,1] " if shape == "nested" else ""
        return f"{self.choices.one_of(_UNARY)}{self._interval()} {nested}{atom}"

    def head(self, predicate: Predicate) -> str:
        box = f"{self.choices.one_of(_UNARY[2:])}{self._interval()} " if self.choices.chance(20) else ""
        return box + super().head(predicate)

    def negated(self) -> str:
        operator = f"{self.choices.one_of(_UNARY)}{self._interval()} " if self.choices.chance(40) else ""
        return f"not {operator}{super().negated().removeprefix('not ')}"

    def _interval(self) -> str:
        return self.choices.one_of(_INTERVALS)
