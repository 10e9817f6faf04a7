"""Shared by all tests: one SparkSession, started as a user would start it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sparklance
from sparklance.session import jar_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "SPARKLANCE_TEST_REMOTE" in os.environ:
        for item in items:
            if mark := item.get_closest_marker("classic"):
                item.add_marker(pytest.mark.skip(reason=f"not over Spark Connect: {mark.args[0]}"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    builder = (
        SparkSession.builder.appName("sparklance tests")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    )
    if remote := os.environ.get("SPARKLANCE_TEST_REMOTE"):
        # PySpark starts a server of Spark Connect, to which the jar belongs.
        session = builder.config("spark.jars", str(jar_path())).remote(remote).getOrCreate()
    else:
        session = sparklance.configure(builder.master("local[2]")).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def tmp(tmp_path: Path) -> str:
    """A fresh directory, as the string that Spark and pylance take."""
    return str(tmp_path)


@pytest.fixture(scope="session")
def full() -> bool:
    """Whether a test that has a short form should take its long one (`./dev test --full`)."""
    return "SPARKLANCE_TEST_FULL" in os.environ
