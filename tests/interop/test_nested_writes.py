"""Structs, lists and maps that Spark writes, read by pylance and by Spark, value by value."""

import lance
import pytest
from pyspark.sql import SparkSession

from tests.interop.nested import TABLES, everything, random_table
from tests.interop.test_nested import VERSIONS, assert_same, read


def rewritten(spark: SparkSession, tmp: str, table, version: str) -> lance.LanceDataset:
    """A table that Spark copies from one of pylance."""
    lance.write_dataset(table, f"{tmp}/from.lance", data_storage_version=version, mode="overwrite")
    frame = spark.read.format("lance").load(f"{tmp}/from.lance").coalesce(1)
    frame.write.format("lance").option("dataStorageVersion", version).mode("overwrite").save(f"{tmp}/to.lance")
    dataset = lance.dataset(f"{tmp}/to.lance")
    dataset.validate()
    assert dataset.data_storage_version == version
    return dataset


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("seed", range(4))
def test_pylance_reads_random_nested_columns(spark: SparkSession, tmp: str, version: str, seed: int) -> None:
    for rows, null_share in ((1, 0.0), (1024, 0.0), (1025, 0.15), (300, 0.6)):
        written = random_table(seed, rows, null_share, maps=version == "2.2")
        assert_same(written, rewritten(spark, tmp, written, version).to_table())
        assert_same(written, read(spark, f"{tmp}/to.lance"))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TABLES)
def test_pylance_reads_what_is_hard_about_nesting(spark: SparkSession, tmp: str, version: str, name: str) -> None:
    written = TABLES[name]()
    dataset = rewritten(spark, tmp, written, version)
    assert_same(written, dataset.to_table())
    rows = sorted({0, 1, 7, written.num_rows // 2, written.num_rows - 1})
    assert_same(written.take(rows), dataset.take(rows))


@pytest.mark.parametrize("version", VERSIONS)
def test_nested_rows_are_appended_to_a_table_of_pylance(spark: SparkSession, tmp: str, version: str) -> None:
    written = everything(500)
    dataset = rewritten(spark, tmp, written, version)
    path = f"{tmp}/from.lance"
    spark.read.format("lance").load(f"{tmp}/to.lance").coalesce(1).write.format("lance").mode("append").save(path)
    appended = lance.dataset(path)
    appended.validate()
    assert appended.schema == written.schema
    assert_same(dataset.to_table(), appended.to_table().slice(500))
    appended.optimize.compact_files()
    assert_same(dataset.to_table(), lance.dataset(path).to_table().slice(500))
