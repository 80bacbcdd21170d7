"""Rules of one shape, evaluated together, derive what they derive one by one."""

import pytest
from hypothesis import HealthCheck, given, settings

import thalweg
from amount import amount
from thalweg.model import fold
from thalweg.plan import merge
from thalweg.testing import assert_same_answers, naive_materialise
from thalweg.testing.strategies import LarsPlusKnobs, integer_cases, lars_plus_cases, rational_cases

ONTOLOGY = """
timeline integer.
input A0(X).
input R0(X, Y).
A1(X) :- A0(X).
A2(X) :- A1(X).
A3(X) :- A2(X).
A4(Y) :- A3(Y).
A5(Y) :- A4(Y).
A6(Y) :- A4(Y).
A7(Y) :- A6(Y).
A8(Y) :- A7(Y).
A9(Y) :- A7(Y).
exists Y: R1(X, Y), A1(Y) :- A3(X).
R2(Y, X) :- R1(X, Y).
R3(X, X) :- R0(X, X).
Odd(X) :- A8(X), not A5(X).
Pair(X, a8) :- window[last 2] some A8(X).
"""
FACTS = "A0(a)@[1,2]\nR0(a,a)@1\nR0(a,b)@1\nA1(b)@3\n"


@pytest.fixture
def every_shape(monkeypatch):
    """Two rules of one shape are enough for a family."""
    monkeypatch.setattr(fold, "FEWEST_RULES", 1)
    monkeypatch.setattr(merge, "FEWEST_RULES", 1)


def test_many_rules_of_one_shape_are_one_plan():
    program = thalweg.parse(ONTOLOGY.replace("A1(Y) :- A3(X)", "B(Y) :- A3(X)"))
    reasoner = thalweg.StreamReasoner(program, sorted(program.derived_predicates))
    (table,) = reasoner.plan.tables
    assert len(table.rows) == 8
    assert len([plan for stage in reasoner.plan.stages for plan in stage.rules]) < len(program.rules)


def test_predicates_under_not_are_left_alone():
    program = thalweg.parse(ONTOLOGY.replace("A1(Y) :- A3(X)", "B(Y) :- A3(X)"))
    folding = fold.fold(program)
    assert "A7" in folding.family_of
    assert "A5" not in folding.family_of


def test_answers_have_their_own_names():
    program = thalweg.parse(ONTOLOGY.replace("A1(Y) :- A3(X)", "B(Y) :- A3(X)"))
    model = thalweg.materialise(program, FACTS)
    assert model.to_text("A8") == "A8(a)@[1,2]\nA8(b)@[3,3]"
    assert model.to_text("Pair") == "Pair(a,a8)@[1,4]\nPair(b,a8)@[3,5]"
    assert model.count("R3") == 1


def test_only_what_is_asked_for_is_derived():
    program = thalweg.parse(ONTOLOGY.replace("A1(Y) :- A3(X)", "B(Y) :- A3(X)"))
    assert len(fold.fold(program, ["A2"]).program.rules) == 2
    assert thalweg.materialise(program, FACTS, queries="A2").predicates == ("A2",)


def test_a_fact_off_the_timeline_is_named_by_its_own_predicate():
    program = thalweg.parse(ONTOLOGY.replace("A1(Y) :- A3(X)", "B(Y) :- A3(X)"))
    reasoner = thalweg.StreamReasoner(program, "A8")
    with pytest.raises(thalweg.errors.DataError, match="a fact of A0 holds at -3"):
        reasoner.advance({"A0": {"X": ["a"], "time": [-3]}}, 1)


@pytest.mark.parametrize("cases", [lars_plus_cases(LarsPlusKnobs(per=True)), integer_cases(), rational_cases()])
def test_generated_programs(every_shape, cases):
    @settings(max_examples=amount(30), deadline=None, suppress_health_check=list(HealthCheck))
    @given(cases)
    def compare(case):
        model = thalweg.materialise(case.program, facts_of(case), start=case.start, end=case.end, max_nulls=10_000)
        expected = naive_materialise(case.program, case.facts, case.start, case.end)
        assert_same_answers(model.facts(), expected, case.program.timeline)

    compare()


def facts_of(case):
    from thalweg.syntax.facts import format_fact

    return "\n".join(
        format_fact(fact.atom.predicate, [term.value for term in fact.atom.arguments], fact.interval)
        for fact in case.facts
    )


def test_a_stream_is_the_batch(every_shape):
    program = thalweg.parse(ONTOLOGY.replace("A1(Y) :- A3(X)", "B(Y) :- A3(X)"))
    wanted = sorted(program.derived_predicates)
    reasoner = thalweg.StreamReasoner(program, wanted)
    found = {}
    for time in range(1, 8):
        facts = "\n".join(line for line in ("A0(a)@1", "A0(a)@2", "R0(a,a)@1", "A1(b)@3") if line.endswith(f"@{time}"))
        for (name, arguments), held in reasoner.advance(facts, time).facts().items():
            found.setdefault((name, arguments), set()).update(int(each.start) for each in held)
        if time == 3:
            snapshot = reasoner.snapshot()
            reasoner = thalweg.StreamReasoner(program, wanted)
            reasoner.restore(snapshot)
    batch = thalweg.materialise(program, "A0(a)@[1,2]\nR0(a,a)@1\nA1(b)@3", end=7, queries=wanted)
    expected = {
        key: {time for each in held for time in range(int(each.start), int(each.end) + 1)}
        for key, held in batch.facts().items()
    }
    assert found == expected
