"""Where public data lies: streams and programs of the papers, which are not part of Thalweg.

A folder with ``hackathon``, ``lubm``, ``programs`` and ``chasebench-deep-100``. ``THALWEG_DATA`` names it; without that
it is ``shared/data`` beside the folder of a clone. Processes that an experiment starts see the same folder.
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "THALWEG_DATA"

LUBM, DEEP, HACKATHON, PROGRAMS = "lubm", "chasebench-deep-100", "hackathon", "programs"


def data_folder() -> Path:
    """The folder of all public data, whether it is there or not."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path(__file__).resolve().parents[4] / "shared" / "data"


def use_data_folder(folder: Path) -> None:
    """Take public data from a folder, in this process and those it starts."""
    os.environ[VARIABLE] = str(folder.resolve())


def data_path(*parts: str) -> Path:
    """A file or folder of the public data."""
    return data_folder().joinpath(*parts)


def program_path(name: str) -> Path:
    """A published program, such as ``short_stop`` or ``meteor-aaai22-p3``."""
    return data_path(PROGRAMS, f"{name}.txt")
