"""Runs a piece of Python that uses Spark in a process of its own."""

import os
import subprocess
import sys


def run_python(code, *arguments, **environment):
    """The finished process of a piece of Python; a variable that is None is not set."""
    changed = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={name: value for name, value in changed.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
