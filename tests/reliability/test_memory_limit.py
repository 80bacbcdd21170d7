"""Memory stays under the limit: measured by the operating system, in processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

import thalweg
from reliability.blowing_up import PROGRAMS
from thalweg.columnar.budget import resident
from thalweg.engine.machine_memory import free_memory, machine_memory
from thalweg.engine.memory_limit import parse_memory, shared_by

SCRIPT = Path(__file__).with_name("blowing_up.py")
MB = 1 << 20

ALLOWANCE = 32
"""So many MB a process may be larger than its limit: what libraries keep, and what no kernel announces."""


def peak(name, limit):
    """By how many MB a process grew at its largest, and how its run ended."""
    call = [sys.executable, str(SCRIPT), name, f"{limit}m"]
    said = subprocess.run(call, capture_output=True, text=True, timeout=900, check=True).stdout
    size, _, end = said.strip().partition(" ")
    return int(size), end


@pytest.mark.parametrize("name", ["product", "joins", "closure", "nulls"])
def test_a_process_stays_under_its_limit(name):
    size, end = peak(name, 150)
    assert end.startswith("E507 rule at line")
    assert size <= 150 + ALLOWANCE


@pytest.mark.soak
@pytest.mark.parametrize("limit", [100, 500])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_that_blows_up_stays_under_its_limit(name, limit):
    size, end = peak(name, limit)
    assert end.startswith("E507 rule at line")
    assert size <= limit + ALLOWANCE


def test_the_limit_is_what_makes_the_difference():
    """With more room the same program takes more: the limit is not just never reached."""
    small, _ = peak("joins", 60)
    large, _ = peak("joins", 300)
    assert small < 60 + ALLOWANCE < large


def test_without_an_option_the_machine_is_protected():
    count = 200_000
    facts = {name: {"x": list(range(count)), "time": [1] * count} for name in "AB"}
    before = resident()
    with pytest.raises(thalweg.ReasoningError) as raised:
        thalweg.materialise(thalweg.parse("P(X, Y) :- A(X), B(Y)."), facts)
    assert [each.code for each in raised.value.diagnostics] == ["E507"]
    assert resident() - before < 300 * MB


def test_the_default_is_a_share_of_what_the_machine_has():
    assert 0 < free_memory() <= machine_memory()
    assert parse_memory(None) == 0.75


def test_processes_on_one_machine_share_a_share_but_not_a_size():
    assert shared_by(0.75, 3) == 0.25
    assert shared_by(100 * MB, 3) == 100 * MB
    assert shared_by(parse_memory("none"), 3) == parse_memory("none")
