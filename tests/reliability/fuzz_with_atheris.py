"""Texts that atheris makes up, guided by which lines of the product they reach::

    python tests/reliability/fuzz_with_atheris.py rules 60

fuzzes one of the readers of ``any_input.py`` for 60 seconds; ``all`` takes them one after the other. It starts from
the golden cases. What breaks a reader is written to ``build/fuzz/READER``; once mended, it belongs into
``fuzz_findings/READER``, which the tests read again each time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "fuzz"
_INSIDE = "THALWEG_FUZZ_READER"

sys.path.insert(0, str(HERE))


def main(reader: str, seconds: str, *options: str) -> int:
    """Fuzz a reader, or all of them; 0 if nothing was found. Options are those of libFuzzer."""
    from any_input import READERS

    names = sorted(READERS) if reader == "all" else [reader]
    return max(fuzz(name, ("-max_total_time=" + seconds, *options)) for name in names)


def fuzz(reader: str, options: tuple[str, ...]) -> int:
    """Fuzz a reader in a process of its own: the instrumented one ends with the first finding."""
    found = BUILD / reader
    found.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        words, corpus = Path(folder) / "words", Path(folder) / "corpus"
        _write_seeds(reader, words, corpus)
        command = [sys.executable, __file__, str(corpus), f"-dict={words}", f"-artifact_prefix={found}/"]
        limits = ["-timeout=120", "-rss_limit_mb=3000", "-max_len=3000", "-print_final_stats=1"]
        print(f"== {reader}", flush=True)  # noqa: T201 -- a command
        return subprocess.run(
            [*command, *limits, *options], env={**os.environ, _INSIDE: reader}, check=False
        ).returncode


def _write_seeds(reader: str, words: Path, corpus: Path) -> None:
    from odd_texts import pieces_of, seeds

    quoted = ("".join(f"\\x{byte:02x}" for byte in piece.encode()) for piece in pieces_of(reader))
    words.write_text("".join(f'"{each}"\n' for each in quoted), encoding="utf-8")
    corpus.mkdir()
    for number, text in enumerate(seeds(reader)):
        (corpus / str(number)).write_text(text, encoding="utf-8")


def _run_inside(reader: str) -> None:
    import atheris

    with atheris.instrument_imports(include=["thalweg"]):
        from any_input import read_any

    def read(data: bytes) -> None:
        read_any(reader, data.decode("utf-8", errors="replace"))

    atheris.Setup(sys.argv, read)
    atheris.Fuzz()


if __name__ == "__main__":
    if _INSIDE in os.environ:
        _run_inside(os.environ[_INSIDE])
    else:
        sys.exit(main(*sys.argv[1:]))
