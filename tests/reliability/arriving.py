"""Orders in which rows may come: all that a delay allows, with rows repeated, cut into batches and files anyhow.

A row is in time while no row before it starts after its own start plus the delay; the newest start of what came in
earlier batches decides. What starts before all others always may come next, so every allowed order can be drawn.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from thalweg.time.timeline import Timeline


def begins(fact, timeline):
    """The first time of a fact; among the integers an open start is the next one."""
    is_open = timeline is Timeline.INTEGER and not fact.interval.start_closed
    return fact.interval.start + (1 if is_open else 0)


def repeated(rows, random):
    """The rows, some of them twice or three times."""
    return [row for row in rows for _ in range(random.choice((1, 1, 2, 3)))]


def permuted(rows, start, limit, random):
    """Any order in which no row comes after one that starts later than its limit (its start plus its delay)."""
    waiting, order = list(rows), []
    while waiting:
        latest = min(map(limit, waiting))
        allowed = [number for number, row in enumerate(waiting) if start(row) <= latest]
        order.append(waiting.pop(random.choice(allowed)))
    return order


def cut(rows, random):
    """The rows in order, in batches of any size, now and then an empty one."""
    batches, rest = [], list(rows)
    while rest:
        size = random.choice((0, 1, 1, 2, 3, 5, len(rest)))
        batches.append(rest[:size])
        rest = rest[size:]
    return batches


def dealt(rows, random):
    """The rows of a batch as one to three tasks read them."""
    tasks = [[] for _ in range(random.randint(1, 3))]
    for row in rows:
        random.choice(tasks).append(row)
    return tasks


@dataclass
class Judge:
    """Which rows of a batch are in time, by the definition: row by row, from what came in the batches before."""

    delay: Fraction
    newest: Fraction | float = -float("inf")

    def in_time(self, rows, start):
        """The rows in time, and the late ones."""
        before = self.newest - self.delay
        timely = [row for row in rows if start(row) >= before]
        late = [row for row in rows if start(row) < before]
        self.newest = max([self.newest, *map(start, rows)])
        return timely, late


def counted(rows, key):
    """How often each row is there."""
    return Counter(map(key, rows))
