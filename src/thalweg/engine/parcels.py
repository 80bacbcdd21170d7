"""What one task sends to one shard in one batch: facts, and how far time has come."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from thalweg.engine.frames import pack, unpack
from thalweg.engine.packets import Packet
from thalweg.engine.state_errors import damaged, reading
from thalweg.time.exact import exact, exact_endpoint
from thalweg.time.interval import Endpoint, format_endpoint

KIND = "parcel"


@dataclass(frozen=True)
class Parcel:
    """Packets for a shard, and what every shard must know of the whole batch.

    ``newest`` is the latest start of a fact that the sender has read; ``before`` comes from an earlier stage: no fact
    that starts before it will follow. ``is_final`` says that no fact follows at all. ``times`` are the time points of
    the data, sent only where answers are wanted at them.
    """

    packets: tuple[Packet, ...] = ()
    newest: Fraction | None = None
    before: Endpoint | None = None
    is_final: bool = False
    rows: int = 0
    times: tuple[Fraction, ...] = ()

    def to_bytes(self) -> bytes:
        """The parcel as bytes."""
        header = {
            "newest": None if self.newest is None else str(self.newest),
            "before": None if self.before is None else format_endpoint(self.before),
            "final": self.is_final,
            "rows": self.rows,
            "times": [str(time) for time in self.times],
            "packets": [packet.header() for packet in self.packets],
        }
        return pack(KIND, header, [packet.to_table() for packet in self.packets])

    @classmethod
    def of_bytes(cls, data: bytes) -> Parcel:
        """The parcel of :meth:`to_bytes`; raises :class:`StateError` for anything else."""
        header, tables = unpack(KIND, data)
        with reading():
            packets = (Packet.of_table(said, table) for said, table in zip(header["packets"], tables, strict=True))
            parcel = cls(
                tuple(packets),
                None if header["newest"] is None else exact(header["newest"]),
                None if header["before"] is None else exact_endpoint(header["before"]),
                header["final"],
                header["rows"],
                tuple(map(exact, header["times"])),
            )
            if type(parcel.is_final) is not bool or type(parcel.rows) is not int:
                raise damaged("a parcel does not say how much is in it")
        return parcel


def latest(parcels: Iterable[Parcel]) -> Fraction | None:
    """The newest time of several parcels."""
    return max((parcel.newest for parcel in parcels if parcel.newest is not None), default=None)


def packets_of(parcels: Iterable[Parcel]) -> Iterator[Packet]:
    """All packets of several parcels."""
    for parcel in parcels:
        yield from parcel.packets


def minimum(ends: Iterable[Endpoint | None]) -> Endpoint:
    """The earliest of several ends; −∞ when one of them is not known."""
    return min((-math.inf if end is None else end for end in ends), default=-math.inf)
