"""What cannot be a head, and what to write instead."""

from __future__ import annotations

from thalweg.syntax import ast

NoHead = (
    ast.DiamondMinus
    | ast.DiamondPlus
    | ast.BoxMinus
    | ast.BoxPlus
    | ast.Since
    | ast.Until
    | ast.Windowed
    | ast.Some
    | ast.All
    | ast.At
    | ast.Not
    | ast.Or
    | ast.Implies
    | ast.Comparison
    | ast.Aggregate
)
"""What cannot be a head; a box and ``at`` only where the two are nested, or ``at`` stands over an operator."""


def head_refusal(formula: NoHead) -> tuple[str, str, str]:
    """Code, message and hint for a formula that cannot be a head."""
    match formula:
        case ast.DiamondMinus() | ast.DiamondPlus() | ast.Some():
            message = "a diamond in a head would be a disjunction over time: it does not say when the head holds"
            return "E211", message, "write boxminus or boxplus, or move the diamond to the body"
        case ast.Since() | ast.Until():
            word = "since" if isinstance(formula, ast.Since) else "until"
            message = f"{word} in a head would be a disjunction over time: it does not say when the head holds"
            return "E212", message, f"write boxminus or boxplus, or move {word} to the body"
        case ast.Windowed():
            return (
                "E213",
                "a window cannot stand in a head",
                "put the window in the body, around what it selects",
            )
        case ast.Not():
            return (
                "E214",
                "a head cannot be negated",
                "write a rule with head ⊥ to say that something must not hold",
            )
        case ast.Or():
            message = "a head cannot be a disjunction: rules say what holds, not what may hold"
            return "E215", message, "choose one of the alternatives, or distinguish them in the body"
        case ast.Implies():
            message = "a head cannot be an implication"
            return "E215", message, "move what stands left of the arrow to the body"
        case ast.Comparison():
            message = "a comparison cannot stand in a head"
            return (
                "E216",
                message,
                "move it to the body; to demand it, write ⊥ :- with its opposite in the body",
            )
        case ast.All():
            message = "all in a head would say something of a whole window"
            return "E213", message, "write boxplus or boxminus with an interval"
        case ast.Aggregate():
            return "E216", "an aggregate cannot stand in a head", "give its value a name in the body: N = count { … }"
        case ast.At(operand=ast.Not() | ast.Or() | ast.Implies() | ast.DiamondMinus() | ast.DiamondPlus() as operand):
            return head_refusal(operand)
        case ast.At() | ast.BoxMinus() | ast.BoxPlus():
            message = "at stands after the atoms of a head, and boxes have no place inside or around it"
            return "E218", message, "write P(X) at T + 5, or (P(X), Q(X)) at T"
