"""Existential rules in short, weak acyclicity by brute force, and programs whose nulls often go around."""

from __future__ import annotations

import re
from fractions import Fraction
from random import Random

import thalweg
from thalweg.analysis.existential.read_lars_plus import read_lars_plus
from thalweg.analysis.existential.rewriting import rewrite
from thalweg.analysis.existential.rules import ExistentialRule, PlainAtom
from thalweg.errors import ProgramError
from thalweg.model.formula import Atom, Constant, Variable
from thalweg.model.program import Fact
from thalweg.testing import TooManyNulls, naive_materialise
from thalweg.testing.existential.chase import EndlessChase, skolem_chase
from thalweg.time.interval import point

ATOM = re.compile(r"(\w+)\(([^)]*)\)")
STAR = Constant("*")


def rules(text):
    """Lines such as ``p(X) -> q(X, Y)``: what only the head has is existential; lower-case names are constants."""
    lines = [line for line in text.splitlines() if line.strip()]
    return [rule(line, number) for number, line in enumerate(lines, start=1)]


def rule(line, number=1):
    """One of them, also as ChaseBench writes it: ``p(?X1) -> q(?X1,?X2) .``"""
    body, head = (tuple(map(_atom, ATOM.findall(side))) for side in line.split("->"))
    bound = {variable for atom in body for variable in atom.variables}
    new = dict.fromkeys(variable for atom in head for variable in atom.variables if variable not in bound)
    return ExistentialRule(body, head, tuple(new), number)


def _atom(found):
    name, inside = found
    return PlainAtom(name, tuple(_term(word.strip()) for word in inside.split(",") if word.strip()))


def _term(word):
    return Variable(word.removeprefix("?")) if word.startswith("?") or word[0].isupper() else Constant(word)


# Definition 7 once more, word by word.


def edges_by_the_book(some_rules):
    """{(source, target, special)}, with positions (p, i)."""
    return {
        (source, target, special)
        for each in some_rules
        for y in {v for atom in each.head for v in atom.variables} - set(each.existential)
        for source in pos(y, each.body)
        for target, special in [
            *((place, False) for place in pos(y, each.head)),
            *((place, True) for z in each.existential for place in pos(z, each.head)),
        ]
    }


def pos(variable, atoms):
    """The positions where a variable occurs in some atoms."""
    return {(a.predicate, i) for a in atoms for i, term in enumerate(a.arguments, start=1) if term == variable}


def has_bad_cycle(edges):
    """Whether a cycle goes through a special edge, by following all simple paths from the end of each back."""

    def leads(start, goal, visited):
        if start == goal:
            return True
        following = {target for source, target, _ in edges if source == start} - visited
        return any(leads(target, goal, visited | {target}) for target in following)

    return any(special and leads(target, source, {target}) for source, target, special in edges)


def shortest_bad_cycle(edges):
    """The length of a shortest cycle through a special edge; None where there is none."""
    lengths = [_steps(edges, target, source) for source, target, special in edges if special]
    return min((length + 1 for length in lengths if length is not None), default=None)


def _steps(edges, start, goal):
    reached, level, length = {start}, {start}, 0
    while level:
        if goal in level:
            return length
        level = {target for source, target, _ in edges if source in level} - reached
        reached, length = reached | level, length + 1
    return None


# Chases, which are given up after a while.


def critical(some_rules):
    """The rules with all constants made one, and the facts p(*, …, *): if the chase ends on these, then on any."""
    merged = [_merged(each) for each in some_rules]
    atoms = {(a.predicate, len(a.arguments)) for each in merged for a in (*each.body, *each.head)}
    return merged, [PlainAtom(name, (STAR,) * arity) for name, arity in sorted(atoms)]


def _merged(each):
    def atoms(some):
        terms = (tuple(STAR if isinstance(t, Constant) else t for t in atom.arguments) for atom in some)
        return tuple(PlainAtom(atom.predicate, found) for atom, found in zip(some, terms, strict=True))

    return ExistentialRule(atoms(each.body), atoms(each.head), each.existential, each.number)


def ends(some_rules, facts, max_facts):
    """Whether the skolem chase ends before it has made so many facts."""
    try:
        skolem_chase(some_rules, facts, max_facts)
    except EndlessChase:
        return False
    return True


def ends_on_stream(program, facts, last, max_nulls):
    """Whether the chase of a program ends before it has made so many nulls."""
    try:
        naive_materialise(program, facts, Fraction(0), Fraction(last), max_nulls=max_nulls)
    except TooManyNulls:
        return False
    return True


def rew(program):
    """rew(P); None for programs that are not of LARS+."""
    found, refused = read_lars_plus(program)
    return None if refused else rewrite(found)


# Programs.


def program(text, timeline="timeline integer."):
    """A program on the integer timeline."""
    return thalweg.parse(f"{timeline}\n{text}")


def lars_plus_program(seed, last=None):
    """A program of LARS+ in which nulls often become what others are made from."""
    return _program(Random(seed), last, _LARS_PLUS, per=False)


def wider_program(seed, last=None):
    """A program with other operators, disjunctions, aggregates and frontiers of its own, too."""
    return _program(Random(seed), last, (*_LARS_PLUS, *_BEYOND), per=True)


