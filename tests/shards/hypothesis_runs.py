"""Generated arrivals for fixed programs, and runs of them: over shards, and in one piece."""

import random
from dataclasses import dataclass
from fractions import Fraction

import thalweg
from shards.simulation import Simulation
from thalweg.columnar.values import Values
from thalweg.engine.hypotheses.pattern_rows import NEVER
from thalweg.engine.hypotheses.pipeline import make_hypothesis_pipeline
from thalweg.engine.hypotheses.shard import HypothesisShard
from thalweg.engine.hypotheses.stream import HypothesisStream, HypotheticalAnswers
from thalweg.engine.hypotheses.table import COLUMNS

TURBINE = """
timeline integer.
input Temp(string, string).
{delay}
Flag(X) at T :- Temp(X, high) at T.
Cool(X) at T+1 :- Flag(X) at T, Flag(X) at T+1.
Shdn(X) at T+1 :- Cool(X) at T, Flag(X) at T+1.
Malf(X) at T-2 :- Shdn(X) at T.
"""
"""The running example of the paper."""


@dataclass(frozen=True)
class Question:
    """A program, its query, and the facts that may come: a predicate, and the values of its arguments."""

    text: str
    query: str
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    delay: int = 0
    most_late: int = 2
    is_split: bool = True

    @property
    def program(self):
        return thalweg.parse(self.text)

    def pipeline(self, shards):
        return make_hypothesis_pipeline(self.program, self.query, shards, delay=Fraction(self.delay))


XS = ("a", "b", "c", "d", "e")

QUESTIONS = {
    "the running example": Question(
        TURBINE.format(delay="delay Temp(X, _) = 2 with 0.6, 0.3, 0.05. probability Temp(_, high) = 0.25."),
        "Malf",
        (("Temp", (XS, ("high", "low"))),),
    ),
    "the running example without delays": Question(
        TURBINE.format(delay=""), "Malf", (("Temp", (XS, ("high", "high", "low"))),), most_late=0
    ),
    "several atoms at one time without delays": Question(
        "timeline integer. input p(string). input r(string, integer)."
        " q(X) at T :- p(X) at T, r(X, N) at T, p(X) at T+1, r(X, N) at T+1.",
        "q",
        (("p", (XS[:2],)), ("r", (XS[:2], "12"))),
        most_late=0,
    ),
    "delays of instances": Question(
        TURBINE.format(delay='delay Temp(X, _) = 1. delay Temp("b", _) = 3. delay Temp("c", low) = 0.'),
        "Malf",
        (("Temp", (XS, ("high", "high", "low"))),),
        most_late=4,
    ),
    "negation of a derived predicate": Question(
        """
        timeline integer.
        input p(string). input r(string, integer). input u(integer, string).
        delay p = 2. delay r = 1.
        q(X) at T :- p(X) at T, p(X) at T+1, not s(X) at T+1.
        q(X) at T :- u(N, X) at T, N > 3, not p(X) at T+2.
        s(X) at T :- r(X, Y) at T, Y > 3, not p(X) at T-1.
        """,
        "q",
        (("p", (XS,)), ("r", (XS, "2345")), ("u", ("12345", XS))),
        delay=1,
    ),
    "variables of the body, background and facts of the program": Question(
        """
        timeline integer.
        input p(string, integer). input r(string, string).
        background near(string, string).
        delay p = 3. delay r = 1.
        q(Z, X) at T :- p(X, N) at T, r(X, Y) at T+1, near(Y, Z).
        q(X, X) at T :- p(X, N) at T, p(X, M) at T+2, N < M.
        near(y1, z1). near(y1, z2). near(y2, z1).
        p(a, 1)@0. r(b, y1)@2.
        """,
        "q",
        (("p", (XS, "123")), ("r", (XS, ("y1", "y2", "y3")))),
    ),
    "times that nothing binds": Question(
        """
        timeline integer.
        input Temp(string, string).
        delay Temp(_, "n/a") = 1.
        Defective(X) at 0 :- Temp(X, high) at T1, Temp(X, "n/a") at T2.
        """,
        "Defective",
        (("Temp", (XS, ("high", "low", "n/a"))),),
    ),
    "an answer whose time is not known at first": Question(
        """
        timeline integer.
        input p(string). input r(string, integer).
        delay p = 1.
        Later(X) at T2 :- p(X) at T1, r(X, N) at T2, N > 1.
        """,
        "Later",
        (("p", (XS,)), ("r", (XS, "123"))),
    ),
    "no argument that all atoms share": Question(
        "timeline integer. input p(string). input r(string). delay p = 2. q(X) at T :- p(X) at T, r(Y) at T+1.",
        "q",
        (("p", (XS,)), ("r", (XS,))),
        is_split=False,
    ),
}


