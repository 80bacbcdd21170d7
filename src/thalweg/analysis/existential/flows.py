"""How values flow from one body atom to one head atom: all that weak acyclicity asks of a rule.

An edge of Definition 7 goes from a position of a body atom to one of a head atom, whatever else the rule has. So a rule
can be cut into pairs of atoms, each with the arithmetic of the whole rule, and their temporal groundings have the same
graph together as that of the rule; but they are far fewer, as each chooses two time points only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from thalweg.analysis.existential.rules import ExistentialRule
from thalweg.analysis.existential.weak_acyclicity import PositionGraph
from thalweg.analysis.existential.wfree import TimedAtom, WindowFreeRule
from thalweg.analysis.existential.written import existential_rule


def flows(rules: Iterable[WindowFreeRule], within: PositionGraph | None = None) -> Iterator[WindowFreeRule]:
    """The rules cut into pairs of a body atom and a head atom.

    With the graph of strip(P), only pairs with an edge in one of its components with a cycle through a special edge.
    Cycles of tfgrnd_T(P) through special edges are made of those only: without times they are such cycles of strip(P)
    (as in the proof of Theorem 5).
    """
    for rule in rules:
        for source in rule.body:
            for target in rule.head:
                flow = replace(rule, body=(source,), head=(target,))
                if within is None or _stays(timeless(flow), within):
                    yield flow


def timeless(rule: WindowFreeRule) -> ExistentialRule:
    """The rule without its times."""
    body, head = (tuple(each.atom for each in atoms) for atoms in (rule.body, rule.head))
    return existential_rule(body, head, rule.existential, rule.frontier, rule.number, rule.origin)


def ends(flow: WindowFreeRule) -> tuple[TimedAtom, TimedAtom]:
    """The body atom and the head atom."""
    return flow.body[0], flow.head[0]


def _stays(rule: ExistentialRule, graph: PositionGraph) -> bool:
    return any(graph.stays(source, target) for source, target, _ in PositionGraph.of([rule]).rules)
