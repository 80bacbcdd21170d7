"""The Python interface: load a program, give it facts, ask what holds.

>>> import thalweg
>>> program = thalweg.parse("Stopped(V) :- boxminus[0,5] Slow(V).")
>>> model = thalweg.materialise(program, "Slow(veh21)@[1,9]")
>>> print(model.to_text("Stopped"))
Stopped(veh21)@[6,9]
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from thalweg.analysis.checks import check_program
from thalweg.analysis.queries import check_queries
from thalweg.analysis.report import dialect_of
from thalweg.analysis.stratification import require_stratified
from thalweg.engine.answers.answer import Answers
from thalweg.engine.answers.find import find_answers
from thalweg.engine.answers.mode import Mode, Reading
from thalweg.engine.answers.request import Request
from thalweg.engine.limits import CHASES, DEFAULT_MAX_ROUNDS, Limits
from thalweg.engine.materialisation import Materialisation
from thalweg.engine.materialise import materialise as materialise_batches
from thalweg.engine.memory_limit import Size, parse_memory
from thalweg.engine.query import QueryAnswers, answer_query, arities, read_query, require_time_point
from thalweg.engine.read import Facts, read_facts_of
from thalweg.errors import BadFactsError, Diagnostic, ProgramError, UsageError, did_you_mean
from thalweg.explain.asked import read_asked
from thalweg.explain.explainer import DEFAULT_DEPTH, Explainer
from thalweg.explain.proof import Proof
from thalweg.explain.why_not import WhyNot
from thalweg.model.display import describe_with
from thalweg.model.lower import lower
from thalweg.model.program import Program
from thalweg.source import Source
from thalweg.syntax.ast import ProgramText
from thalweg.syntax.facts import FactBatch
from thalweg.syntax.parser import parse_program
from thalweg.time.interval import Endpoint

CQL_SUFFIX = ".cql"
"""Files that end so hold queries, which are translated to rules."""

describe_with(dialect_of)

Time = Fraction | Decimal | int | float | str
"""A time as a number, or as the text of one: ``"1/3"``."""


def load(path: str | Path, *, stratified: bool = True) -> Program:
    """The program in a file; raises :class:`ProgramError` with everything that is wrong with it.

    Programs that are not ``stratified`` are for :func:`answers` only.
    """
    return parse(read_source(path).text, name=str(path), stratified=stratified)


def parse(text: str, name: str = "program", *, stratified: bool = True) -> Program:
    """The program in a text; raises :class:`ProgramError` with everything that is wrong with it.

    Programs that are not ``stratified`` are for :func:`answers` only.
    """
    if "\n" not in text and ":-" not in text and text.endswith((".rules", CQL_SUFFIX)):
        raise UsageError(f"{text} looks like the name of a file: write thalweg.load({text!r})")
    program, diagnostics = diagnose(Source(name, text), stratified=stratified)
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]
    if errors:
        raise ProgramError(errors)
    return program


def diagnose(source: Source, *, stratified: bool = True) -> tuple[Program, tuple[Diagnostic, ...]]:
    """The program as far as it could be read, and all that is wrong or doubtful, in the order of the text."""
    tree, found = _read(source)
    program, meaning = lower(tree)
    diagnostics = [*found, *meaning]
    if not any(diagnostic.is_error for diagnostic in found):
        diagnostics += check_program(program, stratified=stratified)
    return program, tuple(sorted(dict.fromkeys(diagnostics), key=_position))


def _read(source: Source) -> tuple[ProgramText, tuple[Diagnostic, ...]]:
    if not source.name.lower().endswith(CQL_SUFFIX):
        return parse_program(source)
    from thalweg.syntax.cql import translate  # the SQL parser is needed for queries only

    return translate(source)


def materialise(
    program: Program | str | Path,
    facts: Facts = (),
    *,
    start: Time | None = None,
    end: Time | None = None,
    queries: str | Collection[str] | None = None,
    skip_bad: bool = False,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    max_nulls: int | None = None,
    max_depth: int | None = None,
    chase: str = "skolem",
    max_memory: Size = None,
) -> Materialisation:
    """Everything that follows from a program and facts, exact inside [start, end].

    ``facts`` are the text of facts, a path or several, or tables by predicate (Arrow, pandas, or a dict of
    columns). ``queries`` restricts the work to these predicates. Bad facts (lines that cannot be read, values that are
    not as declared, files that are broken) raise :class:`BadFactsError`, all at once; with ``skip_bad`` they are left
    out. ``max_rounds`` stops rules that are not certain to come to an end. ``max_nulls`` and
    ``max_depth`` bound the new values (nulls) of rules that may never run out of them. The ``chase`` is "skolem", or
    "restricted": then rules make new values only where their head does not hold already, in the order of the rules.
    ``max_memory`` is how much memory all that may take: ``"2g"``, ``"500m"``, ``"50%"`` of the machine's, or ``"none"``
    for no limit; three quarters of the machine's unless given. A rule that needs more is stopped.
    """
    program = program if isinstance(program, Program) else load(program)
    require_stratified(program)
    limits = _limits(max_rounds, max_nulls, max_depth, chase, max_memory)
    limits.check(program)
    first, last = _stretch(start, end)
    with limits.on_memory():
        batches, problems = read_facts_of(program, facts)
        if problems and not skip_bad:
            raise _stopped(problems)
        return materialise_batches(
            program,
            batches,
            start=first,
            end=last,
            wanted=None if queries is None else check_queries(program, queries),
            limits=limits,
        )


def query(
    program: Program | str | Path,
    facts: Facts,
    query: str,
    *,
    at: Time | None = None,
    start: Time | None = None,
    end: Time | None = None,
    nulls: bool = False,
    skip_bad: bool = False,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    max_nulls: int | None = None,
    max_depth: int | None = None,
    chase: str = "skolem",
    max_memory: Size = None,
) -> QueryAnswers:
    """The answers to a conjunctive query (LARS+ paper, Definition 3) at a time, or inside [start, end].

    The query is a body of a rule. Its variables are asked for, but for those in ``exists X, Y:`` before it and for
    ``_``; without any it is Boolean, and the answers are true or false. Rows with nulls, which rules have made up, are
    left out, unless ``nulls``; for the values that are not asked for, nulls will do. Limits and ``chase`` are those of
    :func:`materialise`.

    >>> program = parse("timeline integer. exists O: Operator(B, O) :- Belt(B).")
    >>> found = query(program, "Belt(b1)@[0,4]", "exists O: Operator(B, O)", at=3)
    >>> list(found), found.holds("b1", at=3)
    ([('b1',)], True)
    >>> bool(query(program, "Belt(b1)@[0,4]", "exists B, O: Operator(B, O)", at=5))
    False
    """
    program = program if isinstance(program, Program) else load(program)
    limits = _limits(max_rounds, max_nulls, max_depth, chase, max_memory)
    with limits.on_memory():
        batches, problems = read_facts_of(program, facts)
        if problems and not skip_bad:
            raise _stopped(problems)
        asked = read_query(query, program, arities(batches))
        first, last = _stretch(start, end)
        if at is not None:
            if start is not None or end is not None:
                raise UsageError(f"at={at} does not go with start or end")
            first = last = require_time_point(asked, _time(at, 0.0, "at"), "at")
        return answer_query(asked, batches, start=first, end=last, nulls=nulls, limits=limits)


def why(
    program: Program | str | Path,
    facts: Facts,
    fact: str,
    *,
    start: Time | None = None,
    end: Time | None = None,
    depth: int | None = DEFAULT_DEPTH,
    skip_bad: bool = False,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    max_nulls: int | None = None,
    max_depth: int | None = None,
    max_memory: Size = None,
) -> Proof:
    """Why a fact follows from a program and facts: a proof from what was given, at most ``depth`` rules deep.

    The fact is a text such as ``P(a)@3`` or ``P(a)@[1,2]``; without a time, every interval is explained in which it
    holds. A proof is true when the fact holds at all times asked about. Other arguments are those of
    :func:`materialise`.

    >>> program = parse("Stopped(V) :- boxminus[0,5] Slow(V).")
    >>> print(why(program, "Slow(veh21)@[1,9]", "Stopped(veh21)@7"))
    Stopped(veh21)@[7,7]
    └─ rule 1 (program:1): Stopped(V) :- boxminus[0,5] Slow(V).   V = veh21
       └─ Slow(veh21)@[2,7]   given, facts:1
    """
    program = program if isinstance(program, Program) else load(program)
    limits = _limits(max_rounds, max_nulls, max_depth, "skolem", max_memory)
    asked = read_asked(fact, program)
    with limits.on_memory():
        explainer = _explainer(program, facts, asked.predicate, _stretch(start, end), skip_bad, limits)
        return explainer.why(fact, depth=depth)


def why_not(
    program: Program | str | Path,
    facts: Facts,
    fact: str,
    *,
    start: Time | None = None,
    end: Time | None = None,
    skip_bad: bool = False,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    max_nulls: int | None = None,
    max_depth: int | None = None,
    max_memory: Size = None,
) -> WhyNot:
    """Why a fact does not follow: for each rule that could derive it, the first literal that stands in the way.

    Arguments are those of :func:`why`. The answer is true when there is something that does not hold.

    >>> program = parse("Stopped(V) :- boxminus[0,5] Slow(V).")
    >>> print(why_not(program, "Slow(veh21)@[1,9]", "Stopped(veh21)@4"))
    Stopped(veh21)@[4,4] does not hold
    └─ rule 1 (program:1): Stopped(V) :- boxminus[0,5] Slow(V).   V = veh21
       └─ boxminus[0,5] Slow(V) fails at 4: needs Slow(veh21) throughout [-1,4], missing [-1,1)
    """
    program = program if isinstance(program, Program) else load(program)
    limits = _limits(max_rounds, max_nulls, max_depth, "skolem", max_memory)
    asked = read_asked(fact, program)
    with limits.on_memory():
        return _explainer(program, facts, asked.predicate, _stretch(start, end), skip_bad, limits).why_not(fact)


def _explainer(
    program: Program,
    facts: Facts,
    predicate: str,
    stretch: tuple[Endpoint, Endpoint],
    skip_bad: bool,
    limits: Limits,
) -> Explainer:
    batches, problems = read_facts_of(program, facts)
    if problems and not skip_bad:
        raise _stopped(problems)
    return Explainer(program, batches, start=stretch[0], end=stretch[1], wanted=(predicate,), limits=limits)


def answers(
    program: Program | str | Path,
    facts: Facts = (),
    *,
    mode: str = "all",
    at: Time | None = None,
    start: Time | None = None,
    end: Time | None = None,
    reading: str = "all-times",
    limit: int | None = None,
    queries: str | Collection[str] | None = None,
    skip_bad: bool = False,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    max_memory: Size = None,
) -> Answers:
    """The answers of a program, which need not be stratified (LARS paper, Definition 9).

    ``mode`` is "all" (at most ``limit``), "one", "cautious" (what holds in all answers) or "brave" (in some). A program
    that is not stratified needs a finite stretch of time: start and end, or a timeline with an end. Its rules are
    satisfied at the time points of the stretch; with ``at`` only what holds then is reported. The reading
    "evaluation-time" satisfies rules at the time ``at`` only. Answers that agree on all that is reported count once.
    Bad facts raise :class:`DataError`, unless ``skip_bad``.

    >>> program = parse("timeline integer. Stay :- Day, not Go. Go :- Day, not Stay.", stratified=False)
    >>> found = answers(program, "Day@[1,1]", start=0, end=2, queries=("Stay", "Go"))
    >>> sorted(answer.to_text() for answer in found)
    ['Go@[1,1]', 'Stay@[1,1]']
    """
    program = program if isinstance(program, Program) else load(program, stratified=False)
    limits = Limits(max_rounds, memory=parse_memory(max_memory))
    with limits.on_memory():
        batches, problems = read_facts_of(program, facts)
        if problems and not skip_bad:
            raise _stopped(problems)
        return find_answers(
            program,
            batches,
            answer_request(
                program,
                mode=mode,
                at=at,
                start=start,
                end=end,
                reading=reading,
                limit=limit,
                queries=queries,
                max_rounds=max_rounds,
                max_memory=max_memory,
            ),
        )


def answer_request(
    program: Program,
    *,
    mode: str = "all",
    at: Time | None = None,
    start: Time | None = None,
    end: Time | None = None,
    reading: str = "all-times",
    limit: int | None = None,
    queries: str | Collection[str] | None = None,
    max_rounds: int = DEFAULT_MAX_ROUNDS,
    max_memory: Size = None,
) -> Request:
    """What is asked of answers, as :func:`answers` takes it; raises :class:`UsageError` when it makes no sense."""
    first, last = _stretch(start, end)
    if limit is not None and limit < 1:
        raise UsageError(f"limit={limit} is not a positive number")
    return Request(
        mode=Mode.of(mode),
        reading=Reading.of(reading),
        queries=program.predicates if queries is None else check_queries(program, queries),
        at=None if at is None else Fraction(_time(at, 0.0, "at")),
        start=first,
        end=last,
        limit=limit,
        max_rounds=max_rounds,
        memory=parse_memory(max_memory),
    )


def unused_facts(program: Program, batches: Iterable[FactBatch]) -> list[Diagnostic]:
    """Warnings about predicates that have facts but that the program does not mention."""
    return unused_predicates(program, (batch.predicate for batch in batches))


def unused_predicates(program: Program, predicates: Iterable[str]) -> list[Diagnostic]:
    """Warnings about those predicates that the program does not mention."""
    names = dict.fromkeys(name for name in predicates if name not in program.signatures)
    hints = {name: did_you_mean(name, program.predicates) for name in names}
    close = [
        Diagnostic("W401", None, f"no rule mentions {n}: its facts play no part", h) for n, h in hints.items() if h
    ]
    others = [name for name, hint in hints.items() if not hint]
    if others:
        message = f"no rule mentions {', '.join(others)}: facts of {'these' if len(others) > 1 else 'it'} play no part"
        close.append(Diagnostic("W401", None, message))
    return close


def read_source(path: str | Path) -> Source:
    """The text of a file; raises :class:`UsageError` when it cannot be read."""
    try:
        return Source(str(path), Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error


def _stopped(problems: Collection[Diagnostic]) -> BadFactsError:
    """The error about bad facts, with a note for whoever sees it unhandled."""
    error = BadFactsError(problems)
    error.add_note("skip_bad=True leaves such facts out")
    return error


def _stretch(start: Time | None, end: Time | None) -> tuple[Endpoint, Endpoint]:
    first, last = _time(start, -math.inf, "start"), _time(end, math.inf, "end")
    if first > last:
        raise UsageError(f"start={start} is after end={end}")
    return first, last


def _limits(max_rounds: int, max_nulls: int | None, max_depth: int | None, chase: str, max_memory: Size) -> Limits:
    if chase not in CHASES:
        raise UsageError(f"chase={chase!r}: write {' or '.join(CHASES)}")
    return Limits(max_rounds, max_nulls, max_depth, chase == "restricted", parse_memory(max_memory))


def _time(value: Time | None, default: float, name: str) -> Endpoint:
    if value is None:
        return default
    if isinstance(value, float) and math.isinf(value):
        return value
    try:
        # The shortest decimal that reads back as the same float: 0.1 is one tenth, as it says.
        return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError) as error:
        raise UsageError(f"{name}={value!r} is not an exact number") from error


def _position(diagnostic: Diagnostic) -> tuple[int, str]:
    return (diagnostic.span.start if diagnostic.span else -1, diagnostic.code)
