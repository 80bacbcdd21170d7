"""rtamt, a library of monitors in Python: one monitor a signal.

Over discrete time it takes one event a call. Over dense time a monitor that is fed event by event fails or contradicts
the one that sees the whole signal, which is taken here. Its *since* over dense time holds on when q comes while p is
off; signals whose q is on only while p is do not show it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from thalweg.bench.peers.past_formulas import PastFormula, Time
from thalweg.bench.peers.signals import Signals
from thalweg.bench.peers.verdicts import Verdicts, from_changes
from thalweg.bench.repeat import Timing, once

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it has invalid escape sequences
    import rtamt

NAME = "rtamt"


def how(time: Time) -> str:
    """In what pieces it takes a signal."""
    return "a whole signal at once" if time is Time.DENSE else "event by event"


def monitor(formula: PastFormula, time: Time, signals: Signals) -> tuple[Timing, Verdicts]:
    """What all signals take, and where the formula holds; monitors and events are made beforehand."""
    return _dense(formula, signals) if time is Time.DENSE else _discrete(formula, signals)


def _discrete(formula: PastFormula, signals: Signals) -> tuple[Timing, Verdicts]:
    monitors = [_parsed(rtamt.StlDiscreteTimeOnlineSpecification(), formula) for _ in range(signals.count)]
    events = [_ticks(signals, number) for number in range(signals.count)]

    def execute() -> list[list[float]]:
        pairs = zip(monitors, events, strict=True)
        return [[each.update(tick, state) for tick, state in of_signal] for each, of_signal in pairs]

    timing, robustness = once(execute)
    return timing, np.array(robustness) > 0


def _dense(formula: PastFormula, signals: Signals) -> tuple[Timing, Verdicts]:
    monitors = [_parsed(rtamt.StlDenseTimeOfflineSpecification(), formula) for _ in range(signals.count)]
    samples = [_changes(signals, number) for number in range(signals.count)]

    def execute() -> list[list[Any]]:
        return [each.evaluate(*of_signal) for each, of_signal in zip(monitors, samples, strict=True)]

    timing, said = once(execute)
    held = [from_changes(((at, value > 0) for at, value in changes), Time.DENSE, signals.end) for changes in said]
    return timing, np.stack(held)


def _parsed(specification: Any, formula: PastFormula) -> Any:
    for name in formula.chances:
        specification.declare_var(name, "float")
    specification.spec = formula.rtamt
    specification.parse()
    return specification


def _ticks(signals: Signals, number: int) -> list[tuple[int, list[tuple[str, float]]]]:
    states = {name: is_on[number].astype(float).tolist() for name, is_on in signals.inputs.items()}
    return [(tick, [(name, held[tick]) for name, held in states.items()]) for tick in range(signals.end)]


def _changes(signals: Signals, number: int) -> list[list[Any]]:
    *times, end = signals.changes(number)
    states = {name: is_on[number].astype(float).tolist() for name, is_on in signals.inputs.items()}
    return [[name, [*([float(at), held[at]] for at in times), [float(end), 0.0]]] for name, held in states.items()]
