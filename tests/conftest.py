"""Options and settings shared by all tests."""

import gc
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

import amount

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile(
    "thalweg", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile(
    "mutants", settings.get_profile("thalweg"), phases=(Phase.explicit, Phase.generate), report_multiple_bugs=False
)
settings.load_profile("thalweg")


def pytest_addoption(parser):
    parser.addoption("--soak", action="store_true", help="run the long generated comparisons, too, and all at length")
    parser.addoption("--mutants", action="store_true", help="few generated cases, and a failing one is not shrunk")


def pytest_configure(config):
    _hear_ctrl_c()
    if config.getoption("--soak"):
        amount.soak()
    if config.getoption("--mutants"):
        amount.few()
        settings.load_profile("mutants")


def _hear_ctrl_c():
    """A shell lets what it runs in the background ignore Ctrl-C, and whatever that starts; tests send it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--soak"):
        skip = pytest.mark.skip(reason="long; run with --soak")
        for item in items:
            if "soak" in item.keywords:
                item.add_marker(skip)
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))


def pytest_collection_finish(session):
    """Thousands of tests stay in memory to the end: nobody need look through them again for garbage."""
    gc.collect()
    gc.freeze()


def _group(item):
    """What runs in one process, in order: all that share the Spark session, and otherwise the tests of a file."""
    return "spark session" if "spark" in item.fixturenames else item.path.stem


@pytest.fixture(scope="session")
def shared_data():
    """The public data sets beside the project; a user's clone has none."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public data sets are not beside the project")
    return folder


@pytest.fixture(scope="session")
def spark():
    """One Spark session for all tests that need one: starting it takes seconds."""
    from spark.cluster import SHORT_LIVED
    from thalweg.spark.session import session
    from thalweg.spark.sources import register

    running = session("local[2]", {"spark.sql.shuffle.partitions": "2", "spark.driver.extraJavaOptions": SHORT_LIVED})
    register(running)
    yield running
    running.stop()
