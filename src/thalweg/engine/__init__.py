"""Reasoning over columns: the semi-naive fixpoint and what it is made of."""
