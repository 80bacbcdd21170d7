"""Reasoning on Spark. The one room that knows Spark and pandas; ``import thalweg`` does not load it."""

from thalweg.spark.reason import reason, split
from thalweg.spark.session import session

__all__ = ["reason", "session", "split"]
