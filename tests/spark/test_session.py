"""Sessions: the one that runs is respected, a new one suits the machine and keeps quiet."""

import json
import sys
import threading
from pathlib import Path

import pyspark
import pytest
from cluster import SHORT_LIVED
from python_process import run_python

from thalweg.errors import UsageError
from thalweg.spark.master import check_master, is_local, local_tasks
from thalweg.spark.session import session
from thalweg.spark.settings import has_room_for_sockets


class TestARunningSession:
    def test_is_the_session(self, spark):
        assert session() is spark
        assert session("local[2]") is spark

    def test_is_the_session_in_every_thread(self, spark):
        found = []
        thread = threading.Thread(target=lambda: found.append(session()))
        thread.start()
        thread.join()
        assert found[0].sparkContext is spark.sparkContext

    def test_keeps_its_settings(self, spark):
        spark.conf.set("spark.sql.shuffle.partitions", "3")
        try:
            assert session().conf.get("spark.sql.shuffle.partitions") == "3"
        finally:
            spark.conf.set("spark.sql.shuffle.partitions", "2")

    def test_takes_what_can_change_while_it_runs(self, spark):
        session(conf={"spark.sql.shuffle.partitions": "5", "spark.sql.streaming.stateStore.rocksdb.x": "y"})
        assert spark.conf.get("spark.sql.shuffle.partitions") == "5"
        spark.conf.set("spark.sql.shuffle.partitions", "2")

    def test_takes_what_is_so_already(self, spark):
        assert session(conf={"spark.driver.memory": "2g", "spark.master": "local[2]"}) is spark

    def test_refuses_what_cannot_change(self, spark):
        wanted = {"spark.driver.memory": "3g", "spark.ui.enabled": "true", "spark.sql.shuffle.partitions": "2"}
        with pytest.raises(UsageError) as caught:
            session("local[3]", wanted)
        assert str(caught.value) == (
            "a Spark session runs already, with other values of spark.master, spark.driver.memory, spark.ui.enabled\n"
            "    hint: stop that session first, or leave these settings as they are"
        )


class TestSettings:
    @pytest.mark.parametrize(
        ("key", "value"),
        {
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "500000",
            "spark.sql.execution.arrow.maxBytesPerBatch": "67108864b",
            "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
            "spark.python.unix.domain.socket.enabled": "true",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1",
        }.items(),
    )
    def test_value(self, key, value, spark):
        assert spark.conf.get(key) == value

    @pytest.mark.parametrize(
        "key", ["spark.sql.streaming.stateStore.providerClass", "spark.sql.streaming.checkpointFileManagerClass"]
    )
    def test_a_class_that_is_named_exists(self, key, spark):
        named = spark.conf.get(key)
        assert spark.sparkContext._jvm.java.lang.Class.forName(named).getName() == named

    def test_workers_run_this_python_with_this_package(self, spark):
        def look(batches):
            import sys

            import pyarrow as pa

            import thalweg

            for _ in batches:
                yield pa.RecordBatch.from_pydict({"python": [sys.executable], "file": [thalweg.__file__]})

        row = spark.range(1).mapInArrow(look, "python string, file string").first()
        import thalweg

        assert tuple(row) == (sys.executable, thalweg.__file__)

    def test_a_mistake_in_a_worker_is_raised(self, spark):
        def fail(batches):
            raise ArithmeticError("no such number")

        with pytest.raises(pyspark.errors.PythonException, match="no such number"):
            spark.range(1).mapInArrow(fail, "id long").collect()


QUIET = """
import json, os
from thalweg.errors import UsageError
from thalweg.spark.session import session

before = dict(os.environ)
told = []
for conf in ({"spark.driver.memory": "lots"}, {"spark.serializer": "no.such.Class"}):
    try:
        session("local[2]", conf)
    except UsageError as error:
        told.append(str(error))
spark = session(name="rivers")
spark.range(10).groupBy("id").count().collect()
spark.range(10).mapInArrow(lambda batches: batches, "id long").collect()
context = spark.sparkContext
changed = {name for name in {*before, *os.environ} if before.get(name) != os.environ.get(name)}
print(json.dumps({
    "told": told,
    "name": context.appName,
    "master": context.master,
    "partitions": spark.conf.get("spark.sql.shuffle.partitions") == str(context.defaultParallelism),
    "changed": sorted(name for name in changed if "JAVA" in name or "PYTHON" in name or "HOME" in name),
}))
"""


