"""Settings for streams of small batches whose rows are reasoned about by whole columns."""

from __future__ import annotations

import os

from thalweg.spark.master import is_local, local_tasks

STATE_STORE = {
    # transformWithState works with no other store; a change log makes small batches cheap to commit.
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}

LOCAL_CHECKPOINTS = {
    # The default manager starts some sixty processes a batch where Hadoop's native library is missing.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
}

# What must be known when Java starts: later is too late, or Spark has chosen by then.
AT_LAUNCH = {
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC -XX:-UsePerfData",
    "spark.ui.showConsoleProgress": "false",
}

_EVERYWHERE = {
    **AT_LAUNCH,
    **STATE_STORE,
    "spark.sql.session.timeZone": "UTC",
    # Spark's own choice, INT96, is read by others as nanoseconds, which know no years before 1678 or after 2261.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # A call should see a batch, not a slice of it. Spark cuts at 64 MB in any case.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "500000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # A small partition can be much work: put together, one core would do it all.
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
    # Files of earlier batches go when Java finds that nobody refers to them, which it may not for half an hour.
    "spark.cleaner.periodicGC.interval": "5min",
}

# Without its web pages nobody looks at what Spark remembers of a thousand earlier queries, and of their tasks.
_NO_PAGES = {
    "spark.ui.enabled": "false",
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "50",
    "spark.ui.retainedTasks": "1000",
    "spark.sql.ui.retainedExecutions": "50",
}

_ON_THIS_MACHINE = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    **_NO_PAGES,
}

QUICK_SOCKETS = {"spark.python.unix.domain.socket.enabled": "true"}
SOCKET_FOLDER = "spark.python.unix.domain.socket.dir"
_LONGEST_SOCKET = 103
"""The bytes of a socket's path that every system takes: 107 on Linux, 103 elsewhere."""
_SOCKET_NAME = len("/.00000000-0000-0000-0000-000000000000.sock")


def has_room_for_sockets(folder: str) -> bool:
    """Whether Spark's sockets, which it names itself, can be made in a folder."""
    return len(os.fsencode(folder)) + _SOCKET_NAME <= _LONGEST_SOCKET and os.access(folder, os.W_OK)


def default_settings(master: str, cores: int, *, quiet: bool) -> dict[str, str]:
    """What suits a master, on a driver with so many cores, where the user says nothing else."""
    settings = {**_EVERYWHERE}
    if quiet:
        settings["spark.log.level"] = "ERROR"
    if is_local(master):
        settings |= _ON_THIS_MACHINE
        # Each partition costs a batch a tenth of a second, and there is nobody to share more of them.
        settings["spark.sql.shuffle.partitions"] = str(local_tasks(master, cores))
    return settings
