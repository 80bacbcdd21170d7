"""The predicates of univ-bench, and the facts of each at some universities, as codes of who and what there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from thalweg.generators.univ_bench import (
    ADVISED_ONE_IN,
    GRADUATE_COURSES,
    GRADUATE_PUBLICATIONS,
    PROFESSORS,
    RANKS,
    RESEARCH_FIELDS,
    UNDERGRADUATE_COURSES,
    UNIVERSITIES,
    Range,
)
from thalweg.generators.univ_bench_draws import Ints
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
    by_department,
)

STUDENTS = (UNDERGRADUATE, GRADUATE)
PEOPLE = (*RANKS, *STUDENTS)
THING, LOCAL_NAME, ADDRESS, FIELD, NUMBER = "thing", "local name", "address", "field", "number"
"""How codes are written: see :mod:`thalweg.generators.univ_bench_names`."""


@dataclass(frozen=True)
class Facts:
    """The facts of one predicate, department after department; ``second`` makes the second arguments, if there are."""

    departments: Ints
    first: Ints
    second: Callable[[], Ints] | None = None


@dataclass(frozen=True)
class Predicate:
    """The names of its arguments, how the second is written, and its facts."""

    arguments: tuple[str, ...]
    facts: Callable[[Population], Facts]
    second: str = THING

    @property
    def written(self) -> tuple[str, ...]:
        """How each argument is written."""
        return (THING, self.second)[: len(self.arguments)]


def _class(argument: str, kind: str) -> Predicate:
    return Predicate((argument,), lambda there: _all(there, [kind]))


def _all(there: Population, kinds: Sequence[str]) -> Facts:
    codes = there.codes(kinds)
    return Facts(there.department_of[codes], codes)


def _described(kinds: Sequence[str]) -> Callable[[Population], Facts]:
    """Everything of some kinds with a text that follows from what it is."""

    def facts(there: Population) -> Facts:
        found = _all(there, kinds)
        return Facts(found.departments, found.first, lambda: found.first)

    return facts


def _in_department(kinds: Sequence[str]) -> Callable[[Population], Facts]:
    def facts(there: Population) -> Facts:
        found = _all(there, kinds)
        return Facts(found.departments, found.first, lambda: there[DEPARTMENT].first + found.departments)

    return facts


def _degrees(purpose: str, kinds: Sequence[str]) -> Callable[[Population], Facts]:
    def facts(there: Population) -> Facts:
        found = _all(there, kinds)
        return Facts(found.departments, found.first, lambda: there[UNIVERSITY].first + _alma_mater(there, purpose))

    return facts


_GRADUATED = {"undergraduate": (*RANKS, GRADUATE), "masters": tuple(RANKS), "doctoral": tuple(RANKS)}


def _alma_mater(there: Population, purpose: str) -> Ints:
    size = sum(len(there[kind]) for kind in _GRADUATED[purpose])
    return there.draws.below(f"{purpose} degree", UNIVERSITIES, size)


def _universities(there: Population) -> Facts:
    """Those that are there, and those that degrees are from, where they are first mentioned."""
    own, first_departments = np.unique(there.university_of, return_index=True)
    mentioned = [own.astype(np.int32), *(_alma_mater(there, purpose) for purpose in _GRADUATED)]
    places = [first_departments.astype(np.int32)]
    places += [there.department_of[there.codes(kinds)] for kinds in _GRADUATED.values()]
    universities, departments = np.concatenate(mentioned), np.concatenate(places)
    order = by_department(departments)
    _, rows = np.unique(universities[order], return_index=True)
    rows = order[np.sort(rows)]
    return Facts(departments[rows], there[UNIVERSITY].first + universities[rows])


def _names(there: Population) -> Facts:
    """Everything but groups; a university with its first department."""
    own, first_departments = np.unique(there.university_of, return_index=True)
    others = _all(there, (DEPARTMENT, *PEOPLE, COURSE, GRADUATE_COURSE, PUBLICATION))
    departments = np.concatenate([first_departments.astype(np.int32), others.departments])
    codes = np.concatenate([there[UNIVERSITY].first + own.astype(np.int32), others.first])
    order = by_department(departments)
    named = codes[order]
    return Facts(departments[order], named, lambda: named)


def _units(there: Population) -> Facts:
    """Departments of universities, groups of departments."""
    found = _all(there, (DEPARTMENT, GROUP))

    def wholes() -> Ints:
        group = found.first >= there[GROUP].first
        group &= found.first < there[GROUP].first + len(there[GROUP])
        universities = there[UNIVERSITY].first + there.university_of[found.departments]
        return np.where(group, there[DEPARTMENT].first + found.departments, universities).astype(np.int32)

    return Facts(found.departments, found.first, wholes)


def _heads(there: Population) -> Facts:
    professors = there["FullProfessor"]
    numbers = there.draws.below("head", professors.counts(), there.departments)
    departments = np.arange(there.departments, dtype=np.int32)
    return Facts(departments, professors.nth(departments, numbers), lambda: there[DEPARTMENT].first + departments)


def _advisors(there: Population) -> Facts:
    """A rank first, then one of it, as in the data of univ-bench."""
    undergraduates = there[UNDERGRADUATE]
    advised = there.draws.below("advised", ADVISED_ONE_IN, len(undergraduates)) == 0
    students = there.in_order(np.concatenate([undergraduates.codes[advised], there[GRADUATE].codes]))
    departments = there.department_of[students]

    def advisors() -> Ints:
        ranks = there.draws.below("rank of advisor", len(PROFESSORS), len(students))
        counts = np.stack([there[rank].counts() for rank in PROFESSORS])[ranks, departments]
        numbers = there.draws.below("advisor", counts, len(students))
        each = [there[rank].nth(departments, numbers) for rank in PROFESSORS]
        return np.stack(each)[ranks, np.arange(len(students))]

    return Facts(departments, students, advisors)


def _research(there: Population) -> Facts:
    found = _all(there, PROFESSORS)
    return Facts(found.departments, found.first, lambda: there.draws.below("field", RESEARCH_FIELDS, len(found.first)))


def _taught(there: Population) -> Facts:
    teachers = np.concatenate([np.repeat(there.faculty, taught) for taught in there.taught.values()])
    courses = np.concatenate([there[kind].codes for kind in there.taught])
    order = by_department(there.department_of[teachers])
    return Facts(there.department_of[teachers[order]], teachers[order], lambda: courses[order])


def _taken(there: Population) -> Facts:
    choices = (
        _chosen(there, UNDERGRADUATE, COURSE, UNDERGRADUATE_COURSES),
        _chosen(there, GRADUATE, GRADUATE_COURSE, GRADUATE_COURSES),
    )
    students = np.concatenate([who for who, _ in choices])
    order = by_department(there.department_of[students])
    students = students[order]
    return Facts(
        there.department_of[students], students, lambda: np.concatenate([what() for _, what in choices])[order]
    )


def _chosen(there: Population, who: str, what: str, numbers: Range) -> tuple[Ints, Callable[[], Ints]]:
    """Each of some people as often as they choose among the things of their department, and what they choose."""
    people, things = there[who], there[what]
    counts = there.draws.within(f"{what} of {who}", numbers, len(people))

    def choose() -> Ints:
        limits = things.counts()[people.departments]
        picked = there.draws.distinct(f"which {what} of {who}", numbers.high, limits)
        picked += (things.first + things.starts[people.departments])[:, None]
        return picked[np.arange(numbers.high) < counts[:, None]]

    return np.repeat(people.codes, counts), choose


def _authors(there: Population) -> Facts:
    """Who wrote a publication, and graduate students of the department."""
    students, choose = _chosen(there, GRADUATE, PUBLICATION, GRADUATE_PUBLICATIONS)
    papers = np.concatenate([there[PUBLICATION].codes, choose()])
    authors = np.concatenate([np.repeat(there.faculty, there.published), students])
    order = by_department(there.department_of[papers])
    return Facts(there.department_of[papers[order]], papers[order], lambda: authors[order])


def _assistants(there: Population) -> tuple[Ints, Ints]:
    """Graduate students that teach, and those that do research; in each department the first in a random order."""
    graduates = there[GRADUATE]
    shuffled = graduates.codes[there.draws.order("assistants", graduates.departments)]
    places = graduates.numbers
    teaching, researching = (each[graduates.departments] for each in (there.teaching, there.researching))
    teachers = shuffled[places < teaching]
    researchers = shuffled[(places >= teaching) & (places < teaching + researching)]
    return np.sort(teachers), np.sort(researchers)


def _teaching_assistants(there: Population) -> Facts:
    codes, _ = _assistants(there)
    return Facts(there.department_of[codes], codes)


def _research_assistants(there: Population) -> Facts:
    _, codes = _assistants(there)
    return Facts(there.department_of[codes], codes)


def _assisted(there: Population) -> Facts:
    """Each teaching assistant helps with a course of their own."""
    found, courses = _teaching_assistants(there), there[COURSE]

    def assisted() -> Ints:
        shuffled = courses.codes[there.draws.order("assisted", courses.departments)]
        return shuffled[courses.numbers < there.teaching[courses.departments]]

    return Facts(found.departments, found.first, assisted)


PREDICATES = {
    "University": Predicate(("university",), _universities),
    "Department": _class("department", DEPARTMENT),
    **{rank: _class("person", rank) for rank in RANKS},
    **{kind: _class("person", kind) for kind in STUDENTS},
    "Course": _class("course", COURSE),
    "GraduateCourse": _class("course", GRADUATE_COURSE),
    "Publication": _class("publication", PUBLICATION),
    "ResearchGroup": _class("group", GROUP),
    "TeachingAssistant": Predicate(("person",), _teaching_assistants),
    "ResearchAssistant": Predicate(("person",), _research_assistants),
    "subOrganizationOf": Predicate(("unit", "whole"), _units),
    "worksFor": Predicate(("person", "department"), _in_department(tuple(RANKS))),
    "memberOf": Predicate(("person", "department"), _in_department(STUDENTS)),
    "headOf": Predicate(("person", "department"), _heads),
    "undergraduateDegreeFrom": Predicate(
        ("person", "university"), _degrees("undergraduate", _GRADUATED["undergraduate"])
    ),
    "mastersDegreeFrom": Predicate(("person", "university"), _degrees("masters", _GRADUATED["masters"])),
    "doctoralDegreeFrom": Predicate(("person", "university"), _degrees("doctoral", _GRADUATED["doctoral"])),
    "teacherOf": Predicate(("person", "course"), _taught),
    "takesCourse": Predicate(("person", "course"), _taken),
    "teachingAssistantOf": Predicate(("person", "course"), _assisted),
    "advisor": Predicate(("person", "professor"), _advisors),
    "publicationAuthor": Predicate(("publication", "person"), _authors),
    "researchInterest": Predicate(("person", "field"), _research, FIELD),
    "name": Predicate(("thing", "name"), _names, LOCAL_NAME),
    "emailAddress": Predicate(("person", "address"), _described(PEOPLE), ADDRESS),
    "telephone": Predicate(("person", "number"), _described(PEOPLE), NUMBER),
}
"""Those of a department come in this order, as far as it matters where a data set ends."""
