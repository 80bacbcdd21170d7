"""A checker of explanations, which shares nothing with what makes them: it takes them as data, and asks the oracle."""

from thalweg.testing.proofs.bad_proof import BadProof
from thalweg.testing.proofs.check import check_proof
from thalweg.testing.proofs.check_why_not import check_why_not

__all__ = ["BadProof", "check_proof", "check_why_not"]
