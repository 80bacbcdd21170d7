"""``thalweg query``."""

import json
from pathlib import Path

import pyarrow.parquet
import pytest
from asking import DATA, write_files

from cli.calling import call


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    write_files()


def asked(*words):
    return call("query", "belts.rules", "belts.facts", *words)


class TestVerdicts:
    def test_true_and_false_at_a_time(self):
        query = "exists X: window 5 all warn(X)"
        true, false = asked(query, "--at", 4), asked(query, "--at", 5)
        assert (true.code, true.out, true.err) == (0, "true\n", "")
        assert (false.code, false.out, false.err) == (4, "false\n", "")

    def test_as_json(self):
        assert [json.loads(asked("warn(b1)", "--at", t, "--format", "json").out) for t in (4, 5)] == [True, False]

    def test_the_times_at_which_it_is_true(self):
        outcome = asked("exists X: window 5 all warn(X)")
        assert (outcome.code, outcome.out) == (0, "answer@[0,4]\n")

    def test_never_true_is_no_failure_without_a_time(self):
        outcome = asked("warn(b2)")
        assert (outcome.code, outcome.out) == (0, "")

    def test_a_file_for_the_verdict(self):
        assert asked("warn(b1)", "--at", 5, "--output", "verdict").code == 4
        assert Path("verdict").read_text() == "false\n"


class TestAnswers:
    def test_rows_with_their_times(self):
        outcome = asked("beltTmp(X, Y)")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.lines == ["answer(b1,70)@[5,9]", "answer(b1,90)@[0,4]"]

    def test_no_rows_at_a_time(self):
        outcome = asked("warn(X)", "--at", 7)
        assert (outcome.code, outcome.out) == (0, "")

    def test_the_time_points_of_a_window(self):
        assert asked("window 3 (warn(X) at T)", "--at", 6).lines == ["answer(b1,3)@[6,6]", "answer(b1,4)@[6,6]"]

    def test_a_stretch_of_time(self):
        assert asked("warn(X)", "--from", 2, "--to", 3).lines == ["answer(b1)@[2,3]"]

    def test_nulls(self):
        assert asked("beltOperator(X, Y)", "--at", 3).out == ""
        assert asked("beltOperator(X, Y)", "--at", 3, "--nulls").lines == ["answer(b1,_:Y.2(b1@3))@[3,3]"]

    def test_csv_and_json_name_the_variables(self):
        table = asked("beltTmp(Belt, Degrees)", "--at", 3, "--format", "csv").lines
        assert table == ['"Belt","Degrees","start","end","start_closed","end_closed"', '"b1",90,3,3,true,true']
        (line,) = asked("beltTmp(Belt, Degrees)", "--at", 3, "--format", "json").lines
        assert json.loads(line)["arguments"] == {"Belt": "b1", "Degrees": 90}

    def test_parquet(self):
        assert asked("beltTmp(Belt, Degrees)", "--format", "parquet", "--output", "a.parquet").code == 0
        assert pyarrow.parquet.read_table("a.parquet")["Degrees"].to_pylist() == [70, 90]

    def test_facts_only(self):
        Path("more.facts").write_text("extra(b1,3)@2\n")
        outcome = call("query", "belts.rules", "belts.facts", "more.facts", "extra(X, N), belt(X)")
        assert (outcome.lines, outcome.err) == (["answer(b1,3)@[2,2]"], "")

    def test_a_program_without_facts(self):
        Path("p.rules").write_text("p(X) :- q(X).\nq(a)@1.\n")
        assert call("query", "p.rules", "p(X)").lines == ["answer(a)@[1,1]"]

    def test_a_program_in_cql(self):
        Path("hot.cql").write_text(
            "CREATE STREAM temp (belt STRING, c INT);\nSELECT belt FROM temp [RANGE 5] WHERE c > 80;\n"
        )
        Path("hot.facts").write_text("temp(b1,90)@3\n")
        outcome = call("query", "hot.cql", "hot.facts", "window 2 all answer(X)", "--from", 5)
        assert (outcome.lines, outcome.err) == (["answer(b1)@[5,8]"], "")

    def test_options_may_stand_first(self):
        assert call("query", "--at", 4, "belts.rules", "belts.facts", "warn(b1)").out == "true\n"


class TestStreams:
    def test_answers_as_they_are_due(self):
        outcome = asked("warn(X)", "--stream")
        assert (outcome.code, outcome.lines) == (0, ["answer(b1)@[0,0]", "answer(b1)@[1,4]"])

    def test_as_many_as_a_batch_gives(self):
        Path("belts.facts").write_text(DATA + "belt(b2)@7\nbeltTmp(b2,90)@7\nbeltTmp(b2,90)@8\nhigh(95)@8\n")
        for query in ("window 2 some warn(X)", "exists Y: window 1 all beltTmp(X, Y)", "belt(X), not warn(X)"):
            pieces = [line for line in asked(query, "--stream", "--to", 9).lines if line]
            assert points(pieces) == points(asked(query).lines)

    def test_json_and_steps(self):
        lines = asked("warn(X)", "--stream", "--format", "json", "--step", 3).lines
        assert [(json.loads(line)["start"], json.loads(line)["end"]) for line in lines] == [(0, 0), (1, 4)]

    def test_output_times(self):
        assert asked("warn(b1)", "--stream", "--at", "every:2").lines == [
            "answer@[0,0]",
            "answer@[2,2]",
            "answer@[4,4]",
        ]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--stream", "--from", 3), "--from does not go with --stream: a stream starts with its first fact"),
            (("--stream", "--format", "csv"), "--stream prints facts or json to standard output"),
            (("--stream", "--output", "x"), "--stream prints facts or json to standard output"),
            (("--stream", "--at", 4), "4 is not an output time: write data, every:S or intervals"),
            (("--stream", "--chase", "restricted"), "--chase restricted does not go with --stream"),
            (("--step", 4), "--step goes with --stream"),
        ],
    )
    def test_what_does_not_go_together(self, options, message):
        outcome = asked("warn(X)", *options)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"thalweg: {message}")


