"""Every command explains itself, and every example in its help is a call that it understands."""

import argparse
import re
import shlex

import pytest

from cli.calling import call_as_it_is
from thalweg.cli.main import COMMANDS, GROUPS, make_parser

_COMMENT = re.compile(r"\s{2,}\S.*$")


def parsers(parser=None, words=()):
    """The words of each command with its parser, the whole command line first."""
    parser = parser or make_parser()
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from parsers(inner, (*words, name))


PARSERS = dict(parsers())


def examples():
    """The calls of thalweg in epilogs, without what is said about them."""
    for words, parser in PARSERS.items():
        for line in (parser.epilog or "").splitlines():
            if line.startswith("  ") and "thalweg " in line:
                yield " ".join(words) or "thalweg", line.strip()


EXAMPLES = sorted(set(examples()))


def call_in(line):
    """The words after ``thalweg`` in an example: up to a pipe or a redirection, and without its comment."""
    words = shlex.split(_COMMENT.sub("", line[line.index("thalweg ") :]))
    end = next((place for place, word in enumerate(words) if word in ("|", "<", ">")), len(words))
    return words[1:end]


@pytest.fixture(autouse=True)
def _on_a_narrow_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize("words", PARSERS, ids=" ".join)
def test_help(words):
    outcome = call_as_it_is(*words, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"usage: {' '.join(('thalweg', *words))} ")
    assert all(len(line) <= 120 for line in outcome.lines)
    assert "None" not in outcome.out


@pytest.mark.parametrize("words", PARSERS, ids=" ".join)
def test_a_command_says_what_it_does_and_shows_examples(words):
    parser = PARSERS[words]
    assert len((parser.description or "").split()) > 3
    assert ("examples:" if words else "first steps:") in (parser.epilog or "")


@pytest.mark.parametrize("words", PARSERS, ids=" ".join)
def test_every_option_says_what_it_is_for(words):
    for action in PARSERS[words]._actions:
        name = "/".join(action.option_strings) or action.metavar or action.dest
        assert action.help, name
        if action.option_strings and action.nargs != 0 and not action.choices:
            assert action.metavar, f"{name} takes a value without a name"
            assert action.metavar == action.metavar.upper() or action.metavar in ("K=V",), name


def test_there_are_examples_of_every_command():
    assert {words[0] for words in PARSERS if words} <= {call_in(line)[0] for _, line in EXAMPLES}


@pytest.mark.parametrize(("where", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_can_be_read(where, line):
    make_parser().parse_args(call_in(line))


def test_an_example_that_cannot_be_read_would_be_found(capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args(call_in("thalweg check pumps.rules --jsun     for programs"))
    assert "--jsun" in capsys.readouterr().err


def test_help_lists_all_commands_in_groups():
    lines = call_as_it_is("--help").lines
    titles = [lines.index(f"{title}:") for title in GROUPS]
    assert titles == sorted(titles)
    for words in PARSERS:
        if len(words) == 1:
            assert any(line.startswith(f"  {words[0]} ") for line in lines), words
    assert len(COMMANDS) == len({id(command) for command in COMMANDS})


JSON = ("check", "query", "watch", "translate", "bench")


@pytest.mark.parametrize("command", JSON)
def test_what_programs_may_read_is_there_as_json(command):
    assert any("--json" in action.option_strings for action in PARSERS[(command,)]._actions)
