"""Frozen rules and programs that remember where they came from."""
