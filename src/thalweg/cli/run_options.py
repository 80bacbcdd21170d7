"""The options of ``thalweg run``, and which of them go together."""

from __future__ import annotations

import argparse
from pathlib import Path

from thalweg.cli.numbers import length, positive, share, size
from thalweg.cli.output import FORMATS
from thalweg.engine.answers.mode import Mode, Reading
from thalweg.engine.limits import CHASES, DEFAULT_MAX_ROUNDS, Limits
from thalweg.engine.memory_limit import Memory, parse_memory
from thalweg.errors import UsageError
from thalweg.record.evidence_writer import DEFAULT_BOUND

DESCRIPTION = """\
Derives everything that follows from PROGRAM and FACTS inside [--from, --to] and prints it. Spark does the work, on
this machine unless --master says otherwise; --in-process does without it.

FACTS are files of facts, one a line (P(a,b)@[1,2.5)), or folders of them, or NAME.csv and NAME.parquet with the facts
of the predicate NAME (columns: arguments, then time, or start and end), or JSON as MeTeoR writes it, or
kafka://HOST:PORT/TOPIC with facts as records. A file for --tables describes tables of any format that Spark reads.
"""

EXAMPLES = """\
examples:
  thalweg run pumps.rules pumps.facts                        what follows from a file
  thalweg run pumps.rules Temp.parquet --format csv --output alarms.csv
  thalweg run pumps.rules pumps.facts --in-process           without Spark: starts at once, uses one core
  thalweg run pumps.rules pumps.facts --json                 an object a line, for programs
  thalweg run pumps.rules incoming/ --stream                 follow a folder, print answers as they are due
  thalweg run pumps.rules incoming/ --stream --delay 10s --checkpoint state --format parquet --output alarms
  thalweg run pumps.rules incoming/ --stream --trigger available-now --final
  thalweg run pumps.rules incoming/ --stream --checkpoint state --output alarms --explain
  thalweg run pumps.rules --tables tables.toml --stream      tables instead of fact files
  thalweg run routes.rules trams.facts --answers all --to 60  rules that leave a choice: each way to satisfy them
  thalweg run turbine.rules incoming/ --stream --hypotheses  what may still become true, and what it waits for
"""

_CHASE = (
    "skolem (the default): rules make new values (exists) whatever holds already; restricted: only where their"
    " head does not hold with other values; then the answers depend on the order of the rules. Restricted works in"
    " one process and not with --stream: thalweg run needs --in-process for it"
)

