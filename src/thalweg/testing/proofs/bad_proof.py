"""What is wrong with a proof."""

from __future__ import annotations


class BadProof(AssertionError):  # noqa: N818 -- it is what a test fails with
    """A proof that proves nothing; the message says which of its nodes fails, and how."""
