"""Looks for known vulnerabilities in what is locked, with pip-audit, where it can be installed and reached.

    python .ci/audit.py                 look, and judge
    python .ci/audit.py REPORT.json     judge a report of pip-audit that is there

Fails where a package that Thalweg needs to run has an advisory for which there is a fix, unless it is accepted, with a
reason, in ``.ci/accepted_advisories.toml``. Everything else is told. That advisories cannot be had is told, and is no
failure: what is locked does not get worse by it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from licences import ROOT, runtime
from packaging.utils import canonicalize_name

ACCEPTED = ROOT / ".ci" / "accepted_advisories.toml"
AUDITOR = "pip-audit>=2.9"
_PATIENCE = 240


@dataclass(frozen=True)
class Advisory:
    """A known vulnerability of a locked package."""

    package: str
    version: str
    name: str
    aliases: tuple[str, ...]
    fixed_in: tuple[str, ...]

    def __str__(self) -> str:
        fix = f"fixed in {', '.join(self.fixed_in)}" if self.fixed_in else "no fix yet"
        return f"{self.package} {self.version}: {self.name} ({fix})"


def main(arguments: list[str]) -> int:
    """Run the command."""
    report = Path(arguments[0]).read_text(encoding="utf-8") if arguments else _report()
    said = {"dependencies": []} if report is None else json.loads(report)
    checked = [each for each in said["dependencies"] if "skip_reason" not in each]
    if not checked:
        _say("advisories cannot be had here: nothing was checked")
        return 0
    found = advisories(said)
    failing = grave(found, runtime(), accepted())
    for each in found:
        _say(f"{'to be mended' if each in failing else 'noted'}: {each}")
    looked_at = f"{len(checked)} of {len(said['dependencies'])} packages looked at"
    _say(f"{looked_at}, {len(found)} advisories, {len(failing)} of them to be mended")
    return 1 if failing else 0


def _say(text: str) -> None:
    sys.stdout.write(f"audit: {text}\n")


def advisories(report: dict[str, Any]) -> list[Advisory]:
    """The advisories in a report of pip-audit."""
    return [
        Advisory(
            canonicalize_name(package["name"]),
            package["version"],
            each["id"],
            tuple(each.get("aliases", ())),
            tuple(each.get("fix_versions", ())),
        )
        for package in report["dependencies"]
        for each in package.get("vulns", ())
    ]


def grave(found: list[Advisory], needed: set[str], accepted_names: dict[str, str]) -> list[Advisory]:
    """The advisories that must be seen to: of packages needed at run time, with a fix, and not accepted."""
    return [
        each
        for each in found
        if each.package in needed and each.fixed_in and not {each.name, *each.aliases} & accepted_names.keys()
    ]


def accepted(text: str | None = None) -> dict[str, str]:
    """The advisories that were looked at and accepted, each with the reason."""
    listed = tomllib.loads(ACCEPTED.read_text(encoding="utf-8") if text is None else text).get("accepted", {})
    without = [name for name, reason in listed.items() if not isinstance(reason, str) or len(reason) < 10]
    if without:
        raise SystemExit(f"audit: say why {', '.join(without)} is accepted")
    return listed


def _report() -> str | None:
    """What pip-audit says of requirements.lock; None where it cannot say anything."""
    with tempfile.TemporaryDirectory(prefix="thalweg-audit-") as folder:
        try:
            venv.create(folder, with_pip=True)
            python = Path(folder) / "bin" / "python"
            quiet = ("--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15")
            _run(python, "-m", "pip", "install", *quiet, AUDITOR)
            lock = ("--requirement", str(ROOT / "requirements.lock"), "--require-hashes", "--disable-pip")
            done = _run(python, "-m", "pip_audit", *lock, "--format", "json", "--progress-spinner", "off", check=False)
            json.loads(done)
        except (OSError, subprocess.SubprocessError, ValueError):
            return None
        return done


def _run(*command: str | Path, check: bool = True) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=check)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
