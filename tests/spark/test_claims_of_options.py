"""Each claim of the pages on options, reading and writing, with the test that holds it: here, or elsewhere."""

import re
from collections.abc import Iterator
from uuid import uuid4

import lance
import pyarrow as pa
import pytest
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from dev_tools import ROOT
from tests.spark.claims import missing_tests, problems
from tests.spark.registers import column_types, options, overwriting, reading, streaming_writes, writing

PAGES = {
    "options.md": options.REGISTER,
    "reading.md": reading.REGISTER,
    "writing.md": writing.REGISTER,
    "overwriting.md": overwriting.REGISTER,
    "column-types.md": column_types.REGISTER,
    "streaming-writes.md": streaming_writes.REGISTER,
}


#: Headings that docs/options.md had.
MOVED = {
    "where-a-table-is-created",
    "overwriting-a-table",
    "which-version-is-read",
    "types-of-columns",
    "streams",
    "many-small-tasks",
    "files-for-columns",
    "new-columns",
    "metrics-and-job-names",
    "notes-on-a-commit",
    "batches-that-are-written-once",
}


@pytest.mark.parametrize("page", PAGES)
def test_each_claim_has_a_test(page: str) -> None:
    assert problems(page, PAGES[page]) == []
    assert missing_tests(PAGES[page]) == []


def test_old_addresses_lead_on() -> None:
    """Options were described in sections of one page, which have pages now."""
    ids = re.findall(r'<a id="([\w-]+)"></a>', (ROOT / "docs/options.md").read_text())
    assert set(ids) == MOVED


@pytest.fixture
def name(spark: SparkSession) -> Iterator[str]:
    name = f"o_{uuid4().hex[:8]}"
    yield name
    spark.sql(f"UNCACHE TABLE IF EXISTS {name}")
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def made(spark: SparkSession, name: str, path: str) -> None:
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING lance LOCATION '{path}'")
    spark.sql(f"INSERT INTO {name} SELECT id FROM range(3)")


def others_append(path: str) -> None:
    lance.write_dataset(pa.table({"id": pa.array([100], pa.int64())}), path, mode="append")


def count(spark: SparkSession, table: str) -> int:
    return spark.sql(f"SELECT * FROM {table}").count()


@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_batch_size(spark: SparkSession, tmp: str, size: int) -> None:
    spark.range(10).write.format("lance").save(f"{tmp}/t")
    rows = spark.read.format("lance").option("batchSize", size).load(f"{tmp}/t").collect()
    assert sorted(row.id for row in rows) == list(range(10))


def test_a_select_takes_reading_options(spark: SparkSession, name: str, tmp: str) -> None:
    made(spark, name, f"{tmp}/t")
    assert spark.sql(f"SELECT * FROM {name} WITH (`batchSize` = '2')").count() == 3
    with pytest.raises(Exception, match="batchSize"):
        spark.sql(f"SELECT * FROM {name} WITH (`batchSizes` = '2')").collect()


def test_a_statement_wins_over_the_session(spark: SparkSession, tmp: str) -> None:
    spark.conf.set("spark.datasource.lance.dataStorageVersion", "2.1")
    try:
        spark.range(1).write.format("lance").save(f"{tmp}/session")
        spark.range(1).write.format("lance").option("DATASTORAGEVERSION", "2.0").save(f"{tmp}/own")
    finally:
        spark.conf.unset("spark.datasource.lance.dataStorageVersion")
    assert lance.dataset(f"{tmp}/session").data_storage_version == "2.1"
    assert lance.dataset(f"{tmp}/own").data_storage_version == "2.0"


def test_rows_of_a_file(spark: SparkSession, tmp: str) -> None:
    spark.range(10).coalesce(1).write.format("lance").option("maxRowsPerFile", 4).save(f"{tmp}/t")
    assert [f.count_rows() for f in lance.dataset(f"{tmp}/t").get_fragments()] == [4, 4, 2]


