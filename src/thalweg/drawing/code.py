"""The text of rules in colours."""

from __future__ import annotations

from collections.abc import Iterable

from thalweg.drawing.markup import Html, element, joined
from thalweg.drawing.palette import BLUE, GREEN, GREY, MONOSPACE, ORANGE, PURPLE, RED

_STYLES = {
    "comment": f"color:{GREY};font-style:italic",
    "keyword": f"color:{PURPLE};font-weight:600",
    "declaration": f"color:{PURPLE};font-weight:600",
    "operator": f"color:{PURPLE};font-weight:600",
    "type": f"color:{GREEN}",
    "constant": f"color:{ORANGE}",
    "predicate": f"color:{BLUE}",
    "number": f"color:{ORANGE}",
    "string": f"color:{GREEN}",
    "error": f"text-decoration:underline wavy {RED}",
}
"""By the name of a kind of text; others have the colour of the page."""


FAINT = "opacity:.75;font-size:12px"
"""The style of what is said beside the matter."""


def code_block(pieces: Iterable[tuple[str, str]]) -> Html:
    """A block of text made of (kind, text) pieces."""
    style = f"margin:0;padding:.5em .75em;overflow-x:auto;line-height:1.45;font-family:{MONOSPACE};font-size:13px"
    return element("pre", code_line(pieces), style=f"{style};background:transparent;color:inherit;text-align:left")


def code_line(pieces: Iterable[tuple[str, str]]) -> Html:
    """The pieces in a row."""
    return joined(_piece(str(kind), text) for kind, text in pieces)


def inline_code(text: str, colour: str) -> Html:
    """A fact or a rule in a line of words."""
    style = f"font-family:{MONOSPACE};font-size:12.5px;background:transparent;white-space:pre-wrap"
    return element("code", text, style=f"{style};color:{colour}")


def faint(text: str) -> Html:
    """What is said beside the matter."""
    return element("span", text, style=FAINT)


def figure(*parts: str, caption: str) -> Html:
    """Drawings with a line above them that says what they show."""
    title = element("div", caption, style=f"{FAINT};margin:.25em 0")
    return element("div", title, *parts, style="max-width:960px")


def _piece(kind: str, text: str) -> str:
    style = _STYLES.get(kind)
    return text if style is None else element("span", text, style=style)
