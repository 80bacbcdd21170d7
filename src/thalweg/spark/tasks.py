"""How far Spark's jobs are, as its status tracker tells."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

HearTasks = Callable[[int, int, int, int], None]
"""Is told of the stage that runs, of how many there are, and of how many of the known tasks are done."""


def task_watcher(spark: SparkSession, hear: HearTasks) -> Callable[[], None]:
    """A function that looks how far the jobs are, and tells."""
    tracker = spark.sparkContext.statusTracker()
    tasks: dict[int, tuple[int, int]] = {}
    stages: set[int] = set()

    def look() -> None:
        for job in tracker.getActiveJobsIds():
            found = tracker.getJobInfo(job)
            stages.update(found.stageIds if found is not None else ())
        for stage in stages:
            known = tracker.getStageInfo(stage)
            if known is not None and known.numTasks:
                tasks[stage] = known.numCompletedTasks, known.numTasks
        if tasks:
            done, total = (sum(counts) for counts in zip(*tasks.values(), strict=True))
            hear(len(tasks), len(stages), done, total)

    return look
