"""Explanations of generated cases, and the checker's verdict on them."""

from dataclasses import replace

from thalweg.explain.atoms import GroundAtom
from thalweg.explain.explainer import Explainer
from thalweg.syntax.facts import format_value
from thalweg.testing.proofs import check_proof, check_why_not
from thalweg.testing.strategies import Case


def explainer_of(case: Case) -> Explainer:
    """Everything that follows from a case, ready to be explained."""
    return Explainer(replace(case.program, facts=case.facts), [], start=case.start, end=case.end)


def derived_facts(explainer: Explainer) -> list[str]:
    """The facts that rules derive, inside the stretch asked for, as texts."""
    known, lines = explainer.known, []
    for predicate in sorted(known.program.derived_predicates):
        for values in known.matching(predicate, (None,) * known.arity(predicate), known.asked_for):
            held = known.times(predicate, values, known.asked_for)
            lines += [f"{GroundAtom(predicate, values)}@{part}" for part in held.intervals]
    return lines


def prove_and_check(case: Case, draw) -> None:
    """A fact of the model has a proof that the checker accepts."""
    explainer = explainer_of(case)
    facts = derived_facts(explainer)
    if not facts:
        return
    fact = draw(facts)
    proof = explainer.why(fact, depth=None)
    assert proof.holds, fact
    check_proof(case.program, case.facts, proof.to_json())


def doubt_and_check(case: Case, draw, draw_time) -> None:
    """A fact outside the model has no proof, and the checker accepts what is said to be in its way."""
    explainer = explainer_of(case)
    atoms = sorted(map(str, near_atoms(explainer)))
    fact = f"{draw(atoms)}@{draw_time(case)}"
    answer, proof = explainer.why_not(fact), explainer.why(fact)
    assert bool(answer) is not proof.holds
    check_why_not(case.program, case.facts, answer.to_json())


def near_atoms(explainer: Explainer) -> set[GroundAtom]:
    """Atoms of derived predicates: some that hold at times, and some with the arguments of others exchanged."""
    known = explainer.known
    values = {value for fact in known.program.facts for value in fact.atom.arguments}
    constants = sorted((format_value(each.value) for each in values), key=str) or ["a"]
    found = set()
    for predicate in sorted(known.program.derived_predicates):
        arity = known.arity(predicate)
        held = known.matching(predicate, (None,) * arity, known.asked_for)
        found |= {GroundAtom(predicate, row) for row in held[:5]}
        rows = [tuple(constants[(shift + 2 * place) % len(constants)] for place in range(arity)) for shift in range(3)]
        found |= {f"{predicate}({','.join(row)})" if row else predicate for row in rows}
    return found
