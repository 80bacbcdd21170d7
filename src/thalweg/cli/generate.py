"""``thalweg generate``: streams of the kinds that the papers measure, as files or live, with rules to try on them."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thalweg.cli.numbers import length, share
from thalweg.errors import UsageError
from thalweg.generators.catalogue import CATALOGUE, Kind, Parameter
from thalweg.generators.live import as_lines, as_parquet, play
from thalweg.generators.parquet import TABLES
from thalweg.generators.stream import Generated
from thalweg.generators.write import STRETCH, write_facts, write_lines, write_parquet

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FACTS, PARQUET, STREAM, RULES = "facts", "parquet", "stream", "rules"
STANDARD_OUTPUT = "-"

_DESCRIPTION = """\
Makes a stream of facts by chance: the same seed gives the same facts. Beside the data it writes a program that declares
them, with rules to try on them.
"""

_EPILOG = """\
examples:
  thalweg generate traffic --vehicles 1000 --to traffic.facts     a file of facts, and traffic.rules
  thalweg generate lubm --facts 1000000 --as parquet --to lubm    Parquet, and lubm/tables.toml for thalweg run --tables
  thalweg generate traffic --as stream --speed 5 --to incoming    live: Parquet files, 5 time points a second
  thalweg generate turbines --as rules > turbines.rules
  thalweg generate turbines --as stream | thalweg watch turbines.rules - --query Malf

thalweg generate KIND --help says what can be chosen for each kind.
"""


_KIND_EPILOG = """\
examples:
  thalweg generate {kind} --to {kind}.facts                  facts, and {kind}.rules
  thalweg generate {kind} --as parquet --to {kind}           Parquet, a folder a predicate
  thalweg generate {kind} --as stream --speed 5              lines as they come
  thalweg generate {kind} --as rules                         only the program
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "generate",
        help="make streams to try things on: universities, traffic, belts, turbines, trams, a network",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    kinds = parser.add_subparsers(required=True, metavar="KIND", help="what the stream is of")
    for kind in CATALOGUE:
        _add_kind(kinds, kind)


def _add_kind(kinds: Commands, kind: Kind) -> None:
    parser = kinds.add_parser(
        kind.name,
        help=kind.about,
        description=f"Makes {kind.about}.",
        epilog=_KIND_EPILOG.format(kind=kind.name),
    )
    for parameter in kind.parameters:
        parser.add_argument(
            f"--{parameter.name}",
            type=_reader(parameter),
            default=parameter.default,
            metavar="P" if isinstance(parameter.default, float) else "N",
            help=f"{parameter.about} (default {parameter.default:,})",
        )
    parser.add_argument("--seed", type=_at_least(0), default=0, metavar="S", help="for all that is drawn (default 0)")
    parser.add_argument(
        "--as",
        dest="form",
        choices=(FACTS, PARQUET, STREAM, RULES),
        default=FACTS,
        help="facts (the default): a file of facts, in the order of arrival; parquet: a folder a predicate; stream:"
        " live, as lines on standard output or as Parquet files in a folder; rules: only the program",
    )
    parser.add_argument(
        "--to", metavar="PATH", default=STANDARD_OUTPUT, help="a file or folder; - is standard output (the default)"
    )
    parser.add_argument("--speed", metavar="X", type=length, help="of a live stream: time units a second (default 1)")
    parser.add_argument(
        "--stretch", metavar="D", type=length, help=f"of Parquet: time units in a file (default {STRETCH})"
    )
    parser.add_argument("--json", action="store_true", help="say what was written as JSON; it needs --to PATH")
    parser.set_defaults(command=generate, kind=kind)


def generate(options: argparse.Namespace) -> int:
    """Run the command."""
    _check_together(options)
    kind: Kind = options.kind
    stream = kind.make(**{each.name: getattr(options, each.name) for each in kind.parameters}, seed=options.seed)
    try:
        return _FORMS[options.form](kind, stream, options)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot generate {kind.name}: {error}") from error


def _check_together(options: argparse.Namespace) -> None:
    if options.speed is not None and options.form != STREAM:
        raise UsageError("--speed is for a live stream: add --as stream")
    if options.stretch is not None and options.form != PARQUET:
        raise UsageError("--stretch is for Parquet files: add --as parquet")
    if options.json and options.to == STANDARD_OUTPUT:
        raise UsageError("--json says what was written to a file or folder: add --to PATH")
    if options.form == PARQUET and options.to == STANDARD_OUTPUT:
        raise UsageError("--as parquet needs a folder: add --to FOLDER")


