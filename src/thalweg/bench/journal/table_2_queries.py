"""The programs and data sets of the journal paper's Table 2, and what it prints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import thalweg
from thalweg.generators.journal_programs import NON_RECURSIVE, ONCE_A_SCIENTIST, RECURSIVE
from thalweg.generators.univ_bench_facts import PREDICATES
from thalweg.model.program import Program

NAMES = ("D5", "D10", "D15", "D20")
SIZES = (5_000_000, 10_000_000, 15_000_000, 20_000_000)


@dataclass(frozen=True)
class Query:
    """A program and the predicate that is asked for; ``paper`` has its Table 2, all at once and streaming.

    ``grows`` is whether what must be stored grows with time.
    """

    label: str
    figure: str
    rules: str
    predicate: str
    paper: tuple[tuple[int, int], ...]
    grows: bool = False

    @cached_property
    def program(self) -> Program:
        return thalweg.parse(self.rules)

    @property
    def reads(self) -> set[str]:
        """The predicates of univ-bench that it mentions."""
        return set(self.program.predicates) & PREDICATES.keys()


_PAPER_NR = ((41_612, 1_006), (83_196, 2_015), (124_717, 2_841), (165_812, 3_738))
_PAPER_R = ((92_243, 2_829), (186_087, 5_699), (279_019, 8_353), (369_664, 10_945))

QUERIES = (
    Query("Π_nr", "figure-2", NON_RECURSIVE, "AssociateProfessorCandidate", _PAPER_NR),
    Query("Π_r", "figure-3", RECURSIVE, "Scientist", _PAPER_R, grows=True),
    Query("Π_r, first three rules", "figure-3-three-rules", ONCE_A_SCIENTIST, "Scientist", _PAPER_R),
)
