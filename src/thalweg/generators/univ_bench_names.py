"""From codes to texts: ``Department3-University0-Lecturer2``, whole columns at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from thalweg.generators.univ_bench import (
    COURSES_TAUGHT,
    DEPARTMENTS,
    GRADUATES,
    PUBLICATIONS,
    RANKS,
    RESEARCH_FIELDS,
    RESEARCH_GROUPS,
    TELEPHONE,
    UNDERGRADUATES,
    UNIVERSITIES,
)
from thalweg.generators.univ_bench_draws import Ints
from thalweg.generators.univ_bench_facts import ADDRESS, FIELD, LOCAL_NAME, NUMBER, THING
from thalweg.generators.univ_bench_population import (
    COURSE,
    DEPARTMENT,
    GRADUATE,
    GRADUATE_COURSE,
    GROUP,
    PUBLICATION,
    UNDERGRADUATE,
    UNIVERSITY,
    Population,
)

_FACULTY = sum(rank.high for rank in RANKS.values())
_MOST_PUBLICATIONS = max(each.high for each in PUBLICATIONS.values())
_MOST = {
    **{rank: numbers.high for rank, numbers in RANKS.items()},
    UNDERGRADUATE: UNDERGRADUATES.high * _FACULTY,
    GRADUATE: GRADUATES.high * _FACULTY,
    GROUP: RESEARCH_GROUPS.high,
    DEPARTMENT: DEPARTMENTS.high,
    UNIVERSITY: UNIVERSITIES,
    COURSE: COURSES_TAUGHT.high * _FACULTY,
    GRADUATE_COURSE: COURSES_TAUGHT.high * _FACULTY,
    PUBLICATION: _MOST_PUBLICATIONS,
}
"""How many of a kind are told apart by number; the faculty comes first."""


class Names:
    """The texts of a population: each is one of few beginnings and one of few ends, which are put together."""

    def __init__(self, there: Population) -> None:
        local = [f"{kind}{number}" for kind, most in _MOST.items() for number in range(most)]
        papers = [f"-{author}-Publication{n}" for author in local[:_FACULTY] for n in range(_MOST_PUBLICATIONS)]
        self._locals = pa.array(local)
        self._ends = pa.array([*(f"-{name}" for name in local), *papers, ""])
        self._beginnings, self._domains = _places(there)
        self._local, self._end, self._beginning = _coded(there)
        self._department = there.department_of
        self._fields = pa.array([f"Research{number}" for number in range(RESEARCH_FIELDS)])
        self._writers: dict[str, Callable[[Ints], pa.Array]] = {
            THING: self._things,
            LOCAL_NAME: lambda codes: self._locals.take(pa.array(self._local[codes])),
            ADDRESS: self._addresses,
            FIELD: lambda codes: self._fields.take(pa.array(codes)),
            NUMBER: lambda codes: pa.repeat(pa.scalar(TELEPHONE), len(codes)),
        }

    def texts(self, written: str, codes: Ints) -> pa.Array:
        """The texts of codes."""
        return self._writers[written](codes)

    def _things(self, codes: Ints) -> pa.Array:
        beginnings = self._beginnings.take(pa.array(self._beginning[codes]))
        return pc.binary_join_element_wise(beginnings, self._ends.take(pa.array(self._end[codes])), "")

    def _addresses(self, codes: Ints) -> pa.Array:
        people = self._locals.take(pa.array(self._local[codes]))
        return pc.binary_join_element_wise(people, self._domains.take(pa.array(self._department[codes])), "@")


def _places(there: Population) -> tuple[pa.Array, pa.Array]:
    """The beginnings of names, universities first and then departments; and the departments' domains."""
    universities = pa.array([f"University{number}" for number in range(UNIVERSITIES)])
    own = pa.array(there.university_of)
    numbers = pa.array(there.number_in_university).cast(pa.string())
    department = pc.binary_join_element_wise("Department", numbers, "")
    university = pc.binary_join_element_wise("University", own.cast(pa.string()), "")
    names = pc.binary_join_element_wise(department, university, "-")
    domains = pc.binary_join_element_wise(department, university, ".")
    return pa.concat_arrays([universities, names]), pc.binary_join_element_wise(domains, "edu", ".")


def _coded(there: Population) -> tuple[Ints, Ints, Ints]:
    """For every code which local name, which end and which beginning it has."""
    firsts = dict(zip(_MOST, np.cumsum([0, *_MOST.values()]).tolist(), strict=False))
    total = sum(_MOST.values())
    nothing = total + _FACULTY * _MOST_PUBLICATIONS
    local = np.empty(len(there), np.int32)
    beginning = UNIVERSITIES + there.department_of
    for kind, block in there.blocks.items():
        numbers = there.number_in_university if kind == DEPARTMENT else block.numbers
        local[block.first : block.first + len(block)] = firsts[kind] + numbers
    end = local.copy()
    for kind in (DEPARTMENT, UNIVERSITY):
        block = there[kind]
        end[block.first : block.first + len(block)] = nothing
    papers, universities = there[PUBLICATION], there[UNIVERSITY]
    authors = np.repeat(local[there.faculty], there.published)
    end[papers.first : papers.first + len(papers)] = total + authors * _MOST_PUBLICATIONS + papers.numbers
    beginning[universities.first : universities.first + len(universities)] = universities.numbers
    return local, end, beginning
