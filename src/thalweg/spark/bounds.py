"""How much a batch of a stream takes at most, so that a long backlog becomes many batches and not a huge one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FILES_A_BATCH = 1000
BYTES_A_BATCH = 64 << 20
ROWS_A_BATCH = 1_000_000

_OF_FILES = ("maxfilespertrigger", "maxbytespertrigger", "maxcachedfiles", "latestfirst")
_OF_RECORDS = ("maxoffsetspertrigger", "minoffsetspertrigger")


@dataclass(frozen=True)
class Bounds:
    """What a user asked for: at most so many files or bytes of a folder, and records of a topic, at once.

    ``by_default`` says whether there are bounds where nothing was asked for. A run over all that is there has none: it
    answers as a batch does, whatever the order in which files lie there.
    """

    files: int | None = None
    size: int | None = None
    rows: int | None = None
    by_default: bool = True

    def of_facts(self) -> dict[str, str]:
        """Options for ``thalweg-facts``, which has bounds of its own where it is told nothing."""
        return _options({"maxFilesPerTrigger": self.files, "maxBytesPerTrigger": self.size})

    def of_topic(self, given: Mapping[str, str]) -> dict[str, str]:
        """Options for ``thalweg-kafka``, beside those that are given; it has a bound of its own as well."""
        return {} if _has(given, _OF_RECORDS) else _options({"maxOffsetsPerTrigger": self.rows})

    def of_files(self, given: Mapping[str, str]) -> dict[str, str]:
        """Options for folders of Spark's own formats, which take one bound and have none of their own."""
        if _has(given, _OF_FILES):
            return {}
        if self.files is not None:
            return _options({"maxFilesPerTrigger": self.files})
        return _options({"maxBytesPerTrigger": self.size or (BYTES_A_BATCH if self.by_default else None)})

    def of_sparks_topic(self, given: Mapping[str, str]) -> dict[str, str]:
        """Options for Spark's own connector to Kafka, which has no bound of its own."""
        rows = self.rows or (ROWS_A_BATCH if self.by_default else None)
        return {} if _has(given, _OF_RECORDS) else _options({"maxOffsetsPerTrigger": rows})


DEFAULT_BOUNDS = Bounds()


def _options(bounds: Mapping[str, int | None]) -> dict[str, str]:
    return {name: str(bound) for name, bound in bounds.items() if bound is not None}


def _has(given: Mapping[str, str], names: tuple[str, ...]) -> bool:
    return any(name.lower() in names for name in given)
