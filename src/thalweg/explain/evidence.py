"""What a step of a proof rests on."""

from __future__ import annotations

from dataclasses import dataclass, field

from thalweg.explain.atoms import GroundAtom
from thalweg.time.interval_set import IntervalSet


@dataclass
class Evidence:
    """Facts, formulas that do not hold, each with its times; and what was compared or counted, as texts."""

    facts: dict[GroundAtom, IntervalSet] = field(default_factory=dict)
    absent: dict[str, IntervalSet] = field(default_factory=dict)
    conditions: dict[str, None] = field(default_factory=dict)

    def add_fact(self, atom: GroundAtom, times: IntervalSet) -> None:
        """One more fact."""
        if times:
            self.facts[atom] = self.facts[atom].union(times) if atom in self.facts else times

    def add_absent(self, text: str, times: IntervalSet) -> None:
        """One more formula that does not hold."""
        if times:
            self.absent[text] = self.absent[text].union(times) if text in self.absent else times

    def add_condition(self, text: str) -> None:
        """One more condition."""
        self.conditions.setdefault(text)