@pytest.mark.parametrize("stable", [True, False])
def test_a_replaced_table_keeps_its_row_ids(spark: SparkSession, tmp: str, stable: bool) -> None:
    first = spark.range(3).write.format("lance").option("enableStableRowIds", stable)
    first.save(f"{tmp}/t")
    spark.range(3).write.format("lance").mode("overwrite").save(f"{tmp}/t")
    assert lance.dataset(f"{tmp}/t").has_stable_row_ids == stable
    if not stable:
        with pytest.raises(Exception, match="created without stable row ids"):
            first.option("enableStableRowIds", True).mode("overwrite").save(f"{tmp}/t")


@pytest.mark.classic("it counts the partitions of an RDD")
def test_splits_follow_the_settings_for_files(spark: SparkSession, tmp: str) -> None:
    spark.range(1000).coalesce(1).write.format("lance").save(f"{tmp}/t")
    for setting, value, splits in (
        ("spark.sql.files.minPartitionNum", "1", 1),
        ("spark.sql.files.minPartitionNum", "5", 5),
    ):
        spark.conf.set(setting, value)
        spark.conf.set("spark.sql.files.openCostInBytes", "1")
        try:
            assert spark.read.format("lance").load(f"{tmp}/t").rdd.getNumPartitions() == splits
        finally:
            spark.conf.unset(setting)
            spark.conf.unset("spark.sql.files.openCostInBytes")


def test_an_option_as_a_property(spark: SparkSession, name: str, tmp: str) -> None:
    place = f"USING lance LOCATION '{tmp}/t'"
    spark.sql(f"CREATE TABLE {name} (id BIGINT) {place} TBLPROPERTIES ('lance.write.maxRowsPerFile' = '2')")
    rows = spark.range(4).coalesce(1)
    rows.writeTo(name).append()
    rows.writeTo(name).option("maxRowsPerFile", 3).append()
    assert [f.count_rows() for f in lance.dataset(f"{tmp}/t").get_fragments()] == [2, 2, 3, 1]
    for option in ("txnAppId", "txnVersion", "uncommitted", "branch", "columns", "columnsOn"):
        with pytest.raises(Exception, match=option):
            spark.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('lance.write.{option}' = '1')")


def test_a_cached_table(spark: SparkSession, name: str, tmp: str) -> None:
    path, pinned = f"{tmp}/t", not pyspark_version.startswith("4.0")
    made(spark, name, path)
    spark.sql(f"CACHE TABLE {name}")
    others_append(path)
    assert spark.sql(f"SELECT * FROM {name} VERSION AS OF 3").count() == 4
    assert spark.read.format("lance").load(path).count() == 4
    if pyspark_version.startswith(("4.0", "4.3")):
        assert count(spark, name) == (3 if pinned else 4)
    spark.sql(f"REFRESH TABLE {name}")
    assert count(spark, name) == 4
    others_append(path)
    spark.sql(f"INSERT INTO {name} VALUES (7)")
    assert count(spark, name) == 6
    spark.range(1).write.format("lance").mode("append").save(path)
    assert count(spark, name) == 7
    spark.sql(f"UNCACHE TABLE {name}")
    assert count(spark, name) == 7


def test_a_cached_frame(spark: SparkSession, name: str, tmp: str) -> None:
    path, pinned = f"{tmp}/t", not pyspark_version.startswith("4.0")
    made(spark, name, path)
    frame = spark.table(name).cache()
    assert frame.count() == 3
    others_append(path)
    assert frame.count() == 3
    if pyspark_version.startswith(("4.0", "4.3")):
        assert count(spark, name) == (3 if pinned else 4)
    frame.unpersist(blocking=True)
    assert count(spark, name) == 4


def test_a_batch_is_forgotten_with_its_version(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    spark.range(1).write.format("lance").save(path)
    batch = spark.range(1).write.format("lance").mode("append").option("txnAppId", "job").option("txnVersion", 1)
    for _ in range(2):
        batch.save(path)
    assert lance.dataset(path).count_rows() == 2
    spark.range(1).write.format("lance").mode("append").save(path)
    spark.sql(f"CALL lance.system.cleanup('{path}', retain_versions => 1)").collect()
    batch.save(path)
    assert lance.dataset(path).count_rows() == 4
