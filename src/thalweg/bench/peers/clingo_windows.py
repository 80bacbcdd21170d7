"""clingo on the window of a stream: grounded and solved anew at a time point.

Facts are handed over as symbols, through functions that the rules call: no text is parsed but that of the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import clingo

VERSION = str(clingo.__version__)

Facts = Sequence[clingo.Symbol]
Model = frozenset[tuple[int, ...]]
"""The arguments of what is shown."""


class Given:
    """What the functions of the rules return: ``@at()`` the facts given as ``at``."""

    def __init__(self, facts: Mapping[str, Facts]) -> None:
        for name, found in facts.items():
            setattr(self, name, lambda found=found: found)


def symbol(*numbers: int) -> clingo.Symbol:
    """A tuple of numbers."""
    return clingo.Tuple_([clingo.Number(number) for number in numbers])


def models(rules: str, facts: Mapping[str, Facts], **constants: int) -> list[list[clingo.Symbol]]:
    """What is shown of every answer."""
    control = clingo.Control(["0", "--project=show", *(f"-c {name}={value}" for name, value in constants.items())])
    control.add("base", [], rules)
    control.ground([("base", [])], context=Given(facts))
    found: list[list[clingo.Symbol]] = []
    control.solve(on_model=lambda model: found.append(list(model.symbols(shown=True))))
    return found


def numbers(shown: Sequence[clingo.Symbol]) -> Model:
    """Atoms as tuples of their arguments."""
    return frozenset(tuple(argument.number for argument in atom.arguments) for atom in shown)
