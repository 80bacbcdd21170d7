"""Generated universities: as many facts as asked for, the same each time, like a real one, and they make sense."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import thalweg
from thalweg.bench.data import LUBM, data_path
from thalweg.engine.stream import StreamReasoner
from thalweg.generators.lubm import HORIZON, TIME_POINTS, Lubm
from thalweg.generators.univ_bench import (
    ADVISED_ONE_IN,
    GRADUATES,
    PUBLICATIONS,
    RANKS,
    RESEARCH_GROUPS,
    UNDERGRADUATES,
    Range,
)
from thalweg.generators.univ_bench_draws import Draws
from thalweg.generators.univ_bench_facts import PREDICATES
from thalweg.generators.univ_bench_population import Population

SIZE = 150_000


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    return Lubm(SIZE, seed=3).tables()


def test_the_predicates_are_those_of_the_public_data() -> None:
    _need_data()
    assert {path.stem for path in data_path(LUBM).glob("*.csv")} == PREDICATES.keys()


def test_as_many_facts_as_asked_for() -> None:
    for size in (0, 1, 999, 100_000, SIZE):
        stream = Lubm(size, seed=3)
        assert sum(stream.counts.values()) == size
        assert sum(map(len, stream.slices())) == size


def test_the_same_seed_gives_the_same_facts_and_another_does_not(tables: dict[str, pa.Table]) -> None:
    assert Lubm(SIZE, seed=3).tables() == tables
    other = Lubm(SIZE, seed=4).tables()
    assert all(other[name] != tables[name] for name in ("takesCourse", "Lecturer", "doctoralDegreeFrom"))


def test_slices_hold_all_facts_in_the_order_of_time(tables: dict[str, pa.Table]) -> None:
    slices = list(Lubm(SIZE, seed=3).slices())
    assert [each.now for each in slices] == [Fraction(place, 2) for place in range(TIME_POINTS)]
    for each in slices[::100]:
        for table in each.tables.values():
            assert {Fraction(time) for time in table["time"].unique().to_pylist()} == {each.now}
    for name, table in tables.items():
        assert pa.concat_tables(each.tables[name] for each in slices if name in each.tables) == table


def test_times_are_halves_from_0_to_300_and_all_about_as_frequent(tables: dict[str, pa.Table]) -> None:
    times = pa.chunked_array([chunk for table in tables.values() for chunk in table["time"].chunks])
    found = {entry["values"]: entry["counts"] for entry in times.value_counts().to_pylist()}
    assert set(found) == {Decimal(place) / 2 for place in range(TIME_POINTS)}
    assert max(found) == HORIZON
    expected = SIZE / TIME_POINTS
    assert all(abs(count - expected) < 6 * expected**0.5 for count in found.values())
    assert Lubm(SIZE, seed=3).counts_by_time().tolist() == [found[time] for time in sorted(found)]


def test_some_predicates_alone_have_the_same_facts_as_among_all(tables: dict[str, pa.Table]) -> None:
    wanted = ["University", "Lecturer", "doctoralDegreeFrom", "advisor"]
    assert Lubm(SIZE, seed=3, only=wanted).tables() == {name: tables[name] for name in PREDICATES if name in wanted}


def test_a_smaller_data_set_is_part_of_a_larger_one(tables: dict[str, pa.Table]) -> None:
    for name, part in Lubm(60_000, seed=3).tables().items():
        assert _rows(part) <= _rows(tables[name])


def test_no_fact_is_there_twice(tables: dict[str, pa.Table]) -> None:
    for table in tables.values():
        assert len(table.drop_columns("time").group_by(table.column_names[:-1]).aggregate([])) == len(table)


REFERENCES = {
    "worksFor": (tuple(RANKS), ("Department",)),
    "memberOf": (("UndergraduateStudent", "GraduateStudent"), ("Department",)),
    "headOf": (("FullProfessor",), ("Department",)),
    "subOrganizationOf": (("Department", "ResearchGroup"), ("University", "Department")),
    "takesCourse": (("UndergraduateStudent", "GraduateStudent"), ("Course", "GraduateCourse")),
    "teacherOf": (tuple(RANKS), ("Course", "GraduateCourse")),
    "teachingAssistantOf": (("TeachingAssistant",), ("Course",)),
    "TeachingAssistant": (("GraduateStudent",),),
    "ResearchAssistant": (("GraduateStudent",),),
    "advisor": (
        ("UndergraduateStudent", "GraduateStudent"),
        ("FullProfessor", "AssociateProfessor", "AssistantProfessor"),
    ),
    "publicationAuthor": (("Publication",), (*RANKS, "GraduateStudent")),
    "doctoralDegreeFrom": (tuple(RANKS), ("University",)),
    "mastersDegreeFrom": (tuple(RANKS), ("University",)),
    "undergraduateDegreeFrom": ((*RANKS, "GraduateStudent"), ("University",)),
}


def test_facts_speak_of_what_is_there(tables: dict[str, pa.Table]) -> None:
    last = _last_department(tables)
    for name, kinds in REFERENCES.items():
        for position, known in enumerate(kinds):
            there = pa.concat_arrays([chunk for kind in known for chunk in tables[kind][0].chunks])
            column = tables[name][position].combine_chunks()
            unknown = column.filter(pc.invert(pc.is_in(column, there))).to_pylist()
            assert not [text for text in unknown if not text.startswith(last)], (name, position)


def test_both_arguments_are_of_one_department(tables: dict[str, pa.Table]) -> None:
    for name in ("takesCourse", "advisor", "publicationAuthor", "teacherOf", "teachingAssistantOf", "worksFor"):
        first, second = (
            pc.extract_regex(tables[name][place], r"^(?P<place>Department\d+-University\d+)") for place in (0, 1)
        )
        assert first == second


def test_names_and_addresses_follow_from_who_it_is(tables: dict[str, pa.Table]) -> None:
    for row in tables["name"].slice(0, 500).to_pylist():
        assert row["thing"].split("-")[0 if row["name"].startswith("Department") else -1] == row["name"]
    for row in tables["emailAddress"].slice(0, 100).to_pylist():
        department, university, person = row["person"].split("-")
        assert row["address"] == f"{person}@{department}.{university}.edu"


def test_counts_of_departments_are_in_the_published_ranges() -> None:
    there = Population(20, Draws(5))
    faculty = sum(_by_department(there, rank) for rank in RANKS)
    for rank, expected in RANKS.items():
        assert _spans(_by_department(there, rank), expected)
    assert _spans(_by_department(there, "ResearchGroup"), RESEARCH_GROUPS)
    for kind, ratio in (("UndergraduateStudent", UNDERGRADUATES), ("GraduateStudent", GRADUATES)):
        found = _by_department(there, kind)
        assert (ratio.low * faculty <= found).all()
        assert (found <= ratio.high * faculty).all()
    graduates = _by_department(there, "GraduateStudent")
    for kind, most, least in (("TeachingAssistant", 5, 4), ("ResearchAssistant", 4, 3)):
        found = _by_department(there, kind)
        assert (graduates // most <= found).all()
        assert (found <= graduates // least).all()
    assert _spans(np.bincount(there.university_of), Range(15, 25))


def test_counts_of_people_are_in_the_published_ranges(tables: dict[str, pa.Table]) -> None:
    taken = _kinds_and_counts(tables["takesCourse"][0])
    last = _last_department(tables)
    assert {n for who, n in taken if "Under" in who and not who.startswith(last)} == {2, 3, 4}
    assert {n for who, n in taken if "Graduate" in who and not who.startswith(last)} == {1, 2, 3}
    taught = _kinds_and_counts(tables["teacherOf"][0])
    assert {n for who, n in taught if not who.startswith(last)} == {2, 3, 4}
    authors = pc.replace_substring_regex(tables["Publication"][0], r"-Publication\d+$", "")
    for rank, numbers in PUBLICATIONS.items():
        found = {n for who, n in _kinds_and_counts(authors) if rank in who and not who.startswith(last)}
        assert found - {0} == set(range(max(numbers.low, 1), numbers.high + 1))
    advised = sum("Undergraduate" in who for who in tables["advisor"][0].to_pylist())
    assert advised == pytest.approx(len(tables["UndergraduateStudent"]) / ADVISED_ONE_IN, rel=0.1)


def test_the_real_university_could_have_been_generated() -> None:
    """Its counts lie within a few standard deviations of what so many generated departments have."""
    _need_data()
    real = {path.stem: len(path.read_text().splitlines()) for path in data_path(LUBM).glob("*.csv")}
    departments, there = real["Department"], Population(30, Draws(0))
    for name in PREDICATES.keys() - {"University"}:
        found = _by_department(there, name)
        slack = 4 * found.std() * departments**0.5 + 1
        assert abs(real[name] - departments * found.mean()) <= slack, name
    universities = PREDICATES["University"].facts(there).departments < departments
    assert universities.sum() == pytest.approx(real["University"], abs=25)


def test_real_and_generated_texts_have_the_same_forms(tables: dict[str, pa.Table]) -> None:
    _need_data()
    for path in data_path(LUBM).glob("*.csv"):
        real = {tuple(_form(text.strip('"')) for text in line.split(",")) for line in path.read_text().splitlines()}
        columns = [table.to_pylist() for table in tables[path.stem].columns[:-1]]
        assert {tuple(map(_form, row)) for row in zip(*columns, strict=True)} == real, path.stem


def test_programs_read_it_as_declared() -> None:
    stream = Lubm(20_000, seed=1, only=["headOf", "worksFor"])
    program = thalweg.parse(stream.declarations + "Busy(X) :- headOf(X, D), diamondminus[0,300] worksFor(X, D).")
    whole = thalweg.materialise(program, stream.tables(), start=0, end=300, queries="Busy")
    reasoner = StreamReasoner(program, "Busy")
    found = [reasoner.advance(each.tables, each.now).count("Busy") for each in stream.slices()]
    assert sum(found) == whole.count("Busy") > 0


def test_what_cannot_be_made_is_refused() -> None:
    with pytest.raises(ValueError, match="no predicate Lecture"):
        Lubm(10, only=["Lecture"])
    with pytest.raises(ValueError, match="negative"):
        Lubm(-1)


def _need_data() -> None:
    if not data_path(LUBM).is_dir():
        pytest.skip(f"the public data {LUBM} is not there")


def _rows(table: pa.Table) -> set[tuple[str, ...]]:
    return set(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _last_department(tables: dict[str, pa.Table]) -> str:
    """The department that is cut off: the last of the last university."""
    texts = tables["Department"][0].to_pylist()
    return max(texts, key=lambda text: [int(number) for number in re.findall(r"\d+", text)][::-1]) + "-"


def _by_department(there: Population, name: str) -> np.ndarray:
    return np.bincount(PREDICATES[name].facts(there).departments, minlength=there.departments)


def _spans(found: np.ndarray, expected: Range) -> bool:
    return (int(found.min()), int(found.max())) == (expected.low, expected.high)


def _kinds_and_counts(column: pa.ChunkedArray) -> list[tuple[str, int]]:
    return [(entry["values"], entry["counts"]) for entry in column.value_counts().to_pylist()]


def _form(text: str) -> str:
    return re.sub(r"\d+", "0", text)