def arrivals(question, chooser, size=60, last=14):
    """Batches of tasks of facts: most come in time, some intervals among them."""
    drawn = []
    for _ in range(size):
        name, columns = chooser.choice(question.facts)
        time = chooser.randint(0, last)
        values = ",".join(f'"{v}"' if "/" in v else v for v in (chooser.choice(column) for column in columns))
        until = time + (chooser.randint(1, 2) if chooser.random() < 0.1 else 0)
        drawn.append((time + chooser.randint(0, question.most_late), f"{name}({values})@[{time},{until}]."))
    drawn.sort(key=lambda each: each[0])
    facts = [fact for _, fact in drawn]
    while facts:
        count = chooser.choice((1, 2, 5, 12))
        batch, facts = facts[:count], facts[count:]
        tasks = [[] for _ in range(chooser.choice((1, 2, 3)))]
        for fact in batch:
            chooser.choice(tasks).append(fact)
        yield tasks


def in_shards(question, batches, shards, memory):
    """What each batch changes and sets aside, and at last the end of the input."""
    simulation = Simulation(question.pipeline(shards), memory, HypothesisShard)
    simulation.background(question.program.facts)
    told = []
    for tasks in [*batches, None]:
        facts = [thalweg.parse("timeline integer." + "\n".join(task)).facts for task in tasks or [()]]
        told.append(tell(question, simulation.batch(*facts, final=tasks is None)))
    return simulation, told


def tell(question, outcomes):
    rows, late = [], []
    for outcome in outcomes:
        values = Values()
        for answers in outcome.answers:
            read = type(answers).of_bytes(answers.to_bytes()).rows(values)
            columns = tuple(f"c{n}" for n in range(len(read.answers) - 1))
            rows += HypotheticalAnswers(question.query, columns, columns, read, values).table().to_pylist()
        for packet in outcome.late:
            texts = [column.texts().to_pylist() for column in packet.columns]
            late += [(packet.predicate, *row) for row in zip(*texts, packet.start.tolist(), strict=True)]
    return Told.of(rows), sorted(late)


def in_one_piece(question, batches):
    """The same from one stream in this process."""
    stream = HypothesisStream(question.program, question.query, delay=question.delay)
    told = []
    for tasks in [*batches, None]:
        text = "\n".join(fact.rstrip(".") for task in tasks or () for fact in task)
        answers = stream.advance(text) if tasks is not None else stream.advance((), NEVER)
        table = answers.table()
        names = [f"c{n}" for n in range(table.num_columns - 6)]
        rows = table.rename_columns([*names, *table.column_names[-6:]]).to_pylist()
        told.append((Told.of(rows), sorted(_fact(line) for line in answers.late)))
    return stream, told


def _fact(line):
    atom, _, time = line.rpartition("@")
    name, _, inside = atom.partition("(")
    return name, *(value.strip('"') for value in inside.rstrip(")").split(",")), int(time)


@dataclass(frozen=True)
class Told:
    """Rows of a batch, as far as they do not depend on the order in which rows of one answer stand.

    Which of several rows opens an answer, and which stands for it when it is decided, is left to chance.
    """

    statuses: tuple
    open_rows: frozenset
    decided: frozenset

    @classmethod
    def of(cls, rows):
        numbered = [(_answer(row), row["status"], row) for row in rows]
        return cls(
            tuple(sorted((answer, status) for answer, status, _ in numbered)),
            frozenset(_said(a, row) for a, status, row in numbered if status in ("opened", "extended", "open")),
            frozenset(a for a, status, _ in numbered if status in ("confirmed", "refuted")),
        )


def _answer(row):
    return repr((*(value for name, value in row.items() if name not in COLUMNS), row["time"]))


def _said(answer, row):
    return repr((answer, row["evidence"], row["hypotheses"], row["deadline"], row["confidence"]))


def chooser(seed):
    return random.Random(seed)
