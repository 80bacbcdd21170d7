"""Drawings: timelines, proofs and rules as escaped HTML and SVG that need nothing from elsewhere."""
