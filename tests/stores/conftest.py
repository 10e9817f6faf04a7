"""Tests on stores that take servers and jars of their own: `./dev test --full` runs them, in a Spark with these jars.

What is started listens on loopback only, and ends with the tests: `moto` as S3 and DynamoDB, and an HDFS of one node.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

import sparklance
from tests.stores.moto import KEYS, Moto

# The AWS SDK of each Hadoop; its bundle, which hadoop-aws asks for, has hundreds of megabytes more.
SDK = {"3.4.1": "2.24.6", "3.4.2": "2.29.52", "3.5.0": "2.35.4"}


def hadoop() -> str:
    """The version of Spark's Hadoop."""
    jars = Path(pyspark.__file__).parent / "jars"
    return next(jars.glob("hadoop-client-api-*.jar")).stem.removeprefix("hadoop-client-api-")


def packages() -> list[str]:
    modules = ("s3", "s3-transfer-manager", "sts", "dynamodb")
    return [f"org.apache.hadoop:hadoop-aws:{hadoop()}"] + [
        f"software.amazon.awssdk:{name}:{SDK[hadoop()]}" for name in modules
    ]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    if "SPARKLANCE_TEST_STORES" not in os.environ:
        for item in items:
            if here in item.path.parents:
                item.add_marker(pytest.mark.skip("runs in `./dev test --full`, by itself"))


@pytest.fixture(scope="session")
def moto() -> Iterator[Moto]:
    with Moto() as server:
        yield server


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, moto: Moto) -> Iterator[SparkSession]:
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.jars.packages": ",".join(packages()),
        # What Spark has itself, in versions of its own, stays Spark's.
        "spark.jars.excludes": "software.amazon.awssdk:bundle,org.slf4j:slf4j-api,commons-logging:commons-logging",
        "spark.hadoop.fs.s3a.endpoint": moto.url,
        "spark.hadoop.fs.s3a.endpoint.region": KEYS["AWS_REGION"],
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": KEYS["AWS_ACCESS_KEY_ID"],
        "spark.hadoop.fs.s3a.secret.key": KEYS["AWS_SECRET_ACCESS_KEY"],
        "spark.hadoop.sparklance.commit.dynamodb.endpoint": moto.url,
    }
    builder = SparkSession.builder.master("local[2]").appName("sparklance stores").config(map=settings)
    session = sparklance.configure(builder).getOrCreate()
    yield session
    session.stop()
