"""Writes LICENCES.md: the licences of everything that is locked, and of what is bundled in the page.

    python .ci/licences.py            write it anew
    python .ci/licences.py --check    say whether it is up to date, and whether all licences are allowed

Licences are taken from the metadata of the packages as they are installed here.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "LICENCES.md"

ALLOWED = {
    "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MIT-CMU",
    "MPL-2.0", "PSF-2.0", "Zlib",
}  # fmt: skip
"""What may be needed at run time: nothing here asks for anything of whoever uses Thalweg in a program of their own."""

SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD License": "BSD",
    "GNU General Public License (GPL)": "GPL",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0 with Classpath exception",
    "ISC License (ISCL)": "ISC",
    "ISC license": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Mozilla Public License Version 2.0": "MPL-2.0",
    "Public Domain": "public domain",
    "Python Software Foundation License": "PSF-2.0",
}

ELSEWHERE = {"appnope": "BSD-2-Clause", "colorama": "BSD"}
"""Of packages that are locked for systems other than this one."""


def main(arguments: list[str]) -> int:
    """Run the command."""
    text = listed()
    if "--check" not in arguments:
        LIST.write_text(text, encoding="utf-8")
        return 0
    problems = [f"{name}: {licence} is not allowed at run time" for name, licence in refused(licences(runtime()))]
    if not LIST.is_file() or LIST.read_text(encoding="utf-8") != text:
        problems.append("LICENCES.md is not up to date: make licences")
    sys.stderr.write("".join(f"{problem}\n" for problem in problems))
    return 1 if problems else 0


def listed() -> str:
    """The text of the file."""
    needed = runtime()
    optional = closure(requirement for extra in ("java", "editor", "kafka", "bench") for requirement in declared(extra))
    rest = locked() - needed - optional
    return _PAGE.format(
        runtime=_table(licences(needed)),
        page=_table(bundled()),
        optional=_table(licences(optional - needed)),
        development=_table(licences(rest)),
    )


def refused(found: dict[str, str]) -> list[tuple[str, str]]:
    """Packages with a licence that is not allowed; of several that one may choose from, one must be."""
    return [(name, licence) for name, licence in found.items() if not is_allowed(licence)]


def is_allowed(licence: str) -> bool:
    """Whether a licence, or a choice or a sum of several, is allowed."""
    if " OR " in licence:
        return any(map(is_allowed, licence.split(" OR ")))
    return all(part.strip("() ") in ALLOWED for part in licence.split(" AND "))


def runtime() -> set[str]:
    """The packages that Thalweg needs to run."""
    return closure(declared())


def declared(extra: str | None = None) -> list[str]:
    """What pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: list[str] = project["dependencies"] if extra is None else project["optional-dependencies"][extra]
    return found


def closure(requirements: Iterable[str]) -> set[str]:
    """The packages asked for, and all that they ask for in turn."""
    found: set[str] = set()
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        each = waiting.pop()
        name = canonicalize_name(each.name)
        if name in found:
            continue
        found.add(name)
        inner = map(Requirement, metadata.requires(name) or ())
        waiting += [one for one in inner if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def locked() -> set[str]:
    """The names in requirements.lock."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==", lock, flags=re.MULTILINE)}


def licences(names: Iterable[str]) -> dict[str, str]:
    """The licences of packages."""
    return {name: ELSEWHERE.get(name) or licence_of(name) for name in sorted(names)}


def licence_of(name: str) -> str:
    """What the metadata of a package says: the expression, or the classifiers, or the text where it is a short one."""
    said = metadata.metadata(name)
    if said["License-Expression"]:
        return str(said["License-Expression"])
    short = (said["License"] or "").strip().splitlines()[:1]
    classified = [each.split(" :: ")[-1] for each in said.get_all("Classifier", []) if each.startswith("License ::")]
    if short and SPELLINGS.get(short[0], short[0]) in ALLOWED:
        return SPELLINGS.get(short[0], short[0])
    if classified:
        return " OR ".join(SPELLINGS.get(each, each) for each in classified)
    return short[0][:60] if short else "unknown"


def bundled() -> dict[str, str]:
    """The packages whose code is in the page; LICENSES.txt beside it has the texts of their licences."""
    texts = (ROOT / "src" / "thalweg" / "web" / "static" / "LICENSES.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w@/-]+) \d+\.\d+\.\d+ \((.+)\)$", texts, flags=re.MULTILINE))


def _table(found: dict[str, str]) -> str:
    rows = "\n".join(f"| {name} | {licence} |" for name, licence in found.items())
    return f"| package | licence |\n|---|---|\n{rows}"


_PAGE = """\
# Licences of what Thalweg uses

Written by `make licences` from the metadata of the packages; a test keeps it up to date, and keeps licences that ask
something of whoever uses Thalweg out of the first two tables.

## Needed to run

{runtime}

## Bundled in the page

The texts are in `src/thalweg/web/static/LICENSES.txt`, which is installed with the page.

{page}

## Optional

With the extras `java`, `editor`, `kafka` and `bench`.

{optional}

## For development only

{development}
"""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
