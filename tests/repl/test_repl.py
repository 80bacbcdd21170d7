"""``thalweg repl``: what is typed, and what is shown."""

import io
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from cli.calling import call_as_it_is
from cli.terminal import in_terminal, plain
from thalweg.cli.repl.commands import COMMANDS
from thalweg.cli.repl.prompt import SessionCompleter
from thalweg.cli.repl.question import Question, read_question
from thalweg.cli.repl.session import Session

COMMAND = Path(sys.executable).with_name("thalweg")
EXAMPLES = files("thalweg.examples")
HOT = "Hot(P) :- Temp(P, T), T > 90."


@pytest.fixture
def typed(monkeypatch):
    """Types lines into a session; what is shown on both outputs, and the exit code."""

    def type_in(*lines, words=()):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return call_as_it_is("repl", *words)

    return type_in


def quietly(folder):
    """The environment of a terminal that cannot tell where its cursor is, with a history of its own."""
    return {"XDG_STATE_HOME": str(folder), "PROMPT_TOOLKIT_NO_CPR": "1"}


def test_a_fact_and_a_rule_show_what_is_new(typed):
    outcome = typed("Temp(p1,95)@0", HOT)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines == ["+ Temp(p1,95)@[0,0]", "+ Hot(p1)@[0,0]"]


def test_many_new_facts_are_counted(typed):
    facts = [f"Temp(p{n},95)@[0,{n}]" for n in range(1, 13)]
    assert typed(*facts, HOT).lines[-1] == "+12 facts of Hot"


def test_a_fact_that_takes_another_away_says_so(typed):
    outcome = typed("Calm(P) :- Pump(P), not Hot(P).", "Pump(p1)@[0,4]", "Hot(p1)@[0,4]")
    assert outcome.lines[-2:] == ["- Calm(p1)@[0,4]", "+ Hot(p1)@[0,4]"]


@pytest.mark.parametrize("question", ["? Hot(P)", "?Hot(P).", "Hot(P)?", "Hot(P) ?"])
def test_a_question_is_answered_with_values_and_times(typed, question):
    assert typed("Temp(p1,95)@[0,4)", "Temp(p22,99)@7", HOT, question).lines[-2:] == [
        "P = p1   at [0,4)",
        "P = p22  at [7,7]",
    ]


@pytest.mark.parametrize("question", ["? Hot(P) @ 2", "Hot(P)? @ 2", "Hot(P)@2?", "? Hot(P)@2"])
def test_a_question_at_a_time(typed, question):
    assert typed("Temp(p1,95)@[0,4)", "Temp(p2,99)@7", HOT, question).lines[-1] == "P = p1"


def test_a_question_about_a_stretch_of_time(typed):
    assert typed("Temp(p1,95)@[0,9]", HOT, "? Hot(P) from 2 to 5").lines[-1] == "P = p1  at [2,5]"


def test_a_question_without_variables_is_answered_with_yes_or_no(typed):
    shown = typed("Temp(p1,95)@[0,9]", HOT, "? exists P: Hot(P)", "? Hot(p1) @ 3", "? Hot(p1) @ 11", "? Hot(p2)").lines
    assert shown[-4:] == ["yes, at [0,9]", "yes", "no", "no"]


def test_a_conjunction_can_be_asked(typed):
    assert typed("Temp(p1,95)@[0,9]", "Old(p1)@[3,5]", "? Temp(P, T), Old(P), T > 90").lines[-1] == (
        "P = p1, T = 95  at [3,5]"
    )


def test_a_question_mark_in_a_text_is_no_question(typed):
    outcome = typed('Said(p1,"why?")@0')
    assert (outcome.code, outcome.lines) == (0, ['+ Said(p1,"why?")@[0,0]'])


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("? P(X)", Question("P(X)")),
        ("P(X)? from 1 to 2", Question("P(X)", None, "1", "2")),
        ("? P(X) to 10min", Question("P(X)", None, None, "10min")),
        ("? P(X) from 2024-05-01T10:00", Question("P(X)", None, "2024-05-01T10:00")),
        ("? window 3 (P(X) at T)", Question("window 3 (P(X) at T)")),
        ("? P(X) @ 3/2", Question("P(X)", "3/2")),
        ("P(X).", None),
        ('P("a?b")@3', None),
    ],
)
def test_questions_are_read(line, question):
    assert read_question(line) == question


def test_a_rule_may_take_several_lines(typed):
    outcome = typed("Temp(p1,95)@0", "Hot(P) :-", "  Temp(P, T),", "  T > 90", "? Hot(P)")
    assert (outcome.code, outcome.lines[1:]) == (0, ["+ Hot(p1)@[0,0]", "P = p1  at [0,0]"])


