"""reelay, a library of monitors in C++: one monitor a signal, one event a call."""

from __future__ import annotations

from typing import Any

import numpy as np
import reelay

from thalweg.bench.peers.past_formulas import PastFormula, Time
from thalweg.bench.peers.signals import Signals
from thalweg.bench.peers.verdicts import Verdicts, from_changes
from thalweg.bench.repeat import Timing, once

NAME = "reelay"


def how(time: Time) -> str:
    """In what pieces it takes a signal."""
    return "event by event"


def monitor(formula: PastFormula, time: Time, signals: Signals) -> tuple[Timing, Verdicts]:
    """What all signals take, and where the formula holds; monitors and events are made beforehand."""
    monitors = [_monitor(formula, time) for _ in range(signals.count)]
    events = [_events(signals, time, number) for number in range(signals.count)]

    def execute() -> list[list[Any]]:
        return [[*map(each.update, of_signal)] for each, of_signal in zip(monitors, events, strict=True)]

    timing, said = once(execute)
    return timing, np.stack([_verdicts(outputs, time, signals.end) for outputs in said])


def _monitor(formula: PastFormula, time: Time) -> Any:
    make = reelay.dense_timed_monitor if time is Time.DENSE else reelay.discrete_timed_monitor
    return make(pattern=formula.reelay)


def _events(signals: Signals, time: Time, number: int) -> list[dict[str, Any]]:
    """The state at each tick; or each change, and at the end nothing new, so that all before it is known."""
    states = {name: is_on[number].tolist() for name, is_on in signals.inputs.items()}
    if time is Time.DISCRETE:
        return [{name: held[tick] for name, held in states.items()} for tick in range(signals.end)]
    *times, end = signals.changes(number)
    ended = {"time": end, **dict.fromkeys(states, False)}
    # reelay takes the state of an event to hold from its time on
    return [*({"time": at, **{name: held[at] for name, held in states.items()}} for at in times), ended]


def _verdicts(outputs: list[Any], time: Time, end: int) -> Verdicts:
    """It says when its verdict changes, in a list of changes when time is dense."""
    changes = [
        change for output in outputs for change in (output if time is Time.DENSE else [output] if output else [])
    ]
    return from_changes(((change["time"], change["value"]) for change in changes), time, end)
