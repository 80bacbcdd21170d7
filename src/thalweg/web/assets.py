"""The files of the page, as the build has put them into the package."""

from __future__ import annotations

from importlib.resources import files

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}

SERVED = {"/": "index.html", "/app.js": "app.js", "/app.css": "app.css", "/icon.svg": "icon.svg"}
"""Addresses, and the files that they stand for. There are no others."""


def asset(name: str) -> bytes:
    """The content of a file."""
    return files("thalweg.web").joinpath("static", name).read_bytes()


def asset_text(name: str) -> str:
    """The content of a file of text."""
    return asset(name).decode()


def content_type(name: str) -> str:
    """What the server says a file is."""
    return TYPES[name.rpartition(".")[2]]