class TestMistakes:
    def test_in_the_query(self):
        outcome = asked("warn(X), hihg(Y)", "--at", 3)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.splitlines() == [
            "query:1:10: error[E261]: neither the program nor the facts mention hihg",
            "    warn(X), hihg(Y)",
            "             ^^^^^^^",
            "    hint: did you mean high?",
        ]

    def test_an_empty_query(self):
        outcome = asked("")
        assert outcome.code == 1
        assert outcome.err.startswith("query:1:1: error[E180]: the query is empty")

    def test_a_query_is_read_before_anything_else(self):
        assert call("query", "nowhere.rules", "warn(X").err.startswith("query:1:5: error[E106]")

    def test_a_long_query(self):
        assert asked(", ".join(["warn(X)"] * 1000)).lines == ["answer(b1)@[0,4]"]

    def test_in_the_program(self):
        Path("belts.rules").write_text("warn(X) :- belt(Y).\n")
        outcome = asked("warn(X)")
        assert outcome.code == 1
        assert outcome.err.startswith("belts.rules:1:6: error[E202]")

    def test_in_the_facts(self):
        Path("belts.facts").write_text(DATA + "belt(b1)@\n")
        assert asked("warn(X)").code == 1
        outcome = asked("warn(X)", "--skip-bad")
        assert (outcome.code, outcome.lines) == (0, ["answer(b1)@[0,4]"])
        assert outcome.err.endswith("thalweg: 1 bad fact skipped\n")

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("nowhere.rules", "belts.facts", "warn(X)"), "there is no file nowhere.rules"),
            (("belts.rules", "nowhere.facts", "warn(X)"), "there is no file nowhere.facts"),
            (("belts.rules", "belts.facts"), "belts.facts is a file; the last of PROGRAM FACTS QUERY is a query"),
            (("belts.rules", "warn(X)", "--at", "noon"), "--at noon: write a number"),
            (("belts.rules", "warn(X)", "--at", "2.5"), "--at 2.5: the integer timeline has no time between"),
            (("belts.rules", "warn(X)", "--at", "12"), "--at 12 lies outside the timeline, [0,9]"),
            (("belts.rules", "warn(X)", "--at", "2", "--to", "3"), "--at does not go with --from or --to"),
            (("belts.rules", "warn(X)", "--from", "3", "--to", "2"), "--from 3 is after --to 2"),
            (("belts.rules", "warn(X)", "--format", "parquet"), "--format parquet needs --output PATH"),
            (("belts.rules", "warn(X)", "--output", "no/where"), "there is no folder no"),
        ],
    )
    def test_in_the_call(self, words, message):
        outcome = call("query", *words)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"thalweg: {message}")

    def test_no_query_at_all(self):
        outcome = call("query", "belts.rules")
        assert outcome.code == 2
        assert "the following arguments are required: QUERY" in outcome.err

    def test_dividing_by_zero_is_told(self):
        outcome = asked("beltTmp(X, Y), Z = 1 / (Y - 90)")
        assert outcome.lines == ["answer(b1,70,-0.05)@[5,9]"]
        assert outcome.err.startswith("query:1:1: warning[W501]: the query divided by zero once")

    def test_facts_that_nothing_mentions_are_told(self):
        Path("other.facts").write_text("other(a)@1\n")
        outcome = call("query", "belts.rules", "belts.facts", "other.facts", "warn(X)")
        assert "warning[W401]: no rule mentions other" in outcome.err

    def test_warnings_about_the_program_are_told(self):
        Path("belts.rules").write_text("input nothing(x).\nwarn(X) :- belt(X).\ninput belt(x).\n")
        assert "warning[W201]" in asked("warn(X)").err


class TestHelp:
    def test_it_fits_the_page_and_says_what_counts(self):
        outcome = call("query", "--help")
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.startswith("usage: thalweg query")
        assert all(len(line) <= 120 for line in outcome.lines)
        assert "without Spark" in outcome.out
        assert "4 for false" in outcome.out

    def test_the_command_is_listed(self):
        assert "query" in call("--help").out


def points(lines):
    """The atoms at each time point, from lines such as ``answer(b1)@[0,4]``."""
    found = set()
    for line in lines:
        atom, interval = line.split("@")
        first, last = interval.strip("[]").split(",")
        found |= {(atom, time) for time in range(int(first), int(last) + 1)}
    return found
