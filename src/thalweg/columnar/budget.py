"""How much memory may still be taken.

A kernel knows how many rows it is about to make before it makes them. It says so with :func:`reserve`, and
:class:`MemoryLimitError` is raised in place of an allocation that would lead beyond the limit. What the process holds
is asked of the operating system, so that everything counts that is there: relations, values, nulls, decoded texts, what
other libraries keep. To ask costs some microseconds, so it is done once for every MB that is reserved, never for a row.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache

_WORD = 8
_GRAIN = 1 << 20
"""So many bytes may be asked for between two looks at what the process holds."""


class MemoryLimitError(MemoryError):
    """So many bytes more would lead beyond a limit, of which so many are left.

    ``apart`` are the names of two groups of columns that were to be combined, where they have nothing in common.
    """

    def __init__(self, needed: int, limit: int, left: int) -> None:
        super().__init__(f"{needed} bytes more would be beyond the limit of {limit}")
        self.needed, self.limit, self.left = needed, limit, left
        self.apart: tuple[tuple[str, ...], tuple[str, ...]] | None = None


@dataclass
class Budget:
    """So many bytes may be taken beyond those that the process had before."""

    limit: int
    base: int
    asked: int = 0

    def look(self, needed: int) -> None:
        """Raise :class:`MemoryLimitError` unless there is room for so many bytes more."""
        self.asked = 0
        if needed <= self.left:
            return
        # What was freed is often kept by the C library, and is there to be used again.
        _give_back()
        left = self.left
        if needed > left:
            raise MemoryLimitError(needed, self.limit, left)

    @property
    def left(self) -> int:
        """How many bytes may still be taken."""
        return self.limit - max(resident() - self.base, 0)


_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


def reserve(rows: int, columns: int) -> None:
    """Say that so many rows of so many columns (of 64 bits each) are about to be allocated."""
    budget = _BUDGET.get()
    if budget is not None:
        needed = _WORD * rows * columns
        budget.asked += needed
        if budget.asked > _GRAIN:
            budget.look(needed)


def look() -> None:
    """Raise :class:`MemoryLimitError` when the process already holds more than it may."""
    budget = _BUDGET.get()
    if budget is not None:
        budget.look(0)


def is_limited() -> bool:
    """Whether a limit counts here already."""
    return _BUDGET.get() is not None


@contextmanager
def spending(budget: Budget) -> Iterator[None]:
    """Let a budget count for what is done inside, in this thread."""
    token = _BUDGET.set(budget)
    try:
        yield
    finally:
        _BUDGET.reset(token)


def resident() -> int:
    """The bytes of memory that the process has; 0 where the system does not tell."""
    try:
        return int(os.pread(_statm(os.getpid()), 64, 0).split()[1]) * _page()
    except OSError:
        return 0


@cache
def _statm(pid: int) -> int:
    """The open file of a process's memory, by number: a process that was forked must not look at its parent's."""
    return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)


@cache
def _page() -> int:
    return os.sysconf("SC_PAGE_SIZE")


def _give_back() -> None:
    trim = _trimmer()
    if trim is not None:
        trim(0)


@cache
def _trimmer() -> ctypes._NamedFuncPointer | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # the C library is not that of GNU
        return None