_ONLY_SPARK = ("master", "spark_conf", "spark_log", "shards", "tables")
_ONLY_ANSWERS = ("limit", "window")
_ONLY_HYPOTHESES = ("depth", "min_confidence", "max_open")
_NOT_FOR_HYPOTHESES = ("answers", "reading", "at", "limit", "window", "start", "end", "emit", "stats", "explain")
_ONLY_STREAM_HERE = ("step", "stats")
_ONLY_STREAM_ON_SPARK = (
    "checkpoint",
    "trigger",
    "delay",
    "final",
    "emit",
    "max_files",
    "max_bytes",
    "max_rows",
    "progress",
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add them to the parser of the command."""
    parser.add_argument("program", metavar="PROGRAM", type=Path, help="file of rules")
    parser.add_argument("facts", metavar="FACTS", nargs="*", help="files, folders or topics of facts")
    parser.add_argument(
        "--query",
        metavar="P",
        action="append",
        help="print this predicate only, and compute only what it needs; may be repeated"
        " (default: the output predicates, or all that rules derive)",
    )
    parser.add_argument("--from", dest="start", metavar="T", help="first time of interest (default: no limit)")
    parser.add_argument("--to", dest="end", metavar="T", help="last time of interest (default: no limit)")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="how to write answers (default: facts; for a folder of a stream: parquet)",
    )
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    parser.add_argument(
        "--output",
        metavar="PATH",
        default="-",
        help="where to write: - for standard output, a file, or a folder with a file per predicate;"
        " for a stream, a folder with a folder per predicate and batch, or kafka://HOST:PORT/TOPIC. A folder gets a"
        " record of the run as well, for thalweg view",
    )
    parser.add_argument("--tables", metavar="FILE", type=Path, help="a file in TOML that ties predicates to tables")
    add_limits(parser)
    _add_answers(parser.add_argument_group("answers", "rules may depend on the absence of what they derive"))
    _add_hypotheses(parser.add_argument_group("hypotheses", "answers before they are certain"))
    _add_spark(parser.add_argument_group("Spark"))
    _add_stream(parser.add_argument_group("streams", "answer as time advances, with a window instead of all facts"))


def add_limits(parser: argparse.ArgumentParser, *, any_chase: bool = True) -> None:
    """What is done about bad facts, and about rules that may not end or make new values.

    Where not ``any_chase`` will do, the option is known, so that it can be refused with a reason, but not offered.
    """
    parser.add_argument(
        "--skip-bad", action="store_true", help="report bad facts and broken files, count them, and go on without them"
    )
    parser.add_argument(
        "--max-rounds",
        metavar="N",
        type=positive,
        default=DEFAULT_MAX_ROUNDS,
        help="stop rules that are not certain to end after N rounds (default: %(default)s)",
    )
    parser.add_argument("--chase", choices=CHASES, default=CHASES[0], help=_CHASE if any_chase else argparse.SUPPRESS)
    parser.add_argument(
        "--max-nulls",
        metavar="N",
        type=positive,
        help="run a program whose rules may never run out of new values (exists), until more than N of them, counted"
        " by the values they depend on, are held at once",
    )
    parser.add_argument(
        "--max-depth",
        metavar="N",
        type=positive,
        help="the same, until a new value would be made from others more than N deep",
    )
    add_memory(parser)


def add_memory(parser: argparse.ArgumentParser) -> None:
    """How much memory may be taken."""
    parser.add_argument(
        "--max-memory",
        metavar="SIZE",
        help="stop, and name the rule, before more memory than this is taken: 2g, 500m, 50%% of the machine's, or none"
        " (default: 75%%); on Spark a size counts for each Python process, a share for all on a machine together",
    )


def limits_of(options: argparse.Namespace) -> Limits:
    """All limits of a run."""
    return Limits(
        options.max_rounds,
        options.max_nulls,
        options.max_depth,
        options.chase == "restricted",
        memory_of(options),
    )


def memory_of(options: argparse.Namespace) -> Memory:
    """The limit on memory."""
    try:
        return parse_memory(options.max_memory)
    except UsageError as error:
        raise UsageError(f"--max-memory {str(error).removeprefix('max_memory=')}") from None


def _add_answers(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--answers",
        choices=[mode.value for mode in Mode],
        help="search for the answers of PROGRAM, which need not be stratified: all of them, one, or what holds in all"
        " (cautious) or in some (brave). Always in this process, without Spark; a program that is not stratified needs"
        " --from and --to, or a timeline with an end. With --stream: at every time point, over the current window",
    )
    group.add_argument(
        "--at",
        metavar="T",
        help="print what holds at the time T only; with --stream instead when answers are wanted: data (at the time"
        " points of the data), every:S, or intervals (the default)",
    )
    group.add_argument(
        "--reading",
        choices=[reading.value for reading in Reading],
        help="when rules are satisfied: at all time points (the default), or at the evaluation time T of --at only;"
        " then the whole answer is printed",
    )
    group.add_argument("--limit", metavar="N", type=positive, help="with --answers all: at most N answers")
    group.add_argument(
        "--window",
        metavar="N",
        type=positive,
        help="with --answers --stream: the current window reaches N time points back (default: as far as rules do)",
    )


def _add_hypotheses(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--hypotheses",
        action="store_true",
        help="say of one query what has been confirmed and what may still become true, with the facts that speak for it"
        " and those it waits for; with --stream as they come. --delay is for predicates that declare no delay",
    )
    group.add_argument(
        "--depth",
        metavar="N",
        type=positive,
        help="where rules are recursive: look for derivations of at most N nested rules",
    )
    group.add_argument(
        "--min-confidence", metavar="P", type=share, help="give up open answers that are less likely than P"
    )
    group.add_argument(
        "--max-open", metavar="N", type=positive, help="give up the least likely open answers beyond N (a shard)"
    )


def _add_spark(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--in-process", action="store_true", help="run in this process, without Spark")
    group.add_argument("--master", metavar="URL", help="where Spark runs (default: local[*], all cores here)")
    group.add_argument(
        "--spark-conf", metavar="K=V", action="append", help="a setting of Spark's; may be repeated", default=None
    )
    group.add_argument("--shards", metavar="N", type=positive, help="split the work into N shards (default: as cores)")
    group.add_argument(
        "--spark-log", "--verbose", action="store_true", default=None, help="show what Spark says while it works"
    )


def _add_stream(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--stream", action="store_true", help="read facts as they come, print answers as they are due")
    group.add_argument(
        "--checkpoint", metavar="DIR", help="where the stream remembers how far it is; the same command goes on there"
    )
    group.add_argument(
        "--trigger",
        metavar="WHEN",
        help="how often to look for facts: 1s (the default), any other duration, or available-now to read what is"
        " there and end",
    )
    group.add_argument(
        "--delay",
        metavar="D",
        help="how late facts may come: 10s, or a number of the program's units"
        " (default: the largest delay that the program declares, else 0)",
    )
    group.add_argument(
        "--final",
        action="store_true",
        default=None,
        help="with available-now: no fact follows, so answer everything to the end",
    )
    group.add_argument(
        "--emit",
        choices=("intervals", "changes"),
        help="answers as intervals (the default), or as changes: what began and what ended",
    )
    group.add_argument(
        "--max-files",
        metavar="N",
        type=positive,
        help="take at most N new files of a folder at once (default: 1,000, or 64 MB of them; with available-now all)",
    )
    group.add_argument(
        "--max-bytes", metavar="N", type=size, help="take at most so many bytes of files at once, such as 500k or 1g"
    )
    group.add_argument(
        "--max-rows",
        metavar="N",
        type=positive,
        help="take at most N records of a topic at once (default: 1,000,000; with available-now all)",
    )
    group.add_argument(
        "--progress",
        action="store_true",
        default=None,
        help="a line about every batch on standard error (the default on a terminal)",
    )
    group.add_argument(
        "--explain",
        metavar="N",
        nargs="?",
        type=positive,
        const=DEFAULT_BOUND,
        help="give every answer an id, and keep the last N facts that came in (default: 1,000,000) beside the answers"
        " in --output, so that thalweg why OUTPUT ID can explain them",
    )
    group.add_argument("--step", metavar="S", type=length, help="with --in-process: advance in steps of S (default: 1)")
    group.add_argument(
        "--stats", metavar="FILE", type=Path, help="with --in-process: write a line of counts a step, as CSV"
    )


def check_together(options: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    here, stream = options.in_process, options.stream
    free = ("delay",) if options.hypotheses else ()
    on_spark = tuple(name for name in _ONLY_STREAM_ON_SPARK if name not in free)
    if options.hypotheses:
        _refuse(options, _NOT_FOR_HYPOTHESES, "does not go with --hypotheses")
    else:
        _refuse(options, _ONLY_HYPOTHESES, "goes with --hypotheses")
    if not stream:
        _refuse(options, (*_ONLY_STREAM_HERE, *on_spark, "explain"), "goes with --stream")
    if options.explain is not None and options.emit == "changes":
        raise UsageError("--explain does not go with --emit changes: it explains facts, not their ends")
    if asks_for_answers(options):
        _check_answers(options)
    else:
        _refuse(options, _ONLY_ANSWERS, "goes with --answers")
    if here:
        apart = tuple(name for name in on_spark if name != "final" or not options.hypotheses)
        _refuse(options, (*_ONLY_SPARK, *apart), "does not go with --in-process")
    elif stream:
        _refuse(options, _ONLY_STREAM_HERE, "goes with --stream --in-process")
    if stream and options.start is not None:
        raise UsageError("--from does not go with --stream: a stream starts with its first fact")
    if options.chase == "restricted" and (stream or not here):
        raise UsageError("--chase restricted goes with --in-process, without --stream: it depends on the rules' order")
    if options.final and not here and options.trigger != "available-now":
        raise UsageError("--final goes with --trigger available-now: it says that the input has an end")


def asks_for_answers(options: argparse.Namespace) -> bool:
    """Whether answers are to be searched for, rather than everything that follows."""
    return bool(options.answers or options.reading or (options.at and not options.stream))


def _check_answers(options: argparse.Namespace) -> None:
    apart = (*_ONLY_SPARK, *_ONLY_STREAM_HERE, *_ONLY_STREAM_ON_SPARK, "explain")
    _refuse(options, apart, "does not go with --answers, --at or --reading, which work without Spark, in one go")
    if options.stream and options.at is not None:
        raise UsageError("--at does not go with --answers --stream: every time point is answered")
    if options.window is not None and not options.stream:
        raise UsageError("--window goes with --stream: without it --from and --to say which time points count")
    if options.limit is not None and options.answers != Mode.ALL.value:
        raise UsageError("--limit goes with --answers all")
    if options.answers is not None and options.format not in (None, "facts", "json"):
        raise UsageError(f"--format {options.format} does not go with --answers: choose facts or json")


def _refuse(options: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    written = {"start": "from", "end": "to"}
    for name in names:
        if getattr(options, name) is not None:
            raise UsageError(f"--{written.get(name, name).replace('_', '-')} {why}")
