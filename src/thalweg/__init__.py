"""Thalweg: reason with rules about time over data that never stops arriving."""

from importlib import import_module
from typing import TYPE_CHECKING

from thalweg.errors import (
    BadFactsError,
    DataError,
    Diagnostic,
    DiagnosticError,
    InconsistencyError,
    ProgramError,
    ReasoningError,
    SparkError,
    StateError,
    ThalwegError,
    UsageError,
)

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AnswerStream",
    "Answers",
    "BadFactsError",
    "DataError",
    "Diagnostic",
    "DiagnosticError",
    "Explainer",
    "HypothesisStream",
    "HypotheticalAnswers",
    "InconsistencyError",
    "Materialisation",
    "Program",
    "ProgramError",
    "Proof",
    "QueryAnswers",
    "QueryStream",
    "ReasoningError",
    "SparkError",
    "StateError",
    "StreamReasoner",
    "ThalwegError",
    "UsageError",
    "WhyNot",
    "answers",
    "load",
    "materialise",
    "parse",
    "query",
    "why",
    "why_not",
]

if TYPE_CHECKING:
    from thalweg import spark as spark
    from thalweg.api import answers, load, materialise, parse, query, why, why_not
    from thalweg.engine.answers.answer import Answer, Answers
    from thalweg.engine.answers.stream import AnswerStream
    from thalweg.engine.hypotheses.stream import HypothesisStream, HypotheticalAnswers
    from thalweg.engine.materialisation import Materialisation
    from thalweg.engine.query import QueryAnswers, QueryStream
    from thalweg.explain.explainer import Explainer
    from thalweg.explain.proof import Proof
    from thalweg.explain.stream import StreamReasoner
    from thalweg.explain.why_not import WhyNot
    from thalweg.model.program import Program
else:
    _HOMES = {
        "Answer": "thalweg.engine.answers.answer",
        "AnswerStream": "thalweg.engine.answers.stream",
        "Answers": "thalweg.engine.answers.answer",
        "Explainer": "thalweg.explain.explainer",
        "HypothesisStream": "thalweg.engine.hypotheses.stream",
        "HypotheticalAnswers": "thalweg.engine.hypotheses.stream",
        "Materialisation": "thalweg.engine.materialisation",
        "Program": "thalweg.model.program",
        "Proof": "thalweg.explain.proof",
        "QueryAnswers": "thalweg.engine.query",
        "QueryStream": "thalweg.engine.query",
        "StreamReasoner": "thalweg.explain.stream",
        "WhyNot": "thalweg.explain.why_not",
        "answers": "thalweg.api",
        "load": "thalweg.api",
        "materialise": "thalweg.api",
        "parse": "thalweg.api",
        "query": "thalweg.api",
        "why": "thalweg.api",
        "why_not": "thalweg.api",
    }

    def __getattr__(name):
        """Load what is asked for when it is: Spark takes its time, and so does the parser in a Spark worker."""
        if name == "spark":
            return import_module("thalweg.spark")
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return found
