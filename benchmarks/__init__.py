"""Measurements on public data: how fast, how much memory, how it grows. ``python -m benchmarks``."""
