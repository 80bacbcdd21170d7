"""MeTeoR's driver and the LUBM facts are in ``thalweg.bench``."""

import pytest

pytest.importorskip("meteor_reasoner", reason="MeTeoR is not installed")
