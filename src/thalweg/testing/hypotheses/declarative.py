"""Hypothetical and supported answers by Definition 2: subsets of finitely many atoms, and entailment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from thalweg.model.formula import Not, Value, subformulas
from thalweg.model.program import Program
from thalweg.testing.hypotheses.atoms import GroundAtom, input_atoms
from thalweg.testing.hypotheses.delays import future_possible
from thalweg.testing.hypotheses.ground import Cone, Ground, stretch

Atoms = frozenset[GroundAtom]

MOST_HYPOTHESES = 16
"""Of so many atoms all subsets are tried, of more none."""


class Answer(NamedTuple):
    """θ: the values of the query's variables, the temporal one apart."""

    values: tuple[Value, ...]
    time: int


class Hypothetical(NamedTuple):
    """⟨θ, H⟩."""

    answer: Answer
    hypotheses: Atoms


class Supported(NamedTuple):
    """⟨θ, H, E⟩."""

    answer: Answer
    hypotheses: Atoms
    evidence: Atoms


class Query:
    """Q = ⟨P, Π⟩ over finitely many constants and time points; P is a predicate with a variable in every place.

    Hypotheses are atoms over the constants and times. Answers are not limited to them.
    """

    def __init__(self, program: Program, predicate: str, constants: Iterable[Value], times: Iterable[int]) -> None:
        self.program = program
        self.predicate = predicate
        self.universe = input_atoms(program, constants, times := tuple(times))
        self.ground = Ground(program, self.universe, stretch(program, times))
        self._cones: dict[GroundAtom, Cone] = {}

    def answers(self, data: Iterable[GroundAtom]) -> frozenset[Answer]:
        """𝒜(Q, D, τ): all θ with Π ∪ D_τ ⊨ Pθ."""
        self._take_in(data := frozenset(data))
        holds = self.ground.consequences(data)
        return frozenset(Answer(*atom[1:]) for atom in holds if atom.predicate == self.predicate)

    def entails(self, facts: Iterable[GroundAtom], answer: Answer) -> bool:
        """Π ∪ S ⊨ Pθ."""
        self._take_in(facts := frozenset(facts))
        cone = self._about(answer)
        return cone.holds(cone.bits(facts))

    def awaited(self, data: Iterable[GroundAtom], closed: int) -> Atoms:
        """The atoms that are future-possible (Definition 1) and have not arrived."""
        arrived = frozenset(data)
        return frozenset(
            atom for atom in self.universe if atom not in arrived and future_possible(self.program, atom, closed)
        )

    def hypothetical(self, data: Iterable[GroundAtom], closed: int, largest: int) -> frozenset[Hypothetical]:
        """ℋ(Q, D, τ): all ⟨θ, H⟩ with at most ``largest`` hypotheses."""
        _no_negation(self.program)
        self._take_in(data := frozenset(data))
        awaited = self.awaited(data, closed)
        return frozenset(
            Hypothetical(answer, found)
            for answer, cone in self._goals()
            for found in _minimal_sets(cone, cone.bits(data), cone.inputs & awaited, largest)
        )

    def supported(self, data: Iterable[GroundAtom], closed: int, largest: int) -> frozenset[Supported]:
        """ℰ(Q, D, τ): all ⟨θ, H, E⟩ with at most ``largest`` hypotheses."""
        data = frozenset(data)
        return frozenset(
            Supported(*each, evidence)
            for each in self.hypothetical(data, closed, largest)
            for evidence in self.evidence(each, data)
            if evidence
        )

    def evidence(self, found: Hypothetical, data: Iterable[GroundAtom]) -> list[Atoms]:
        """The minimal E ⊆ D_τ with Π ∪ E ∪ H ⊨ Pθ."""
        self._take_in(data := frozenset(data))
        cone = self._about(found.answer)
        return list(_minimal_sets(cone, cone.bits(found.hypotheses), cone.inputs & data, len(data)))

    def is_hypothetical(self, found: Hypothetical, data: Iterable[GroundAtom], closed: int) -> bool:
        """Whether ⟨θ, H⟩ ∈ ℋ(Q, D, τ). Without negation H is minimal if no single atom can be spared."""
        _no_negation(self.program)
        self._take_in((data := frozenset(data)) | found.hypotheses)
        return (
            all(future_possible(self.program, atom, closed) for atom in found.hypotheses)
            and self.entails(data | found.hypotheses, found.answer)
            and not any(self.entails(data | (found.hypotheses - {each}), found.answer) for each in found.hypotheses)
        )

    def is_supported(self, found: Supported, data: Iterable[GroundAtom], closed: int) -> bool:
        """Whether ⟨θ, H, E⟩ ∈ ℰ(Q, D, τ)."""
        answer, hypotheses, evidence = found
        data = frozenset(data)
        return (
            bool(evidence)
            and evidence <= data
            and self.is_hypothetical(Hypothetical(answer, hypotheses), data, closed)
            and self.entails(evidence | hypotheses, answer)
            and not any(self.entails((evidence - {each}) | hypotheses, answer) for each in evidence)
        )

    def possible(self, data: Iterable[GroundAtom], closed: int) -> frozenset[Answer]:
        """All θ with Π ∪ D_τ ∪ H ⊨ Pθ for some set H of future-possible atoms; for programs with negation, too."""
        return frozenset(answer for answer, outcomes in self._outcomes(data, closed) if any(outcomes))

    def certain(self, data: Iterable[GroundAtom], closed: int) -> frozenset[Answer]:
        """All θ with Π ∪ D_τ ∪ H ⊨ Pθ for every set H of future-possible atoms; for programs with negation, too."""
        return frozenset(answer for answer, outcomes in self._outcomes(data, closed) if all(outcomes))

    def _outcomes(self, data: Iterable[GroundAtom], closed: int) -> Iterator[tuple[Answer, Iterator[bool]]]:
        """For each θ, whether it holds with each set of hypotheses."""
        self._take_in(data := frozenset(data))
        awaited = self.awaited(data, closed)
        for answer, cone in self._goals():
            choices = [cone.bits([atom]) for atom in sorted(cone.inputs & awaited)]
            if len(choices) > MOST_HYPOTHESES:
                raise TooManyHypotheses(f"{answer} depends on {len(choices)} atoms that may still come")
            yield answer, (cone.holds(cone.bits(data) | chosen) for chosen in _sums(choices))

    def _goals(self) -> Iterator[tuple[Answer, Cone]]:
        for goal in sorted(self.ground.of(self.predicate), key=lambda atom: (atom.time, str(atom))):
            yield (answer := Answer(*goal[1:])), self._about(answer)

    def _about(self, answer: Answer) -> Cone:
        goal = GroundAtom(self.predicate, *answer)
        if goal not in self._cones:
            self._cones[goal] = self.ground.about(goal)
        return self._cones[goal]

    def _take_in(self, facts: Collection[GroundAtom]) -> None:
        """Ground the program anew if there are facts that it has not been grounded for."""
        new = frozenset(facts) - self.ground.inputs
        if new and (new := frozenset(atom for atom in new if _on_timeline(self.program, atom))):
            times = [atom.time for atom in self.ground.inputs | new]
            self.ground = Ground(self.program, self.ground.inputs | new, stretch(self.program, times))
            self._cones = {}


