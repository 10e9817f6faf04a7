"""Shared by all tests: one SparkSession, started as a user would start it."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sparklance

# Workers of user-defined functions need the packages of this Python, also when pytest runs without `./dev`.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

# Short queries take half of the CPU time without C2 and with one collector thread. Long runs have the JVM's defaults.
JVM = "" if "SPARKLANCE_TEST_FULL" in os.environ else "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "SPARKLANCE_TEST_REMOTE" in os.environ:
        for item in items:
            if mark := item.get_closest_marker("classic"):
                item.add_marker(pytest.mark.skip(reason=f"not over Spark Connect: {mark.args[0]}"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    if remote := os.environ.get("SPARKLANCE_TEST_REMOTE"):
        session = SparkSession.builder.remote(remote).getOrCreate()
    else:
        session = sparklance.configure(classic(str(tmp_path_factory.mktemp("warehouse")))).getOrCreate()
    yield session
    session.stop()


def classic(warehouse: str) -> SparkSession.Builder:
    return (
        SparkSession.builder.appName("sparklance tests")
        .master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.extraJavaOptions", JVM)
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
    return "SPARKLANCE_TEST_FULL" in os.environ
