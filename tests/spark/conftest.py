"""One Spark session for all tests of this folder: starting one takes seconds."""

import pytest

from thalweg.spark.session import session


@pytest.fixture(scope="session")
def spark():
    running = session("local[2]", {"spark.sql.shuffle.partitions": "2"})
    yield running
    running.stop()