def test_a_new_session_is_quiet_and_tells_by_exceptions():
    done = run_python(QUIET, SPARK_HOME=None, PYSPARK_PYTHON=None)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "told": [
            "Spark does not start: Invalid maximum heap size: -Xmxlots",
            "Spark does not start: java.lang.ClassNotFoundException: no.such.Class",
        ],
        "name": "rivers",
        "master": "local[*]",
        "partitions": True,
        "changed": [],
    }


LONG_PATHS = """
import sys
from thalweg.errors import UsageError
from thalweg.spark.session import session

java = f"-Djava.io.tmpdir={sys.argv[1]}"
try:
    session("local[1]", {"spark.driver.extraJavaOptions": java, "spark.python.unix.domain.socket.enabled": "true"})
except UsageError as error:
    print(error)
spark = session("local[1]", {"spark.driver.extraJavaOptions": java})
print(spark.range(10).mapInArrow(lambda batches: batches, "id long").count())
"""


def test_a_temporary_folder_whose_path_is_too_long_for_sockets_is_no_obstacle(tmp_path):
    folder = tmp_path / ("long" * 25)
    folder.mkdir()
    done = run_python(LONG_PATHS, folder, TMPDIR=str(folder))
    assert (done.stdout, done.stderr) == ("Spark does not start: AF_UNIX path too long\n10\n", "")


def test_sockets_need_a_short_path_and_a_folder_to_write_to(tmp_path):
    assert has_room_for_sockets("/tmp")
    assert not has_room_for_sockets(str(tmp_path / "nowhere"))
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    assert not has_room_for_sockets(str(folder))


def test_a_session_that_need_not_be_quiet_speaks():
    code = "from thalweg.spark.session import session; session(conf={'spark.driver.memory': 'lots'}, quiet=False)"
    done = run_python(code)
    assert "Invalid maximum heap size: -Xmxlots\n" in done.stderr
    assert "thalweg.errors.UsageError: Spark does not start: its words are above" in done.stderr


def test_what_spark_submit_was_told_goes_before_our_settings(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from thalweg.spark.session import session\n"
        "spark = session()\n"
        "print(spark.sparkContext.master, spark.conf.get('spark.sql.shuffle.partitions'),"
        " spark.conf.get('spark.sql.session.timeZone'))\n"
    )
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    call = f"""
import os, sys
from thalweg.spark.java import java_home
home = java_home()
os.environ.update({{"PYSPARK_PYTHON": sys.executable}} | ({{"JAVA_HOME": str(home)}} if home else {{}}))
os.execv({str(submit)!r}, ["spark-submit", "--master", "local[1]", "--driver-java-options", {SHORT_LIVED!r},
    "--conf", "spark.sql.shuffle.partitions=7", {str(program)!r}])
"""
    assert run_python(call).stdout == "local[1] 7 UTC\n"


class TestMaster:
    @pytest.mark.parametrize(
        ("master", "local", "tasks"),
        [("local", True, 1), ("local[*]", True, 8), ("local[3]", True, 3), ("local[4,2]", True, 4)],
    )
    def test_local(self, master, local, tasks):
        check_master(master)
        assert (is_local(master), local_tasks(master, 8)) == (local, tasks)

    @pytest.mark.parametrize("master", ["yarn", "k8s://https://host:443", "local-cluster[2,1,512]"])
    def test_elsewhere(self, master):
        check_master(master)
        assert not is_local(master)

    @pytest.mark.parametrize("master", ["", "nonsense", "local[", "local[0]", "local[x]", "spark://", "spark://host"])
    def test_no_master(self, master):
        with pytest.raises(UsageError, match="is no master\n    hint: write local"):
            check_master(master)

    @pytest.mark.parametrize("master", ["spark://127.0.0.1:1", "spark://127.0.0.1:1,127.0.0.1:99999"])
    def test_nobody_there(self, master):
        with pytest.raises(UsageError, match="no Spark master answers at spark://"):
            check_master(master)


def test_spark_connect_is_refused(monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://host")
    with pytest.raises(UsageError, match="Spark Connect does not do"):
        session()
