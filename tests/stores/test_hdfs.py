"""Spark on HDFS. pylance has no HDFS, so that all writers are ours."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.stores.hdfs import Hdfs
from tests.stores.replacing import check, replaced
from tests.stores.s3a import hadoop


@pytest.fixture(scope="module")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    with Hdfs(tmp_path_factory.mktemp("hdfs"), hadoop()) as cluster:
        yield cluster


def ids(spark: SparkSession, uri: str) -> list[int]:
    return sorted(row[0] for row in spark.read.format("lance").load(uri).collect())


def test_writing_reading_and_travelling(spark: SparkSession, hdfs: Hdfs) -> None:
    uri = f"{hdfs.url}/tables/t.lance"
    spark.range(100).write.format("lance").save(uri)
    spark.range(100, 120).write.format("lance").mode("append").save(uri)
    assert ids(spark, uri) == list(range(120))
    assert spark.read.format("lance").option("version", 1).load(uri).where("id > 50").count() == 49
    spark.range(3).write.format("lance").mode("overwrite").save(uri)
    assert ids(spark, uri) == [0, 1, 2]


def test_at_the_same_time(spark: SparkSession, hdfs: Hdfs) -> None:
    """Four threads append; HDFS lets one of them have each version."""
    uri = f"{hdfs.url}/together.lance"
    spark.range(1).write.format("lance").save(uri)
    failures: list[BaseException] = []

    def append(start: int) -> None:
        for i in range(8):
            try:
                rows = spark.range(start + 10 * i, start + 10 * i + 2).coalesce(1)
                rows.write.format("lance").mode("append").save(uri)
            except BaseException as e:
                failures.append(e)

    threads = [threading.Thread(target=append, args=[1000 * n]) for n in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    rows = [1000 * n + 10 * i + k for n in (1, 2, 3, 4) for i in range(8) for k in (0, 1)]
    assert ids(spark, uri) == [0, *rows]
    conf = spark._jsc.hadoopConfiguration()
    path = spark._jvm.org.apache.hadoop.fs.Path(f"{uri}/_versions")
    listed = [status.getPath().getName() for status in path.getFileSystem(conf).listStatus(path)]
    assert len(listed) == 1 + 4 * 8, "a manifest a version, and nothing staged is left"


@replaced
def test_a_table_that_is_replaced_is_not_written_to(
    spark: SparkSession, hdfs: Hdfs, tmp_path: Path, versions: int, statement: str
) -> None:
    uri = f"{hdfs.url}/replaced/{tmp_path.name}.lance"
    path = spark._jvm.org.apache.hadoop.fs.Path(uri)
    files = path.getFileSystem(spark._jsc.hadoopConfiguration())
    check(spark, uri, versions, statement, drop=lambda: files.delete(path, True), gate=tmp_path / "gate")
