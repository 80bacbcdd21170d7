"""Facts in texts, as the checker and the oracle take them."""

from thalweg.engine.read import read_facts_of
from thalweg.model.formula import Atom, Constant
from thalweg.model.program import Fact
from thalweg.time.interval import Interval


def facts_of(program, facts):
    """The facts of a text or a file."""
    batches, problems = read_facts_of(program, facts)
    assert not problems
    found = []
    for batch in batches:
        for row in range(len(batch)):
            arguments = tuple(Constant(column.values[column.codes[row]]) for column in batch.arguments)
            start, end = batch.starts.values[batch.starts.codes[row]], batch.ends.values[batch.ends.codes[row]]
            interval = Interval(start, end, bool(batch.start_closed[row]), bool(batch.end_closed[row]))
            found.append(Fact(Atom(batch.predicate, arguments), interval))
    return found
