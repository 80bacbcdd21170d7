"""The package on a real cluster whose Python does not have it."""

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import numpy
import pytest
from cluster import SHORT_LIVED, cluster
from python_process import run_python
from running import joined

import thalweg
from thalweg.spark.shipping import ship, write_archive

SHIPPED = {"thalweg", "lark"}


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory):
    """A Python with everything that this one has, save what is shipped."""
    home = tmp_path_factory.mktemp("bare")
    venv.create(home, symlinks=True)
    (target,) = home.glob("lib/python*/site-packages")
    for entry in Path(numpy.__file__).parents[1].iterdir():
        if entry.name.split("-")[0] not in SHIPPED and "thalweg" not in entry.name and entry.suffix != ".pth":
            (target / entry.name).symlink_to(entry)
    return home / "bin" / "python"


REASONING = """
import json, os, sys

import pyarrow as pa

import thalweg
from thalweg.spark.session import session
from thalweg.spark.shipping import ship

master, python, folder, options = sys.argv[1:]
spark = session(master, {
    "spark.pyspark.python": python,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": options,
    "spark.executor.extraJavaOptions": options,
})
ship(spark)
ship(spark)


def reason(batches):
    import thalweg

    program = thalweg.parse("Q(X) :- diamondminus[0,2] P(X) .")
    for batch in batches:
        facts = "\\n".join(f"P(x{number})@{number}" for number in batch["id"].to_pylist())
        answers = thalweg.materialise(program, facts).to_text("Q")
        row = {"file": os.path.abspath(thalweg.__file__), "python": sys.executable, "answers": answers}
        yield pa.RecordBatch.from_pylist([row])


found = spark.range(0, 4, 1, 2).mapInArrow(reason, "file string, python string, answers string").collect()

program = thalweg.parse('''
input Speed(vehicle: string, speed: integer).
background Road(vehicle: string, road: string).
Slow(V) :- Speed(V, S), S < 5.
Stuck(V) :- boxminus[0,2] diamondminus[0,1] Slow(V).
Jam(R) :- Stuck(V), Road(V, R).
''')
rows = [(f"v{n}", (n * 3 + second * second) % 8, second) for second in range(25) for n in range(12)]
speeds = spark.createDataFrame(rows, "vehicle string, speed int, ts int")
roads = spark.createDataFrame([(f"v{n}", f"r{n % 3}") for n in range(12)], "vehicle string, road string")
times = {"Speed": "ts"}
batch = thalweg.spark.reason(program, {"Speed": speeds, "Road": roads}, "Jam", time=times).collect()

speeds.coalesce(1).orderBy("ts").write.parquet(f"{folder}/in")
os.mkdir(f"{folder}/control")
stream = spark.readStream.schema(speeds.schema).parquet(f"{folder}/in")
control = spark.readStream.text(f"{folder}/control")
answers = thalweg.spark.reason(program, {"Speed": stream, "Road": roads}, "Jam", time=times, final=control)
streamed = []
for last in (False, True):
    if last:
        open(f"{folder}/control/final", "w").write("final\\n")
    query = answers.writeStream.foreachBatch(lambda frame, _: streamed.extend(frame.collect()))
    query.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True).start().awaitTermination()

facts = [f"Speed({v},{s})@{t}" for v, s, t in rows] + [f"Road(v{n},r{n % 3})@(-inf,inf)" for n in range(12)]
here = thalweg.materialise(program, "\\n".join(facts), queries="Jam").table("Jam").to_pylist()

print(json.dumps({
    "files": sorted({row.file for row in found}),
    "pythons": sorted({row.python for row in found}),
    "answers": sorted(line for row in found for line in row.answers.splitlines()),
    "batch": sorted(map(list, batch)),
    "streamed": sorted(map(list, streamed)),
    "here": sorted([*row.values()] for row in here),
    "sent": len(spark.sparkContext.listFiles),
}))
"""


def coalesced(rows):
    """The intervals of answers, joined where the stream was cut."""
    return joined(rows, thalweg.parse("P@1."))


def test_executors_get_the_package_from_the_driver(bare_python, tmp_path):
    assert subprocess.run([bare_python, "-c", "import thalweg"], capture_output=True, check=False).returncode == 1
    with cluster(tmp_path) as running:
        done = run_python(REASONING, running.master, bare_python, tmp_path, SHORT_LIVED)
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert all(Path(file).is_relative_to(tmp_path) for file in result["files"]), result["files"]
    assert all("/thalweg.zip/thalweg/" in file for file in result["files"]), result["files"]
    assert result["pythons"] == [str(bare_python)]
    assert result["answers"] == ["Q(x0)@[0,2]", "Q(x1)@[1,3]", "Q(x2)@[2,4]", "Q(x3)@[3,5]"]
    assert result["here"]
    assert result["batch"] == result["here"]
    assert coalesced(result["streamed"]) == coalesced(result["here"])
    assert result["sent"] == 1


def test_local_tasks_need_nothing(spark):
    ship(spark)
    assert spark.sparkContext.listFiles == []


def test_the_archive_holds_code_and_grammar_and_no_bytecode(tmp_path):
    write_archive(tmp_path / "x.zip")
    names = zipfile.ZipFile(tmp_path / "x.zip").namelist()
    assert {"thalweg/__init__.py", "thalweg/syntax/grammar.lark", "lark/__init__.py"} <= set(names)
    assert [name for name in names if name.endswith(".pyc")] == []


def test_the_package_works_from_the_archive(bare_python, tmp_path):
    write_archive(tmp_path / "x.zip")
    code = "import thalweg; print(thalweg.__file__, thalweg.parse('Q(X) :- P(X) .'))"
    environment = {"PYTHONPATH": str(tmp_path / "x.zip")}
    done = subprocess.run([bare_python, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{tmp_path}/x.zip/thalweg/__init__.py ")
    assert sys.executable != str(bare_python)
