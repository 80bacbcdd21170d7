"""Rules of LARS+ as they were written (paper, Definition 1): one body, a conjunction in the head, ∃."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from thalweg.model.formula import (
    At,
    Atom,
    Bottom,
    BoxMinus,
    BoxPlus,
    Formula,
    HeadTerm,
    Metric,
    Skolem,
    Top,
    Variable,
    atoms,
)
from thalweg.model.program import Program, Rule
from thalweg.testing.grounding import value_of
from thalweg.testing.values import Substitution
from thalweg.time.interval import Interval, point

_NEW = "∃"


@dataclass(frozen=True)
class WrittenRule:
    """B → ∃v. H. Existential variables are variables again: whatever they stand for will do."""

    number: int
    body: tuple[Formula, ...]
    heads: tuple[Formula, ...]

    @property
    def is_existential(self) -> bool:
        """Whether the head has variables that the body does not bind."""
        return any(_is_new(term) for head in self.heads for atom in atoms(head) for term in atom.arguments)

    @property
    def as_rule(self) -> Rule:
        """The body alone, as the body of a rule."""
        return Rule(Top(), self.body, self.number)

    def asked(self, substitution: Substitution, time: int, timeline: range) -> list[tuple[Atom, int]] | None:
        """The simple atoms of the head with their times, for a match of the body at a time.

        None where one has a time outside T: then the rule asks for nothing (Definition 2 (i)). Times that a box reaches
        outside T are left out.
        """
        moments: list[tuple[Formula, int]] = []
        for head in self.heads:
            if isinstance(head, At):
                when = value_of(head.time, substitution)
                if not isinstance(when, Fraction) or when not in map(Fraction, timeline):
                    return None
                moments.append((head.operand, int(when)))
            else:
                core, distances = _spread(head)
                moments += [(core, when) for when in timeline if distances and Fraction(when - time) in distances]
        return [(atom, when) for atom, when in moments if isinstance(atom, Atom)]


def written_rules(program: Program) -> Iterator[WrittenRule]:
    """The rules of a program, those put together again that come from one written rule."""
    together: dict[tuple[int, tuple[Formula, ...]], list[Formula]] = {}
    for rule in program.rules:
        together.setdefault((rule.number, rule.body), []).append(_with_variables(rule.head))
    for (number, body), heads in together.items():
        yield WrittenRule(number, body, tuple(heads))


def _with_variables(head: Formula) -> Formula:
    match head:
        case Atom(arguments=arguments):
            terms = (Variable(_name(term)) if isinstance(term, Skolem) else term for term in arguments)
            return replace(head, arguments=tuple(terms))
        case Metric() | At():
            return replace(head, operand=_with_variables(head.operand))
        case _:
            return head


def _name(term: Skolem) -> str:
    """A name that no variable of the body has."""
    return f"{_NEW}{term.variable}"


def _is_new(term: HeadTerm) -> bool:
    return isinstance(term, Variable) and term.name.startswith(_NEW)


def _spread(head: Formula) -> tuple[Formula, Interval | None]:
    """What stands under the boxes of a head, and how far from the body's time they ask for it; None: nowhere."""
    if not isinstance(head, BoxPlus | BoxMinus):
        assert not isinstance(head, Bottom), "nothing satisfies ⊥"
        return head, point(0)
    core, inner = _spread(head.operand)
    own = head.interval.to_integers()
    if inner is None or own is None:
        return core, None
    return core, inner.plus(own) if isinstance(head, BoxPlus) else inner.minus(own)
