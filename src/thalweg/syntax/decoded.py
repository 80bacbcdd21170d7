"""Bytes of a fact file as text; lines that are not UTF-8 are found, never guessed."""

from __future__ import annotations

from thalweg.errors import Diagnostic

NOT_TEXT = "E474"
HINT = "write the file in UTF-8: whoever guesses the characters may make one value of two"


def decode_lines(data: bytes, name: str, first_line: int = 1) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text of some lines, with line ends as ``\\n``, and the lines that are not UTF-8, which are blank in it."""
    try:
        return _with_plain_ends(data.decode("utf-8")), ()
    except UnicodeDecodeError:
        lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    texts: list[str] = []
    found: list[Diagnostic] = []
    for number, line in enumerate(lines, start=first_line):
        try:
            texts.append(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            texts.append("")
            found.append(not_text(f"{name}:{number}:{error.start + 1}", "the line", line[error.start]))
    return "\n".join(texts), tuple(found)


def not_text(place: str, what: str, byte: int | None = None) -> Diagnostic:
    """Something is not UTF-8."""
    shown = "" if byte is None else f", at the byte 0x{byte:02X}"
    return Diagnostic(NOT_TEXT, None, f"{what} is not UTF-8{shown}", HINT, place)


def _with_plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
