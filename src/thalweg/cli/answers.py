"""``thalweg run --answers``: answers of a program that leaves a choice; ``--at`` and ``--reading`` for others, too."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from thalweg.cli.output import write, write_text
from thalweg.cli.run_options import memory_of
from thalweg.cli.times import parse_time
from thalweg.engine.answers.answer import Answers
from thalweg.engine.answers.find import find_answers, find_only_answer
from thalweg.engine.answers.mode import Mode, Reading
from thalweg.engine.answers.request import Request
from thalweg.engine.answers.stream import AnswerStream
from thalweg.errors import UsageError
from thalweg.model.program import Program
from thalweg.syntax.facts import FactBatch
from thalweg.time.interval import Endpoint

_ALL_TIMES = Reading.ALL_TIMES.value


def run_answers(
    program: Program,
    batches: Sequence[FactBatch],
    queries: Sequence[str],
    options: argparse.Namespace,
    start: Endpoint,
    end: Endpoint,
) -> None:
    """Search and write; in a stream, answer every time point."""
    if options.stream:
        _stream(program, batches, queries, options, end)
        return
    request = Request(
        mode=Mode.of(options.answers or Mode.ONE.value),
        queries=tuple(queries),
        reading=Reading.of(options.reading or _ALL_TIMES),
        at=_at(options.at, program),
        start=start,
        end=end,
        limit=options.limit,
        max_rounds=options.max_rounds,
        memory=memory_of(options),
    )
    if options.answers is None:
        write(find_only_answer(program, batches, request), queries, options.format or "facts", options.output)
        return
    found = find_answers(program, batches, request)
    lines = _json_lines(found) if options.format == "json" else (found.to_text(),)
    write_text("".join(f"{line}\n" for line in lines if line), options.output)


def _at(text: str | None, program: Program) -> Fraction | None:
    return None if text is None else Fraction(parse_time(text, "--at", program, 0.0))


def _stream(
    program: Program, batches: Sequence[FactBatch], queries: Sequence[str], options: argparse.Namespace, end: Endpoint
) -> None:
    if options.output != "-":
        raise UsageError("--stream --answers writes to standard output; leave --output out")
    answering = AnswerStream(
        program,
        mode=options.answers or Mode.ONE.value,
        reading=options.reading or _ALL_TIMES,
        queries=queries,
        limit=options.limit,
        window=options.window,
        max_memory=options.max_memory,
    )
    for each in answering.replay(batches, None if math.isinf(end) else math.floor(end)):
        if options.format == "json":
            lines = _json_lines(each.answers, time=each.time)
        else:
            lines = iter((f"At {each.time}:", _text(each.answers, options)))
        write_text("".join(f"{line}\n" for line in lines if line), "-")


def _text(found: Answers, options: argparse.Namespace) -> str:
    """The one answer of a stratified program has no number."""
    return found[0].to_text() if options.answers is None and found.count else found.to_text()


def _json_lines(found: Answers, **marks: int) -> Iterator[str]:
    """An object for every answer; one for the consequences of all; ``{"answers": 0}`` when there is none."""
    if not found.count:
        yield json.dumps({**marks, "answers": 0})
    for number, answer in enumerate(found, start=1):
        name = {found.mode.value: True} if found.mode.is_consequences else {"answer": number}
        yield json.dumps({**marks, **name, "facts": answer.to_json()}, ensure_ascii=False)
