"""The scenarios of the LARS+ paper are in ``benchmarks``, which lies beside ``tests``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
