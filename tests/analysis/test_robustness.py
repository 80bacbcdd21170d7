from __future__ import annotations

import time
from pathlib import Path
from random import Random

import pytest
from checking import check

from thalweg.analysis.report import analyse
from thalweg.model.normal_form import normalise

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "errors" / "program").glob("*.rules"))
PIECES = (
    "X", "Y", "_", "a", "(", ")", "[0,1]", "[0,inf)", ",", ".", ":-", "not ", "boxminus[0,1] ", "diamondplus(1,2] ",
    " since[0,1] ", " until(0,2] ", "⊤", "⊥", "P(X)", "Q(X, Y)", "X < 5", "X = Y + 1", "some ", "window[last 3] ",
    "exists Z: ", " or ", " implies ", "@3", "1/0", "99999999999999999999", "input P(x: string). ",
    "timeline integer. ", "tick 0. ", "const a = 5. ", "delay P = 1. ",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_no_program_that_can_be_read_breaks_the_analysis(seed: int) -> None:
    random = Random(seed)
    for _ in range(60):
        text = mutate(random.choice(GOLDEN).read_text(encoding="utf-8"), random)
        program, found = check(text)
        for diagnostic in found:
            assert diagnostic.render()
        if not any(each.is_error for each in found):
            normalise(program)
            report = analyse(program, domain_size=10)
            assert report.to_text()
            assert report.to_json()


def mutate(text: str, random: Random) -> str:
    for _ in range(random.randint(1, 4)):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((0, 0, 1, 2, 8)))
        text = text[:start] + random.choice(PIECES) + text[end:]
    return text


def test_the_analysis_of_unsafe_programs_does_not_break_either() -> None:
    for case in GOLDEN:
        program, _ = check(case.read_text(encoding="utf-8"))
        assert analyse(program, domain_size=10).to_text()


def test_ten_thousand_rules_are_analysed_in_seconds() -> None:
    size = 10_000
    rules = "".join(f"P{i}(X) :- boxminus[0,1] P{(i + 1) % size}(X), diamondplus[0,1] A(X).\n" for i in range(size))
    started = time.process_time()
    program, found = check(rules)
    report = analyse(program)
    assert not found
    assert len(report.program.rules) == size
    assert time.process_time() - started < 60


def test_a_long_recursion_with_offsets_of_both_signs_is_decided() -> None:
    size = 1_200
    steps = "".join(
        f"P{i}(X) :- {'diamondplus' if i % 2 else 'diamondminus'}[{1 + i % 3},{1 + i % 3}] P{(i + 1) % size}(X).\n"
        for i in range(size)
    )
    program, _ = check(steps)
    recursive = [each for each in analyse(program).recursion if each.component.is_recursive]
    assert [each.direction.value for each in recursive] == ["now"]
