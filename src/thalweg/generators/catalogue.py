"""All generated streams by name, with what can be chosen, and rules to try on each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from thalweg.generators import network, traffic, trams, turbines
from thalweg.generators.belts import Belts, Chances
from thalweg.generators.journal_programs import NON_RECURSIVE
from thalweg.generators.stream import Generated

if TYPE_CHECKING:
    from thalweg.generators.lubm import Lubm


@dataclass(frozen=True)
class Parameter:
    """Something to choose, a number; a ``float`` is a share between 0 and 1, an ``int`` is ``least`` or more."""

    name: str
    default: int | float
    about: str
    least: int = 1


@dataclass(frozen=True)
class Kind:
    """A kind of stream.

    ``make`` takes the parameters by name, and ``seed``. ``program`` has all that is needed to read the stream, and
    example rules; ``query`` is one of their answers. ``is_late`` says that facts come out of order. Where rules are not
    about all predicates, ``uses`` gives the columns of those that they are about.
    """

    name: str
    about: str
    parameters: tuple[Parameter, ...]
    make: Callable[..., Generated]
    program: Callable[[Any], str]
    query: str
    is_late: bool = False
    uses: Callable[[], Mapping[str, pa.Schema]] | None = None

    @property
    def tied(self) -> Mapping[str, pa.Schema] | None:
        """The columns of the predicates that the rules are about, None for all."""
        return None if self.uses is None else self.uses()


LUBM_RULES = f"""\
output AssistantProfessorCandidate(person: string).
output AssociateProfessorCandidate(person: string).
{NON_RECURSIVE}"""

LUBM_USES = ("Lecturer", "doctoralDegreeFrom", "University")


def _lubm(facts: int, seed: int, only: Collection[str] | None = None) -> Lubm:
    from thalweg.generators.lubm import Lubm  # with its tables of names: only who asks for it waits for them

    return Lubm(facts, seed, only)


def _lubm_columns() -> dict[str, pa.Schema]:
    return {name: table.schema for name, table in _lubm(0, 0, LUBM_USES).tables().items()}


def _belts(belts: int, times: int, slow: float, hot: float, lasting: float, seed: int) -> Belts:
    return Belts(belts, times, Chances(slow, hot, lasting), seed)


CATALOGUE = (
    Kind(
        "lubm",
        "temporal LUBM: universities, each fact at a time point on a half in [0, 300]",
        (Parameter("facts", 100_000, "how many facts"),),
        _lubm,
        lambda stream: _lubm(stream.facts, stream.seed, LUBM_USES).declarations + LUBM_RULES,
        "AssistantProfessorCandidate",
        uses=_lubm_columns,
    ),
    Kind(
        "traffic",
        "vehicles in a traffic jam, like the hackathon's stream S1",
        (
            Parameter("vehicles", traffic.VEHICLES_OF_S1, "how many vehicles"),
            Parameter("times", 200, "how many time points, one a second"),
        ),
        traffic.Traffic,
        lambda stream: stream.declarations + traffic.RULES,
        "ShortStop",
    ),
    Kind(
        "belts",
        "conveyor belts: scenario S_A of the LARS+ paper",
        (
            Parameter("belts", 100, "how many belts"),
            Parameter("times", 100, "how many time points"),
            Parameter("slow", 0.3, "p1: the chance that a belt is slow"),
            Parameter("hot", 0.3, "p2: the chance that a belt gets hot"),
            Parameter("lasting", 0.5, "p3: the chance that it then stays hot until it is an incident"),
        ),
        _belts,
        lambda stream: stream.declarations + stream.rules,
        "incId",
    ),
    Kind(
        "turbines",
        "readings of wind turbines that come late, out of order, or not at all",
        (
            Parameter("turbines", 100, "how many turbines"),
            Parameter("times", 100, "how many time points"),
            Parameter("delay", 5, "δ: by how many time points a reading may be late", least=0),
            Parameter("loss", 0.05, "the chance that a reading never comes"),
        ),
        turbines.Turbines,
        lambda stream: stream.declarations + turbines.RULES,
        "Malf",
        is_late=True,
    ),
    Kind(
        "trams",
        "trams at stops, and jams that hold them up, as in the LARS paper",
        (
            Parameter("trams", 50, "how many trams"),
            Parameter("times", 120, "how many minutes"),
        ),
        trams.Trams,
        lambda stream: stream.declarations + trams.RULES,
        "late",
    ),
    Kind(
        "network",
        "hosts with heartbeats, connections and logins; outages, port scans and break-ins",
        (
            Parameter("hosts", 20, "how many hosts", least=2),
            Parameter("times", 600, "how many seconds"),
        ),
        network.Network,
        lambda stream: stream.declarations + network.RULES,
        "Scan",
    ),
)
