"""The two timelines a program can live on."""

from __future__ import annotations

import enum


class Timeline(enum.Enum):
    """``RATIONAL`` is dense (DatalogMTL); ``INTEGER`` is discrete (LARS, LARS+, Temporal Datalog)."""

    RATIONAL = "rational"
    INTEGER = "integer"
