"""Memory of the processes in which shards run: kept from one batch to the next."""

from __future__ import annotations

import ctypes
from functools import cache

from thalweg.columnar.budget import resident

# Numbers of malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3

_KEPT = 1 << 29
_LARGEST, _LARGEST_OF_OLD_LIBRARIES = 1 << 29, 1 << 25


@cache
def keep_memory() -> None:
    """Keep freed memory, up to half a GB, for the columns of the next batch.

    The C library gives every large array back to the system at once. Getting it again, page by page, took half of the
    processor time of a shard. Does nothing where the library is not glibc.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    # Either call stops the library from adapting both limits: without the second, the first makes things worse.
    if mallopt(_M_MMAP_THRESHOLD, _LARGEST) or mallopt(_M_MMAP_THRESHOLD, _LARGEST_OF_OLD_LIBRARIES):
        mallopt(_M_TRIM_THRESHOLD, _KEPT)


@cache
def memory_at_first() -> int:
    """The bytes that this process had when it was first asked for: a limit counts from there, whatever runs in it."""
    return resident()
