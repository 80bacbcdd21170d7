"""The record of the files that a stream has taken, small enough to stand in every offset.

Names do not fit, and a time would not do: a file can appear with a time of change that lies before those already
taken. So each file is twelve bytes, a hash of its name and its size, written as sixteen characters. Spark keeps the
last hundred offsets and shows them in its progress reports, so a folder should hold thousands of files, not
millions. Files that have left the folder leave the record, too: move files away once they are read.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from struct import Struct

from thalweg.errors import UsageError
from thalweg.spark.sources.fact_files import FoundFile

_ENTRY = Struct(">QI")
_SIZES = 1 << 32


@dataclass(frozen=True)
class Taken:
    """Which files were taken, and how long they were."""

    sizes: dict[int, int] = field(default_factory=dict)
    """By the hash of the name; the size modulo 2³²."""

    @classmethod
    def parse(cls, text: str) -> Taken:
        """Read what :meth:`write` wrote."""
        return cls(dict(_ENTRY.iter_unpack(b64decode(text))))

    def write(self) -> str:
        """The record as a text; equal records give equal texts."""
        return b64encode(b"".join(_ENTRY.pack(*entry) for entry in sorted(self.sizes.items()))).decode()

    def __contains__(self, file: FoundFile) -> bool:
        return _hash(file.name) in self.sizes

    def plus(self, files: Iterable[tuple[str, int]]) -> Taken:
        """The record with more files, given by name and size."""
        return Taken({**self.sizes, **{_hash(name): size % _SIZES for name, size in files}})

    def only(self, files: Iterable[FoundFile]) -> Taken:
        """The record without files that are no longer there."""
        present = {_hash(file.name) for file in files}
        return Taken({key: size for key, size in self.sizes.items() if key in present})

    def refuse_changed(self, files: Iterable[FoundFile]) -> None:
        """Refuse a file that grew after it was taken: what was added to it would never be read."""
        names: dict[int, str] = {}
        for file in files:
            key = _hash(file.name)
            if names.setdefault(key, file.shown) != file.shown:
                raise UsageError(f"{file.shown} and {names[key]} have names of one hash\n    hint: rename one of them")
            if self.sizes.get(key, file.size % _SIZES) != file.size % _SIZES:
                raise UsageError(
                    f"{file.shown} changed after it was read, from {self.sizes[key]} to {file.size} bytes\n"
                    "    hint: a file is read once, so put new facts into a new file and remove this one"
                )


def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).digest())