def test_a_mistake_shows_its_place_and_changes_nothing(typed):
    outcome = typed("Temp(p1,95)@0", "Hot(P) :- Temp(P).", ":program")
    assert (outcome.code, outcome.lines) == (1, ["+ Temp(p1,95)@[0,0]", "Temp(p1,95)@0"])
    assert outcome.err.startswith("input:1:11: error[E201]: Temp has 1 argument here, but should have 2\n")
    assert "\n    Hot(P) :- Temp(P).\n              ^^^^^^^\n" in outcome.err


def test_an_entry_that_was_not_finished_does_not_swallow_the_next(typed):
    outcome = typed("Hot(P) :- Temp(P, T", "Cold(P) :- Temp(P, T), T < 5.", "Temp(p1,1)@0", "? Cold(P)")
    assert "error[E106]" in outcome.err
    assert outcome.lines[-1] == "P = p1  at [0,0]"


def test_facts_that_contradict_a_rule_are_not_taken_in(typed):
    outcome = typed("bottom :- Hot(P), Cold(P).", "Hot(p1)@[0,5]", "Cold(p1)@3", ":facts")
    assert "error[E501]" in outcome.err
    assert outcome.lines[-1] == "Hot(p1)@[0,5]"


def test_rules_that_never_end_need_bounds(typed):
    endless = "P(X) :- diamondminus[1,1] P(X). P(a)@0."
    outcome = typed(endless, ":between 0 3", endless, "? P(a)")
    assert "error[E504]" in outcome.err
    assert "hint: bound the time, then type it again: :between 0 100" in outcome.err
    assert outcome.lines[-4:] == [f"yes, at [{n},{n}]" for n in range(4)]


def test_an_output_may_be_declared_before_its_rule(typed):
    outcome = typed("output Alarm(pump).", "Alarm(P) :- Hot(P).", "Hot(p1)@1", "? Alarm(P)")
    assert (outcome.code, outcome.lines[-1]) == (0, "P = p1  at [1,1]")


def test_undo_takes_back_one_entry_after_the_other(typed):
    outcome = typed("Temp(p1,95)@0", HOT, ":undo", ":undo", ":facts", ":undo")
    assert outcome.lines[2:] == [f"without: {HOT}", "- Hot(p1)@[0,0]", "without: Temp(p1,95)@0", "- Temp(p1,95)@[0,0]",
                                 "no facts"]  # fmt: skip
    assert outcome.err == "there is nothing to take back\n"


def test_clear_forgets_and_can_be_taken_back(typed):
    outcome = typed("Temp(p1,95)@0", ":clear", ":facts", ":undo", ":facts")
    assert outcome.lines[2] == "no facts"
    assert outcome.lines[-1] == "Temp(p1,95)@[0,0]"


def test_why_shows_a_proof(typed):
    shown = typed("Temp(p1,95)@[0,4]", HOT, ":why Hot(p1)@2").out
    assert "Hot(p1)@[2,2]" in shown
    assert "rule 1" in shown
    assert "Temp(p1,95)@[2,2]" in shown
    assert "95 > 90" in shown


def test_why_not_says_what_is_missing(typed):
    outcome = typed("Temp(p1,85)@[0,4]", HOT, ":why-not Hot(p1)@2")
    assert outcome.code == 0
    assert "85" in outcome.out


def test_why_not_says_what_to_ask_next(typed):
    shown = typed("Temp(p1,85)@[0,4]", HOT, "Alarm(P) :- boxminus[0,1] Hot(P).", ":why-not Alarm(p1)@2").out
    assert "ask on: :why-not Hot(p1)@[1,2]" in shown


def test_load_and_save(typed, tmp_path):
    (tmp_path / "p.rules").write_text(f"{HOT}\n")
    (tmp_path / "p.facts").write_text("Temp(p1,95)@0\nTemp(p2,10)@0\n")
    saved = tmp_path / "saved.rules"
    outcome = typed(f":load {tmp_path / 'p.rules'}", f":load {tmp_path / 'p.facts'}", "Old(p1)@3", f":save {saved}")
    assert "+ Hot(p1)@[0,0]" in outcome.lines
    assert outcome.lines[-1] == f"written to {saved}; the facts of {tmp_path / 'p.facts'} stay there"
    assert saved.read_text() == f"{HOT}\nOld(p1)@3\n"


def test_files_named_on_the_command_line_are_there_from_the_beginning(typed):
    words = [EXAMPLES.joinpath(name) for name in ("traffic.rules", "traffic.facts")]
    assert typed("? Jam(R)", words=words).lines == ["R = ring  at [6,9)"]


