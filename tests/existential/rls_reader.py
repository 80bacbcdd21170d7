"""A reader of rule files by the published grammars of Rulewerk (JavaCCParser.jj) and Nemo, where both agree.

What the two read differently is an error here: escapes in strings, strings that begin like a comment, decimals, names
and variables with other letters than ASCII ones.
"""

from __future__ import annotations

import re

TOKENS = re.compile(
    r"""
    (?P<space>[ \n]+|%[^\n]*\n)
  | (?P<name>[A-Za-z][A-Za-z0-9_]*)
  | (?P<universal>\?[A-Za-z][A-Za-z0-9_]*)
  | (?P<existential>![A-Za-z][A-Za-z0-9_]*)
  | (?P<integer>[+-]?[0-9]+)(?![.eE0-9])
  | (?P<string>"(?!%)[^"\\\n\r%]*")
  | (?P<datatype>\^\^<[^<>"{}^\\|`\x00-\x20]*>)
  | (?P<arrow>:-)
  | (?P<punctuation>[(),.])
    """,
    re.VERBOSE,
)


def read_rls(text):
    """The statements: (head, body) for rules, (atom, None) for facts; atoms are (name, terms)."""
    return _Reader(list(_tokens(text))).statements()


def _tokens(text):
    position = 0
    while position < len(text):
        found = TOKENS.match(text, position)
        assert found, f"no token at {text[position : position + 40]!r}"
        position = found.end()
        if found.lastgroup != "space":
            yield found.lastgroup, found[0]


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens):
        self.tokens = [*tokens, ("end", "")]
        self.position = 0

    def statements(self):
        found = []
        while self.tokens[self.position][0] != "end":
            found.append(self.statement())
        return found

    def statement(self):
        head = self.atoms()
        body = None
        if self.tokens[self.position][0] == "arrow":
            self.take("arrow")
            body = self.atoms()
            check_rule(head, body)
        else:
            assert len(head) == 1
            assert not [term for term in head[0][1] if term[0] in ("universal", "existential")]
        self.take("punctuation", ".")
        return (head, body) if body is not None else (head[0], None)

    def atoms(self):
        found = [self.atom()]
        while self.tokens[self.position] == ("punctuation", ","):
            self.take("punctuation", ",")
            found.append(self.atom())
        return found

    def atom(self):
        name = self.take("name")
        self.take("punctuation", "(")
        terms = [self.term()]
        while self.tokens[self.position] == ("punctuation", ","):
            self.take("punctuation", ",")
            terms.append(self.term())
        self.take("punctuation", ")")
        return name, terms

    def term(self):
        kind, text = self.tokens[self.position]
        assert kind in ("universal", "existential", "integer", "string"), (kind, text)
        self.position += 1
        if kind == "string" and self.tokens[self.position][0] == "datatype":
            return "literal", text[1:-1], self.take("datatype")[3:-1]
        return (kind, int(text)) if kind == "integer" else (kind, text[1:-1] if kind == "string" else text[1:])

    def take(self, kind, text=None):
        found = self.tokens[self.position]
        assert found[0] == kind, (found, kind)
        assert text is None or found[1] == text, (found, text)
        self.position += 1
        return found[1]


def check_rule(head, body):
    """Both systems refuse rules that are not safe, and existential variables in bodies."""
    in_body = {term for _, terms in body for term in terms if term[0] in ("universal", "existential")}
    assert not [name for kind, name in in_body if kind == "existential"]
    for _, terms in head:
        for kind, *name in terms:
            assert kind != "universal" or (kind, *name) in in_body
            assert kind != "existential" or ("universal", *name) not in in_body
