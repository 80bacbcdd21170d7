"""Who and what there is at some universities, as numbers, department after department."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thalweg.generators.univ_bench import (
    COURSES_TAUGHT,
    DEPARTMENTS,
    GRADUATES,
    PUBLICATIONS,
    RANKS,
    RESEARCH_GROUPS,
    RESEARCHING_ONE_IN,
    TEACHING_ONE_IN,
    UNDERGRADUATES,
    UNIVERSITIES,
)
from thalweg.generators.univ_bench_draws import Draws, Ints

UNDERGRADUATE, GRADUATE = "UndergraduateStudent", "GraduateStudent"
COURSE, GRADUATE_COURSE = "Course", "GraduateCourse"
GROUP, PUBLICATION = "ResearchGroup", "Publication"
DEPARTMENT, UNIVERSITY = "Department", "University"


@dataclass(frozen=True)
class Block:
    """The things of one kind: their codes follow one another from ``first`` on, in the order of departments.

    ``numbers`` count them within their department, publications within their author.
    """

    first: int
    departments: Ints
    numbers: Ints
    starts: Ints
    """Where the things of each department begin."""

    def __len__(self) -> int:
        return len(self.departments)

    @property
    def codes(self) -> Ints:
        """All of them."""
        return np.arange(self.first, self.first + len(self), dtype=np.int32)

    def counts(self) -> Ints:
        """How many there are in each department."""
        ends = np.append(self.starts[1:], np.int32(len(self)))
        return ends - self.starts

    def nth(self, departments: Ints, numbers: Ints) -> Ints:
        """The codes of things in departments, by where they stand there."""
        codes: Ints = self.first + self.starts[departments] + numbers
        return codes


class Population:
    """The universities from number 0 on, all departments of all of them in one sequence."""

    def __init__(self, universities: int, draws: Draws) -> None:
        self.draws = draws
        departments = draws.within("departments", DEPARTMENTS, universities)
        self.university_of = np.repeat(np.arange(universities, dtype=np.int32), departments)
        self.number_in_university = numbered(departments)
        self.departments = len(self.university_of)
        self._blocks: dict[str, Block] = {}
        self._size = 0
        self._populate()

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, kind: str) -> Block:
        return self._blocks[kind]

    @property
    def blocks(self) -> Mapping[str, Block]:
        """All things, kind by kind."""
        return self._blocks

    @cached_property
    def department_of(self) -> Ints:
        """The department of everything; of universities, 0."""
        return np.concatenate([block.departments for block in self._blocks.values()])

    def codes(self, kinds: Sequence[str]) -> Ints:
        """Everything of some kinds, department after department."""
        return self.in_order(np.concatenate([self[kind].codes for kind in kinds]))

    def in_order(self, codes: Ints) -> Ints:
        """Codes department after department."""
        taken: Ints = codes[by_department(self.department_of[codes])]
        return taken

    def _populate(self) -> None:
        draws, size = self.draws, self.departments
        for rank, numbers in RANKS.items():
            self._add(rank, draws.within(rank, numbers, size))
        faculty = sum((self[rank].counts() for rank in RANKS), np.zeros(size, np.int32))
        for kind, ratio in ((UNDERGRADUATE, UNDERGRADUATES), (GRADUATE, GRADUATES)):
            self._add(kind, draws.between(kind, ratio.low * faculty, ratio.high * faculty))
        self._add(GROUP, draws.within(GROUP, RESEARCH_GROUPS, size))
        self._add(DEPARTMENT, np.ones(size, np.int32))
        self._add_block(UNIVERSITY, np.zeros(UNIVERSITIES, np.int32), np.arange(UNIVERSITIES, dtype=np.int32))
        self._employ()
        graduates = self[GRADUATE].counts()
        self.teaching = draws.between("TA", *_shares(graduates, TEACHING_ONE_IN.high, TEACHING_ONE_IN.low))
        self.researching = draws.between("RA", *_shares(graduates, RESEARCHING_ONE_IN.high, RESEARCHING_ONE_IN.low))

    def _employ(self) -> None:
        """What the faculty teaches and writes."""
        self.faculty = np.concatenate([self[rank].codes for rank in RANKS])
        departments = np.concatenate([self[rank].departments for rank in RANKS])
        order = by_department(departments)
        self.faculty, self.faculty_departments = self.faculty[order], departments[order]
        self.taught = {kind: self._taught(kind) for kind in (COURSE, GRADUATE_COURSE)}
        low, high = (
            np.concatenate([np.full(len(self[rank]), end, np.int32) for rank, end in ends.items()])[order]
            for ends in (
                {rank: PUBLICATIONS[rank].low for rank in RANKS},
                {rank: PUBLICATIONS[rank].high for rank in RANKS},
            )
        )
        self.published = self.draws.between("publications", low, high)
        self._add_block(PUBLICATION, np.repeat(self.faculty_departments, self.published), numbered(self.published))

    def _taught(self, kind: str) -> Ints:
        taught = self.draws.within(f"{kind} taught", COURSES_TAUGHT, len(self.faculty))
        self._add(kind, np.bincount(self.faculty_departments, taught, self.departments).astype(np.int32))
        return taught

    def _add(self, kind: str, counts: Ints) -> None:
        """So many of a kind in each department."""
        self._add_block(kind, np.repeat(np.arange(len(counts), dtype=np.int32), counts), numbered(counts))

    def _add_block(self, kind: str, departments: Ints, numbers: Ints) -> None:
        starts = np.searchsorted(departments, np.arange(self.departments)).astype(np.int32)
        self._blocks[kind] = Block(self._size, departments, numbers, starts)
        self._size += len(departments)


def numbered(counts: Ints) -> Ints:
    """0, 1, … up to each count."""
    ends = np.cumsum(counts)
    numbers: Ints = (np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)).astype(np.int32)
    return numbers


def by_department(departments: Ints) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The rows department after department, otherwise as they were."""
    # Of 16 bits there is a sort in linear time.
    small = departments.astype(np.uint16) if len(departments) and departments.max() < 1 << 16 else departments
    return np.argsort(small, kind="stable")


def _shares(counts: Ints, most: int, least: int) -> tuple[Ints, Ints]:
    """One in ``most`` and one in ``least``."""
    return counts // most, counts // least
