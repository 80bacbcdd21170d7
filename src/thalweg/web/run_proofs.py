"""Proofs of the answers of a run, from the facts that it has kept or read."""

from __future__ import annotations

from typing import Any

from thalweg.explain.of_run import RunExplainer
from thalweg.record.folder import RunFolder
from thalweg.web.proofs import Prover


def prover_of_run(folder: RunFolder) -> Prover:
    """Says why answers of a run hold."""
    explainer = RunExplainer(folder)

    def prove(fact: str) -> dict[str, Any]:
        return explainer.why(fact).to_json()

    return prove
