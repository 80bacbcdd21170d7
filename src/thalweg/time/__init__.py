"""Time in plain exact Python: intervals, sets of intervals, timelines, units, ticks."""
