"""How many generated cases a comparison takes."""

_SOAKING = 3

_factor = 1


def soak() -> None:
    """From now on, comparisons take more cases: before their modules are read."""
    global _factor
    _factor = _SOAKING


def amount(count: int) -> int:
    """So many cases, or several times as many with ``--soak``."""
    return count * _factor
