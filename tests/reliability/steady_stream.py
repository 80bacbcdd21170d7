"""A stream of readings of sensors that come and go, written to a folder at a steady rate."""

import os
import threading
import time

RULES = """
timeline integer.
input Reading(sensor: string, level: number).
output Overheating(sensor: string).
output Silent(sensor: string).
output Often(sensor: string, times: number).

Hot(S) :- Reading(S, L), L > 60.
Overheating(S) :- boxminus[0,5] diamondminus[0,2] Hot(S).
Silent(S) :- diamondminus[0,20] Reading(S, _), not diamondminus[0,10] Reading(S, _).
Often(S, N) :- Hot(S), N = count { L, T : window[last 10] (Reading(S, L) at T), L > 60 }, N > 5.
"""
"""Metric operators, negation, windows and aggregates; nothing looks further back than 20 seconds."""

LIFE = 20
"""For so many seconds a sensor sends; then another takes its place, and never comes back."""


def readings(second, rows):
    """The facts of a second: one reading of every sensor that is there."""
    lines = []
    for place in range(rows):
        life = (second + place) // LIFE
        # By arithmetic, not by chance: some sensors are hot all their life, most now and then.
        level = 90 if place % 50 == 0 else (place * 31 + second * 17 + life * 7) % 70
        lines.append(f"Reading(s{place}_{life},{level})@{second}\n")
    return "".join(lines)


def deliver(folder, second, rows):
    """A file of readings; it appears whole."""
    draft = folder / f".{second:07}"
    draft.write_text(readings(second, rows))
    # What is moved in keeps its time: as it was long ago, it is taken at once.
    os.utime(draft, (1_700_000_000 + second,) * 2)
    draft.rename(folder / f"{second:07}.facts")


class SteadyWriter(threading.Thread):
    """Delivers a file every second, until it is stopped.

    ``read_until`` says which second has been read and written down; files of long before are removed, as the manual
    advises.
    """

    def __init__(self, folder, rows, read_until, kept=60):
        super().__init__(daemon=True)
        self.folder, self.rows, self.read_until, self.kept = folder, rows, read_until, kept
        self.stopping = threading.Event()
        self.second = self._removed = 0

    def run(self):
        begun = time.monotonic()
        while not self.stopping.wait(max(0.0, begun + self.second - time.monotonic())):
            deliver(self.folder, self.second, self.rows)
            self.second += 1
            while self._removed < self.read_until() - self.kept:
                (self.folder / f"{self._removed:07}.facts").unlink()
                self._removed += 1
