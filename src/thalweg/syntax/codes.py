"""Every code of a mistake in the text of a program, of a query or in a fact file, and what it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PROGRAM_CODES: Mapping[str, str] = MappingProxyType(
    {
        "E101": "a character or symbol does not belong to the language",
        "E102": "a quoted text is not closed",
        "E103": "a number is not well formed",
        "E104": "a number has too many digits",
        "E105": "a unit of time does not exist",
        "E106": "a bracket is never closed",
        "E107": "a closing bracket closes nothing",
        "E108": "a bracket is closed by one of another kind",
        "E109": "an escape in a quoted text does not exist",
        "E110": "a symbol or word stands where it does not fit",
        "E111": "a comma is missing",
        "E112": "a semicolon is used as a separator",
        "E113": "a rule has no head",
        "E114": "a rule has no body",
        "E115": "a rule has two arrows, or runs into the next rule",
        "E116": "an operator lacks its interval, or has one where it takes none",
        "E117": "an interval or time is not well formed",
        "E118": "an interval contains no time point",
        "E119": "the interval of an operator is negative",
        "E120": "a keyword, an operator or the arrow is misspelt",
        "E121": "a chain of since and until can be read in two ways",
        "E122": "comparisons are chained",
        "E123": "a comparison stands in a head",
        "E124": "an interval follows @ in a rule",
        "E125": "a fact has a variable, or an argument that is not a value",
        "E126": "a statement is neither a rule nor a fact",
        "E127": "an atom or operator stands where a value is needed",
        "E128": "a value stands where a formula is needed",
        "E129": "or or implies stands outside parentheses",
        "E130": "a value is infinite",
        "E131": "a window is not well formed",
        "E132": "a declaration is not well formed",
        "E133": "a type does not exist",
        "E134": "a timeline does not exist, or has no such start or end",
        "E135": "a constant is named like a variable, or has no constant value",
        "E136": "a statement is nested too deeply",
        "E137": "a reserved word is used as a name",
        "E138": "the variables of exists are not well formed",
        "E139": "a formula or value is missing",
        "E140": "an aggregate has no colon, or two",
        "E141": "an aggregate has no value before its colon",
        "E142": "an aggregate has no condition after its colon",
        "E143": "an aggregate stands inside another",
        "E144": "an aggregate stands in a head",
        "E145": "an aggregate does not stand alone on its side of a comparison",
    }
)

QUERY_CODES: Mapping[str, str] = MappingProxyType(
    {
        "E180": "a query is empty",
        "E181": "a query has an arrow",
        "E182": "a query has more than one statement",
    }
)
"""In the text of a query stand conditions like those of a rule, with the same codes; these are its own."""

FACT_CODES: Mapping[str, str] = MappingProxyType(
    {
        "E401": "a character or symbol does not belong in a fact",
        "E402": "a quoted text is not closed",
        "E403": "a number is not well formed",
        "E404": "a number has too many digits",
        "E405": "a number has a unit",
        "E406": "an escape in a quoted text does not exist",
        "E407": "a line is not a fact",
        "E408": "a bracket is missing",
        "E409": "a comma is missing, or a text lacks quotes",
        "E410": "an argument is missing",
        "E411": "a fact has a variable",
        "E412": "the time of a fact is missing",
        "E413": "the time of a fact is not well formed",
        "E414": "the interval of a fact contains no time point",
        "E415": "something stands after a fact",
        "E416": "a rule stands in a fact file",
        "E417": "a JSON file is not well formed",
        "E418": "an entry of a JSON file is not a fact",
        "E419": "a value is infinite",
        "E420": "a fact has a null",
    }
)
