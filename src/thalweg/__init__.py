"""Thalweg: reason with rules about time over data that never stops arriving."""
