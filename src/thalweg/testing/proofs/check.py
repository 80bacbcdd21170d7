"""Checking proofs, node by node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from thalweg.model.formula import (
    Aggregate,
    All,
    And,
    At,
    Atom,
    BinaryMetric,
    Comparison,
    Formula,
    Metric,
    Not,
    Or,
    Some,
    TupleWindow,
    Windowed,
    skolems,
)
from thalweg.model.program import Fact, Program, Rule
from thalweg.model.shapes import formula_with
from thalweg.testing.cells import Cells, cell_numbers
from thalweg.testing.grounding import EMPTY, Interpretation, ground
from thalweg.testing.proofs.bad_proof import BadProof
from thalweg.testing.proofs.claims import claim
from thalweg.testing.proofs.full_model import FullModel, in_full
from thalweg.testing.proofs.reading import Atom as GroundAtom
from thalweg.testing.proofs.reading import Reader, intervals_in, read_interval
from thalweg.testing.steps import Row, steps_of
from thalweg.testing.values import compare

Json = Mapping[str, Any]


def check_proof(program: Program, facts: Iterable[Fact], proof: Json) -> None:
    """Raise :class:`BadProof` unless a proof, as JSON, proves its fact from a program and facts.

    Given pieces must be covered by given facts. For a piece by a rule, its instance must hold at all times of its body
    when nothing holds but the premises; negations, aggregates and windows over tuples are asked of all that the oracle
    derives. The head must then give the piece, and pieces must cover their fact. What is said to be absent must be,
    and no fact may rest on itself.
    """
    model = FullModel.of(program, facts, intervals_in(proof))
    checker = _Checker(model, Reader(model.nulls))
    if "proofs" not in proof:
        checker.check([proof])
        return
    checker.check(proof["proofs"])
    checker.check_parts(proof)


@dataclass
class _Checker:
    model: FullModel
    reader: Reader
    numbered: dict[int, Json] = field(default_factory=dict)

    def check(self, trees: Iterable[Json]) -> None:
        """All nodes of some trees that share numbers."""
        trees = list(trees)
        nodes = [node for tree in trees for node in _nodes(tree)]
        for node in nodes:
            self._number(node)
        _refuse_cycles(trees, self.numbered)
        for node in nodes:
            if "see" not in node:
                self._check_node(node)

    def check_parts(self, proof: Json) -> None:
        """The parts of a fact that is proved in parts: they and what is missing make up what was asked."""
        atom = self.reader.atom(proof["fact"])
        proved = missing = 0
        for tree in proof["proofs"]:
            if self.reader.atom(tree["fact"]) != atom:
                raise BadProof(f"{tree['fact']['text']} is a part of {proof['fact']['text']}")
            proved |= self._cells(tree["fact"]["interval"])
        for text in proof["missing"]:
            missing |= self._cells(text)
        if missing & self.model.cells(*atom):
            raise BadProof(f"{proof['fact']['text']} holds where it is said to be missing")
        if proof["fact"]["interval"] is not None:
            asked = self._cells(proof["fact"]["interval"])
            if asked & ~(proved | missing):
                raise BadProof(f"{proof['fact']['text']} is neither proved nor missing at some time")

    def _number(self, node: Json) -> None:
        """Give a node its number, or find that to which it refers, which must come before it."""
        if "see" not in node:
            if node["number"] in self.numbered:
                raise BadProof(f"two nodes have the number {node['number']}")
            self.numbered[node["number"]] = node
            return
        target = self.numbered.get(node["see"])
        if target is None:
            raise BadProof(f"{node['fact']['text']} refers to node {node['see']}, which does not come before it")
        fact, other = node["fact"], target["fact"]
        same = self.reader.atom(fact) == self.reader.atom(other)
        if not same or self._cells(fact["interval"]) & ~self._cells(other["interval"]):
            raise BadProof(f"{fact['text']} refers to node {node['see']}, which is {other['text']}")

    def _check_node(self, node: Json) -> None:
        fact, covered = node["fact"], 0
        if "pieces" not in node:
            raise BadProof(f"node {node['number']} ({fact['text']}) has no proof")
        atom = self.reader.atom(fact)
        for piece in node["pieces"]:
            cells = self._cells(piece["interval"])
            name = f"node {node['number']} ({fact['text']}), piece {piece['interval']}"
            if piece["kind"] == "rule":
                self._check_rule(name, atom, cells, piece)
            elif cells & ~self.model.given_cells(*atom):
                raise BadProof(f"{name} was not given")
            covered |= cells
        if self._cells(fact["interval"]) & ~covered:
            raise BadProof(f"node {node['number']} ({fact['text']}) is not covered by its pieces")

    def _check_rule(self, name: str, atom: GroundAtom, cells: Cells, piece: Json) -> None:
        rules = [rule for rule in self.model.program.rules if rule.number == piece["rule"]["number"]]
        problems = [self._problem(rule, atom, cells, piece) for rule in rules]
        if None not in problems:
            raise BadProof(f"{name}: {problems[0] if problems else 'there is no such rule'}")
        for absent in piece["absent"]:
            if self._cells(absent["interval"]) & ~self._absent(absent["text"]):
                raise BadProof(f"{name}: {absent['text']} is not absent in {absent['interval']}")
        for text in piece["conditions"]:
            condition = claim(text, self.model.program, self.reader)
            if isinstance(condition, Comparison) and not compare(condition, EMPTY):
                raise BadProof(f"{name}: {text} is false")

    def _problem(self, rule: Rule, atom: GroundAtom, cells: Cells, piece: Json) -> str | None:
        """Why a rule does not derive a piece; None when it does."""
        core = rule.head_core
        if not isinstance(core, Atom) or core.predicate != atom[0]:
            return f"rule {rule.number} derives another predicate"
        values = {**piece["instance"], **piece.get("unnamed", {})}
        instance = {variable: self.reader.value(text) for variable, text in values.items()}
        meanings = self.model.meanings(self._premises(piece))
        body = self._cells(piece["body"])
        rows: list[Row] = [(instance, body)]
        for step in steps_of(tuple(map(_asked, rule.body)), meanings):
            rows = [row for given in rows for row in step.rows(*given)]
        held = 0
        for _, where in rows:
            held |= where
        if body & ~held or not body:
            return f"the body of rule {rule.number} does not hold throughout {piece['body']}"
        derived = 0
        for time, where in self._moments(rule, body):
            for substitution, _ in rows:
                if ground(core, substitution, time) == atom[1]:
                    derived |= meanings.of_head(rule.head)(substitution, where)
        return f"the head of rule {rule.number} does not give it" if cells & ~derived else None

    def _moments(self, rule: Rule, body: Cells) -> Iterator[tuple[int | None, Cells]]:
        if not any(null.timed for null in skolems(rule.head)):
            yield None, body
            return
        for cell in cell_numbers(body):
            yield int(self.model.grid.start) + cell, 1 << cell

    def _premises(self, piece: Json) -> Interpretation:
        premises: Interpretation = {}
        for premise in piece["premises"]:
            predicate, values = self.reader.atom(premise["fact"])
            relation = premises.setdefault(predicate, {})
            relation[values] = relation.get(values, 0) | self._cells(premise["fact"]["interval"])
        return premises

    def _absent(self, text: str) -> Cells:
        """Where a formula holds for no values of its variables."""
        formula = claim(text, self.model.program, self.reader)
        if formula is None:
            raise BadProof(f"{text} is not a formula")
        return self.model.meanings().of(Not(formula))(EMPTY)

    def _cells(self, text: str) -> Cells:
        return self.model.grid.cells_of(read_interval(text))


def _nodes(tree: Json) -> Iterator[Json]:
    """The nodes of a tree in its order."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed([*_premises_of(node)])