class TooManyHypotheses(Exception):  # noqa: N818  # it says what there is too much of
    """There are too many sets of hypotheses to try them all."""


def answers(
    program: Program, predicate: str, data: Iterable[GroundAtom], constants: Iterable[Value], times: Iterable[int]
) -> frozenset[Answer]:
    """𝒜(Q, D, τ)."""
    return Query(program, predicate, constants, times).answers(data)


def hypothetical_answers(
    program: Program,
    predicate: str,
    data: Iterable[GroundAtom],
    closed: int,
    constants: Iterable[Value],
    times: Iterable[int],
    largest: int,
) -> frozenset[Hypothetical]:
    """ℋ(Q, D, τ), as far as ``largest`` hypotheses over the constants and times go."""
    return Query(program, predicate, constants, times).hypothetical(data, closed, largest)


def supported_answers(
    program: Program,
    predicate: str,
    data: Iterable[GroundAtom],
    closed: int,
    constants: Iterable[Value],
    times: Iterable[int],
    largest: int,
) -> frozenset[Supported]:
    """ℰ(Q, D, τ), as far as ``largest`` hypotheses over the constants and times go."""
    return Query(program, predicate, constants, times).supported(data, closed, largest)


def possible_answers(
    program: Program,
    predicate: str,
    data: Iterable[GroundAtom],
    closed: int,
    constants: Iterable[Value],
    times: Iterable[int],
) -> frozenset[Answer]:
    """All θ that some set of future-possible atoms makes an answer."""
    return Query(program, predicate, constants, times).possible(data, closed)


def certain_answers(
    program: Program,
    predicate: str,
    data: Iterable[GroundAtom],
    closed: int,
    constants: Iterable[Value],
    times: Iterable[int],
) -> frozenset[Answer]:
    """All θ that are answers with every set of future-possible atoms."""
    return Query(program, predicate, constants, times).certain(data, closed)


def has_negation(program: Program) -> bool:
    """Whether a rule negates something, so that more facts can mean fewer answers."""
    bodies = (formula for rule in program.rules for formula in rule.body)
    return any(isinstance(part, Not) for formula in bodies for part in subformulas(formula))


def _no_negation(program: Program) -> None:
    if has_negation(program):
        raise ValueError("Definition 2 is for programs without negation")


def _minimal_sets(cone: Cone, given: int, choices: Iterable[GroundAtom], largest: int) -> Iterator[Atoms]:
    """The minimal sets of atoms that entail the goal together with what is given.

    Smaller sets first; a superset of one that entails is not minimal, and needs no test.
    """
    atoms = sorted(choices, key=str)
    bits = {atom: cone.bits([atom]) for atom in atoms}
    if not cone.holds(given | sum(bits.values())):
        return
    found: list[int] = []
    for size in range(min(largest, len(atoms)) + 1):
        for subset in combinations(atoms, size):
            chosen = sum(bits[atom] for atom in subset)
            if not any(smaller & chosen == smaller for smaller in found) and cone.holds(given | chosen):
                found.append(chosen)
                yield frozenset(subset)
        if found == [0]:
            return


def _sums(bits: list[int]) -> Iterator[int]:
    """The unions of all subsets."""
    for size in range(len(bits) + 1):
        yield from (sum(subset) for subset in combinations(bits, size))


def _on_timeline(program: Program, atom: GroundAtom) -> bool:
    start, end = program.bounds
    return start <= atom.time <= end
