"""What a master URL says: where tasks run, how many at once, and whether anybody is there."""

from __future__ import annotations

import re
import socket

from thalweg.errors import UsageError

_LOCAL = re.compile(r"local(?:\[([1-9]\d*|\*)(?:, *[1-9]\d*)?\])?")
_ELSEWHERE = re.compile(r"yarn|k8s://.+|local-cluster\[.+\]")
_STANDALONE = re.compile(r"spark://((?:.+:\d+)(?:,.+:\d+)*)")
_PATIENCE = 5.0


def is_local(master: str) -> bool:
    """Whether tasks run inside the driver, on this machine."""
    return _LOCAL.fullmatch(master) is not None


def local_tasks(master: str, cores: int) -> int:
    """How many tasks a local master runs at once on a machine with so many cores."""
    found = _LOCAL.fullmatch(master)
    number = found[1] if found else None
    return cores if number == "*" else int(number or 1)


def check_master(master: str) -> None:
    """Refuse what is no master, and a standalone one that nobody listens for: Spark would try for a minute."""
    standalone = _STANDALONE.fullmatch(master)
    if standalone and not any(map(_listens, standalone[1].split(","))):
        raise UsageError(f"no Spark master answers at {master}\n    hint: start one, or use master='local[*]'")
    if not (standalone or is_local(master) or _ELSEWHERE.fullmatch(master)):
        raise UsageError(
            f"master={master!r} is no master\n    hint: write local[*], local[4], spark://HOST:PORT, yarn or k8s://URL"
        )


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError):
        return False
    return True
