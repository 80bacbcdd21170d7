"""Generated programs and facts, as hypothesis strategies.

``rational_cases()`` and ``integer_cases()`` give :class:`Case` objects; :class:`Knobs` says what they may
contain. Rules are safe and stratified. Recursion goes only to the past, or only to the future, or is guarded
by a bounded input atom, and no unbounded operator looks to where a recursion never settles; so what holds
inside [start, end] can be found out exactly on a finite stretch of time.

``lars_cases()`` gives programs with windows on a finite timeline; :class:`LarsKnobs` says what they may contain.
``small_lars_cases()`` gives small ones, stratified or not, for comparisons of all their answers.

``lars_plus_cases()`` gives programs of LARS+, with existential rules whose chase ends: predicates come in layers, and
recursion makes no nulls, or only at ever later times, or from values of the input. :class:`LarsPlusKnobs` says what
they may contain, beyond LARS+ as well: ``LarsPlusKnobs(per=True, beyond=LarsKnobs())``. ``per_cases()`` gives programs
without windows, on both timelines, whose nulls do not depend on time.

``hypotheses_cases()`` gives programs of Temporal Datalog without recursion, with delays, a query, and facts that arrive
within them; :class:`HypothesesKnobs` says what they may contain.
"""

from thalweg.testing.strategies.cases import Case, integer_cases, rational_cases
from thalweg.testing.strategies.hypotheses import HypothesesCase, hypotheses_cases
from thalweg.testing.strategies.hypotheses_knobs import HypothesesKnobs
from thalweg.testing.strategies.knobs import Knobs
from thalweg.testing.strategies.lars import lars_cases
from thalweg.testing.strategies.lars_knobs import LarsKnobs
from thalweg.testing.strategies.lars_plus import lars_plus_cases
from thalweg.testing.strategies.lars_plus_knobs import LarsPlusKnobs
from thalweg.testing.strategies.per import per_cases
from thalweg.testing.strategies.small import SmallCase, small_lars_cases

__all__ = [
    "Case",
    "HypothesesCase",
    "HypothesesKnobs",
    "Knobs",
    "LarsKnobs",
    "LarsPlusKnobs",
    "SmallCase",
    "hypotheses_cases",
    "integer_cases",
    "lars_cases",
    "lars_plus_cases",
    "per_cases",
    "rational_cases",
    "small_lars_cases",
]
