"""Incidents on conveyor belts, and what becomes of them: from Parquet to Parquet, in a batch or as a stream."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame

import thalweg
import thalweg.spark

RULES = Path(__file__).with_name("belts.rules")
SCHEMAS = {
    "Speed": "belt string, level string, time bigint",
    "Temp": "belt string, degree bigint, time bigint",
}
QUERIES = ("Incident", "InCharge", "Escalated", "Stop")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the job."""
    options = read_options(arguments)
    spark = thalweg.spark.session(options.master, name="belts")
    reader = spark.readStream if options.stream else spark.read
    tables = {name: reader.schema(schema).parquet(f"{options.data}/{name}") for name, schema in SCHEMAS.items()}
    tables["Line"] = spark.read.parquet(f"{options.data}/Line.parquet")
    times = dict.fromkeys(SCHEMAS, "time")
    answers = thalweg.spark.reason(thalweg.load(RULES), tables, QUERIES, time=times)
    if not options.stream:
        write(answers, f"{options.output}/%s")
        return
    writer = answers.writeStream.foreachBatch(lambda rows, number: write(rows, f"{options.output}/%s/batch={number}"))
    trigger = {"availableNow": True} if options.once else {"processingTime": "1 second"}
    writer.trigger(**trigger).option("checkpointLocation", options.checkpoint).start().awaitTermination()


def write(answers: DataFrame, where: str) -> None:
    """A table for each query, and one for rows that were set aside; a batch that is run again writes the same."""
    answers.persist()
    for name, table in thalweg.spark.split(answers).items():
        table.write.mode("overwrite").parquet(where % name)
    answers.unpersist()


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What is asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="data", help="what generate.py has written (default data)")
    parser.add_argument("--output", default="answers", help="a folder for the answers (default answers)")
    parser.add_argument("--master", help="where Spark runs (default: this machine, or what spark-submit says)")
    parser.add_argument("--stream", action="store_true", help="follow the folders of data instead of reading them once")
    parser.add_argument("--once", action="store_true", help="with --stream: read what is there, then end")
    parser.add_argument("--checkpoint", default="checkpoint", help="where the stream remembers how far it is")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
