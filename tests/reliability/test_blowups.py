"""Programs that blow up hit a limit that names the rule: with a message, in time, and without more memory."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import thalweg
from thalweg.cli.main import run_command
from thalweg.columnar.budget import resident
from thalweg.engine.memory_limit import parse_memory

MB = 1 << 20
LIMIT = "60m"


def stopped(program, facts="", *, stratified=True, **options):
    """The one diagnostic of a run that is stopped, and by how much memory had grown."""
    before = resident()
    with pytest.raises(thalweg.ReasoningError) as raised:
        thalweg.materialise(thalweg.parse(program), facts, max_memory=LIMIT, **options)
    (diagnostic,) = raised.value.diagnostics
    assert resident() - before < 100 * MB
    return diagnostic


def points(predicate, count):
    return "\n".join(f"{predicate}({predicate.lower()}{i})@1" for i in range(count))


def line_of(diagnostic):
    return diagnostic.span.line


def test_a_cross_product_names_the_rule_and_what_is_not_linked():
    found = stopped("Q(X) :- A(X).\nP(X, Y) :- A(X), B(Y).", f"{points('A', 4000)}\n{points('B', 4000)}")
    assert (found.code, line_of(found)) == ("E507", 2)
    assert found.message.startswith("rule 2 needs")
    assert "60 MB" in found.message
    assert "no variable links X with Y" in found.hint


def test_a_join_that_explodes_names_the_rule():
    facts = "\n".join(f"At(v{i},hub)@1" for i in range(4000))
    found = stopped("Meet(X, Y) :- At(X, P), At(Y, P).", facts)
    assert (found.code, line_of(found)) == ("E507", 1)
    assert "no variable links" not in found.hint


def test_a_closure_that_is_certain_to_end_but_enormous_names_the_rule():
    facts = "\n".join(f"Edge(n{i},n{i + 1})@[0,9]" for i in range(3000))
    found = stopped("Path(X, Y) :- Edge(X, Y).\nPath(X, Z) :- Path(X, Y), Path(Y, Z).", facts)
    assert (found.code, line_of(found)) == ("E507", 2)


def test_many_small_rounds_that_add_up_name_the_rule():
    """Every round adds a few thousand facts; none is large by itself."""
    facts = "\n".join(f"Start({i})@1" for i in range(0, 3_000_000, 1000))
    program = "N(X) :- Start(X).\nN(Y) :- N(X), Y = X + 1."
    found = stopped(program, facts, max_rounds=1_000_000)
    assert (found.code, line_of(found)) == ("E507", 2)


def test_counting_without_end_is_stopped_by_rounds():
    found = stopped("N(X) :- S(X).\nN(Y) :- N(X), Y = X + 1.", "S(0)@1", max_rounds=200)
    assert (found.code, line_of(found)) == ("E504", 2)


def test_a_window_over_too_many_time_points_names_the_rule():
    found = stopped("timeline integer.\nP(X, T) :- Q(X) at T.", "Q(a)@[0,40000000]")
    assert (found.code, line_of(found)) == ("E507", 2)


def test_windows_that_hold_too_much_name_the_rule():
    facts = "\n".join(f"Q(a{i})@{i}" for i in range(3000))
    found = stopped("timeline integer.\nP(X, Y) :- window 3000 some (Q(X), diamondminus[0,3000] Q(Y)).", facts)
    assert (found.code, line_of(found)) == ("E507", 2)


def test_an_aggregate_over_a_product_names_the_rule():
    program = "N(C) :- C = count { X, Y : A(X), B(Y) }."
    found = stopped(program, f"{points('A', 4000)}\n{points('B', 4000)}")
    assert (found.code, line_of(found)) == ("E507", 1)


def test_a_constraint_over_a_product_names_the_rule():
    program = "Q(X) :- A(X).\nbottom :- A(X), B(Y), X = Y."
    found = stopped(program, f"{points('A', 4000)}\n{points('B', 4000)}")
    assert (found.code, line_of(found)) == ("E507", 2)


@pytest.mark.parametrize("chase", ["skolem", "restricted"])
def test_a_chase_over_a_product_names_the_rule(chase):
    program = "timeline integer.\nexists Z: Pair(X, Y, Z) :- A(X), B(Y)."
    found = stopped(program, f"{points('A', 2000)}\n{points('B', 2000)}", chase=chase)
    assert (found.code, line_of(found)) == ("E507", 2)


def test_a_chase_without_end_is_stopped_by_the_number_of_nulls():
    program = "timeline integer.\nexists Y: Next(X, Y) :- Node(X).\nNode(Y) :- Next(X, Y)."
    found = stopped(program, "Node(a)@1", max_nulls=500)
    assert (found.code, line_of(found)) == ("E506", 2)


def test_a_chase_without_end_is_stopped_by_memory():
    program = "timeline integer.\nexists Y: Next(X, Y) :- Node(X).\nNode(Y) :- Next(X, Y)."
    facts = "\n".join(f"Node(a{i})@1" for i in range(3000))
    found = stopped(program, facts, max_nulls=10**9, max_rounds=10**6)
    assert found.code == "E507"


def test_facts_that_do_not_fit_are_told_with_their_file(tmp_path):
    path = tmp_path / "large.facts"
    path.write_text("\n".join(f"A({i})@{i}" for i in range(400_000)))
    with pytest.raises(thalweg.ReasoningError) as raised:
        thalweg.materialise(thalweg.parse("P(X) :- A(X)."), path, max_memory=LIMIT)
    (found,) = raised.value.diagnostics
    assert found.code == "E508"
    assert str(path) in found.message


def test_answers_that_fit_as_numbers_but_not_as_texts_are_told_of():
    table = {"A": {"x": list(range(300_000)), "time": list(range(300_000))}}
    model = thalweg.materialise(thalweg.parse("P(X) :- A(X)."), table, max_memory="none")
    model._memory = parse_memory("20m")
    for decode in (lambda: model.table("P"), lambda: model.to_text("P"), lambda: model.lines("P"), model.facts):
        with pytest.raises(thalweg.ReasoningError) as raised:
            decode()
        assert [each.code for each in raised.value.diagnostics] == ["E508"]


def test_a_stream_is_stopped_with_the_rule():
    reasoner = thalweg.StreamReasoner(thalweg.parse("P(X, Y) :- A(X), B(Y)."), "P", max_memory=LIMIT)
    reasoner.advance("A(a)@0\nB(b)@0", to=0)
    with pytest.raises(thalweg.ReasoningError) as raised:
        reasoner.advance(f"{points('A', 4000)}\n{points('B', 4000)}", to=1)
    assert [each.code for each in raised.value.diagnostics] == ["E507"]


def test_a_window_of_a_stream_that_grows_without_bound_is_stopped():
    """No batch is large; what is kept for ever adds up."""
    program = thalweg.parse("Seen(X) :- diamondminus[0,inf) A(X), Ask.")
    reasoner = thalweg.StreamReasoner(program, "Seen", max_memory=LIMIT)

    def go_on():
        for batch in range(1, 400):
            facts = {"A": {"x": [batch * 20_000 + i for i in range(20_000)], "time": [batch] * 20_000}}
            reasoner.advance(facts, to=batch)

    before = resident()
    with pytest.raises(thalweg.ReasoningError):
        go_on()
    assert resident() - before < 110 * MB


def test_recursion_without_end_on_a_stream_is_stopped_by_rounds():
    reasoner = thalweg.StreamReasoner(
        thalweg.parse("N(X) :- S(X).\nN(Y) :- N(X), Y = X + 1."), "N", max_rounds=100, max_memory=LIMIT
    )
    with pytest.raises(thalweg.ReasoningError) as raised:
        reasoner.advance("S(0)@1", to=1)
    assert [each.code for each in raised.value.diagnostics] == ["E504"]


def test_a_chase_without_end_on_a_stream_is_stopped_by_the_number_of_nulls():
    program = "timeline integer.\nexists Y: Next(X, Y) :- Node(X).\nNode(Y) :- Next(X, Y)."
    reasoner = thalweg.StreamReasoner(thalweg.parse(program), "Node", max_nulls=500)
    with pytest.raises(thalweg.ReasoningError) as raised:
        reasoner.advance("Node(a)@1", to=1)
    assert [each.code for each in raised.value.diagnostics] == ["E506"]


def test_a_snapshot_goes_on_with_a_larger_limit():
    program = thalweg.parse("P(X, Y) :- A(X), B(Y).")
    small = thalweg.StreamReasoner(program, "P", max_memory=LIMIT)
    small.advance("A(a)@0", to=0)
    snapshot = small.snapshot()
    facts = f"{points('A', 1500)}\n{points('B', 1500)}"
    with pytest.raises(thalweg.ReasoningError):
        small.advance(facts, to=1)
    large = thalweg.StreamReasoner(program, "P", max_memory="2g")
    large.restore(snapshot)
    assert large.advance(facts, to=1).count("P") == 1500 * 1500


def test_hypotheses_with_too_many_rows_name_the_rule():
    program = "timeline integer.\nP(X, Y) :- A(X), diamondminus[1,1] B(Y)."
    stream = thalweg.HypothesisStream(thalweg.parse(program), "P", delay=5, max_memory=LIMIT)
    stream.advance("\n".join(f"B(b{i})@1" for i in range(3000)))
    with pytest.raises(thalweg.ReasoningError) as raised:
        stream.advance("\n".join(f"A(a{i})@2" for i in range(3000)))
    (found,) = raised.value.diagnostics
    assert (found.code, line_of(found)) == ("E507", 2)


CHOICE = "timeline integer.\nIn(X) :- A(X), not Out(X).\nOut(X) :- A(X), not In(X)."


def no_answers(program, facts, **options):
    with pytest.raises(thalweg.ReasoningError) as raised:
        thalweg.answers(thalweg.parse(program, stratified=False), facts, start=0, end=2, **options)
    (found,) = raised.value.diagnostics
    return found


def test_grounding_that_explodes_names_the_rule():
    found = no_answers(CHOICE, points("A", 40_000), mode="one", max_memory="30m")
    assert (found.code, line_of(found)) == ("E507", 2)


def test_too_many_answers_name_the_rules():
    found = no_answers(CHOICE, points("A", 60), max_memory="5m")
    assert (found.code, line_of(found)) == ("E509", 2)
    assert "rules 1, 2" in found.message


def test_a_product_inside_the_search_names_the_rule():
    program = f"{CHOICE}\nBoth(X, Y) :- A(X), A(Y), not In(X)."
    found = no_answers(program, points("A", 3000), mode="one", max_memory=LIMIT)
    assert (found.code, line_of(found)) == ("E507", 4)


def test_a_proof_of_too_much_names_the_rule():
    program = thalweg.parse("P(X, Y) :- A(X), B(Y).")
    facts = f"{points('A', 4000)}\n{points('B', 4000)}"
    for ask in (thalweg.why, thalweg.why_not):
        with pytest.raises(thalweg.ReasoningError) as raised:
            ask(program, facts, "P(a1, b1)@1", max_memory=LIMIT)
        assert [each.code for each in raised.value.diagnostics] == ["E507"]


def test_a_query_that_is_a_product_is_told_of():
    facts = f"{points('A', 4000)}\n{points('B', 4000)}"
    with pytest.raises(thalweg.ReasoningError) as raised:
        thalweg.query(thalweg.parse("input A(x).\ninput B(x)."), facts, "A(X), B(Y)", max_memory=LIMIT)
    assert [each.code for each in raised.value.diagnostics] == ["E507"]


def test_memory_that_runs_out_for_real_is_a_diagnostic():
    """As when the system itself refuses an array: no limit counts, and numpy raises MemoryError."""
    script = (
        "import resource, sys, thalweg\n"
        "program = thalweg.parse('timeline integer. P(X, Y) :- A(X), B(Y).')\n"
        "facts = '\\n'.join(f'A(a{i})@1\\nB(b{i})@1' for i in range(20000))\n"
        "thalweg.materialise(program, 'A(a)@1')\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
        "try:\n"
        "    thalweg.materialise(program, facts, max_memory='none')\n"
        "except thalweg.ReasoningError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    assert "error[E507]: rule 1 needs more memory than there is" in done.stdout


@pytest.mark.parametrize("size", ["2g", "500M", "1.5 GB", "100MiB", "none", 1 << 30, None])
def test_sizes_that_can_be_written(size):
    assert parse_memory(size) > 0


def test_sizes_mean_what_they_say():
    assert parse_memory("2g") == 2 << 30
    assert parse_memory("500m") == 500 << 20
    assert parse_memory("50%") == 0.5
    assert parse_memory(1 << 30) == 1 << 30


@pytest.mark.parametrize("size", ["", "much", "-1g", "0", "0%", "200%", "12", "1k"])
def test_sizes_that_cannot_be_written(size):
    with pytest.raises(thalweg.UsageError, match="500m or 2g"):
        thalweg.materialise(thalweg.parse("P(X) :- A(X)."), "A(a)@1", max_memory=size)


def test_the_command_line_takes_the_limit_and_names_the_rule(tmp_path, capsys):
    (tmp_path / "p.rules").write_text("P(X, Y) :- A(X), B(Y).\n")
    (tmp_path / "p.facts").write_text(f"{points('A', 4000)}\n{points('B', 4000)}\n")
    files = [str(tmp_path / "p.rules"), str(tmp_path / "p.facts")]
    for call in (
        ["run", *files, "--in-process"],
        ["run", *files, "--in-process", "--stream"],
        ["query", *files, "P(X, Y)"],
        ["why", *files, "P(a1,b1)@1"],
        ["why-not", *files, "P(a1,b1)@1"],
    ):
        assert run_command([*call, "--max-memory", "100m"]) == 1, call
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "p.rules:1:1: error[E507]: rule 1 needs" in printed.err
        assert "Traceback" not in printed.err
    assert run_command(["run", *files, "--in-process", "--max-memory", "lots"]) == 2
    assert "thalweg: --max-memory 'lots': write a size" in capsys.readouterr().err


ENDLESS = {
    "a search": ("choice.rules", ["--answers", "brave", "--from", "0", "--to", "2"]),
    "recursion": ("count.rules", ["--max-rounds", "1000000000"]),
}


WELL_AT_WORK = 6
"""So many seconds of the processor are more than a start takes."""


def seconds_worked(pid):
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", ENDLESS)
def test_ctrl_c_ends_what_does_not_end(name, tmp_path):
    """A search over a pigeonhole with one hole too few, which no search proves impossible in a lifetime."""
    pigeons = "".join(f"A(p{i})@1\n" for i in range(15))
    holes = "".join(f"H(h{i})@1\n" for i in range(14))
    (tmp_path / "choice.rules").write_text(
        "timeline integer.\nIn(X, Y) :- A(X), H(Y), not Out(X, Y).\nOut(X, Y) :- A(X), H(Y), not In(X, Y).\n"
        "Housed(X) :- In(X, Y).\nbottom :- A(X), not Housed(X).\n"
        "bottom :- In(X, Y), In(Z, Y), X != Z.\n"
    )
    (tmp_path / "count.rules").write_text("N(X) :- S(X).\nN(Y) :- N(X), Y = X + 1.\n")
    (tmp_path / "all.facts").write_text(f"{pigeons}{holes}S(0)@1\n")
    rules, options = ENDLESS[name]
    call = [sys.executable, "-c", "from thalweg.cli.main import main; main()"]
    call += ["run", rules, "all.facts", "--in-process", *options]
    with subprocess.Popen(call, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        try:
            while running.poll() is None and seconds_worked(running.pid) < WELL_AT_WORK:
                time.sleep(0.1)
            assert running.poll() is None, running.stderr.read()
            sent = time.monotonic()
            os.kill(running.pid, signal.SIGINT)
            _, said = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == 130
    assert said.endswith("thalweg: stopped\n")
    assert "Traceback" not in said
    assert time.monotonic() - sent < 60
