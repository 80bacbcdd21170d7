"""Paths as Spark takes them, and small files at them, on any file system that Spark knows."""

from __future__ import annotations

import os
import re
from typing import Any

from pyspark.sql import SparkSession


def spark_path(path: str) -> str:
    """A path of this machine, or an address, so that Spark does not look for it on another file system."""
    return path if "://" in path or path.startswith("file:") else f"file:{os.path.abspath(path)}"


def exact_path(path: str) -> str:
    """As :func:`spark_path`, for a path that is no pattern whatever its letters."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", spark_path(path))


class Folder:
    """A folder, through Hadoop's file systems."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self.shown = path
        self.path = spark_path(path)
        self._jvm: Any = spark._jvm
        self._configuration = spark._jsc.hadoopConfiguration()

    def below(self, name: str) -> str:
        """The full path of something in it."""
        return f"{self.path.rstrip('/')}/{name}"

    def folder(self, name: str) -> Folder:
        """A folder in it."""
        return Folder(self._spark, self.below(name))

    def make(self, name: str = "") -> None:
        """Make the folder, or one in it, with all above it."""
        system, path = self._at(name)
        system.mkdirs(path)

    def exists(self, name: str = "") -> bool:
        """Whether the folder, or something in it, is there."""
        system, path = self._at(name)
        return bool(system.exists(path))

    def names(self, below: str = "") -> list[str]:
        """What is in it, or in a folder in it, without what is hidden; nothing if it is not there."""
        if not self.exists(below):
            return []
        system, path = self._at(below)
        found = (entry.getPath().getName() for entry in system.listStatus(path))
        return sorted(name for name in found if not name.startswith("."))

    def read(self, name: str) -> str | None:
        """The text of a file; None if it is not there."""
        if not self.exists(name):
            return None
        system, path = self._at(name)
        stream = system.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, name: str, text: str) -> None:
        """Write a file whole or not at all; one that is there already stays."""
        if self.exists(name):
            return
        system, path = self._at(name)
        parent, _, leaf = name.rpartition("/")
        _, temporary = self._at(f"{parent}/.{leaf}.writing".lstrip("/"))
        stream = system.create(temporary, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()
        system.rename(temporary, path)

    def replace(self, name: str, by: str) -> None:
        """Put a folder in the place of another, which need not be there."""
        system, target = self._at(name)
        _, source = self._at(by)
        system.delete(target, True)
        system.rename(source, target)

    def remove(self, name: str = "") -> None:
        """Remove it, or something in it, with all that is in there."""
        system, path = self._at(name)
        system.delete(path, True)

    def _at(self, name: str) -> tuple[Any, Any]:
        path = self._jvm.org.apache.hadoop.fs.Path(self.below(name) if name else self.path)
        return path.getFileSystem(self._configuration), path
