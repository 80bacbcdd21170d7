"""A program that counts by key: in a batch with a shuffle and Python workers, and on a stream with state."""

COUNTING = """
import json
import sys

import pandas as pd
from pyspark.sql.functions import col
from pyspark.sql.streaming import StatefulProcessor

from thalweg.spark.session import session


class Counter(StatefulProcessor):
    def init(self, handle):
        self.total = handle.getValueState("total", "n long")

    def handleInputRows(self, key, rows, timers):
        before = self.total.get()[0] if self.total.exists() else 0
        total = before + sum(len(frame) for frame in rows)
        self.total.update((total,))
        yield pd.DataFrame({"key": [key[0]], "n": [total]})

    def close(self):
        pass


def same(batches):
    yield from batches


folder, options = sys.argv[1:]
spark = session("local[2]", {"spark.driver.extraJavaOptions": options})
numbers = spark.range(100).withColumn("key", col("id") % 3)
counted = numbers.mapInArrow(same, numbers.schema).groupBy("key").count().collect()

numbers.repartition(2).write.parquet(f"{folder}/in")
stream = spark.readStream.schema(numbers.schema).option("maxFilesPerTrigger", 1).parquet(f"{folder}/in")
totals = stream.groupBy("key").transformWithStateInPandas(Counter(), "key long, n long", "update", "none")
query = totals.writeStream.outputMode("update").format("memory").queryName("totals")
query = query.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True).start()
query.awaitTermination()
best = spark.table("totals").groupBy("key").max("n").collect()

print(json.dumps({
    "java": spark.sparkContext._jvm.java.lang.System.getProperty("java.home"),
    "batches": len(query.recentProgress),
    "batch": {row[0]: row[1] for row in sorted(counted)},
    "stream": {row[0]: row[1] for row in sorted(best)},
}))
"""
