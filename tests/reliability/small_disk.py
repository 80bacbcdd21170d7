"""A disk of a few kilobytes, and what fills it."""

import os
import subprocess
from contextlib import contextmanager

import pytest

SIZE = 16 * 1024 * 1024


@contextmanager
def small_disk(folder, free):
    """A disk at a folder, with so many bytes free: the rest is in the file ``ballast``."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "thalweg-test", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("this user may not mount a disk")
    try:
        page = os.statvfs(folder).f_frsize
        ballast = folder / "ballast"
        ballast.write_bytes(bytes((SIZE - free) // page * page))
        yield ballast
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
