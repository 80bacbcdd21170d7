"""Predicates in the order in which they can be evaluated."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strongly_connected(graph: Mapping[Node, Iterable[Node]]) -> list[frozenset[Node]]:
    """The strongly connected components, each after those it points to (Tarjan, without recursion)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on_stack: set[Node] = set()
    found: list[frozenset[Node]] = []

    def enter(node: Node) -> tuple[Node, Iterator[Node]]:
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        return node, iter(graph.get(node, ()))

    for root in graph:
        if root in index:
            continue
        path = [enter(root)]
        while path:
            node, successors = path[-1]
            for successor in successors:
                if successor not in index:
                    path.append(enter(successor))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    component = stack[cut:]
                    del stack[cut:]
                    on_stack.difference_update(component)
                    found.append(frozenset(component))
    return found
