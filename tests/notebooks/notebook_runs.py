"""Notebooks, run from the first cell to the last, and what they show."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"


def notebook(name):
    """The notebook as it is kept."""
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def run(name, folder, timeout):
    """The notebook with what its cells show now, run in a folder; raises what a cell raises."""
    again = notebook(name)
    for cell in again.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(
        again, timeout=timeout, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return again


def shown(read):
    """The texts that the cells of a notebook show; not what is said beside them."""
    return [
        (number, text)
        for number, cell in enumerate(read.cells)
        if cell.cell_type == "code"
        for text in _texts(cell.outputs)
    ]


def _texts(outputs):
    streams = "".join(each.text for each in outputs if each.output_type == "stream" and each.name == "stdout")
    results = [each.data["text/plain"] for each in outputs if each.output_type in ("execute_result", "display_data")]
    return [text for text in (streams, *results) if text]


def pictures(read):
    """The words in the HTML that the cells show, with the numbers of the cells."""
    outputs = ((number, each) for number, cell in enumerate(read.cells) for each in cell.get("outputs", ()))
    html = [(number, each.data["text/html"]) for number, each in outputs if "text/html" in each.get("data", {})]
    return [(number, re.sub(r"<[^>]*>", " ", text).split()) for number, text in html]


def links(read):
    """Where the texts between the cells lead."""
    prose = (cell.source for cell in read.cells if cell.cell_type == "markdown")
    return [target for text in prose for target in re.findall(r"\]\(([^)#\s]+)", text)]
