"""Relations of (arguments…, [start, end]) as 64-bit columns, and the vectorised interval kernels.

This room knows numbers, not rules. Time is in the encoding of :mod:`thalweg.time.ticks`: every interval,
whatever its brackets, is a closed range of integers.
"""
