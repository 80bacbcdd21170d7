"""A command in a session of its own, killed with everything that it started, at moments drawn by chance."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from spark.cluster import SHORT_LIVED
from thalweg.record.run_record import RunRecord

PATIENCE = 600.0
"""A machine may be busy with other things."""

STARTING, FIRST, BETWEEN, WITHIN, ALONE = "while it starts", "soon after", "between batches", "in a batch", "alone"
MOMENTS = (STARTING, FIRST, BETWEEN, WITHIN, WITHIN, ALONE)
"""``ALONE`` kills the command and nothing else: Java and the workers must end by themselves."""


@dataclass(frozen=True)
class Kill:
    """When it was to be, and what it hit: how many batches had begun, and how many had ended."""

    moment: str
    begun: int
    ended: int
    processes: int


class Killer:
    """Runs a command until it is killed, again and again."""

    def __init__(self, words, checkpoint, output, chance):
        self.words, self.chance = words, chance
        self.log, self.record = Path(checkpoint) / "spark", Path(output) / "_thalweg" / "run.json"
        self.kills = []

    def kill(self, moment):
        """Start the command, and kill it at such a moment."""
        with started(self.words) as process:
            self._wait(moment, process)
            assert process.poll() is None, f"it ended before it could be killed: {said()}"
            hit = Kill(moment, self._count("offsets"), self._count("commits"), len(session_of(process.pid)))
            if moment == ALONE:
                process.kill()
                process.wait()
                until(lambda: not session_of(process.pid), None)
            else:
                kill_session(process)
        self.kills.append(hit)

    def _wait(self, moment, process):
        if moment == STARTING:
            time.sleep(self.chance.uniform(0, 10))
            return
        until(lambda: self._is_running(process), process)
        if moment == FIRST:
            time.sleep(self.chance.uniform(0, 4))
            return
        ended = self._count("commits")
        until(lambda: self._count("commits") > ended, process)
        if moment == BETWEEN:
            time.sleep(self.chance.uniform(0, 0.2))
            return
        until(lambda: self._count("offsets") > self._count("commits"), process)
        time.sleep(self.chance.uniform(0, 1))

    def _is_running(self, process):
        """Whether this run has begun with the stream: its record says so, just before."""
        with suppress(OSError):
            return RunRecord.of_json(self.record.read_text(), str(self.record)).pid == process.pid
        return False

    def _count(self, log):
        with suppress(OSError):
            return 1 + max((int(name) for name in os.listdir(self.log / log) if name.isdecimal()), default=-1)
        return 0

    def summary(self):
        """What was hit, for people."""
        return Counter(
            f"{each.moment}, {'in a batch' if each.begun > each.ended else 'between'}" for each in self.kills
        )


@contextmanager
def started(words, settings=(), master="local[2]"):
    """The command in a process and a session of its own; nothing of it is left in the end."""
    command = Path(sys.executable).with_name("thalweg")
    spark = ("--master", master, "--spark-conf", f"spark.driver.extraJavaOptions={SHORT_LIVED}", *settings)
    with Path("said").open("w") as file:
        process = subprocess.Popen(
            [*map(str, (command, *words, *spark))],
            stdout=file,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill_session(process)


def run_to_end(words, **options):
    """The exit code of the command, and what it said."""
    with started(words, **options) as process:
        code = process.wait(PATIENCE)
        until(lambda: not session_of(process.pid), None)
    return code, said()


def said():
    return Path("said").read_text()


def until(is_so, process):
    """Wait for something; a process that ends before it is an error."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert process is None or process.poll() is None, f"it ended: {said()}"
        assert time.monotonic() < deadline, f"too long: {said()}"
        time.sleep(0.02)


def kill_session(process):
    """Kill a process and all of its session, whatever groups they have made; none is left."""
    deadline = time.monotonic() + PATIENCE
    while alive := session_of(process.pid):
        for pid in alive:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.poll()
        assert time.monotonic() < deadline, f"{alive} do not end"
    process.wait()


def session_of(leader):
    """The processes of a session that live."""
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and _is_in(entry, leader)]


def _is_in(entry, leader):
    try:
        state, _, _, session, *_ = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return int(session) == leader and state not in "ZX"
