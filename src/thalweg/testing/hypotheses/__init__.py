"""Hypothetical answers straight from the definitions of their paper, for comparison with what is faster.

- :mod:`~thalweg.testing.hypotheses.declarative`: hypothetical and supported answers (Definition 2) by trying subsets;
  possible and certain answers, for programs with negation, too.
- :mod:`~thalweg.testing.hypotheses.operational`: the paper's own algorithm (Definitions 3 to 6) for Temporal Datalog.
- :mod:`~thalweg.testing.hypotheses.delays`, :mod:`~thalweg.testing.hypotheses.arrivals`: δ, streams that keep to it.
- :mod:`~thalweg.testing.hypotheses.ground`: entailment over finitely many constants and time points.
"""

from thalweg.testing.hypotheses.arrivals import (
    Arrival,
    all_arrivals,
    arrival_times,
    histories,
    in_time,
    on_time,
    slices,
)
from thalweg.testing.hypotheses.atoms import GroundAtom, input_atoms, input_predicates
from thalweg.testing.hypotheses.declarative import (
    Answer,
    Hypothetical,
    Query,
    Supported,
    TooManyHypotheses,
    answers,
    certain_answers,
    has_negation,
    hypothetical_answers,
    possible_answers,
    supported_answers,
)
from thalweg.testing.hypotheses.delays import delay, delay_of_pattern, delay_of_predicate, future_possible
from thalweg.testing.hypotheses.ground import Ground, stretch
from thalweg.testing.hypotheses.operational import (
    Row,
    computed_answers,
    is_potentially_future,
    local_mgus,
    next_rows,
    query_atom,
    schematic_answers,
    stratified_answers,
    unfold,
)
from thalweg.testing.hypotheses.row_instances import all_instances, instances, minimal, without_evidence
from thalweg.testing.hypotheses.temporal_datalog import NotTemporalDatalog
from thalweg.testing.hypotheses.terms import Known, Pattern, Sum

__all__ = [
    "Answer",
    "Arrival",
    "Ground",
    "GroundAtom",
    "Hypothetical",
    "Known",
    "NotTemporalDatalog",
    "Pattern",
    "Query",
    "Row",
    "Sum",
    "Supported",
    "TooManyHypotheses",
    "all_arrivals",
    "all_instances",
    "answers",
    "arrival_times",
    "certain_answers",
    "computed_answers",
    "delay",
    "delay_of_pattern",
    "delay_of_predicate",
    "future_possible",
    "has_negation",
    "histories",
    "hypothetical_answers",
    "in_time",
    "input_atoms",
    "input_predicates",
    "instances",
    "is_potentially_future",
    "local_mgus",
    "minimal",
    "next_rows",
    "on_time",
    "possible_answers",
    "query_atom",
    "schematic_answers",
    "slices",
    "stratified_answers",
    "stretch",
    "supported_answers",
    "unfold",
    "without_evidence",
]
