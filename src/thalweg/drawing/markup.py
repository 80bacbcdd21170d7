"""HTML and SVG that cannot be broken by what stands in it: text is escaped, unless it is known to be markup."""

from __future__ import annotations

import html
from collections.abc import Iterable


class Html(str):
    """A text that is markup, and not to be escaped again."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str | int | float | bool | None) -> Html:
    """``<name attribute="…">children</name>``.

    Children that are not :class:`Html` are escaped. An underscore in the name of an attribute stands for a hyphen;
    attributes that are None or False are left out, and those that are True have no value.
    """
    written = "".join(_attribute(each, value) for each, value in attributes.items())
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[str]) -> Html:
    """Pieces of markup one after the other; those that are not :class:`Html` are escaped."""
    return Html("".join(each if isinstance(each, Html) else html.escape(each) for each in children))


def _attribute(name: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    shown = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {shown}"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return f' {shown}="{html.escape(text)}"'
