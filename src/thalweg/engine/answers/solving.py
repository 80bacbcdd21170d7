"""Letting clingo search without going deaf: whoever waits here still hears Ctrl-C, and sees memory run out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from thalweg.columnar.budget import look, reserve

if TYPE_CHECKING:
    import clingo

_SECONDS = 0.1
_FOR_A_MODEL = 1000
"""The words of memory that a model takes, at least, where it is kept."""


def models(control: clingo.Control) -> Iterator[clingo.Model]:
    """The models one after the other; each is gone when the next is asked for."""
    with control.solve(yield_=True, async_=True) as handle:
        while True:
            handle.resume()
            _wait(handle)
            model = handle.model()
            if model is None:
                return
            reserve(_FOR_A_MODEL, 1)
            yield model


def last_model(control: clingo.Control) -> Iterator[clingo.Model]:
    """The last of all models, if there is one."""
    with control.solve(yield_=False, async_=True) as handle:
        _wait(handle)
        model = handle.last()
        if model is not None:
            yield model


def _wait(handle: clingo.SolveHandle) -> None:
    while not handle.wait(_SECONDS):
        look()
