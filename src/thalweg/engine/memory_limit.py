"""The memory that reasoning may take: as a user writes it, by default, and what is said when it is not enough."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from thalweg.columnar.budget import Budget, MemoryLimitError, is_limited, resident, spending
from thalweg.engine.machine_memory import free_memory, machine_memory
from thalweg.errors import Diagnostic, ReasoningError, UsageError
from thalweg.model.program import Rule

Memory = int | float
"""Bytes, or a share of what the machine has; ``math.inf`` for no limit."""

Size = str | int | None
"""A limit as a user gives it: ``"2g"``, ``"500m"``, ``"50%"``, ``"none"``, or bytes; None for the default."""

DEFAULT_MEMORY: Memory = 0.75
"""Three quarters of what the machine has."""

SMALLEST = 1 << 20
"""No limit is below this, in bytes."""

FACTS = "the facts"

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_OF_WHAT_IS_FREE = 0.9


def parse_memory(written: Size) -> Memory:
    """The limit that a user gives; raises :class:`UsageError` where it is none."""
    if written is None:
        return DEFAULT_MEMORY
    text = str(written).strip().lower()
    if text == "none":
        return math.inf
    found, share = _SIZE.fullmatch(text), _SHARE.fullmatch(text)
    if share and 0 < float(share[1]) <= 100:
        return float(share[1]) / 100
    size = int(float(found[1]) * _UNITS[found[2].lower()]) if found else 0
    if size < SMALLEST:
        raise UsageError(f"max_memory={written!r}: write a size such as 500m or 2g, a share such as 50%, or none")
    return size


def shared_by(memory: Memory, processes: int) -> Memory:
    """The limit of each of several processes on a machine: a size counts for each, a share is for all together."""
    is_share = isinstance(memory, float) and math.isfinite(memory)
    return memory / max(processes, 1) if is_share else memory


@contextmanager
def limited(memory: Memory, base: int | None = None) -> Iterator[None]:
    """Let a limit count for what is done inside, unless one counts already.

    What the process has when it begins does not count; with a ``base``, all beyond so many bytes does. Memory that runs
    out where no rule is at work is told of as such.
    """
    try:
        if is_limited() or memory == math.inf:
            yield
            return
        with spending(Budget(_bytes(memory), resident() if base is None else base)):
            yield
    except MemoryError as error:
        raise ReasoningError([not_enough(f"{FACTS} and the answers", error)]) from error


def search_needs_too_much(rules: Sequence[Rule], error: MemoryError) -> ReasoningError:
    """The search for answers asks for more memory than there is."""
    numbers = ", ".join(str(rule.number) for rule in rules)
    message = f"the search for answers that satisfy rule{'s' * (len(rules) > 1)} {numbers} needs {_reason(error)}"
    hint = "ask for fewer answers (--limit, --query), for a shorter time (--from, --to), or raise --max-memory"
    return ReasoningError([Diagnostic("E509", rules[0].origin, message, hint)])


@contextmanager
def room_for(what: str) -> Iterator[None]:
    """Say for what there is no memory, where no rule is at work."""
    try:
        yield
    except MemoryError as error:
        raise ReasoningError([not_enough(what, error)]) from error


def not_enough(what: str, error: MemoryError) -> Diagnostic:
    """There is no memory for something that no rule asks for."""
    hint = "give fewer facts at once, ask for fewer answers (--query, --from, --to), or raise --max-memory"
    return Diagnostic("E508", None, f"no room for {what}: this needs {_reason(error)}", hint)


def rule_needs_too_much(rule: Rule, error: MemoryError) -> ReasoningError:
    """A rule asks for more memory than there is."""
    hint = "bound the rule with another atom or the run with --from and --to, or raise --max-memory"
    if isinstance(error, MemoryLimitError) and error.apart is not None:
        one, other = (", ".join(sorted(names)) for names in error.apart)
        hint = f"no variable links {one} with {other}: all combinations are tried; {hint}"
    return ReasoningError([Diagnostic("E507", rule.origin, f"rule {rule.number} needs {_reason(error)}", hint)])


def shown(size: float) -> str:
    """A number of bytes as a person reads it."""
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.0f} {unit}" if size >= 10 or unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError("the loop returns")


def _reason(error: MemoryError) -> str:
    if not isinstance(error, MemoryLimitError):
        return "more memory than there is"
    if error.needed > error.limit:
        return f"{shown(error.needed)} of memory at once; the limit is {shown(error.limit)}"
    if error.left > 0:
        return f"{shown(error.needed)} of memory at once, more than is left of the limit of {shown(error.limit)}"
    return f"more memory; the limit of {shown(error.limit)} is used up"


def _bytes(memory: Memory) -> int:
    """A limit in bytes; a share is one of the machine's memory, and no more than what is free of it."""
    return memory if isinstance(memory, int) else int(min(memory * machine_memory(), _OF_WHAT_IS_FREE * free_memory()))