def _premises_of(node: Json) -> Iterator[Json]:
    for piece in node.get("pieces", ()):
        yield from piece.get("premises", ())


def _refuse_cycles(trees: Iterable[Json], numbered: Mapping[int, Json]) -> None:
    """Raise if a node rests on itself."""
    finished: set[int] = set()
    for tree in trees:
        open_: dict[int, None] = {}
        waiting: list[tuple[int, bool]] = [(_number_of(tree), False)]
        while waiting:
            number, leaving = waiting.pop()
            if leaving:
                del open_[number]
                finished.add(number)
            elif number in open_:
                raise BadProof(f"node {number} ({numbered[number]['fact']['text']}) rests on itself")
            elif number not in finished:
                open_[number] = None
                waiting.append((number, True))
                waiting += [(_number_of(each), False) for each in _premises_of(numbered[number])]


def _number_of(node: Json) -> int:
    number: int = node["see"] if "see" in node else node["number"]
    return number


def _asked(formula: Formula) -> Formula:
    """The formula, in which what more facts could make false is asked of all that holds."""
    match formula:
        case Not() | Aggregate() | Windowed(window=TupleWindow()):
            return formula_with(formula, in_full)
        case Metric() | Windowed() | Some() | All() | At():
            return replace(formula, operand=_asked(formula.operand))
        case BinaryMetric(left=left, right=right):
            return replace(formula, left=_asked(left), right=_asked(right))
        case And(operands=operands) | Or(operands=operands):
            return replace(formula, operands=tuple(map(_asked, operands)))
        case _:
            return formula
