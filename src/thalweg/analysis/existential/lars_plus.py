"""LARS+ programs (LARS+ paper, Section 2): rules over simple atoms, windows to the past and arithmetic on time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from thalweg.analysis.existential.names import FreshVariables
from thalweg.analysis.existential.time_arithmetic import NEVER, ArithmeticAtom, AtMost, Sum, TimeTerm, within
from thalweg.model.formula import Atom, Top, Variable
from thalweg.source import Span

SimpleAtom = Atom | Top
"""b: an atom whose arguments are values, not times, or ⊤. In heads its arguments may be existential variables."""


@dataclass(frozen=True)
class Now:
    """b, at the current time."""

    atom: SimpleAtom


@dataclass(frozen=True)
class AtTime:
    """@_T b."""

    atom: SimpleAtom
    time: TimeTerm


@dataclass(frozen=True)
class WindowAt:
    """⊞ⁿ@_T b: at T, which lies in the window."""

    size: int
    atom: SimpleAtom
    time: TimeTerm


@dataclass(frozen=True)
class WindowSome:
    """⊞ⁿ◇b: at some time point of the window."""

    size: int
    atom: SimpleAtom


@dataclass(frozen=True)
class WindowAll:
    """⊞ⁿ□b: at all time points of the window."""

    size: int
    atom: SimpleAtom


LarsPlusAtom = Now | AtTime | WindowAt | WindowSome | WindowAll
"""The LARS+ atoms (1) that are not arithmetic."""
HeadAtom = Now | AtTime


@dataclass(frozen=True)
class Conjunction:
    """Atoms and arithmetic atoms: the body of a rule, or a Boolean conjunctive query (Definition 3)."""

    atoms: tuple[LarsPlusAtom, ...]
    arithmetic: tuple[ArithmeticAtom, ...] = ()

    @property
    def variables(self) -> Iterator[Variable]:
        """The variables of both sorts, with repetitions."""
        for atom in self.atoms:
            yield from atom_variables(atom)
        for each in self.arithmetic:
            yield from (term for term in _terms(each) if isinstance(term, Variable))

    @property
    def window(self) -> int:
        """The largest n such that ⊞ⁿ occurs; 0 if there is none."""
        return max((atom.size for atom in self.atoms if isinstance(atom, WindowAt | WindowSome | WindowAll)), default=0)

    @property
    def is_impossible(self) -> bool:
        """Whether the arithmetic is false for all time points."""
        return NEVER in self.arithmetic

    def clipped(self, horizon: int, taken: Iterable[Variable] = ()) -> Conjunction:
        """The same on the timeline [0, h], without numbers beyond h and, if new, with variables that are not taken.

        A window that reaches back farther sees no more than ⊞ʰ, and rew(·) counts its size in time points of T.
        """
        names = FreshVariables((*self.variables, *taken))
        arithmetic = (part for each in self.arithmetic for part in within(each, horizon, lambda: names.fresh("V")))
        return Conjunction(tuple(_clipped(atom, horizon) for atom in self.atoms), tuple(arithmetic))


@dataclass(frozen=True)
class LarsPlusRule:
    """□∀x,y. B[x,y] → ∃v. H[y,v] (Definition 1).

    ``frontier`` has the variables y in the order in which the written rule's nulls have them; ``number`` and
    ``origin`` are those of the written rule.
    """

    body: Conjunction
    head: tuple[HeadAtom, ...]
    existential: tuple[Variable, ...] = ()
    frontier: tuple[Variable, ...] = ()
    number: int = field(default=0, compare=False)
    origin: Span | None = field(default=None, compare=False, repr=False)

    @property
    def variables(self) -> Iterator[Variable]:
        """All variables, with repetitions."""
        yield from self.body.variables
        for atom in self.head:
            yield from atom_variables(atom)

    @property
    def depends_on_now(self) -> bool:
        """Whether the nulls differ from time point to time point: whether a head atom is at the current time."""
        return any(isinstance(atom, Now) for atom in self.head)


@dataclass(frozen=True)
class LarsPlusProgram:
    """A finite set of LARS+ rules, and all predicates with their arities."""

    rules: tuple[LarsPlusRule, ...]
    arities: tuple[tuple[str, int], ...] = ()

    @property
    def window(self) -> int:
        """The largest n such that ⊞ⁿ occurs; 0 if there is none."""
        return largest_window(rule.body for rule in self.rules)

    def clipped(self, horizon: int) -> LarsPlusProgram:
        """The same on the timeline [0, h], without numbers beyond h and without rules that need them."""
        rules = (replace(rule, body=rule.body.clipped(horizon, rule.variables)) for rule in self.rules)
        return replace(self, rules=tuple(rule for rule in rules if not rule.body.is_impossible))


def largest_window(conjunctions: Iterable[Conjunction]) -> int:
    """The largest n such that ⊞ⁿ occurs; 0 if there is none."""
    return max((conjunction.window for conjunction in conjunctions), default=0)


def atom_variables(atom: LarsPlusAtom) -> Iterator[Variable]:
    """The variables of an atom, with repetitions."""
    if isinstance(atom.atom, Atom):
        yield from (term for term in atom.atom.arguments if isinstance(term, Variable))
    if isinstance(atom, AtTime | WindowAt) and isinstance(atom.time, Variable):
        yield atom.time


def _terms(atom: ArithmeticAtom) -> tuple[TimeTerm, ...]:
    match atom:
        case AtMost(left, right):
            return left, right
        case Sum(result, left, right):
            return result, left, right


def _clipped(atom: LarsPlusAtom, horizon: int) -> LarsPlusAtom:
    if isinstance(atom, WindowAt | WindowSome | WindowAll):
        return replace(atom, size=min(atom.size, horizon))
    return atom
