"""Large programs: the time to read, check, report on and plan one grows with its rules, and no faster.

Processor time is measured, since other work on the machine does not count towards it.
"""

import gc
import time

import pytest
from large_programs import KINDS, chain, mixed, program

import thalweg
from thalweg.analysis.report import analyse
from thalweg.api import diagnose
from thalweg.plan.plan import make_plan
from thalweg.plan.streaming import Streaming
from thalweg.source import Source

MOST_GROWTH = 8
"""Four times the rules may take so many times as long; where the time grows with the square, it would be 16."""

MOST_SECONDS = 90
"""Ten thousand rules take a fifth of it on a slow machine."""


def prepare(text):
    """All that is done with a program before it meets facts: errors, and the processor time that it took."""
    gc.collect()
    started = time.process_time()
    program, found = diagnose(Source("large.rules", text))
    report = analyse(program, domain_size=1000)
    report.to_text()
    report.to_json()
    Streaming.of(program).to_text()
    make_plan(program, start=0, end=100)
    taken = time.process_time() - started
    return program, [each.render() for each in found if each.is_error], taken


QUICK = ("chain", "metric")
"""The kinds of a normal run."""


@pytest.mark.parametrize("kind", [k if k in QUICK else pytest.param(k, marks=pytest.mark.soak) for k in KINDS])
def test_four_times_the_rules_take_about_four_times_as_long(kind):
    prepare(program(kind, 20))
    small, wrong, short = prepare(program(kind, 600))
    large, wrong_too, long = prepare(program(kind, 2400))
    assert wrong == wrong_too == []
    assert (len(small.rules), len(large.rules)) == ((600, 2400) if kind != "existential" else (1200, 4800))
    assert long <= MOST_GROWTH * short


def test_ten_thousand_rules_of_all_kinds_take_seconds():
    large, wrong, taken = prepare(mixed(10_000))
    assert wrong == []
    assert len(large.rules) >= 10_000
    assert taken < MOST_SECONDS


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_rules_of_one_kind_take_seconds(kind):
    _, wrong, taken = prepare(program(kind, 10_000))
    assert wrong == []
    assert taken < MOST_SECONDS


def test_a_chain_of_thousands_of_rules_runs():
    model = thalweg.materialise(thalweg.parse(chain(2_000)), "Ch0(a)@[1,2]")
    assert model.to_text("Ch2000") == "Ch2000(a)@[1,2]"


LARGE = {
    "a rule of a thousand atoms": lambda size: "H(X) :- " + ", ".join(f"B{i}(X)" for i in range(size)) + ".",
    "a head of a thousand atoms": lambda size: ", ".join(f"H{i}(X)" for i in range(size)) + " :- B(X).",
    "a disjunction of a thousand": lambda size: "H(X) :- (" + " or ".join(f"B{i}(X)" for i in range(size)) + ").",
    "hundreds of arguments": lambda size: "H({0}) :- B({0}), C(X1).".format(
        ",".join(f"X{i}" for i in range(size // 3))
    ),
    "all on one line": lambda size: " ".join(f"P{i}(X) :- Q{i}(X)." for i in range(size)),
    "a thousand facts": lambda size: "".join(f"P(a{i},{i})@{i}.\n" for i in range(size)),
    "a thousand declarations": lambda size: "".join(f"input P{i}(x: string).\n" for i in range(size)),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_statements_are_read_and_planned(name):
    _, wrong, taken = prepare(LARGE[name](1000))
    assert wrong == []
    assert taken < MOST_SECONDS / 3


BROKEN = {
    "a comma is missing": lambda i: f"P{i}(X) :- Q{i}(X) R(X).\n",
    "a bracket is not closed": lambda i: f"P{i}(X :- Q{i}(X).\n",
    "a variable is not bound": lambda i: f"P{i}(X,Y) :- Q{i}(X).\n",
    "a predicate is not defined": lambda i: f"Speed{i}(X) :- Spede{i}(X).\n" + "input A(x).\n" * (i == 0),
    "a declaration is not used": lambda i: f"input Speed{i}(x).\nFast{i}(X) :- Spede{i}(X).\n",
}


@pytest.mark.parametrize("mistake", BROKEN)
def test_thousands_of_mistakes_are_told_in_seconds(mistake):
    size = 3000
    started = time.process_time()
    _, found = diagnose(Source("broken.rules", "".join(map(BROKEN[mistake], range(size)))))
    rendered = [each.render() for each in found]
    taken = time.process_time() - started
    assert len(rendered) >= size
    assert taken < MOST_SECONDS / 3
