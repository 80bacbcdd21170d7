from __future__ import annotations

from pathlib import Path

import pytest
from checking import check

CASES = sorted((Path(__file__).parents[1] / "golden" / "errors" / "program").glob("*.rules"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_mistake_is_reported_as_in_the_golden_file(case: Path) -> None:
    _, found = check(case.read_text(encoding="utf-8"), case.name)
    assert any(diagnostic.is_error for diagnostic in found)
    rendered = "\n".join(diagnostic.render() for diagnostic in found) + "\n"
    assert rendered == case.with_suffix(".err").read_text(encoding="utf-8")


def test_there_are_at_least_thirty_cases() -> None:
    assert len(CASES) >= 30


def test_every_golden_file_has_a_case() -> None:
    folder = CASES[0].parent
    assert {path.stem for path in folder.glob("*.err")} == {case.stem for case in CASES}
