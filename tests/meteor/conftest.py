"""MeTeoR's driver and the LUBM facts are in ``benchmarks``, which lies beside ``tests``."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("meteor_reasoner", reason="MeTeoR is not installed")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
