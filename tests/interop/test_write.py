"""pylance reads what Spark writes, to the last bit, validates it, and writes on."""

from collections.abc import Iterable
from functools import reduce

import lance
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.interop.compare import assert_same
from tests.interop.generate import COLUMNS, SHAPES, table


def frame_of(spark: SparkSession, written: pa.Table) -> DataFrame:
    """A DataFrame whose vectors are marked as fixed-size lists, and whose times without a zone have none."""
    spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    frame = spark.createDataFrame(written)
    spark.conf.unset("spark.sql.timestampType")
    for field in written.schema:
        if pa.types.is_fixed_size_list(field.type):
            frame = frame.withMetadata(field.name, {"arrow.fixed-size-list.size": field.type.list_size})
    return frame


def fragments_of(spark: SparkSession, written: Iterable[pa.Table]) -> DataFrame:
    """A DataFrame that writes a file for each table."""
    frames = [frame_of(spark, each).coalesce(1) for each in written]
    # Later Sparks unite single partitions in one. `localCheckpoint` plans the union while the setting holds.
    spark.conf.set("spark.sql.unionOutputPartitioning", "false")
    try:
        return reduce(DataFrame.union, frames).localCheckpoint()
    finally:
        spark.conf.unset("spark.sql.unionOutputPartitioning")


def validated(path: str) -> lance.LanceDataset:
    dataset = lance.dataset(path)
    dataset.validate()
    return dataset


@pytest.mark.parametrize("shape", SHAPES)
def test_pylance_reads_every_type_and_shape(spark: SparkSession, tmp: str, shape: str) -> None:
    path = f"{tmp}/t.lance"
    written = [table(shape, *of) for of in [(1, 0.0), (1024, 0.2), (1025, 0.0), (5000, 0.2)]]
    fragments_of(spark, written).write.format("lance").save(path)
    dataset = validated(path)
    assert [fragment.count_rows() for fragment in dataset.get_fragments()] == [1, 1024, 1025, 5000]
    assert dataset.data_storage_version == "2.2"
    types = {field.name: field.type for field in dataset.schema}
    assert types == {name: kind for name, (kind, _) in COLUMNS.items()}
    for of, fragment in zip(written, dataset.get_fragments(), strict=True):
        assert_same(of, fragment.to_table())
    assert_same(pa.concat_tables(written), spark.read.format("lance").load(path).toArrow())


def test_pylance_takes_rows_from_pages_of_ours(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    written = pa.concat_tables([table("random", 15_000, 0.1)] * 4)
    frame_of(spark, written).coalesce(1).write.format("lance").save(path)
    rows = [0, 1, 1023, 1024, 30_000, 59_999]
    assert_same(written.take(rows), validated(path).take(rows))


def test_appends_of_both_make_one_table(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    tables = [table("random", 700, 0.1, seed=seed) for seed in range(4)]
    lance.write_dataset(tables[0], path)
    frame_of(spark, tables[1]).coalesce(1).write.format("lance").mode("append").save(path)
    lance.write_dataset(tables[2], path, mode="append")
    frame_of(spark, tables[3]).coalesce(1).write.format("lance").mode("append").save(path)
    dataset = validated(path)
    assert dataset.version == 4
    assert_same(pa.concat_tables(tables), dataset.to_table())
    assert_same(pa.concat_tables(tables), spark.read.format("lance").load(path).toArrow())


def test_pylance_overwrites_deletes_and_compacts_a_table_of_ours(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    frame_of(spark, table("sorted", 3000, 0.1)).repartition(3).write.format("lance").save(path)
    dataset = validated(path)
    dataset.delete("int32 % 2 = 0")
    dataset.optimize.compact_files()
    assert_same(validated(path).to_table(), spark.read.format("lance").load(path).toArrow())
    lance.write_dataset(pa.table({"a": [1]}), path, mode="overwrite")
    assert spark.read.format("lance").load(path).collect() == [(1,)]


def test_overwrite_replaces_schema_and_rows_and_keeps_history(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(table("random", 100, 0.1), path)
    spark.sql("SELECT 1 AS one, 'x' AS text").write.format("lance").mode("overwrite").save(path)
    dataset = validated(path)
    assert dataset.to_table().to_pylist() == [{"one": 1, "text": "x"}]
    assert lance.dataset(path, version=1).count_rows() == 100
