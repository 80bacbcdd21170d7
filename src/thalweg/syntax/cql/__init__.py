"""CQL, the Continuous Query Language, to rules: the translation Δ of the LARS paper (Section 4), and more.

Beyond the paper's core fragment there are aliases, joins, OR, EXISTS, nested queries, GROUP BY with aggregates, and
ISTREAM and DSTREAM. Where CQL and the rules could differ, this holds:

- the answers at a time point are a set of rows, so DISTINCT changes nothing;
- aggregates range over distinct pairs of tuple and time: a tuple that came twice counts twice, two equal tuples of one
  time point count once. The rows of a view or subquery are a set, too, before others count them;
- there are no missing values: COUNT of nothing is 0, and SUM, MIN, MAX and AVG of nothing have no row;
- numbers are exact: 1 / 2 is one half, and what is divided by 0 has no row.
"""

from thalweg.syntax.cql.program import translate

__all__ = ["translate"]
