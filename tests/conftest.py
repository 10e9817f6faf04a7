"""Shared by all tests: one SparkSession, started as a user would start it."""

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

import sparklance
from dev_tools import archive, rings
from dev_tools.rings import Ring

# Workers of user-defined functions need the packages of this Python, also when pytest runs without `./dev`.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

RING = rings.chosen()
# Each JVM that a test starts reads this variable. Long runs have the JVM's defaults.
if RING != Ring.FULL:
    os.environ.setdefault("JDK_JAVA_OPTIONS", archive.options())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "SPARKLANCE_TEST_REMOTE" in os.environ:
        for item in items:
            if mark := item.get_closest_marker("classic"):
                item.add_marker(pytest.mark.skip(reason=f"not over Spark Connect: {mark.args[0]}"))
    left_out = rings.left_out(RING)
    kept = [item for item in items if is_in_part(item) and not any(map(item.get_closest_marker, left_out))]
    if RING == Ring.FAST:
        older = of_older_versions(kept)
        kept = [item for item in kept if item not in older]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    # The longest modules come first, so that workers end at about the same time.
    longest = {item.path for item in kept if item.get_closest_marker("process")}
    items[:] = sorted(kept, key=lambda item: item.path not in longest)


def of_older_versions(items: list[pytest.Item]) -> set[pytest.Item]:
    """Returns the items of a parameter `version`, a file version, that run for a newer version, too."""
    by_test: dict[object, dict[pytest.Item, str]] = {}
    for item in items:
        version = item.callspec.params.get("version") if hasattr(item, "callspec") else None
        if isinstance(version, str):
            others = {name: place for name, place in item.callspec.indices.items() if name != "version"}
            by_test.setdefault((item.path, item.originalname, str(others)), {})[item] = version
    newest = {test: max(of_items.values(), key=age) for test, of_items in by_test.items()}
    return {item for test, of_items in by_test.items() for item, of in of_items.items() if of != newest[test]}


def age(version: str) -> tuple[bool, str]:
    """Orders "legacy", which is no number, before all others."""
    return version[:1].isdigit(), version


def is_in_part(item: pytest.Item) -> bool:
    part = rings.part()
    return part is None or rings.is_in_part(item.nodeid.partition("::")[0], *part)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints for each test that failed the command that repeats it."""
    for kind in ("failed", "error"):
        for report in terminalreporter.stats.get(kind, []):
            terminalreporter.write_line(f"Repeat it by: ./dev test {shlex.quote(report.nodeid)}")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    if remote := os.environ.get("SPARKLANCE_TEST_REMOTE"):
        session = SparkSession.builder.remote(remote).getOrCreate()
    else:
        session = sparklance.configure(classic(str(tmp_path_factory.mktemp("warehouse")))).getOrCreate()
    yield session
    session.stop()
    end_jvm()


def end_jvm() -> None:
    """Waits for the end of Spark's JVM: only then its processor time counts as that of this process."""
    if gateway := SparkContext._gateway:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(60)
        SparkContext._gateway = SparkContext._jvm = None


def classic(warehouse: str) -> SparkSession.Builder:
    return (
        SparkSession.builder.appName("sparklance tests")
        .master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", warehouse)
    )


@pytest.fixture
def tmp(tmp_path: Path) -> str:
    """A fresh directory, as the string that Spark and pylance take."""
    return str(tmp_path)


@pytest.fixture(scope="session")
def full() -> bool:
    """Whether a test that has a short form should take its long one (`./dev test --full`)."""
    return RING == Ring.FULL