def test_a_file_that_is_not_there(typed):
    outcome = typed(words=("nowhere.rules",))
    assert (outcome.code, outcome.err) == (2, "thalweg: there is no file nowhere.rules\n")
    assert typed(":load nowhere.facts").err == "there is no file nowhere.facts\n"


def test_the_timeline_is_drawn(typed):
    lines = typed("Temp(p1,95)@[0,4)", "Old(p1)@2", ":timeline").lines[-4:]
    assert re.fullmatch(r"Temp\(p1,95\) +\[━+\)", lines[0])
    assert re.fullmatch(r"Old\(p1\) +●", lines[1])
    assert re.fullmatch(r" +─+┬[─┬]+", lines[2])
    assert lines[3].split()[0] == "0"


def test_facts_can_be_chosen(typed):
    outcome = typed("Temp(p1,95)@0", HOT, ":facts Hot", ":facts Hott")
    assert outcome.lines[-1] == "Hot(p1)@[0,0]"
    assert outcome.err == "there are no answers for Hott; did you mean Hot?\n"


def test_check_says_what_the_program_promises(typed):
    assert "dialect      Datalog at each time point with comparisons" in typed(HOT, ":check").lines


def test_help_names_every_command(typed):
    shown = typed(":help").out
    assert all(f"  :{name}" in shown for name in COMMANDS)


def test_a_command_that_is_not_there(typed):
    outcome = typed(":chek")
    assert (outcome.code, outcome.err) == (1, "there is no command :chek; did you mean :check?\n")


def test_quit_ends_it(typed):
    assert typed("Temp(p1,95)@0", ":quit", "Temp(p2,95)@0").lines == ["+ Temp(p1,95)@[0,0]"]


def test_a_pipe_has_no_prompt_and_no_colours():
    done = subprocess.run(
        [COMMAND, "repl"], input="Temp(p1,95)@0\nP(X :-\n", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "+ Temp(p1,95)@[0,0]\n")
    assert done.stderr.startswith("input:1:2: error[E106]")


def test_on_a_terminal_it_prompts_colours_and_remembers(tmp_path):
    keys = b"Temp(p1,95)@0\rHot(P) :-\rTemp(P, T), T > 90.\r? Hot(P)\r:quit\r"
    shown, code = in_terminal("repl", until="thalweg>", then=keys, **quietly(tmp_path))
    assert code == 0
    assert "+ Hot(p1)@[0,0]" in plain(shown)
    assert "P = p1  at [0,0]" in plain(shown)
    assert "\x1b[" in shown
    remembered = (tmp_path / "thalweg" / "history").read_text()
    assert "+? Hot(P)" in remembered
    assert "+Hot(P) :-\n+Temp(P, T), T > 90." in remembered


@pytest.fixture
def completed():
    """What a text may be the beginning of."""
    session = Session()
    session.add("Temperature(p1,95)@0")
    session.add("Hot(P) :- Temperature(P, T), T > 90.")

    def complete(text):
        found = SessionCompleter(session).get_completions(Document(text), CompleteEvent(completion_requested=True))
        return [each.text for each in found]

    return complete


def test_predicates_and_words_are_completed(completed):
    assert completed("? Temp") == ["Temperature("]
    assert completed("Cold(P) :- not Hot(P), Tem") == ["Temperature("]
    assert completed("Cold(P) :- boxm") == ["boxminus"]
    assert completed("Cold(P) :- window[last 5] so") == ["some"]
    assert completed(":why Ho") == ["Hot("]


def test_commands_and_files_are_completed(completed, tmp_path):
    (tmp_path / "pumps.rules").write_text("")
    assert completed(":wh") == [":why", ":why-not"]
    assert completed(f":load {tmp_path}/pu") == ["mps.rules"]
    assert completed("") == []


def test_ctrl_c_drops_the_line_and_ctrl_d_ends_it(tmp_path):
    keys = b"Temp(p1\x03Temp(p2,95)@0\r\x04"
    shown, code = in_terminal("repl", until="thalweg>", then=keys, **quietly(tmp_path))
    assert code == 0
    assert "+ Temp(p2,95)@[0,0]" in plain(shown)


def test_what_to_ask_next_is_said_as_it_is_typed(typed):
    told = typed("Temp(p1,95)@0", HOT, ":why Hot(p1)@3", ":why-not Hot(p1)@0").lines
    assert "ask what is missing: :why-not Hot(p1)@3" in told
    assert "ask for its proof: :why Hot(p1)@[0,0]" in told


def test_mistakes_in_a_file_are_told_with_its_name(typed, tmp_path):
    path = tmp_path / "wrong.rules"
    path.write_text("Hot(P) :- Temp(Q).\n")
    outcome = typed(words=(path,))
    assert outcome.code == 1
    assert outcome.err.startswith(f"{path}:1:5: error[E202]")
