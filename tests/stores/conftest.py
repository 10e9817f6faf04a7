"""Tests on stores that take servers and jars of their own: `./dev test --full` runs them, in a Spark with these jars.

What is started listens on loopback only, and ends with the tests: `moto` as S3 and DynamoDB, and an HDFS of one node.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sparklance
from tests.stores import s3a
from tests.stores.moto import Moto


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and "SPARKLANCE_TEST_STORES" not in os.environ:
            item.add_marker(pytest.mark.store)
            item.add_marker(pytest.mark.skip("runs in `./dev test --full`, by itself"))


@pytest.fixture(scope="session")
def moto() -> Iterator[Moto]:
    with Moto() as server:
        yield server


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, moto: Moto) -> Iterator[SparkSession]:
    settings = s3a.settings(moto.url) | {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.hadoop.sparklance.commit.dynamodb.endpoint": moto.url,
    }
    builder = SparkSession.builder.master("local[2]").appName("sparklance stores").config(map=settings)
    session = sparklance.configure(builder).getOrCreate()
    yield session
    session.stop()
