"""The profile of univ-bench: how many of what a university has (Guo, Pan and Heflin, LUBM, 2005).

Counts are drawn evenly from ranges whose ends are both included.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """From ``low`` to ``high``, both included."""

    low: int
    high: int


UNIVERSITIES = 1000
"""Degrees are from so many universities."""
RESEARCH_FIELDS = 30

DEPARTMENTS = Range(15, 25)
"""Of a university."""

RANKS = {
    "FullProfessor": Range(7, 10),
    "AssociateProfessor": Range(10, 14),
    "AssistantProfessor": Range(8, 11),
    "Lecturer": Range(5, 7),
}
"""The faculty of a department."""

PROFESSORS = ("FullProfessor", "AssociateProfessor", "AssistantProfessor")

PUBLICATIONS = {
    "FullProfessor": Range(15, 20),
    "AssociateProfessor": Range(10, 18),
    "AssistantProfessor": Range(5, 10),
    "Lecturer": Range(0, 5),
}
"""Of a member of the faculty."""

RESEARCH_GROUPS = Range(10, 20)
"""Of a department."""

UNDERGRADUATES = Range(8, 14)
GRADUATES = Range(3, 4)
"""Of a department, for each member of its faculty."""

COURSES_TAUGHT = Range(1, 2)
"""By a member of the faculty; as many for graduates again. No course is taught by two."""

UNDERGRADUATE_COURSES = Range(2, 4)
GRADUATE_COURSES = Range(1, 3)
"""That a student takes."""

GRADUATE_PUBLICATIONS = Range(0, 5)
"""Of the department, that a graduate student is an author of."""

ADVISED_ONE_IN = 5
"""Of undergraduates; every graduate student has an advisor."""

TEACHING_ONE_IN = Range(4, 5)
RESEARCHING_ONE_IN = Range(3, 4)
"""Of a department's graduate students; no one is both teaching and research assistant."""

TELEPHONE = "xxx-xxx-xxxx"
