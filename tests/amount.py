"""How many generated cases a comparison takes."""

_SOAKING = 3
_FEW = 0.2

_factor = 1.0


def soak() -> None:
    """From now on, comparisons take more cases: before their modules are read."""
    global _factor
    _factor = _SOAKING


def few() -> None:
    """From now on, comparisons take few cases: thousands of mutants each run them."""
    global _factor
    _factor = _FEW


def amount(count: int) -> int:
    """So many cases; several times as many with ``--soak``, a few of them with ``--mutants``."""
    return max(1, int(count * _factor))
