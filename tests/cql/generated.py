"""Generated queries in the fragment that is translated, and streams for them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

END = 7
"""The last time point."""

SCHEMA = """\
CREATE STREAM s (id TEXT, x INT, y INT);
CREATE STREAM r (id TEXT, z INT);
CREATE TABLE line (id TEXT, l INT);
"""

Columns = tuple[tuple[str, str], ...]
"""Names and types."""

SOURCES: dict[str, Columns] = {
    "s": (("id", "TEXT"), ("x", "INT"), ("y", "INT")),
    "r": (("id", "TEXT"), ("z", "INT")),
    "line": (("id", "TEXT"), ("l", "INT")),
}
VALUES = {"TEXT": st.sampled_from("ab"), "INT": st.integers(0, 2)}


@dataclass(frozen=True)
class Item:
    """A FROM item: its text, its alias, and the columns that may be asked for."""

    text: str
    alias: str
    columns: Columns

    def of_type(self, kind: str) -> list[str]:
        """The qualified names of the columns of a type."""
        return [f"{self.alias}.{name}" for name, type_ in self.columns if type_ == kind]


@dataclass(frozen=True)
class Query:
    """The text of a query, the columns of its result, and whether it has aggregates."""

    text: str
    columns: Columns
    counts: bool = False


@st.composite
def streams(draw):
    """Tuples with their times for each stream, and the rows of each table."""
    facts = {name: draw(_several(st.tuples(st.integers(0, END), _row(name)), 4, 10)) for name in "sr"}
    return facts, {"line": draw(_several(_row("line"), 2, 4))}


def _several(elements, least, most):
    return st.lists(elements, min_size=least, max_size=most, unique=True)


def _row(name):
    return st.tuples(*(VALUES[kind] for _, kind in SOURCES[name]))


@st.composite
def files(draw):
    """A file of queries: one, or one over a view."""
    if draw(st.booleans()):
        return f"{SCHEMA}{draw(queries(SOURCES)).text};\n"
    view = draw(queries(SOURCES, average=False))
    query = draw(queries({**SOURCES, "v": view.columns}, must_read="v"))
    return f"{SCHEMA}CREATE VIEW v AS {view.text};\n{query.text};\n"


@st.composite
def queries(draw, sources, must_read=None, average=True):
    """A query with a stream operator or without.

    ISTREAM is for rows that appear. What holds before the first time point, as the rows of tables and the count of
    nothing do, does not appear at it unless the timeline is cut off there, so such queries have no operator.
    """
    items = draw(from_items(sources, must_read))
    is_selection = draw(st.booleans())
    query = draw(selections(items, sources) if is_selection else aggregations(items, sources, average))
    appears = any(item.text[:2] in ("s ", "r ") for item in items) and ("GROUP BY" in query.text or not query.counts)
    operator = draw(st.sampled_from(["", "ISTREAM", "DSTREAM", "RSTREAM"] if appears else [""]))
    return Query(f"{operator}({query.text})", query.columns) if operator else query


@st.composite
def from_items(draw, sources, must_read=None, most=3, prefix="a"):
    """One to three FROM items."""
    names = draw(st.lists(st.sampled_from(sorted(sources)), min_size=1, max_size=most))
    names = [must_read, *names[1:]] if must_read else names
    items = [draw(from_item(sources, name, f"{prefix}{number}")) for number, name in enumerate(names)]
    if most > 1 and not must_read and draw(st.integers(0, 4)) == 0:
        items[0] = draw(subqueries(sources, f"{prefix}0"))
    return items


@st.composite
def from_item(draw, sources, name, alias):
    """A stream or view with a window or without, or a table."""
    columns = sources[name]
    if name == "line":
        return Item(f"line AS {alias}", alias, columns)
    names = [column for column, _ in columns]
    window = draw(st.none() | windows(names))
    text = f"{name} [{window}] AS {alias}" if window else f"{name} AS {alias}"
    return Item(text, alias, (*columns, ("rowtime", "INT")))


@st.composite
def subqueries(draw, sources, alias):
    """A query in FROM; its rows are a set, as those of a view."""
    item = draw(from_item(sources, draw(st.sampled_from(sorted(sources))), "q"))
    query = draw(selections([item], sources, deep=False))
    return Item(f"({query.text.replace('SELECT', 'SELECT DISTINCT', 1)}) AS {alias}", alias, query.columns)


def windows(columns):
    """Every row of Table 1."""
    ranges = st.integers(0, 4)
    slides = st.integers(1, 4).flatmap(lambda d: st.integers(d, 5).map(lambda n: f"RANGE {n} SLIDE {d}"))
    partitions = st.lists(st.sampled_from(columns), min_size=1, max_size=2, unique=True).map(", ".join)
    return st.one_of(
        ranges.map("RANGE {}".format),
        slides,
        st.sampled_from(["RANGE UNBOUNDED", "NOW"]),
        st.integers(1, 3).map("ROWS {}".format),
        st.builds("PARTITION BY {} ROWS {}".format, partitions, st.integers(1, 2)),
    )


@st.composite
def selections(draw, items, sources, deep=True):
    """SELECT … FROM … WHERE …"""
    chosen = draw(st.lists(values(items), min_size=1, max_size=3))
    columns = tuple((f"c{number}", kind) for number, (_, kind) in enumerate(chosen))
    select = ", ".join(f"{text} AS {name}" for (text, _), (name, _) in zip(chosen, columns, strict=True))
    return Query(f"SELECT {select} {draw(bodies(items, sources, deep))}", columns)


@st.composite
def aggregations(draw, items, sources, average=True):
    """SELECT … FROM … WHERE … GROUP BY … HAVING …"""
    everything = [(name, kind) for item in items for kind in ("TEXT", "INT") for name in item.of_type(kind)]
    group = draw(st.lists(st.sampled_from(everything), max_size=2, unique=True))
    calls = draw(st.lists(aggregates(items, average), min_size=1, max_size=2))
    columns = tuple((f"c{number}", kind) for number, (_, kind) in enumerate([*group, *calls]))
    select = ", ".join(f"{text} AS {name}" for (text, _), (name, _) in zip([*group, *calls], columns, strict=True))
    text = f"SELECT {select} {draw(bodies(items, sources))}"
    if group:
        text += f" GROUP BY {', '.join(name for name, _ in group)}"
        if draw(st.booleans()):
            call, _ = draw(aggregates(items, average))
            text += f" HAVING {call} {draw(st.sampled_from(['>', '<=', '<>']))} {draw(st.integers(0, 3))}"
    return Query(text, columns, counts=True)


def aggregates(items, average):
    """An aggregate, always of numbers."""
    numbers = [name for item in items for name in item.of_type("INT")]
    names = [name for item in items for kind in ("TEXT", "INT") for name in item.of_type(kind)]
    functions = ["SUM({})", "MIN({})", "MAX({})", "SUM(DISTINCT {})", "SUM({} + 1)", "COUNT({})"]
    functions += ["AVG({})"] if average else []
    forms = ["COUNT(*)", *(f"COUNT(DISTINCT {name})" for name in names)]
    forms += [function.format(number) for function in functions for number in numbers]
    return st.sampled_from(forms).map(lambda text: (text, "INT"))


@st.composite
def bodies(draw, items, sources, deep=True):
    """FROM … WHERE …"""
    text = f"FROM {', '.join(item.text for item in items)}"
    if draw(st.integers(0, 2)) == 0:
        return text
    return f"{text} WHERE {draw(conditions(items, sources, deep))}"


def conditions(items, sources, deep=True, outer=()):
    """Conditions with AND, OR, NOT and, unless this is a subquery, EXISTS."""
    simple = comparisons([*items, *outer]) | equations(items, outer or items)
    leaves = simple | existences(items, sources) if deep else simple
    return st.recursive(
        leaves,
        lambda parts: st.one_of(
            st.builds("({} AND {})".format, parts, parts),
            st.builds("({} OR {})".format, parts, parts),
            parts.map("NOT {}".format),
        ),
        max_leaves=4,
    )


@st.composite
def existences(draw, items, sources):
    """[NOT] EXISTS, correlated by what its WHERE clause draws."""
    inner = draw(from_items(sources, most=2, prefix="b"))
    text = f"EXISTS (SELECT 1 FROM {', '.join(item.text for item in inner)}"
    text += f" WHERE {draw(conditions(inner, sources, deep=False, outer=items))})"
    return draw(st.sampled_from([f"NOT {text}", text]))


@st.composite
def equations(draw, left, right):
    """Columns of the same type that are equal."""
    pairs = [
        (a, b)
        for kind in ("TEXT", "INT")
        for i in left
        for j in right
        for a in i.of_type(kind)
        for b in j.of_type(kind)
    ]
    if not pairs:
        return draw(comparisons([*left, *right]))
    return "{} = {}".format(*draw(st.sampled_from(pairs)))


@st.composite
def comparisons(draw, items):
    """Comparisons of values of one type; only numbers have an order."""
    value, kind = draw(values(items))
    if kind == "TEXT":
        constants = VALUES["TEXT"].map("'{}'".format)
        texts = [name for item in items for name in item.of_type("TEXT")]
        other = draw(constants | st.sampled_from(texts) if texts else constants)
        form = draw(st.sampled_from(["{} = {}", "{} <> {}", "{} IN ({}, 'b')"]))
        return form.format(value, other)
    other = draw(st.integers(0, 4).map(str) | numbers(items))
    form = draw(
        st.sampled_from(["{} = {}", "{} <> {}", "{} < {}", "{} >= {}", "{} BETWEEN {} AND 3", "{} NOT IN ({}, 2)"])
    )
    return form.format(value, other)


def values(items):
    """An expression and its type."""
    texts = [name for item in items for name in item.of_type("TEXT")]
    choices = [numbers(items).map(lambda text: (text, "INT"))]
    if texts:
        choices.append(st.sampled_from(texts).map(lambda text: (text, "TEXT")))
    return st.one_of(*choices)


def numbers(items):
    """Columns and arithmetic that stays among small numbers."""
    columns = [name for item in items for name in item.of_type("INT")]
    leaves = st.sampled_from(columns) if columns else st.just("1")
    forms = st.sampled_from(["{} + {}", "{} - {}", "2 * ({} - {})", "({} + {}) / 2"])
    return leaves | st.builds(str.format, forms, leaves, leaves | st.just("1"))
