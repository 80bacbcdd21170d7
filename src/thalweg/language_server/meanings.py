"""What the operators and words of the language mean, in a line."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "BOXMINUS": "`box[a,b] P`, `boxminus`, ⊟: P held all the time from b to a ago.",
        "BOXPLUS": "`boxplus[a,b] P`, ⊞: P will hold all the time from a to b from now.",
        "DIAMONDMINUS": "`diamond[a,b] P`, `diamondminus`, ◇⁻: P held at some time from b to a ago.",
        "DIAMONDPLUS": "`diamondplus[a,b] P`, ◇⁺: P will hold at some time from a to b from now.",
        "SINCE": "`P since[a,b] Q`: Q held at some time from b to a ago, and P ever since.",
        "UNTIL": "`P until[a,b] Q`: Q will hold at some time from a to b from now, and P until then.",
        "WINDOW": "`window[last 5] …`: only what holds in the window counts inside: of time, or of tuples.",
        "SOME": "`some P`: P holds at some time point of the window.",
        "ALL": "`all P`: P holds at every time point of the window.",
        "AT": "`P at T`: P holds at the time point T; `P(a)@3` is a fact and its time.",
        "NOT": "`not P`: P does not hold.",
        "AND": "`P and Q`, `P, Q`: both hold.",
        "OR": "`(P or Q)`: one of them holds, or both.",
        "IMPLIES": "`(P implies Q)`: Q holds, or P does not.",
        "EXISTS": "`exists Y: P(X, Y) :- …`: there is such a Y; a new value stands for it.",
        "TOP": "`top`, ⊤: always true.",
        "BOTTOM": "`bottom`, ⊥: never true; a rule with this head forbids its body.",
        "INF": "`inf`, ∞: without end.",
        "AGGREGATE": "`N = count { X : P(X) }`: over the distinct values before the colon; also sum, min, max, avg.",
        "ARROW": "`Head :- Body`: where the body holds, the head does.",
        "RIGHT_ARROW": "`Body -> Head`: where the body holds, the head does.",
        "ROLE": "declares a predicate: `input` comes with the data, `background` always holds, `output` is asked for.",
        "TIMELINE": "`timeline integer` or `timeline rational`: which times there are.",
        "UNIT": "`unit 1s`: how long the number 1 is, where a time has no unit.",
        "TICK": "`tick 0.5`: all times of the data are multiples of it.",
        "DELAY": "`delay P = 3`: facts of P come at most so late.",
        "PROBABILITY": "`probability P = 0.2`: how likely a fact of P holds at a time point.",
        "TIME": "`time in last argument`: the last argument of every atom is its time, as in Temporal Datalog.",
        "CONST": "`const Limit = 90`: a name for a value.",
        "LAST": "`window[last 5]`: from 5 time units ago; `last 5 tuples`: the newest 5 facts.",
        "NEXT": "`window[last 5, next 2]`: up to 2 time units from now.",
        "SLIDE": "`window[last 10, slide 5]`: the window moves by 5 at a time.",
        "TUPLES": "`window[last 3 tuples]`: facts are counted, not times.",
        "PER": "`last 3 tuples per 1`: counted for each value of the argument with that number.",
        "OF": "`window[last 5, of stream]`: a window of the whole stream, not of the window around it.",
        "STREAM": "`window[last 5, of stream]`: a window of the whole stream, not of the window around it.",
    }
)
"""By the type of a token."""
