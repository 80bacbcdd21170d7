"""Existential rules without time: what LARS+ programs are rewritten to, and whether the chase on them ends."""
