"""What turbines may fail, while reports are still on their way: from Parquet to Parquet, in a batch or as a stream."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import thalweg
import thalweg.spark

RULES = Path(__file__).with_name("turbines.rules")
SCHEMA = "turbine string, level string, time bigint"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the job."""
    options = read_options(arguments)
    spark = thalweg.spark.session(options.master, name="turbines")
    reader = spark.readStream if options.stream else spark.read
    reports = reader.schema(SCHEMA).parquet(f"{options.data}/Temp")
    program = thalweg.load(RULES)
    answers = thalweg.spark.hypotheses(
        program, {"Temp": reports}, options.query, time="time", min_confidence=options.min_confidence
    )
    where = f"{options.output}/{options.query}"
    if not options.stream:
        answers.write.mode("overwrite").parquet(where)
        return
    writer = answers.writeStream.format("parquet").option("path", where)
    trigger = {"availableNow": True} if options.once else {"processingTime": "1 second"}
    writer.trigger(**trigger).option("checkpointLocation", options.checkpoint).start().awaitTermination()


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What is asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="data", help="what generate.py has written (default data)")
    parser.add_argument("--output", default="answers", help="a folder for the answers (default answers)")
    parser.add_argument("--query", default="Malfunction", help="Malfunction (the default) or Recovery")
    parser.add_argument("--min-confidence", type=float, default=0.0, help="give up what is less likely (default 0)")
    parser.add_argument("--master", help="where Spark runs (default: this machine, or what spark-submit says)")
    parser.add_argument("--stream", action="store_true", help="follow the folder of data instead of reading it once")
    parser.add_argument("--once", action="store_true", help="with --stream: read what is there, then end")
    parser.add_argument("--checkpoint", default="checkpoint", help="where the stream remembers how far it is")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
