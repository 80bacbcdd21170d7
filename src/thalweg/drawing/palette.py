"""Colours that can be read on a light and on a dark page alike, since a notebook does not say which it is.

All else is drawn in the colour of the text around it.
"""

from __future__ import annotations

LANES = ("#3a86c8", "#c9702f", "#3f9a62", "#b0609f", "#93842a", "#7d78cf", "#c75c66", "#2f9494")
"""One after the other, for the predicates of a timeline."""

BLUE, ORANGE, GREEN, PURPLE, RED, GREY = "#3a86c8", "#c9702f", "#3f9a62", "#a868a8", "#d0555f", "#808890"

MONOSPACE = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
