"""What is printed reads back as the same tree."""

from hypothesis import given, settings
from syntax_trees import programs

from thalweg.source import Source
from thalweg.syntax.ast import ProgramText
from thalweg.syntax.parser import parse_program
from thalweg.syntax.printer import format_program


@settings(max_examples=200, deadline=None)
@given(programs)
def test_a_printed_program_reads_back_as_itself(program: ProgramText) -> None:
    text = format_program(program)
    read, found = parse_program(Source("printed", text))
    assert not found, text + found[0].render()
    assert read == program, text


@settings(max_examples=50, deadline=None)
@given(programs)
def test_printing_twice_changes_nothing(program: ProgramText) -> None:
    text = format_program(program)
    assert format_program(parse_program(Source("printed", text))[0]) == text
