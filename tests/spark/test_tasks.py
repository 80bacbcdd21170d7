"""How far Spark's jobs are, as it is told while they run."""

import time

from thalweg.spark.signals import interruptible
from thalweg.spark.tasks import task_watcher


def test_tasks_are_counted_while_a_job_runs(spark):
    told = []
    numbers = spark.sparkContext.parallelize(range(6), 6).map(lambda number: time.sleep(0.5))
    look = task_watcher(spark, lambda *counts: told.append(counts))
    assert interruptible(spark, numbers.count, look) == 6
    assert told
    assert all(1 <= stage <= stages and 0 <= done <= total == 6 for stage, stages, done, total in told)
    done = [counts[2] for counts in told]
    assert done == sorted(done)
    assert done[-1] > 0
