"""A small reader of TextMate grammars: as much of them as ours uses, with Python's regular expressions."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GRAMMAR = ROOT / "editors" / "thalweg.tmLanguage.json"


def read(text):
    """The pieces of a text with their scopes, line by line."""
    grammar = json.loads(GRAMMAR.read_text())
    stack = [grammar]
    return [_line(line, stack, grammar) for line in text.split("\n")]


def _line(line, stack, grammar):
    found, place, began_at = [], 0, None
    while True:
        end = _compiled(stack[-1]["end"]).search(line, place) if "end" in stack[-1] else None
        rules = list(_rules(stack[-1]["patterns"], grammar))
        matches = [(m, rule) for rule in rules if (m := _compiled(_pattern(rule)).search(line, place))]
        first = min(matches, key=lambda each: each[0].start(), default=None)
        if end and (first is None or end.start() <= first[0].start()) and (len(stack), end.start()) != began_at:
            _add(found, line[place : end.start()], None)
            _add(found, end[0], stack[-1].get("endCaptures", {}).get("0", {}).get("name"))
            began_at = (len(stack) - 1, end.end()) if not end[0] else None
            place = end.end()
            stack.pop()
            continue
        if first is None:
            _add(found, line[place:], None)
            return found
        match, rule = first
        _add(found, line[place : match.start()], None)
        _captures(found, match, rule)
        place = match.end()
        if "begin" in rule:
            stack.append(rule)
        assert match[0] or "begin" in rule, rule


def _captures(found, match, rule):
    marked = rule.get("beginCaptures") or {}
    if not marked:
        _add(found, match[0], rule.get("name"))
        return
    place = match.start()
    for number in sorted(map(int, marked)):
        _add(found, match.string[place : match.start(number)], None)
        _add(found, match[number], marked[str(number)]["name"])
        place = match.end(number)
    _add(found, match.string[place : match.end()], None)


def _rules(patterns, grammar):
    for each in patterns:
        if "include" in each:
            yield from _rules(grammar["repository"][each["include"][1:]]["patterns"], grammar)
        else:
            yield each


def _pattern(rule):
    return rule.get("begin") or rule["match"]


@cache
def _compiled(pattern):
    return re.compile(pattern)


def _add(found, text, scope):
    if text:
        found.append([text, scope or "source.thalweg"])
