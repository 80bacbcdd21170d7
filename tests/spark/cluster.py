"""A real standalone cluster on this machine: one master and two workers, from the wheel of PySpark."""

import os
import re
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyspark

from thalweg.spark.java import java_home

HOME = Path(pyspark.__file__).parent
PATIENCE = 90.0

# For a Java that ends before good code pays: its start takes half the work.
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SHORT_LIVED_BELOW = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1"}
"""The same for the Java of a program that a test cannot tell, as variables of its environment."""


@dataclass(frozen=True)
class Cluster:
    master: str
    folder: Path
    workers: tuple[subprocess.Popen, ...]
    """Kill one with its process group: ``os.killpg(worker.pid, signal.SIGKILL)`` ends its executors as well."""


@contextmanager
def cluster(folder, workers=2, cores=1, memory="1g"):
    """A running cluster whose workers have registered; everything ends with the block, whatever happens in it."""
    with ExitStack() as stack:
        log = folder / "master.log"
        stack.enter_context(_daemon(log, "master.Master", "--port", 0, "--webui-port", 0))
        master = _awaited(log, r"Starting Spark master at (spark://\S+)", 1)[0]
        size = ("--cores", cores, "--memory", memory, "--webui-port", 0)
        started = tuple(
            stack.enter_context(
                _daemon(folder / f"worker{i}.log", "worker.Worker", *size, "--work-dir", folder / f"work{i}", master)
            )
            for i in range(workers)
        )
        _awaited(log, r"Registering worker (\S+)", workers)
        yield Cluster(master, folder, started)


@contextmanager
def _daemon(log, name, *arguments):
    home = java_home()
    environment = {
        **os.environ,
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": SHORT_LIVED,
        **({"JAVA_HOME": str(home)} if home else {}),
    }
    command = [HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", *arguments]
    with open(log, "wb") as file:
        # A session of its own, so that executors, which are its children, end with it.
        process = subprocess.Popen(
            [*map(str, command)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _awaited(log, pattern, number):
    """What a log says, once it has said it so often."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = re.findall(pattern, log.read_text(errors="replace"))
        if len(found) >= number:
            return found
        time.sleep(0.1)
    raise TimeoutError(f"{log} does not say {pattern}:\n{log.read_text(errors='replace')[-2000:]}")
