"""Runs the example notebooks and keeps what they show now: ``python tests/notebooks/rewrite_notebooks.py``."""

from __future__ import annotations

import tempfile

import nbformat
from notebook_runs import FOLDER, run


def rewrite(name: str) -> None:
    """Bring a notebook up to date, without what is said on standard error and what depends on the machine."""
    with tempfile.TemporaryDirectory() as folder:
        again = run(name, folder, timeout=300)
    again.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in again.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    nbformat.write(again, FOLDER / f"{name}.ipynb")


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        rewrite(path.stem)
