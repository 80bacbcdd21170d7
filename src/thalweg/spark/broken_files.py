"""Files of a table that Spark cannot read: which one it is, and why, out of what Spark says at length."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar
from urllib.parse import unquote

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # what everybody calls it

from thalweg.errors import BadFactsError, Diagnostic
from thalweg.source import shortened

_Made = TypeVar("_Made")

_FAILED = re.compile(r"\[FAILED_READ_FILE\.(\w+)\] Encountered error while reading file (\S+)\.\s")
_NO_FOOTER = re.compile(r"Could not read footer for file: (\S+?)\.?\s")
_WRONG_TYPE = re.compile(r"Parquet column \[(.+?)\]\. Expected Spark type (\S+), actual Parquet type (\S+?)\.\s")
_WRONG_HEADER = re.compile(r"CSV header does not conform to the schema\.\s+Header: (.+?)\n\s*Schema: (.+?)\n")
_OTHER_WIDTH = re.compile(r"Number of column in CSV header is not equal to number of fields in the schema")
_CAUSE = re.compile(r"^Caused by: (?:[\w.$]+: )+(.+)$", re.MULTILINE)

VANISHED = "it vanished before it was read"
EMPTY = "it has no bytes at all"


class BrokenFileError(BadFactsError):
    """A file of a table cannot be read, while the others can; ``address`` is what Spark calls it."""

    def __init__(self, address: str, reason: str) -> None:
        self.address, self.reason = address, reason
        hint = "mend it, or put it back" if reason == VANISHED else "put a file in its place that can be read"
        message = f"the file cannot be read: {shortened(reason, 300)}"
        super().__init__([Diagnostic("E475", None, message, f"{hint}, and start again", local_path(address))])


def broken_file(texts: Iterable[str]) -> BrokenFileError | None:
    """The file that Spark failed to read, if that is what its texts say."""
    # One of them names the file, another may have the cause.
    text = "\n".join(texts)
    failed = _FAILED.search(text)
    if failed:
        return BrokenFileError(failed[2], _reason(failed[1], text))
    footer = _NO_FOOTER.search(text)
    return BrokenFileError(footer[1], _NOT_WHOLE) if footer else None


_NOT_WHOLE = "it is no Parquet file, or not a whole one"


def _reason(condition: str, text: str) -> str:
    if condition == "FILE_NOT_EXIST":
        return VANISHED
    if wrong := _WRONG_TYPE.search(text):
        return f"column {wrong[1]} has the type {wrong[3]} in it, where {wrong[2]} is expected"
    if wrong := _WRONG_HEADER.search(text):
        return f"its first line names the columns {wrong[1]}, where {wrong[2]} are expected"
    if _OTHER_WIDTH.search(text):
        return "its first line names more or fewer columns than are expected"
    if "is not a Parquet file" in text or "Could not read footer" in text:
        return _NOT_WHOLE
    causes = _CAUSE.findall(text)
    return causes[-1] if causes else "Spark does not say why"


def local_path(address: str) -> str:
    """A file of this machine as people write it; any other address as it is."""
    return "/" + unquote(address.removeprefix("file:")).lstrip("/") if address.startswith("file:") else address


def without_files(frame: DataFrame, addresses: tuple[str, ...]) -> DataFrame:
    """The table without some of its files, which are then not opened."""
    if not addresses:
        return frame
    spelt = {form for address in addresses for form in _spellings(address)}
    return frame.where(~F.col("_metadata.file_path").isin(*sorted(spelt)))


def _spellings(address: str) -> Iterator[str]:
    """Spark writes the address of a local file in several ways."""
    for form in (address, unquote(address)):
        yield form
        if form.startswith("file:"):
            path = form.removeprefix("file:").lstrip("/")
            yield from (f"file:/{path}", f"file:///{path}")


def files_at(path: str) -> list[str]:
    """The files of a table on this machine, but for hidden ones; none if it is elsewhere, or a pattern."""
    local = path.removeprefix("file:")
    if "://" in path or not os.path.exists(local):
        return []
    if os.path.isfile(local):
        return [os.path.abspath(local)]
    found = []
    for folder, folders, names in os.walk(local):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found += [os.path.join(folder, name) for name in names if not name.startswith((".", "_"))]
    return sorted(map(os.path.abspath, found))


def refuse_empty(path: str | None, kind: str, aside: tuple[str, ...]) -> None:
    """Refuse a Parquet file of no bytes, which Spark would pass over without a word."""
    known = {local_path(address) for address in aside}
    for file in files_at(path) if path is not None and kind == "parquet" else ():
        if file not in known and os.path.getsize(file) == 0:
            raise BrokenFileError(f"file:{file}", EMPTY)


def leaving_out_broken(
    attempt: Callable[[tuple[str, ...]], _Made], *, skips: bool
) -> tuple[_Made, tuple[BrokenFileError, ...]]:
    """What an attempt gives once it is told which files to leave out, and what is wrong with these.

    Spark could pass over broken files by itself, but does not say which, nor how much of them it has read before.
    """
    broken: dict[str, BrokenFileError] = {}
    while True:
        try:
            made = attempt(tuple(broken))
        except BrokenFileError as error:
            if not skips or error.address in broken:
                raise
            broken[error.address] = error
        else:
            return made, tuple(broken.values())
