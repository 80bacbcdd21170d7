"""Whether a series of measurements grows."""

from statistics import median

import numpy as np


def growth(samples, name):
    """How much a figure grew: the median of the last quarter less that of the second, and by its slope over as long.

    The first quarter is for warming up. Of the two the smaller counts: a leak shows in both, while a single step, or a
    few figures out of line, show in one.
    """
    values = [sample[name] for sample in samples]
    quarter = len(values) // 4
    second, last = values[quarter : 2 * quarter], values[-quarter:]
    second, last = ([value for value in part if value is not None] for part in (second, last))
    by_medians = median(last) - median(second)
    places = [place for place in range(quarter, len(values)) if values[place] is not None]
    slope = np.polyfit(places, [values[place] for place in places], 1)[0]
    return min(by_medians, slope * 2 * quarter), median(second)


def grown(samples, allowed):
    """What grew beyond what is allowed: by name a share of what there was, and an amount on top of it."""
    found = {}
    for name, (share, amount) in allowed.items():
        by, before = growth(samples, name)
        if by > share * before + amount:
            found[name] = f"by {by:,.0f} from {before:,.0f}"
    return found
