"""Every code of a mistake in a CQL query, and what it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CQL_CODES: Mapping[str, str] = MappingProxyType(
    {
        "E150": "CQL: the text is not SQL",
        "E151": "CQL: a statement is neither a query nor a declaration",
        "E152": "CQL: a clause has no translation",
        "E153": "CQL: a join is not an inner join with ON",
        "E154": "CQL: an expression has no translation",
        "E155": "CQL: a function has the wrong number of arguments",
        "E156": "CQL: no such stream, table or view is declared before the query",
        "E157": "CQL: a column does not exist",
        "E158": "CQL: a column name is ambiguous",
        "E159": "CQL: a name is given twice",
        "E160": "CQL: a name is not one of the rule language",
        "E161": "CQL: a column type does not exist",
        "E162": "CQL: a window is not well formed",
        "E163": "CQL: the range or slide of a window is out of bounds",
        "E164": "CQL: the rows of a window are not a whole number above 0",
        "E165": "CQL: a window stands on a table",
        "E166": "CQL: a window does not stand after the name or alias of a FROM item",
        "E167": "CQL: RSTREAM, ISTREAM or DSTREAM does not take a whole query",
        "E168": "CQL: a column is neither grouped nor aggregated",
        "E169": "CQL: an aggregate stands where there are no groups",
        "E170": "CQL: GROUP BY names something that is not a column",
        "E171": "CQL: a subquery refers to the outer query in a way that has no translation",
        "E172": "CQL: a condition has too many alternatives",
        "E173": "CQL: a query has no FROM clause or selects nothing",
        "E174": "CQL: a condition is not a comparison",
        "E175": "CQL: a file has no query",
        "E176": "CQL: a number is not well formed",
        "E177": "CQL: a computed column gets no value",
        "E178": "CQL: a query is nested too deeply",
        "E179": "CQL: a view has another number of names than columns",
    }
)
