"""Mutation testing of one room: change the code in one place, and see whether a test notices.

``python tests/mutation/mutate.py ROOM`` copies the sources and tests to ``build/mutation/ROOM``, lets mutmut put every
mutant of the room into the copy, tries each with the room's tests of ``rooms.toml``, and writes ``results.json`` there:
what became of every mutant, and which lines it changes. Those that no test can notice are listed, with the reason, in
``equivalent``.
"""

import argparse
import json
import os
import random
import re
import shutil
import sys
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

from mutants_made import make_mutants
from mutants_tried import function_of, try_out

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests", "examples", "docs", "README.md", "pyproject.toml")
KINDS = ("killed", "timeout", "equivalent", "survived", "no test", "not run")


def main() -> None:
    options = arguments()
    room = tomllib.loads((ROOT / "tests" / "mutation" / "rooms.toml").read_text())[options.room]
    work = ROOT / "build" / "mutation" / (options.into or options.room)
    again = json.loads(options.again.read_text()) if options.again else None
    copy(work)
    os.chdir(work)
    sys.path[:0] = [str(work / "src"), str(work / "tests")]
    mutants = make_mutants(room["files"], options.files.split(","))
    chosen = choose(mutants, again, options)
    write(dict.fromkeys(mutants, "not run"), mutants)
    print(f"{len(mutants)} mutants, {len(chosen)} to try", flush=True)
    results = dict.fromkeys(mutants, "not run") | try_out(chosen, room, options)
    report(results, mutants)


def report(results, mutants) -> None:
    """Write what became of the mutants; of those that survived, which are equivalent."""
    for name, found in mutants.items():
        if results[name] == "survived" and (reason := why_equivalent(name, found["change"])):
            results[name] = f"equivalent ({reason})"
    write(results, mutants)
    print(table(results, mutants))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("room")
    parser.add_argument("--files", default="", help="only files whose path contains one of these words, with commas")
    parser.add_argument("--sample", type=int, help="so many mutants of each file, chosen at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=float, default=1e9, help="CPU seconds of tests a mutant, fastest tests first")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no mutant after so many minutes")
    parser.add_argument("--again", type=Path, help="only what survived, by this results.json")
    parser.add_argument("--thorough", action="store_true", help="all generated cases, not a fifth of them")
    parser.add_argument("--test", action="append", default=[], help="a further test, or folder of tests")
    parser.add_argument("--into", help="the folder in build/mutation; the room's name unless told")
    return parser.parse_args()


def copy(work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    for name in COPIED:
        source, target = ROOT / name, work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            shutil.copy(source, target)


def choose(mutants, again, options) -> list[str]:
    """Which mutants are tried, in an order by chance: a run that is cut short is a sample, too."""
    if again:
        chosen = [name for name, old in again.items() if old["status"] in ("survived", "timeout") and name in mutants]
    elif options.sample is None:
        chosen = list(mutants)
    else:
        by_file = defaultdict(list)
        for name, found in mutants.items():
            by_file[found["file"]].append(name)
        chance = random.Random(options.seed)
        samples = (chance.sample(names, min(options.sample, len(names))) for names in by_file.values())
        chosen = [name for names in samples for name in sorted(names)]
    random.Random(options.seed).shuffle(chosen)
    return chosen


def why_equivalent(name: str, change: list[str]) -> str | None:
    """Why nobody can tell a mutant from the program, if it is known: by its function and by what it makes of a line."""
    function = function_of(name).replace(".xǁ", ".").replace("ǁ", ".").replace(".x_", ".")
    added = [line[1:].strip() for line in change if line.startswith("+")]
    # The first line of the function has another name in any case.
    made = "\n".join([line for line in added if "__mutmut_" not in line] or added)
    was = "\n".join(line[1:].strip() for line in change if line.startswith("-"))
    for each in equivalents():
        looked_at = ((each.get("function", ""), function), (each.get("was", ""), was), (each["made"], made))
        if all(re.search(pattern, text) for pattern, text in looked_at):
            return each["reason"]
    return None


@cache
def equivalents() -> list[dict[str, str]]:
    files = sorted((ROOT / "tests" / "mutation" / "equivalent").glob("*.toml"))
    return [each for file in files for each in tomllib.loads(file.read_text())["equivalent"]]


def write(results, mutants) -> None:
    found = {name: {"status": results[name], **mutants[name]} for name in mutants}
    Path("results.json").write_text(json.dumps(found, indent=1))


def table(results, mutants) -> str:
    """For each file, how many mutants met which end."""
    counts = defaultdict(lambda: dict.fromkeys(KINDS, 0))
    for name, found in mutants.items():
        for row in (found["file"], "together"):
            counts[row][results[name].partition(" (")[0]] += 1
    lines = [f"{'':60}" + "".join(f"{kind:>10}" for kind in KINDS)]
    for row in [*sorted(set(counts) - {"together"}), "together"]:
        lines.append(f"{row:60}" + "".join(f"{counts[row][kind]:10}" for kind in KINDS))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
