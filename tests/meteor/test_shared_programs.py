"""The programs and data that MeTeoR's users have, unchanged, in both systems."""

import pytest

import thalweg
from thalweg.bench.lubm import temporal_lines
from thalweg.bench.peers import meteor
from thalweg.bench.peers.meteor_defects import doubtful_predicates
from thalweg.testing import assert_same_answers
from thalweg.time.interval_set import IntervalSet

SIZE = 3000

AFTER_UNTIL = {
    "a1:Lecturer",
    "a1:AssistantProfessorCandidate",
    "a1:AssociateProfessorCandidate",
    "a1:AssociateProfessor",
    "a1:FullProfessorCandidate",
}
"""What depends on publicationAuthor(Y,X)Until(0,2]LecturerCandidate(X), whose right operand is derived."""


@pytest.fixture(scope="module")
def lubm(shared_data):
    return temporal_lines(SIZE)


@pytest.fixture
def rules(shared_data):
    return lambda name: (shared_data / "programs" / name).read_text().splitlines()


@pytest.mark.parametrize(
    ("name", "doubtful"),
    [
        ("meteor-aaai22-p1.txt", set()),
        ("meteor-aaai22-p2.txt", {"a1:Lecturer"}),
        ("meteor-aaai22-p3.txt", AFTER_UNTIL),
        ("meteor_nonrecursive.txt", set()),
    ],
)
def test_lubm_programs_agree_but_for_the_rule_with_until(rules, lubm, name, doubtful):
    program, ours = answers(rules(name), lubm)
    theirs = meteor.answers_to(rules(name), lubm)
    assert doubtful_predicates(program) == doubtful
    sure = set(program.predicates) - doubtful
    assert derived_predicates_hold(program, ours)
    assert_same_answers(of_predicates(ours, sure), of_predicates(theirs, sure))


def test_all_predicates_agree_in_naive_mode(rules, lubm):
    name = "meteor-aaai22-p3.txt"
    program, ours = answers(rules(name), lubm[::2])
    theirs = meteor.answers_to(rules(name), lubm[::2], mode="naive")
    assert_same_answers(ours, of_predicates(theirs, program.predicates))


def test_semi_naive_mode_misses_lecturers_and_adds_none(rules, lubm):
    _, ours = answers(rules("meteor-aaai22-p2.txt"), lubm)
    theirs = meteor.answers_to(rules("meteor-aaai22-p2.txt"), lubm)
    lecturers = [atom for atom in ours if atom[0] == "a1:Lecturer"]
    missed = [IntervalSet(ours[atom]).difference(IntervalSet(theirs.get(atom, ()))) for atom in lecturers]
    added = [IntervalSet(theirs.get(atom, ())).difference(IntervalSet(ours[atom])) for atom in lecturers]
    assert any(missed)
    assert not any(added)


@pytest.mark.parametrize("name", ["meteor-aaai22-w1.txt", "meteor-aaai22-w2.txt"])
def test_weather_programs_agree(shared_data, rules, name):
    # The file has neither heat nor states, and its three gales are too short to count.
    more = [
        "TempAbove41(station1)@(3850,3850.5]",
        "HeavyWindForce(station1)@(4065,4067]",
        "LocatedInState(station1,nsw)@(0,20000]",
    ]
    path = shared_data / "weather" / "weather.json"
    program = thalweg.parse("\n".join(rules(name)))
    ours = thalweg.materialise(program, [path, "\n".join(more)]).facts()

    dataset = meteor.read_facts(path)
    for predicate, relation in meteor.read_facts(more).items():
        for entity, intervals in relation.items():
            dataset[predicate][entity] += intervals
    meteor.reason(dataset, meteor.read_rules(rules(name)))

    assert derived_predicates_hold(program, ours)
    assert_same_answers(ours, of_predicates(meteor.answers(dataset), program.predicates))


def test_short_stops_agree(shared_data, rules):
    stream = (shared_data / "hackathon" / "S1.txt").read_text().splitlines()
    facts = stream[: len(stream) // 6]
    program, ours = answers(rules("short_stop.txt"), facts)
    theirs = meteor.answers_to(rules("short_stop.txt"), facts)
    assert derived_predicates_hold(program, ours)
    assert_same_answers(ours, of_predicates(theirs, program.predicates))


def answers(rules, facts):
    program = thalweg.parse("\n".join(rules))
    return program, thalweg.materialise(program, "\n".join(facts)).facts()


def of_predicates(found, predicates):
    return {atom: intervals for atom, intervals in found.items() if atom[0] in predicates}


def derived_predicates_hold(program, found):
    return program.derived_predicates <= {predicate for predicate, _ in found}
