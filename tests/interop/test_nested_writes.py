"""Structs, lists and maps that Spark writes, read by pylance and by Spark, value by value."""

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.nested import TABLES, everything, random_table
from tests.interop.test_nested import VERSIONS, assert_same, read
from tests.products import crossed

pytestmark = pytest.mark.slow


def rewritten(spark: SparkSession, tmp: str, table, version: str) -> lance.LanceDataset:
    """A table that Spark copies from one of pylance."""
    lance.write_dataset(table, f"{tmp}/from.lance", data_storage_version=version, mode="overwrite")
    frame = spark.read.format("lance").load(f"{tmp}/from.lance").coalesce(1)
    frame.write.format("lance").option("dataStorageVersion", version).mode("overwrite").save(f"{tmp}/to.lance")
    dataset = lance.dataset(f"{tmp}/to.lance")
    dataset.validate()
    assert dataset.data_storage_version == version
    return dataset


@crossed(1, seed=range(4), version=VERSIONS)
def test_pylance_reads_random_nested_columns(spark: SparkSession, tmp: str, version: str, seed: int) -> None:
    for rows, null_share in ((1, 0.0), (1024, 0.0), (1025, 0.15), (300, 0.6)):
        written = random_table(seed, rows, null_share, maps=version == "2.2")
        assert_same(written, rewritten(spark, tmp, written, version).to_table())
        assert_same(written, read(spark, f"{tmp}/to.lance"))


@crossed(1, name=TABLES, version=VERSIONS)
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


@pytest.mark.parametrize("version", VERSIONS)
def test_pylance_reads_structs_with_lists_of_which_only_some_pages_have_nulls(
    spark: SparkSession, tmp: str, version: str
) -> None:
    rows = [
        {
            "s": None
            if i > 3000 and i % 5 == 0
            else {"xs": list(range(i % 4)) if i % 7 else None, "t": {"ys": [str(i)] * (i % 3)}}
        }
        for i in range(6000)
    ]
    kind = "s struct<xs: array<int>, t: struct<ys: array<string>>>"
    frame = spark.createDataFrame(rows, kind).coalesce(1)
    options = {"dataStorageVersion": version, "writeBufferBytes": "64k"}
    frame.write.format("lance").options(**options).save(f"{tmp}/pages.lance")
    dataset = lance.dataset(f"{tmp}/pages.lance")
    dataset.validate()
    assert dataset.to_table().to_pylist() == rows
    assert dataset.take([2999, 3005, 5999]).to_pylist() == [rows[2999], rows[3005], rows[5999]]
    assert [r.asDict(recursive=True) for r in spark.read.format("lance").load(f"{tmp}/pages.lance").collect()] == rows


@pytest.mark.parametrize("version", VERSIONS)
def test_pylance_reads_fields_of_null_structs_as_null(spark: SparkSession, tmp: str, version: str) -> None:
    inner = pa.struct([pa.field("required", pa.int32(), nullable=False), pa.field("text", pa.string())])
    kind = pa.struct([pa.field("inner", inner), pa.field("number", pa.int64(), nullable=False)])
    whole = {"inner": {"required": 7, "text": ""}, "number": 0}
    written = pa.table(
        {
            "id": pa.array([0, 1, 2, 3], pa.int64()),
            "s": pa.array([whole, None, whole | {"inner": None}, whole], kind),
        }
    )
    dataset = rewritten(spark, tmp, written, version)
    for field, nulls in (
        ("s.number", [1]),
        ("s.inner.required", [1, 2]),
        ("s.inner.text", [1, 2]),
        ("s.inner", [1, 2]),
    ):
        assert dataset.to_table(filter=f"{field} IS NULL")["id"].to_pylist() == nulls
        read_alone = dataset.to_table(columns={"x": field})["x"].to_pylist()
        assert [i for i, value in enumerate(read_alone) if value is None] == nulls
    assert dataset.count_rows("s.number = 0") == 3
    assert dataset.count_rows("s.inner.text = ''") == 2
