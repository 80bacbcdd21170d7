"""Generated programs and facts, as hypothesis strategies.

``rational_cases()`` and ``integer_cases()`` give :class:`Case` objects; :class:`Knobs` says what they may
contain. Rules are safe and stratified. Recursion goes only to the past, or only to the future, or is guarded
by a bounded input atom, and no unbounded operator looks to where a recursion never settles; so what holds
inside [start, end] can be found out exactly on a finite stretch of time.
"""

from thalweg.testing.strategies.cases import Case, integer_cases, rational_cases
from thalweg.testing.strategies.knobs import Knobs

__all__ = ["Case", "Knobs", "integer_cases", "rational_cases"]
