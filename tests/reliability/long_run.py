"""``thalweg run --stream`` in a process of its own, watched from outside while it works."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from reliability.process_tree import KINDS, in_folder, taken

PATIENCE = 600.0


class LongRun:
    """A run over ``folder/in``; its checkpoint, answers and temporary files are below the same folder.

    ``files`` are further files, by name; ``facts`` what is named as facts on the command line.
    """

    def __init__(self, folder, rules, *arguments, files=None, facts=("in",)):
        self.folder = folder
        for name in ("in", "tmp"):
            (folder / name).mkdir(parents=True)
        for name, text in {"program.rules": rules, **(files or {})}.items():
            (folder / name).write_text(text)
        command = Path(sys.executable).with_name("thalweg")
        java = f"-XX:+UseParallelGC -Djava.io.tmpdir={folder}/tmp -Xlog:gc:file={folder}/gc.log"
        words = [command, "run", "program.rules", *facts, "--stream", "--checkpoint", "state", "--output", "answers"]
        words += ["--progress", "--master", "local[2]", "--spark-conf", f"spark.driver.extraJavaOptions={java}"]
        words += ["--spark-conf", f"spark.local.dir={folder}/tmp", *arguments]
        with (folder / "said").open("w") as said:
            self.process = subprocess.Popen(
                [*map(str, words)],
                cwd=folder,
                env={**os.environ, "TMPDIR": str(folder / "tmp"), "SPARK_LOCAL_DIRS": str(folder / "tmp")},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def said(self):
        """What it has printed."""
        return (self.folder / "said").read_text()

    @property
    def progress(self):
        """The batches so far, as the record of the run has them."""
        try:
            lines = (self.folder / "answers/_thalweg/progress.jsonl").read_text().splitlines(keepends=True)
        except OSError:
            return []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    @property
    def newest(self):
        """The newest time that has been read, -1 before anything was."""
        found = self.progress[-1:]
        return int(found[0]["newest"]) if found and found[0]["newest"] else -1

    def must_run(self):
        """Fail if it has ended."""
        assert self.process.poll() is None, self.said[-5000:]

    def wait_for(self, happened, patience=PATIENCE):
        """Wait until something has happened."""
        deadline = time.monotonic() + patience
        while not happened():
            self.must_run()
            assert time.monotonic() < deadline, self.said[-5000:]
            time.sleep(0.2)

    def stop(self):
        """Stop it as a user would."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(PATIENCE) == 130, self.said[-5000:]

    def kill(self):
        """End whatever is left of it."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def heap_after_collection(self):
        """The bytes of Java's heap that were in use after the last full collection; None before the first."""
        try:
            sizes = re.findall(r"Pause Full .*->(\d+)M\(", (self.folder / "gc.log").read_text())
        except OSError:
            return None
        return int(sizes[-1]) << 20 if sizes else None

    def sample(self):
        """Everything that must not grow, now."""
        now, last = taken(self.process.pid), (self.progress or [{}])[-1]
        checkpoint, temporary = in_folder(self.folder / "state"), in_folder(self.folder / "tmp")
        answers, record = self.folder / "answers", in_folder(self.folder / "answers/_thalweg")
        return {
            "batches": last.get("batch", -1) + 1,
            **{f"{kind}_processes": now.processes[kind] for kind in KINDS},
            **{f"{kind}_resident": now.resident[kind] for kind in KINDS},
            **{f"{kind}_files": now.files[kind] for kind in KINDS},
            **{f"{kind}_threads": now.threads[kind] for kind in KINDS},
            "java_heap": self.heap_after_collection(),
            "checkpoint_files": checkpoint[0],
            "checkpoint_bytes": checkpoint[1],
            "temporary_files": temporary[0],
            "temporary_bytes": temporary[1],
            "record_files": record[0],
            "record_bytes": record[1],
            "set_aside_files": in_folder(answers / "quarantine")[0],
            **{name: last.get(name) for name in ("stored", "history", "values", "state_bytes", "waiting", "rows")},
            "newest": last.get("newest"),
            "seconds": last.get("seconds"),
        }


@contextmanager
def long_run(folder, rules, *arguments, **options):
    """A run that ends with the block, whatever happens in it."""
    run = LongRun(folder, rules, *arguments, **options)
    try:
        yield run
    finally:
        run.kill()
