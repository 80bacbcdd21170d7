"""Answers of programs with any bodies: guess a model, then look for a smaller one of its reduct.

Both follow the definitions literally (LARS paper, Definitions 8 and 9): bodies are evaluated classically, in the guess
and in what is smaller. Nothing here relies on what clingo makes of negation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from thalweg.engine.answers.encoding import Encoding
from thalweg.engine.answers.ground_program import GroundProgram
from thalweg.engine.answers.mode import Mode
from thalweg.engine.answers.solving import models

if TYPE_CHECKING:
    import clingo

Atoms = frozenset[int]


def solve_by_guessing(program: GroundProgram, mode: Mode, limit: int | None) -> list[Atoms]:
    """The answers' atoms; for consequences their one set, if there is an answer."""
    answers = (answer & frozenset(program.asked) for answer in _answers(program))
    match mode:
        case Mode.ALL:
            return list(islice(_distinct(answers), limit))
        case Mode.ONE:
            return list(islice(answers, 1))
        case Mode.CAUTIOUS:
            return _folded(answers, lambda one, other: one & other)
        case Mode.BRAVE:
            return _folded(answers, lambda one, other: one | other)


def _answers(program: GroundProgram) -> Iterator[Atoms]:
    """The candidates that are minimal models of their reducts."""
    smaller = _Smaller(program)
    for candidate, kept in _candidates(program):
        if not smaller.exists(candidate, kept):
            yield candidate


def _candidates(program: GroundProgram) -> Iterator[tuple[Atoms, list[bool]]]:
    """The models in which every atom is the head of a rule whose body holds, and which bodies hold in them."""
    import clingo  # here, because most runs do without it

    control = clingo.Control(["--models=0"])
    with control.backend() as backend:
        atoms = _free_atoms(program, backend)
        bodies = _bodies(program, backend, atoms)
        supports: dict[int, list[int]] = {atom: [] for atom in program.atoms}
        for rule, body in zip(program.rules, bodies, strict=True):
            backend.add_rule([], [body] if rule.head is None else [body, -atoms[rule.head]])
            if rule.head is not None:
                supports[rule.head].append(body)
        for atom, reasons in supports.items():
            supported = backend.add_atom()
            for body in reasons:
                backend.add_rule([supported], [body])
            backend.add_rule([], [atoms[atom], -supported])
    for model in models(control):
        candidate = frozenset(atom for atom, literal in atoms.items() if model.is_true(literal))
        yield candidate, [model.is_true(body) for body in bodies]


class _Smaller:
    """Looks for proper subsets of a candidate that satisfy the rules of its reduct.

    The candidate and its reduct are given by external atoms, so clingo reads the rules once.
    """

    def __init__(self, program: GroundProgram) -> None:
        import clingo

        self._control = clingo.Control()
        with self._control.backend() as backend:
            self._atoms = _free_atoms(program, backend)
            bodies = _bodies(program, backend, self._atoms)
            self._kept = [_external(backend) for _ in bodies]
            for rule, body, kept in zip(program.rules, bodies, self._kept, strict=True):
                head = [] if rule.head is None else [-self._atoms[rule.head]]
                backend.add_rule([], [kept, body, *head])
            self._guessed = {atom: _external(backend) for atom in program.atoms}
            is_proper = backend.add_atom()
            for atom, guessed in self._guessed.items():
                backend.add_rule([], [self._atoms[atom], -guessed])
                backend.add_rule([is_proper], [guessed, -self._atoms[atom]])
            backend.add_rule([], [-is_proper])

    def exists(self, candidate: Atoms, kept: list[bool]) -> bool:
        """Whether there is one."""
        for external, is_kept in zip(self._kept, kept, strict=True):
            self._control.assign_external(external, is_kept)
        for atom, external in self._guessed.items():
            self._control.assign_external(external, atom in candidate)
        return any(True for _ in models(self._control))


def _free_atoms(program: GroundProgram, backend: clingo.Backend) -> dict[int, int]:
    atoms = {atom: backend.add_atom() for atom in program.atoms}
    backend.add_rule(list(atoms.values()), choice=True)
    return atoms


def _bodies(program: GroundProgram, backend: clingo.Backend, atoms: dict[int, int]) -> list[int]:
    encoding = Encoding(program.propositions, backend, monotone=False)
    for atom, literal in atoms.items():
        encoding.add_atom(atom, literal)
    return [encoding.literal(rule.body) for rule in program.rules]


def _external(backend: clingo.Backend) -> int:
    atom = backend.add_atom()
    backend.add_external(atom)
    return atom


def _distinct(answers: Iterable[Atoms]) -> Iterator[Atoms]:
    seen: set[Atoms] = set()
    for answer in answers:
        if answer not in seen:
            seen.add(answer)
            yield answer


def _folded(answers: Iterable[Atoms], combine: Callable[[Atoms, Atoms], Atoms]) -> list[Atoms]:
    found: Atoms | None = None
    for answer in answers:
        found = answer if found is None else combine(found, answer)
    return [] if found is None else [found]
