"""A stream on Spark, killed at random moments and resumed each time, gives what an undisturbed run gives."""

import random
from collections import Counter
from pathlib import Path

import pytest

from reliability.killing import MOMENTS, Killer, run_to_end
from reliability.near_stream import RULES, answers, words, write_files
from thalweg.record.folder import RunFolder

NAMES = 12

TWO_STAGES = """
input Speed(vehicle: string, road: string, speed: integer).
output Stuck(vehicle: string, road: string).
output Jam(road: string).
Slow(V, R) :- Speed(V, R, S), S < 5.
Stuck(V, R) :- boxminus[0,2] diamondminus[0,1] Slow(V, R).
Jam(R) :- Stuck(V, R), Stuck(W, R), V != W.
"""

TURBINE = """
timeline integer.
input Temp(turbine: string, level: string).
output Malf(turbine: string).
delay Temp(_, _) = 2.
Flag(X) at T :- Temp(X, high) at T.
Malf(X) at T :- Flag(X) at T, Flag(X) at T+1, Flag(X) at T+2.
"""


def near(number):
    """Facts, now and then one that comes too late, and a line that is none."""
    facts = [f"P(n{n})@{number * 5 + n % 5}.5" for n in range(NAMES)]
    return [*facts, *([f"P(late{number})@{number * 5 - 20}", f"P(bad{number}@3"] if number % 3 == 2 else [])]


def speeds(number):
    facts = [
        f"Speed(v{n},r{n % 3},{(n * 3 + second * second) % 8})@{second}"
        for second in range(number * 3, number * 3 + 3)
        for n in range(NAMES)
    ]
    return [*facts, *([f"Speed(late,r0,1)@{number * 3 - 9}"] if number % 3 == 2 else [])]


def temperatures(number):
    """Out of order, and some too late."""
    times = [number * 2 + back for back in (1, 0)]
    facts = [
        f"Temp(wt{n},{'low' if (n + time) % 5 == 0 else 'high'})@{time - (2 if (n + time) % 7 == 0 else 0)}"
        for time in times
        for n in range(NAMES)
        if time >= 2
    ]
    return [*facts, *([f"Temp(late{number},high)@{number * 2 - 8}"] if number % 3 == 2 and number > 4 else [])]


VARIANTS = {
    "answers": (20, 40, RULES, near, ("--format", "json")),
    "hypotheses": (20, 40, TURBINE, temperatures, ("--hypotheses", "--format", "facts")),
    "two stages": (20, 40, TWO_STAGES, speeds, ("--format", "parquet")),
}
"""How many kills, how many files, the program, the facts, and the options."""


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_answer_is_there_once(variant, tmp_path, monkeypatch, record_property):
    monkeypatch.chdir(tmp_path)
    kills, files, program, lines, options = VARIANTS[variant]
    Path("x.rules").write_text(program)
    write_files(files, lines)
    options = (*options, "--skip-bad")

    chance = random.Random(variant)
    killer = Killer(words("ck", "out", *options, program="x.rules"), "ck", "out", chance)
    # Every kind of moment, in any order.
    moments = [*MOMENTS, *(chance.choice(MOMENTS) for _ in range(kills - len(MOMENTS)))]
    chance.shuffle(moments)
    for moment in moments:
        killer.kill(moment)
    assert len(killer.kills) == kills
    assert any(each.begun > each.ended for each in killer.kills), "none was in a batch"
    assert any(each.begun == each.ended for each in killer.kills), "none was between batches"
    record_property("kills", dict(killer.summary()))

    code, said = run_to_end(killer.words)
    assert code == 0, said
    assert RunFolder("out").record.state == "finished"
    code, said = run_to_end(words("whole", "expected", *options, program="x.rules"))
    assert code == 0, said
    expected = answers("expected")
    assert answers("out") == expected
    rows = {query: Counter() for query in {name.partition("/")[0] for name in expected}}
    for name, found in expected.items():
        rows[name.partition("/")[0]] += found
    assert {count for found in rows.values() for count in found.values()} == {1}
    assert "quarantine" in rows
    assert sum(map(len, rows.values())) > 100
    assert [each.batch for each in RunFolder("out").progress()] == list(range(files + 1))
