"""Commits of ours keep what others put into a table."""

import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

UNKNOWN_FIELD = b"\xc2\x3e\x07unknown"  # field 1000, length-delimited


def newest_manifest(path: str) -> Path:
    return min(Path(path, "_versions").glob("*.manifest"))


def add_unknown_field(path: str) -> None:
    """Puts a field that no reader knows into the newest manifest."""
    file = newest_manifest(path)
    data = file.read_bytes()
    (position,) = struct.unpack_from("<q", data, len(data) - 16)
    (length,) = struct.unpack_from("<I", data, position)
    message = data[position + 4 : position + 4 + length] + UNKNOWN_FIELD
    file.write_bytes(data[:position] + struct.pack("<I", len(message)) + message + data[-16:])


def test_append_keeps_index_config_and_unknown_fields(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"id": pa.array(range(5000), pa.int64())}), path)
    dataset = lance.dataset(path)
    dataset.create_scalar_index("id", "BTREE")
    dataset.update_config({"owner": "somebody"})
    dataset.update_metadata({"purpose": "test"})
    add_unknown_field(path)

    spark.range(5000, 6000).write.format("lance").mode("append").save(path)

    dataset = lance.dataset(path)
    dataset.validate()
    assert [index.name for index in dataset.describe_indices()] == ["id_idx"]
    assert dataset.config()["owner"] == "somebody"
    assert dataset.metadata == {"purpose": "test"}
    assert UNKNOWN_FIELD in newest_manifest(path).read_bytes()
    assert dataset.to_table(filter="id = 4999").num_rows == 1
    assert dataset.to_table(filter="id = 5999").num_rows == 1
    assert "ScalarIndexQuery" in dataset.scanner(filter="id = 4999").explain_plan()


@pytest.mark.parametrize("creator", ["pylance", "spark"])
def test_rows_get_stable_ids(spark: SparkSession, tmp: str, creator: str) -> None:
    path = f"{tmp}/t.lance"
    if creator == "pylance":
        lance.write_dataset(pa.table({"id": pa.array(range(3), pa.int64())}), path, enable_stable_row_ids=True)
    else:
        spark.range(3).coalesce(1).write.format("lance").option("enableStableRowIds", True).save(path)
    spark.range(3, 6).coalesce(1).write.format("lance").mode("append").save(path)
    lance.write_dataset(pa.table({"id": pa.array([6], pa.int64())}), path, mode="append")
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.has_stable_row_ids
    columns = ["id", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    rows = dataset.to_table(columns=columns)
    versions = [1, 1, 1, 2, 2, 2, 3]
    assert rows.to_pydict() == {
        columns[0]: list(range(7)),
        columns[1]: list(range(7)),
        columns[2]: versions,
        columns[3]: versions,
    }
    shown = spark.read.format("lance").load(path).select(*columns).collect()
    assert [row.asDict() for row in shown] == rows.to_pylist()
    spark.range(2).coalesce(1).write.format("lance").mode("overwrite").save(path)
    assert lance.dataset(path).to_table(columns=["_rowid"])["_rowid"].to_pylist() == [7, 8]


def test_appends_that_race_with_pylance_all_land(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"id": pa.array([0], pa.int64())}), path)

    def by_pylance(i: int) -> None:
        lance.write_dataset(pa.table({"id": pa.array([i], pa.int64())}), path, mode="append")

    def by_spark(i: int) -> None:
        spark.range(i, i + 1).coalesce(1).write.format("lance").mode("append").save(path)

    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(by_pylance if i % 2 else by_spark, i) for i in range(1, 25)]
        for job in jobs:
            job.result()
    dataset = lance.dataset(path)
    dataset.validate()
    assert sorted(dataset.to_table()["id"].to_pylist()) == list(range(25))
    assert dataset.version == 25
