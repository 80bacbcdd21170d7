"""Queries under windows, in LARS and in CQL, with their answers found by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

import thalweg.api
from thalweg.bench.windows.sightings import GROUPS, Ids, Sightings
from thalweg.model.program import Program

Answers = set[tuple[int, ...]]
Windows = Mapping[str, Ids]
"""What is in the window of each stream: a row for each time point."""

QUERY = "answer"
STREAMS = ("s", "r")
RULES = "timeline integer. input s(id, x). input r(id, x). "
TABLES = "CREATE STREAM s (id INT, x INT); CREATE STREAM r (id INT, x INT); "
FEW = 5


@dataclass(frozen=True)
class WindowQuery:
    """A query with a window of n time points.

    ``by_hand`` finds its answers from what is in the windows now and was one time point ago. Where a query is
    ``kept_up``, a time point costs no more in a longer window; otherwise it is worked out anew from the whole window.
    """

    title: str
    text: str
    by_hand: Callable[[Windows, Windows], Answers]
    kept_up: bool = True
    fresh: float = 0

    @property
    def language(self) -> str:
        return "CQL" if self.text.startswith("CREATE") else "LARS"

    def program(self, length: int) -> Program:
        """The rules, for windows of a length."""
        suffix = thalweg.api.CQL_SUFFIX if self.language == "CQL" else ""
        return thalweg.parse(self.text.replace("$n", str(length)), name=f"query{suffix}")

    def expected(self, streams: Mapping[str, Sightings], time: int, length: int) -> Answers:
        """The answers at a time point, by hand."""
        now = {name: stream.window(time, length) for name, stream in streams.items()}
        before = {name: stream.window(time - 1, length) for name, stream in streams.items()}
        return self.by_hand(now, before)


def _pairs(ids: Ids) -> Answers:
    return set(zip(ids.tolist(), (ids % GROUPS).tolist(), strict=True))


def _some(now: Windows, before: Windows) -> Answers:
    return _pairs(np.unique(now["s"]))


def _all(now: Windows, before: Windows) -> Answers:
    ids, times = np.unique(now["s"], return_counts=True)
    return _pairs(ids[times == len(now["s"])])


def _join(now: Windows, before: Windows) -> Answers:
    return _pairs(np.intersect1d(now["s"], now["r"]))


def _few(now: Windows, before: Windows) -> Answers:
    ids = np.unique(now["s"])
    return _pairs(ids[ids % GROUPS < FEW])


def _distinct(now: Windows, before: Windows) -> Answers:
    return {(x,) for x in np.unique(now["s"] % GROUPS).tolist()}


def _new(now: Windows, before: Windows) -> Answers:
    return {(each,) for each in np.setdiff1d(now["s"], before["s"]).tolist()}


def _count(now: Windows, before: Windows) -> Answers:
    groups, counts = np.unique(now["s"] % GROUPS, return_counts=True)
    return set(zip(groups.tolist(), counts.tolist(), strict=True))


def _greatest(now: Windows, before: Windows) -> Answers:
    greatest: dict[int, int] = {}
    for each in np.unique(now["s"]).tolist():  # in order: the last of a group stays
        greatest[each % GROUPS] = each
    return set(greatest.items())


QUERIES = (
    WindowQuery("some", RULES + "answer(I, X) :- window[last $n] some s(I, X).", _some),
    WindowQuery("all", RULES + "answer(I, X) :- window[last $n] all s(I, X).", _all),
    WindowQuery(
        "join of two windows",
        RULES + "answer(I, X) :- window[last $n] some s(I, X), window[last $n] some r(I, X).",
        _join,
    ),
    WindowQuery("SELECT … WHERE", TABLES + f"SELECT id, x FROM s [RANGE $n] WHERE x < {FEW};", _few),
    WindowQuery(
        "join of two windows",
        TABLES + "SELECT a.id, b.x FROM s [RANGE $n] AS a, r [RANGE $n] AS b WHERE a.id = b.id;",
        _join,
    ),
    WindowQuery("SELECT DISTINCT", TABLES + "SELECT DISTINCT x FROM s [RANGE $n];", _distinct),
    WindowQuery("ISTREAM", TABLES + "ISTREAM(SELECT id FROM s [RANGE $n]);", _new, fresh=0.02),
    WindowQuery(
        "COUNT, GROUP BY", TABLES + "SELECT x, COUNT(*) AS n FROM s [RANGE $n] GROUP BY x;", _count, kept_up=False
    ),
    WindowQuery(
        "MAX, GROUP BY", TABLES + "SELECT x, MAX(id) AS m FROM s [RANGE $n] GROUP BY x;", _greatest, kept_up=False
    ),
)
