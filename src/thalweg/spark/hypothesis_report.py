"""The line in which a person reads how hypothetical answers go on."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from typing import Any

from thalweg.spark.batch_report import BatchReport, ProgressLine
from thalweg.spark.hypothesis_reasoning import HypothesisReasoning
from thalweg.spark.reasoning import Reasoning


@dataclass
class HypothesisProgressLine(ProgressLine):
    """Up to when facts are expected no more, in place of what has been answered; what is open, in place of windows."""

    def _times(self, report: BatchReport, now: datetime.datetime) -> list[str]:
        if report.newest is None or report.before == -math.inf:
            return []
        if isinstance(report.before, float):
            return ["everything is decided"]
        return [f"the newest fact at {self._moment(report.newest)}"]

    def _held(self, report: BatchReport) -> dict[str, Any]:
        return {"stored": report.count("stored_history"), "open": report.count("stored_window")}

    def _stored(self, report: BatchReport) -> str:
        dropped = report.count("dropped")
        given_up = f", {dropped:,} dropped" if dropped else ""
        return f"{report.count('stored_window'):,} open, {report.count('stored_history'):,} remembered{given_up}"


def progress_line(planned: Reasoning) -> ProgressLine:
    """The line for a run."""
    return HypothesisProgressLine(planned) if isinstance(planned, HypothesisReasoning) else ProgressLine(planned)
