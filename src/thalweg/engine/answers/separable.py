"""Answers of programs whose bodies keep monotone and negated parts apart: clingo finds them by itself.

For M' ⊆ M a negated monotone part that M satisfies is satisfied by M', too. So a rule of the FLP reduct (LARS paper,
Definition 8) asks of M' what the rule without its negated parts does, which is the reduct that clingo uses.
"""

from __future__ import annotations

from collections.abc import Sequence

from thalweg.engine.answers.encoding import Encoding
from thalweg.engine.answers.ground_program import GroundProgram
from thalweg.engine.answers.mode import Mode
from thalweg.engine.answers.solving import last_model, models


def solve_separable(program: GroundProgram, mode: Mode, limit: int | None) -> list[frozenset[int]]:
    """The answers' atoms; for consequences their one set, if there is an answer."""
    import clingo  # here, because most runs do without it

    control = clingo.Control(_options(mode, limit))
    with control.backend() as backend:
        asked = set(program.asked)
        atoms = {
            atom: backend.add_atom(clingo.Function("a", [clingo.Number(atom)]) if atom in asked else None)
            for atom in program.atoms
        }
        encoding = Encoding(program.propositions, backend, monotone=True)
        for atom, literal in atoms.items():
            encoding.add_atom(atom, literal)
        for rule in program.rules:
            backend.add_rule([] if rule.head is None else [atoms[rule.head]], encoding.body(rule.body))
        backend.add_project([atoms[atom] for atom in program.asked])
    # Of consequences every model has those of the models before it: the last one has those of all.
    found = last_model(control) if mode.is_consequences else models(control)
    return [frozenset(atom for atom in program.asked if model.is_true(atoms[atom])) for model in found]


def _options(mode: Mode, limit: int | None) -> Sequence[str]:
    if mode.is_consequences:
        return [f"--enum-mode={mode.value}", "--models=0"]
    return ["--project", f"--models={1 if mode is Mode.ONE else limit or 0}"]
