"""Reasoning on Spark. The one room that knows Spark and pandas; ``import thalweg`` does not load it."""

from thalweg.spark.hypotheses import hypotheses
from thalweg.spark.reason import reason, split
from thalweg.spark.session import session
from thalweg.spark.sources import register

__all__ = ["hypotheses", "reason", "register", "session", "split"]
