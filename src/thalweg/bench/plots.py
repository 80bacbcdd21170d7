"""Figures as PNG and SVG files."""

from __future__ import annotations

from pathlib import Path

from thalweg.bench.result import Figure

KINDS = ("png", "svg")


def draw(figure: Figure, folder: Path, name: str) -> None:
    """Write ``name.png`` and ``name.svg``."""
    import matplotlib as mpl  # an extra: only those who draw need it

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "thalweg"  # the same figure gives the same file
    from matplotlib import pyplot as plt

    picture, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for line in figure.lines:
        axes.plot(line.x, line.y, label=line.label, marker="o" if figure.points else None, markersize=4, linewidth=1.4)
    axes.set(title=figure.title, xlabel=figure.x_label, ylabel=figure.y_label)
    if figure.log_x:
        axes.set_xscale("log")
    if figure.log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    if len(figure.lines) > 1:
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))  # beside the lines, not over them
    for kind in KINDS:
        picture.savefig(folder / f"{name}.{kind}", dpi=110, metadata={"Date": None} if kind == "svg" else None)
    plt.close(picture)
