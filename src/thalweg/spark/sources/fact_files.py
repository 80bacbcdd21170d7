"""The files that a path stands for: one file, those in a folder, or those that a pattern matches."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from thalweg.errors import UsageError


@dataclass(frozen=True)
class FoundFile:
    """A file as it was when the folder was listed."""

    name: str
    """Below the folder, with ``/`` between the parts, so that the folder itself may move."""
    path: str
    """For opening; absolute, since the workers of Spark need not run where the driver does."""
    shown: str
    """As the user would write it."""
    size: int
    modified: int
    """In nanoseconds."""


@dataclass(frozen=True)
class FactPath:
    """A path given by the user."""

    given: str
    absolute: str

    @classmethod
    def of(cls, given: str) -> FactPath:
        """A path, or a ``file:`` address."""
        local = given
        if given.startswith("file:"):
            local = "/" + given.removeprefix("file:").lstrip("/")
        elif "://" in given:
            raise UsageError(
                f"thalweg-facts cannot read {given}\n    hint: it reads files on a disk that all machines share"
            )
        return cls(local, str(Path(local).absolute()))

    def refuse_missing(self) -> None:
        """Refuse a path that can never stand for anything."""
        if not os.path.exists(self.absolute) and not (self._is_pattern and os.path.isdir(self._root)):
            missing = self._root if self._is_pattern else self.given
            raise UsageError(f"there is no file or folder {missing}")

    def files(self) -> list[FoundFile]:
        """The files there are now, by the time of their last change, then by name."""
        self.refuse_missing()
        try:
            found = [self._stat(path) for path in self._paths()]
        except OSError as error:
            raise UsageError(f"cannot read {self.given}: {error.strerror}") from error
        return sorted((file for file in found if file), key=lambda file: (file.modified, file.name))

    def file(self, name: str, size: int) -> FoundFile:
        """A file that was listed before, whether or not it is still there."""
        path = os.path.join(self._root, name)
        return FoundFile(name, path, self._shown(path), size, 0)

    @property
    def is_unmatched_pattern(self) -> bool:
        """Whether the path is a pattern that matches nothing."""
        return self._is_pattern and not self.files()

    @property
    def _is_pattern(self) -> bool:
        return glob.has_magic(self.absolute) and not os.path.exists(self.absolute)

    @property
    def _root(self) -> str:
        """The folder that file names are relative to."""
        if os.path.isdir(self.absolute):
            return self.absolute
        root = os.path.dirname(self.absolute)
        while self._is_pattern and glob.has_magic(root) and not os.path.exists(root):
            root = os.path.dirname(root)
        return root

    def _paths(self) -> Iterable[str]:
        if os.path.isdir(self.absolute):
            return [entry.path for entry in os.scandir(self.absolute) if not _is_hidden(entry.name)]
        if not self._is_pattern:
            return [self.absolute]
        root = self._root
        matches = glob.glob(self.absolute, recursive=True)
        return {path for path in matches if not _is_hidden(os.path.relpath(path, root))}

    def _stat(self, path: str) -> FoundFile | None:
        try:
            status = os.stat(path)
        except FileNotFoundError:  # it was moved away since the folder was listed
            return None
        if not os.path.isfile(path):
            return None
        name = os.path.relpath(path, self._root).replace(os.sep, "/")
        return FoundFile(name, path, self._shown(path), status.st_size, status.st_mtime_ns)

    def _shown(self, path: str) -> str:
        if os.path.isabs(self.given):
            return path
        return os.path.normpath(os.path.relpath(path, str(Path.cwd())))


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split(os.sep))
