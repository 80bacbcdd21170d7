"""The order of the files in a call: the program first, and then facts."""

from __future__ import annotations

import argparse
from pathlib import Path, PurePath

from thalweg.errors import UsageError

_FACTS = (".facts", ".csv", ".parquet")
_RULES = (".rules", ".cql")


def check_order(options: argparse.Namespace) -> None:
    """Refuse facts in the place of the program when the program stands among the facts, told by their names."""
    named = [str(each) for each in _named(options)]
    if not named or PurePath(named[0]).suffix not in _FACTS:
        return
    program = next((each for each in named[1:] if PurePath(each).suffix in _RULES), None)
    if program is not None:
        raise UsageError(f"{named[0]} holds facts, and {program} rules: name the program first")


def is_file(text: str) -> bool:
    """Whether a word is the name of a file, and so perhaps not the fact or query that it should be."""
    try:
        return Path(text).is_file()
    except OSError:  # too long to be a path, for one
        return False


def _named(options: argparse.Namespace) -> list[object]:
    """The files of a call, as they were named."""
    if hasattr(options, "paths"):
        return list(options.paths)
    program, facts = getattr(options, "program", None), getattr(options, "facts", None)
    return [program, *facts] if program is not None and isinstance(facts, list) else []