def _facts(kind: Kind, stream: Generated, options: argparse.Namespace) -> int:
    if options.to == STANDARD_OUTPUT:
        for part in stream.slices():
            write_lines(part, sys.stdout)
        return 0
    path = Path(options.to)
    if path.is_dir():
        raise UsageError(f"{path} is a folder; facts go into a file")
    rules = path.with_suffix(".rules")
    if path == rules:
        raise UsageError(f"{path} is what the rules would be called: name the facts otherwise, or add --as rules")
    _refuse_full(path)
    _write_rules(kind, stream, rules)
    count = write_facts(stream, path)
    how = ("--hypotheses", "--stream") if kind.is_late else ("--query", kind.query)
    words = ("run", rules, path, "--in-process", *how)
    if options.json:
        return _tell_json(kind, count, path, rules, words)
    print(f"{path}: {count:,} facts\n{rules}: a program for them")
    _show("try", *words)
    return 0


def _parquet(kind: Kind, stream: Generated, options: argparse.Namespace) -> int:
    folder, rules = _folder(kind, stream, options)
    count = write_parquet(stream, folder, options.stretch or STRETCH, kind.tied)
    words = ("run", rules, "--tables", folder / TABLES, *_query(kind))
    if options.json:
        return _tell_json(kind, count, folder, rules, words)
    print(f"{folder}: {count:,} facts as Parquet, a folder a predicate\n{rules}: a program for them")
    _show("try", *words)
    return 0


def _stream(kind: Kind, stream: Generated, options: argparse.Namespace) -> int:
    speed: Fraction = options.speed or Fraction(1)
    if options.to == STANDARD_OUTPUT:
        play(stream, as_lines(sys.stdout), speed, time.monotonic, time.sleep)
        return 0
    folder, rules = _folder(kind, stream, options)
    words = ("run", rules, "--tables", folder / TABLES, "--stream", *_query(kind))
    if options.json:
        return _tell_json(
            kind, play(stream, as_parquet(folder, kind.tied), speed, time.monotonic, time.sleep), folder, rules, words
        )
    print(f"{folder}: Parquet files as they come, {float(speed):g} time units a second\n{rules}: a program for them")
    _show("follow it in another terminal", *words)
    sys.stdout.flush()
    count = play(stream, as_parquet(folder, kind.tied), speed, time.monotonic, time.sleep)
    print(f"all {count:,} facts are there")
    return 0


def _rules(kind: Kind, stream: Generated, options: argparse.Namespace) -> int:
    if options.to == STANDARD_OUTPUT:
        print(kind.program(stream), end="")
        return 0
    _write_rules(kind, stream, Path(options.to))
    if options.json:
        return _tell_json(kind, None, None, Path(options.to), ())
    print(f"{options.to}: a program for {kind.name}")
    return 0


_FORMS: dict[str, Callable[[Kind, Generated, argparse.Namespace], int]] = {
    FACTS: _facts,
    PARQUET: _parquet,
    STREAM: _stream,
    RULES: _rules,
}


def _folder(kind: Kind, stream: Generated, options: argparse.Namespace) -> tuple[Path, Path]:
    """A new folder, or one with nothing in it, and the program that is put there."""
    folder = Path(options.to)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; Parquet goes into a folder")
    _refuse_full(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rules = folder / f"{kind.name}.rules"
    _write_rules(kind, stream, rules)
    return folder, rules


def _write_rules(kind: Kind, stream: Generated, path: Path) -> None:
    program = kind.program(stream)
    if not path.is_file() or path.read_text(encoding="utf-8") != program:
        _refuse_full(path)
        path.write_text(program, encoding="utf-8")


def _refuse_full(path: Path) -> None:
    """Nothing is written over."""
    if path.is_dir():
        if any(path.iterdir()):
            raise UsageError(f"{path} is a folder with something in it: name a new one, or empty it first")
    elif path.exists() and path.stat().st_size:
        raise UsageError(f"{path} is there already: remove it first, or name another with --to")


def _query(kind: Kind) -> tuple[str, ...]:
    return ("--hypotheses",) if kind.is_late else ("--query", kind.query)


def _tell_json(kind: Kind, count: int | None, path: Path | None, rules: Path, words: Sequence[object]) -> int:
    """What was written, and a command to try on it."""
    written = {"kind": kind.name, "facts": count, "path": None if path is None else str(path), "rules": str(rules)}
    print(json.dumps({**written, "try": ["thalweg", *map(str, words)] if words else None}, ensure_ascii=False))
    return 0


def _show(what: str, *words: object) -> None:
    print(f"{what}: {shlex.join(['thalweg', *map(str, words)])}")


def _reader(parameter: Parameter) -> Callable[[str], Any]:
    return share if isinstance(parameter.default, float) else _at_least(parameter.least)


def _at_least(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number, {least} or more")
        return int(text)

    return read
