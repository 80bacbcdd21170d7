"""A report as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thalweg.analysis.existential.termination import Termination, Verdict
from thalweg.analysis.existential.weak_acyclicity import Cycle
from thalweg.analysis.forward_propagating import Reason
from thalweg.analysis.recursion import Direction, Recursion
from thalweg.model.program import Program, Signature
from thalweg.syntax.ast import Role
from thalweg.time.interval import format_endpoint, format_rational

if TYPE_CHECKING:
    from thalweg.analysis.report import Memory, Report


def write(report: Report) -> dict[str, Any]:
    """The report as plain dictionaries and lists; exact numbers are strings."""
    program = report.program
    return {
        "dialect": report.dialect,
        "timeline": program.timeline.value,
        "unit": format_rational(program.unit),
        "tick": format_rational(program.tick) if program.tick else None,
        "rules": len(program.rules),
        "facts": len(program.facts),
        "predicates": [_predicate(program, signature) for signature in program.signatures.values()],
        "stratified": report.is_stratified,
        "strata": [list(stratum) for stratum in report.strata],
        "recursion": [_recursion(each) for each in report.recursion if each.direction is not Direction.NONE],
        "bounds_needed": list(report.bounds_needed),
        "chase": _chase(report.chase),
        "forward_propagating": report.forward.holds,
        "violations": [_reason(each) for each in report.forward.violations],
        "extensions": [_reason(each) for each in report.forward.extensions],
        "window": format_rational(report.window),
        "nested_window": format_rational(report.nested_window),
        "granularity": format_endpoint(report.granularity),
        "algorithm": report.algorithm,
        "why_no_algorithm": list(report.why_no_algorithm),
        "memory": _memory(report.memory),
        "shards": report.sharding.to_json(),
    }


def role_of(program: Program, signature: Signature) -> str:
    """The declared role; for others what the rules make of them: derived, or taken as input."""
    if signature.role is not Role.PREDICATE:
        return str(signature.role.value)
    return "derived" if signature.predicate in program.derived_predicates else "input"


def _predicate(program: Program, signature: Signature) -> dict[str, Any]:
    return {
        "name": signature.predicate,
        "arity": signature.arity,
        "role": role_of(program, signature),
        "arguments": [{"name": each.name, "type": each.type.value} for each in signature.parameters],
    }


def _recursion(recursion: Recursion) -> dict[str, Any]:
    return {
        "predicates": list(recursion.component.predicates),
        "reads": recursion.direction.value,
        "may_be_infinite": recursion.may_be_infinite,
        "bounds": list(recursion.bounds),
        "makes_values": recursion.makes_values is not None,
    }


def _chase(chase: Termination) -> dict[str, Any] | None:
    if chase.verdict is Verdict.NO_NULLS:
        return None
    return {
        "verdict": chase.verdict.value,
        "ends": chase.is_promise,
        "timeline": list(chase.timeline) if chase.timeline else None,
        "timeline_is": chase.choice.value if chase.choice else None,
        "refined": chase.refined,
        "cycle": _cycle(chase.cycle),
        "timed_cycle": _cycle(chase.timed_cycle),
    }


def _cycle(cycle: Cycle | None) -> list[dict[str, Any]] | None:
    if cycle is None:
        return None
    return [
        {"from": edge.source, "to": edge.target, "special": edge.special, "rule": edge.rule.number}
        for edge in cycle.edges
    ]


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "rule": reason.rule.number,
        "construct": reason.construct,
        "place": reason.span.place if reason.span else None,
    }


def _memory(memory: Memory | None) -> dict[str, Any] | None:
    if memory is None:
        return None
    theorem = memory.algorithm_6
    return {
        "domain_size": memory.domain_size,
        "step": format_rational(memory.step),
        "tick": format_rational(memory.tick),
        "theorem_12": str(memory.algorithm_1),
        "theorem_15_as_proved": str(theorem.as_proved) if theorem else None,
        "theorem_15_as_printed": str(theorem.as_printed) if theorem and theorem.as_printed else None,
    }
