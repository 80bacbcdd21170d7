"""The mutants of files, made by mutmut: a mutated file holds all of its mutants, and a variable picks one of them."""

import difflib
from pathlib import Path

from mutmut.mutation.file_mutation import mutate_file_contents


def make_mutants(patterns: list[str], words: list[str]) -> dict[str, dict]:
    """Put all mutants into the files below ``src``; gives, by name, the file of each and the lines it changes."""
    found = {}
    for path in sorted({path for pattern in patterns for path in Path("src").glob(pattern)}):
        if any(word in str(path) for word in words):
            module = ".".join(path.with_suffix("").parts[1:])
            made = mutate_file_contents(str(path), path.read_text())
            path.write_text(made.code)
            for name in made.mutant_names:
                found[f"{module}.{name}"] = {"file": str(path), "change": changed_lines(made, name)}
    return found


def changed_lines(made, name: str) -> list[str]:
    lines, spans = made.code.splitlines(), made.line_span_by_function_name
    original, mutated = (
        lines[spans[function].start : spans[function].end]
        for function in (f"{name.rpartition('__mutmut_')[0]}__mutmut_orig", name)
    )
    changes = difflib.unified_diff(original, mutated, n=0, lineterm="")
    return [line for line in changes if not line.startswith(("@@", "---", "+++"))]
