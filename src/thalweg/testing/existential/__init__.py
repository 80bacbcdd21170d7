"""Existential rules without time, by the book: the skolem chase, and the same rules as a program of Thalweg's."""
