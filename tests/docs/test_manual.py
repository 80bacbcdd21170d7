"""The manual builds as a site, and no link in it leads nowhere."""

import subprocess
import sys

import pytest
from documents import ROOT


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Builds the manual, or a copy of it, into a new folder."""

    def run(source):
        out = tmp_path_factory.mktemp("manual")
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(source), str(out)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300), out

    return run


def test_the_manual_builds_without_a_warning(build):
    done, out = build(ROOT / "docs")
    assert done.returncode == 0, done.stderr
    for page in sorted((ROOT / "docs").glob("*.md")):
        assert (out / f"{page.stem}.html").is_file()


def test_a_link_that_leads_nowhere_would_be_found(build, tmp_path):
    (tmp_path / "conf.py").write_text((ROOT / "docs" / "conf.py").read_text())
    (tmp_path / "index.md").write_text("# Here\n\n[there](nowhere.md) and [within](#no-such-heading)\n")
    done, _ = build(tmp_path)
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr
    assert "no-such-heading" in done.stderr


def test_the_site_needs_nothing_from_elsewhere(build, tmp_path):
    (tmp_path / "conf.py").write_text((ROOT / "docs" / "conf.py").read_text())
    (tmp_path / "index.md").write_text("# Here\n\nNothing.\n")
    _, out = build(tmp_path)
    page = (out / "index.html").read_text()
    assert 'src="http' not in page
    assert 'rel="stylesheet" type="text/css" href="http' not in page
