"""``docs/benchmarks.md`` tells of every experiment."""

import re
from pathlib import Path

from thalweg.bench.experiments import EXPERIMENTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"


def test_every_experiment_is_in_the_table_and_no_other():
    rows = re.findall(r"^\| (`[^|]+) \|", PAGE.read_text().split("## The experiments")[1].split("##")[0], re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`([^`]+)`", row)} == {each.name for each in EXPERIMENTS}
