"""Bugs planted in the source, and fixed sets of generated cases to find them with."""

import inspect
import textwrap
from contextlib import contextmanager

from hypothesis import given, settings


def some(strategy, count):
    """The same so many cases every time."""
    cases = []

    @settings(max_examples=count, database=None)
    @given(strategy)
    def collect(case):
        cases.append(case)

    collect()
    return cases


@contextmanager
def planted(function, right, wrong):
    """The function with a piece of its source changed."""
    source = textwrap.dedent(inspect.getsource(function))
    assert right in source, f"{function.__qualname__} no longer contains {right!r}: plant the bug anew"
    scope = dict(function.__globals__)
    exec("from __future__ import annotations\n" + source.replace(right, wrong, 1), scope)
    real = function.__code__
    changed = scope[function.__name__].__code__
    function.__code__ = changed
    try:
        yield
    finally:
        function.__code__ = real


def differs(answered, answer):
    """Whether an answer to some case is not the expected one; a crash is a difference, too."""
    for case, expected in answered:
        try:
            if answer(case) != expected:
                return True
        except Exception:
            return True
    return False
