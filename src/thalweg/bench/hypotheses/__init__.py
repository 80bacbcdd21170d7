"""Hypothetical answers over late data."""
