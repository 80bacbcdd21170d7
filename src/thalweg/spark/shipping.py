"""Brings this package to the nodes of a cluster.

What is written in plain Python is sent: this package and lark. numpy, pandas, pyarrow and protobuf must be there,
for the Python that ``spark.pyspark.python`` or ``PYSPARK_PYTHON`` names on the nodes and on the driver.
"""

from __future__ import annotations

import functools
import os
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pyspark.sql import SparkSession

from thalweg.spark.master import is_local

_PACKAGES = ("thalweg", "lark")
_ARCHIVE = "thalweg.zip"


def ship(spark: SparkSession) -> None:
    """Send the package to the executors of a session, once.

    Local tasks run in the environment of the driver and need nothing.
    """
    context = spark.sparkContext
    if is_local(context.master or "") or any(file.endswith(f"/{_ARCHIVE}") for file in context.listFiles):
        return
    archive = Path(_folder().name) / _ARCHIVE
    write_archive(archive)
    context.addPyFile(str(archive))
    # A stateful operator also starts a Python on the driver, which knows nothing of files that were added.
    paths = (context.environment.get("PYTHONPATH"), str(archive))
    context.environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))


def write_archive(target: Path) -> None:
    """Write what is sent as a zip file that Python can import from."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in _PACKAGES:
            for name, file in _files(package, files(package)):
                archive.writestr(name, file.read_bytes())


def _files(name: str, place: Traversable) -> Iterator[tuple[str, Traversable]]:
    for entry in place.iterdir():
        inner = f"{name}/{entry.name}"
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(inner, entry)
        elif entry.is_file() and not entry.name.endswith(".pyc"):
            yield inner, entry


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for the archive, from which the driver serves it; it goes when Python ends."""
    return tempfile.TemporaryDirectory(prefix="thalweg-ship-")
