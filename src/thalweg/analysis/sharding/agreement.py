"""Values for names, such that the values of linked names fit together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)
Value = TypeVar("Value")
SomeLink = TypeVar("SomeLink", bound="Link")  # type: ignore[type-arg]  # a bound cannot have type variables


@dataclass(frozen=True)
class Link(ABC, Generic[Name, Value]):
    """Two names whose values must fit together; a name may be linked to itself."""

    one: Name
    other: Name

    @abstractmethod
    def fits(self, value: Value, other: Value) -> bool:
        """Whether the two names may have these values."""


class Agreement(Generic[Name, Value, SomeLink]):
    """The values that each name may still have, in order of preference.

    A value goes as soon as a linked name has none that fits it (arc consistency). That settles most names at once;
    where it leaves a choice, the caller makes it, and takes another if the choice leads to a contradiction.
    """

    def __init__(self, possible: Mapping[Name, tuple[Value, ...]], links: Iterable[SomeLink]) -> None:
        self.possible = dict(possible)
        self._links: defaultdict[Name, list[SomeLink]] = defaultdict(list)
        for link in links:
            for name in {link.one: None, link.other: None}:
                self._links[name].append(link)

    def copy(self) -> Agreement[Name, Value, SomeLink]:
        """The same names and links, to make other choices with."""
        twin: Agreement[Name, Value, SomeLink] = Agreement(self.possible, ())
        twin._links = self._links
        return twin

    def settle(self) -> SomeLink | None:
        """Drop every value that fits nowhere; gives the link that cannot be satisfied, if there is one."""
        return self._follow(self.possible, {})

    def choose(self, name: Name, value: Value) -> SomeLink | None:
        """Settle on a value; if that cannot be, nothing changes, and the link that forbids it is given."""
        before = {name: self.possible[name]}
        self.possible[name] = (value,)
        conflict = self._follow((name,), before)
        if conflict is not None:
            self.possible.update(before)
        return conflict

    def _follow(self, names: Iterable[Name], before: dict[Name, tuple[Value, ...]]) -> SomeLink | None:
        waiting = dict.fromkeys(names)
        while waiting:
            name, _ = waiting.popitem()
            for link in self._links[name]:
                for changed, values in self._narrowed(link):
                    before.setdefault(changed, self.possible[changed])
                    self.possible[changed] = values
                    if not values:
                        return link
                    waiting[changed] = None
        return None

    def _narrowed(self, link: SomeLink) -> Iterable[tuple[Name, tuple[Value, ...]]]:
        """What the two names of a link may still have, where that is less than before."""
        ones, others = self.possible[link.one], self.possible[link.other]
        if link.one == link.other:
            left = right = tuple(value for value in ones if link.fits(value, value))
        else:
            left = tuple(value for value in ones if any(link.fits(value, other) for other in others))
            right = tuple(other for other in others if any(link.fits(value, other) for value in left))
        if len(left) < len(ones):
            yield link.one, left
        if len(right) < len(others) and link.one != link.other:
            yield link.other, right
