"""Whatever somebody writes, it is read, or refused with a diagnostic that has a place: no crash and no hang."""

import subprocess
import sys
from pathlib import Path

import pytest
from any_input import READERS, read_any
from hypothesis import HealthCheck, given, settings
from odd_texts import texts

from amount import amount

FINDINGS = Path(__file__).with_name("fuzz_findings")
FOUND = sorted(path for path in FINDINGS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("reader", sorted(READERS))
def test_any_text_is_read_or_refused(reader):
    @settings(max_examples=amount(120), suppress_health_check=list(HealthCheck))
    @given(texts(reader))
    def read(text):
        read_any(reader, text)

    read()


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_was_found_once_is_not_found_again(path):
    read_any(path.parent.name, path.read_bytes().decode("utf-8", errors="surrogatepass"))


@pytest.mark.parametrize("reader", ["facts", pytest.param("rules", marks=pytest.mark.soak)])
def test_a_short_run_of_atheris_finds_nothing(reader):
    pytest.importorskip("atheris", reason="atheris has no wheel for this machine")
    script = Path(__file__).with_name("fuzz_with_atheris.py")
    command = [sys.executable, str(script), reader, "600", "-runs=400", "-seed=1"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert run.returncode == 0, run.stderr[-4000:]
    assert "stat::number_of_executed_units" in run.stderr
