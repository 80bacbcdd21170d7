"""One Spark session for all tests of this folder: starting one takes seconds."""

import pytest
from cluster import SHORT_LIVED

from thalweg.spark.session import session
from thalweg.spark.sources import register


@pytest.fixture(scope="session")
def spark():
    running = session("local[2]", {"spark.sql.shuffle.partitions": "2", "spark.driver.extraJavaOptions": SHORT_LIVED})
    register(running)
    yield running
    running.stop()
