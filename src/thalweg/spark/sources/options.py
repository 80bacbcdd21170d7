"""Options of a data source, read with care: what is not understood is refused, not ignored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation

from thalweg.errors import UsageError, did_you_mean

_OF_SPARK = ("checkpointLocation", "path", "paths", "queryName")
"""Options that Spark adds by itself."""


class Options:
    """The options that a user gave to one data source; names are read in any case, as in Spark."""

    def __init__(self, source: str, given: Mapping[str, str]) -> None:
        self._source = source
        self._given = {name.lower(): value for name, value in given.items()}

    def refuse_unknown(self, known: Collection[str], prefix: str | None = None) -> None:
        """Refuse names that are neither known, nor Spark's own, nor begin with the prefix."""
        allowed = {name.lower() for name in (*known, *_OF_SPARK)}
        for name in self._given:
            if name not in allowed and not (prefix and name.startswith(prefix)):
                hint = did_you_mean(name, known) or f"it has {', '.join(sorted(known))}"
                raise UsageError(f"{self._source} has no option {name}\n    hint: {hint}")

    def with_prefix(self, prefix: str) -> dict[str, str]:
        """The options whose names begin with a prefix, without it."""
        return {name.removeprefix(prefix): value for name, value in self._given.items() if name.startswith(prefix)}

    def text(self, name: str) -> str | None:
        """The value of an option; None if it was not given."""
        return self._given.get(name.lower())

    def required(self, name: str, hint: str) -> str:
        """The value of an option that must be given."""
        value = self.text(name)
        if not value:
            raise UsageError(f"{self._source} needs the option {name}\n    hint: {hint}")
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """A list of names with commas between them."""
        return tuple(part.strip() for part in (self.text(name) or "").split(",") if part.strip())

    def choice(self, name: str, choices: Collection[str], hint: str = "") -> str:
        """One of a few words; the first is the default."""
        value = (self.text(name) or next(iter(choices))).lower()
        if value not in choices:
            raise self._wrong(name, f"must be {' or '.join(choices)}", hint)
        return value

    def boolean(self, name: str, default: bool) -> bool:
        """A truth value."""
        value = (self.text(name) or str(default)).lower()
        if value not in ("true", "false"):
            raise self._wrong(name, "must be true or false")
        return value == "true"

    def positive(self, name: str) -> int | None:
        """A whole number above zero; None if it was not given."""
        value = self.text(name)
        if value is None:
            return None
        if not (value.strip().isascii() and value.strip().isdigit() and int(value)):
            raise self._wrong(name, "must be a whole number above 0")
        return int(value)

    def seconds(self, name: str, default: float) -> float:
        """A number of seconds, zero or more."""
        value = self.text(name)
        if value is None:
            return default
        try:
            number = Decimal(value)
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite() or number < 0:
            raise self._wrong(name, "must be a number of seconds")
        return float(number)

    def _wrong(self, name: str, what: str, hint: str = "") -> UsageError:
        message = f"{self._source}: the option {name} {what}, not {self.text(name)}"
        return UsageError(f"{message}\n    hint: {hint}" if hint else message)
