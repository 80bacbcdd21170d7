"""A program that blows up, in a process of its own, which says how much memory it took.

``python blowing_up.py NAME LIMIT`` prints the code of the diagnostic, and by how many MB the process was larger at its
largest than before.
"""

import sys
from pathlib import Path

import thalweg

MB = 1 << 20


def numbers(predicate, count, arguments=1):
    columns = {f"x{i}": list(range(count)) for i in range(arguments)}
    return {predicate: {**columns, "time": [1] * count}}


def texts(predicate, count):
    return {predicate: {"x": [f"{predicate}{i}" for i in range(count)], "time": [1] * count}}


def product():
    facts = {**texts("A", 100_000), **texts("B", 100_000)}
    return "P(X, Y) :- A(X), B(Y).", facts, {}


def joins():
    """Each join doubles what there is, so the last that fits comes close to the limit."""
    facts = {
        "R": {"x": [i % 40_000 for i in range(80_000)], "y": [i // 2 for i in range(80_000)], "time": [1] * 80_000}
    }
    rules = ["P0(X, Y) :- R(X, Y)."]
    rules += [f"P{n + 1}(X, Y) :- P{n}(X, Z), R(Z, Y)." for n in range(12)]
    return "\n".join(rules), facts, {}


def closure():
    facts = {"E": {"x": list(range(20_000)), "y": list(range(1, 20_001)), "time": [1] * 20_000}}
    return "Path(X, Y) :- E(X, Y).\nPath(X, Z) :- Path(X, Y), E(Y, Z).", facts, {}


def wide_counting():
    facts = {"S": {"x": [i * 100_000 for i in range(20_000)], "time": [1] * 20_000}}
    return "N(X) :- S(X).\nN(Y) :- N(X), Y = X + 1.", facts, {"max_rounds": 10**9}


def fractions():
    facts = {"S": {"x": [i * 100_000 for i in range(5_000)], "time": [1] * 5_000}}
    return "N(X) :- S(X).\nN(Y) :- N(X), Y = X + 1/7.", facts, {"max_rounds": 10**9}


def time_points():
    return "timeline integer.\nP(X, T) :- Q(X) at T.", "Q(a)@[0,50000000]", {}


def aggregate():
    facts = {**numbers("A", 20_000), **numbers("B", 20_000)}
    return "N(C) :- C = sum { X, Y : A(X), B(Y) }.", facts, {}


def nulls():
    program = "timeline integer.\nexists Y: Next(X, Y) :- Node(X).\nNode(Y) :- Next(X, Y)."
    return program, texts("Node", 20_000), {"max_nulls": 10**9, "max_rounds": 10**9}


def since():
    count = 4000
    facts = {"A": {"x": [0] * count, "y": list(range(count)), "start": [0] * count, "end": [9] * count}}
    facts["B"] = {"x": [0] * count, "z": list(range(count)), "start": [0] * count, "end": [9] * count}
    return "P(X, Y, Z) :- A(X, Y), A(X, Y) since[0,5] B(X, Z).", facts, {}


PROGRAMS = {
    each.__name__: each
    for each in (product, joins, closure, wide_counting, fractions, time_points, aggregate, nulls, since)
}


def memory(field):
    """A field of what Linux says of the process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(f"{field}:"))


def main(name, limit):
    text, facts, options = PROGRAMS[name]()
    program = thalweg.parse(text)
    if not isinstance(facts, str):
        import pyarrow as pa

        facts = {predicate: pa.table(columns) for predicate, columns in facts.items()}
    thalweg.materialise(thalweg.parse("P(X) :- A(X)."), "A(a)@1").to_text()
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    try:
        thalweg.materialise(program, facts, max_memory=limit, **options)
        code = "none"
    except thalweg.ReasoningError as error:
        code = f"{error.diagnostics[0].code} rule at line {error.diagnostics[0].span.line}"
    sys.stdout.write(f"{(memory('VmHWM') - before) / MB:.0f} {code}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
