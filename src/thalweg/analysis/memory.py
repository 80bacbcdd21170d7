"""Bounds on the number of facts in window and history (journal paper, Theorems 12 and 15)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from thalweg.model.formula import intervals
from thalweg.model.program import Program
from thalweg.time.interval import Endpoint

_MOST_DIGITS = 1000


@dataclass(frozen=True)
class Size:
    """What the theorems count in a program in normal form: P, A, R and K.

    ``least_endpoint`` is K, the least non-zero endpoint of an interval, None if there is none.
    """

    predicates: int
    arity: int
    rules: int
    least_endpoint: Fraction | None


@dataclass(frozen=True)
class Theorem15:
    """The two readings of Theorem 15.

    The statement raises R to the power (tΠ + step) / K, its proof multiplies R by it. ``as_printed`` is None
    when it has thousands of digits.
    """

    as_proved: int
    as_printed: int | None

    @property
    def larger(self) -> int | None:
        """The larger of the two; None when that has thousands of digits."""
        return None if self.as_printed is None else max(self.as_proved, self.as_printed)


def program_size(normal: Program) -> Size:
    """P, A, R and K of a program in normal form."""
    endpoints = (
        end
        for rule in normal.rules
        for literal in rule.body
        for interval in intervals(literal)
        for end in (interval.start, interval.end)
    )
    return Size(
        predicates=len(normal.signatures),
        arity=max((signature.arity for signature in normal.signatures.values()), default=0),
        rules=len(normal.rules),
        least_endpoint=min((end for end in endpoints if isinstance(end, Fraction) and end > 0), default=None),
    )


def bound_for_algorithm_1(window: Fraction, step: Fraction, divisor: Fraction, size: Size, domain_size: int) -> int:
    """Theorem 12: (4 · ((tΠ + step) / gcd + 1)² + 1) · P · |O|^A.

    ``divisor`` is the gcd of the stream's times, the program's endpoints and the step.
    """
    endpoints = (window + step) / divisor + 1
    return math.ceil((4 * endpoints**2 + 1) * _ground_atoms(size, domain_size))


def bound_for_algorithm_6(
    window: Fraction, step: Fraction, granularity: Endpoint, size: Size, domain_size: int
) -> Theorem15:
    """Theorem 15: 9 · (2 (tΠ / gran + 2) · R^((tΠ + step) / K))² · P · |O|^A, and with R times that power.

    Where no endpoint gives K, no operator moves an endpoint and the factor is 1. Fractional powers round up.
    """
    kept = 2 * (Fraction(0) if granularity == math.inf else window / Fraction(granularity)) + 4
    moves = Fraction(1) if size.least_endpoint is None else (window + step) / size.least_endpoint
    proved = max(Fraction(1), size.rules * moves)
    power = 0 if size.least_endpoint is None else math.ceil(moves)
    rules = max(size.rules, 1)
    printed = None if power * math.log10(rules) > _MOST_DIGITS else Fraction(rules) ** power

    def bound(factor: Fraction) -> int:
        return math.ceil(9 * (kept * factor) ** 2 * _ground_atoms(size, domain_size))

    return Theorem15(bound(proved), None if printed is None else bound(printed))


def _ground_atoms(size: Size, domain_size: int) -> int:
    return int(size.predicates * domain_size**size.arity)