def traveller_program(seed, last=None):
    """A program in which every null is made from the one before, at another time or the same: p(X, Y) after p(_, X)."""
    random = Random(seed)
    timeline = "timeline integer." if last is None else f"timeline integer from 0 to {last}."
    lines = [timeline, "input e(x).", "s(X, X) :- e(X).", "q(X, X) :- e(X)."]
    for _ in range(random.choice([1, 2, 2, 3])):
        read, made = (random.choice("sq") for _ in range(2))
        body = random.choice((*_LARS_PLUS, *_ALIKE)).format(
            a=f"{read}(_, X)", n=random.randint(0, 2), m=random.randint(1, 2), t=random.choice("TS")
        )
        shift = random.choice(["", " + 1", " + 2", " - 1"])
        head = random.choice([" at T", " at T", " at S" if "at S" in body else "", ""])
        time = ", window[last 0] (top at T)" if "at T" in head and "at T" not in body else ""
        at_head = f"{made}(X, Y){head}{shift if head else ''}"
        boxed = f"boxplus[1,{random.randint(1, 2)}] {made}(X, Y)" if random.random() < 0.2 else at_head
        per = random.choice(["", " per X"]) if "boxplus" in boxed else ""
        lines.append(f"exists Y{per}: {boxed} :- {body}{time}.")
    return thalweg.parse("\n".join(lines))


def stream(seed, last):
    """A few facts."""
    random = Random(seed)
    texts = [_simple(random, "ab", "eefpq") for _ in range(random.randint(2, 5))]
    found = [(name, tuple(Constant(word.strip()) for word in inside.split(","))) for name, inside in map(_parts, texts)]
    return [Fact(Atom(*each), point(random.randint(0, last))) for each in found]


def _parts(text):
    return ATOM.fullmatch(text).groups()


def _program(random, last, forms, *, per):
    timeline = "timeline integer." if last is None else f"timeline integer from 0 to {last}."
    lines = [timeline, "input e(x).", "input f(x, y).", "p(X) :- e(X).", "q(X, V) :- f(X, V)."]
    while True:
        made = [_rule(random, forms, per=per) for _ in range(random.randint(3, 6))]
        try:
            return thalweg.parse("\n".join((*lines, *made)))
        except ProgramError:  # a negation that is not stratified, or types that do not fit
            continue


_ARITY = {"e": 1, "f": 2, "p": 1, "q": 2, "r": 1, "s": 2}
_LARS_PLUS = (
    "{a}",
    "{a}",
    "{a} at {t}",
    "window[last {n}] some {a}",
    "window[last {n}] all {a}",
    "window[last {n}] ({a} at {t})",
    "{a}, window[last 0] (top at {t})",
)
_BEYOND = (
    "diamondminus[{n},{m}] {a}",
    "boxminus[1,{m}] {a}",
    "boxminus[0,{m}] {a}",
    "diamondplus[1,{m}] {a}",
    "{a} since[{n},{m}] {a}",
    "({a} or {c})",
    "diamondminus[1,1] ({a} or window[last {n}] some {c})",
    "window[last {n}, next 1] some {a}",
    "window[last 2, slide 2] all {a}",
    "window[last {m} tuples] some {a}",
    "{a}, not e(X)",
    "{a}, W = X",
    "N = count {{ Z : {a}, f(Z, _) }}",
)
_ALIKE = (
    "diamondminus[{n},2] {a}",
    "boxminus[1,{m}] {a}",
    "diamondplus[1,{m}] {a}",
    "boxplus[{m},2] {a}",
    "top since[{n},2] {a}",
    "window[last {n}, next 1] some {a}",
    "window[last 2, slide 2] all {a}",
    "diamondminus[1,1] window[last {n}] all {a}",
    "window[last {n}] all (diamondminus[1,1] {a})",
)
_ARITHMETIC = ("T <= S", "T2 = T + 1, top at T2", "T2 = S - 1, top at T2", "S = 2 * T", "S < T")


def _rule(random, forms, *, per):
    body = [_literal(random, forms) for _ in range(random.choice([1, 1, 1, 2]))]
    words = _words(" ".join(re.sub(r"\(.* or .*\)", "", part) for part in body))
    times = [time for time in "TS" if time in words]
    arithmetic = [each for each in _ARITHMETIC if _words(each) & {"T", "S"} <= set(times)]
    if arithmetic and random.random() < 0.6:
        body.append(random.choice(arithmetic))
        times += ["T2"] if "T2" in body[-1] else []
    new = random.choice([["Y"], ["Y"], ["Y", "Z2"], []])
    values = [name for name in ("X", "V", "W") if name in words] + ["Y"] * 2 * bool(new) + new[1:] or ["a"]
    heads = [_head(random, values, times) for _ in range(random.choice([1, 1, 2]))]
    used = [name for name in new if name in _words(" ".join(heads))]
    bound = [name for name in ("X", "V", "W") if name in words]
    chosen = f" per {random.choice(bound)}" if used and per and bound and random.random() < 0.3 else ""
    exists = f"exists {', '.join(used)}{chosen}: " if used else ""
    return f"{exists}{', '.join(heads)} :- {', '.join(body)}."


def _words(text):
    return set(re.findall(r"\w+", text))


def _literal(random, forms):
    a, c = (_simple(random, ["X", "X", "V"], "efppqqqrss") for _ in range(2))
    return random.choice(forms).format(a=a, c=c, n=random.randint(0, 1), m=random.randint(1, 3), t=random.choice("TTS"))


def _head(random, values, times):
    atom = _simple(random, values, "pqqrs")
    forms = [f"{atom} at {time}{shift}" for time in times for shift in ("", " + 1", " - 1")]
    return random.choice([atom, atom, *forms, *([f"{atom} at 3"] if random.random() < 0.1 else [])])


def _simple(random, names, predicates):
    predicate = random.choice(predicates)
    return f"{predicate}({', '.join(random.choice(names) for _ in range(_ARITY[predicate]))})"
