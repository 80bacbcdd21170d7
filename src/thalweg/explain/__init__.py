"""Explanations: why a fact holds, and why not."""
