"""Whether a program is in Temporal Datalog (hypotheses paper, Section 2.1), perhaps with negation and comparisons."""

from __future__ import annotations

from thalweg.model.formula import At, Atom, Comparison, Formula, Not, expression_variables
from thalweg.model.program import Program
from thalweg.time.timeline import Timeline


def is_temporal_datalog(program: Program) -> bool:
    """Rules of atoms, each at a time of its own or all at one, on the integer timeline."""
    if program.timeline is not Timeline.INTEGER or program.is_existential:
        return False
    formulas = [formula for rule in program.rules for formula in (rule.head, *rule.body)]
    is_timed = any(isinstance(_positive(formula), At) for formula in formulas)
    return is_timed and all(isinstance(_bare(formula), Atom | Comparison) for formula in formulas)


def compares(program: Program) -> bool:
    """Whether a rule compares values or times itself; ``T + 1`` in an atom has become an equation, which is none."""
    comparisons = (part for rule in program.rules for part in rule.body if isinstance(part, Comparison))
    return any(not _is_made_up(each) for each in comparisons)


def _bare(formula: Formula) -> Formula:
    """The formula without ``not`` and ``at``."""
    formula = _positive(formula)
    return formula.operand if isinstance(formula, At) else formula


def _positive(formula: Formula) -> Formula:
    return formula.operand if isinstance(formula, Not) else formula


def _is_made_up(comparison: Comparison) -> bool:
    """Whether it speaks of a variable that no program can name."""
    sides = (comparison.left, comparison.right)
    return any("#" in variable.name for side in sides for variable in expression_variables(side))
