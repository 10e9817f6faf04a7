"""Structs, lists and maps that pylance writes, read through Spark value by value, in all file versions with them."""

import random

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.nested import TABLES, everything, random_table
from tests.interop.plans import physical, splits
from tests.products import crossed, only

pytestmark = pytest.mark.slow

VERSIONS = ["2.1", "2.2"]


def plain(value: object) -> object:
    """A value of either side in one form: both use dicts, lists and tuples for structs, lists and map entries."""
    match value:
        case dict():
            return {name: plain(inner) for name, inner in value.items()}
        case list():
            return [plain(inner) for inner in value]
        case tuple():
            return tuple(plain(inner) for inner in value)
    return value


def assert_same(expected: pa.Table, actual: pa.Table) -> None:
    assert actual.column_names == expected.column_names
    for name in expected.column_names:
        left, right = expected[name].to_pylist(), actual[name].to_pylist()
        assert len(left) == len(right)
        for row, (a, b) in enumerate(zip(left, right, strict=True)):
            assert plain(a) == plain(b), f"{name}: row {row}"


def read(spark: SparkSession, path: str) -> pa.Table:
    return spark.read.format("lance").load(path).toArrow()


@crossed(1, seed=range(6), version=VERSIONS)
def test_reads_random_nested_columns(spark: SparkSession, tmp: str, full: bool, version: str, seed: int) -> None:
    """Fragments of one table differ in their numbers of rows and shares of nulls. A short run has other types each."""
    for part in range(8) if full else [random.randrange(1 << 30)]:
        print(f"part {part}")
        path = f"{tmp}/{part}.lance"
        for rows, null_share in ((1, 0.0), (700, 0.0), (1500, 0.15), (300, 0.6)):
            written = random_table(seed, rows, null_share, maps=version == "2.2", types=seed + 6 * part)
            lance.write_dataset(written, path, data_storage_version=version, mode="append")
        assert_same(lance.dataset(path).to_table(), read(spark, path))


@crossed(1, name=TABLES, version=VERSIONS)
def test_reads_what_is_hard_about_nesting(spark: SparkSession, tmp: str, version: str, name: str) -> None:
    lance.write_dataset(TABLES[name](), f"{tmp}/t.lance", data_storage_version=version)
    assert_same(lance.dataset(f"{tmp}/t.lance").to_table(), read(spark, f"{tmp}/t.lance"))


@pytest.mark.parametrize("seed", only(range(6), 0, 1, 2))
def test_reads_random_nested_columns_of_version_2_0(spark: SparkSession, tmp: str, seed: int) -> None:
    """Version 2.0 has no maps, and no null structs. The first fragment has one row, the second 1,500."""
    path = f"{tmp}/t.lance"
    for rows in (1, 1500):
        written = random_table(seed, rows, 0.0, maps=False, types=seed)
        lance.write_dataset(written, path, data_storage_version="2.0", mode="append")
    assert_same(lance.dataset(path).to_table(), read(spark, path))


def test_reads_null_lists_and_items_of_version_2_0(spark: SparkSession, tmp: str) -> None:
    def ints(i: int) -> list | None:
        return None if i % 7 == 3 else [None if (i + j) % 5 == 4 else i * 10 + j for j in range(i % 4)]

    def deep(i: int) -> list | None:
        return None if i % 11 == 5 else [None if (i + j) % 6 == 5 else [f"{i}.{j}"] * j for j in range(i % 4)]

    inner = pa.struct({"x": pa.int64(), "y": pa.list_(pa.int32())})
    written = pa.table(
        {
            "ints": pa.array(map(ints, range(40_000)), pa.list_(pa.int32())),
            "deep": pa.array(map(deep, range(40_000)), pa.list_(pa.list_(pa.string()))),
            "struct": pa.array(({"x": i, "y": ints(i)} for i in range(40_000)), inner),
            "structs": pa.array(([{"x": i, "y": ints(i)}] * (i % 3) for i in range(40_000)), pa.large_list(inner)),
        }
    )
    path = f"{tmp}/t.lance"
    lance.write_dataset(written, path, max_rows_per_file=15_000, data_storage_version="2.0")
    lance.dataset(path).delete("ints IS NULL")
    assert_same(lance.dataset(path).to_table(), read(spark, path))
    some = spark.read.format("lance").load(path).selectExpr("structs.y", "struct.x").toArrow()
    expected = lance.dataset(path).to_table(["structs", "struct"]).to_pylist()
    assert some["y"].to_pylist() == [[s["y"] for s in row["structs"]] for row in expected]
    assert some["x"].to_pylist() == [row["struct"]["x"] for row in expected]


@pytest.mark.parametrize("structure", ["miniblock", "fullzip"])
def test_reads_either_structure(spark: SparkSession, tmp: str, structure: str) -> None:
    for seed in range(4):
        table = random_table(seed, 500, 0.2, maps=True)
        fields = [f.with_metadata({"lance-encoding:structural-encoding": structure}) for f in table.schema]
        lance.write_dataset(table.cast(pa.schema(fields)), f"{tmp}/{seed}.lance", data_storage_version="2.2")
        assert_same(table, read(spark, f"{tmp}/{seed}.lance"))


@pytest.mark.parametrize("version", VERSIONS)
def test_skips_deleted_rows_of_nested_columns(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    table = everything(6000)
    lance.write_dataset(table, path, max_rows_per_file=2500, data_storage_version=version)
    dataset = lance.dataset(path)
    dataset.delete("id % 3 = 1 OR (id > 1000 AND id < 2200)")
    assert_same(lance.dataset(path).to_table(), read(spark, path))


@pytest.mark.parametrize("version", VERSIONS)
def test_reads_pages_of_many_batches(spark: SparkSession, tmp: str, version: str) -> None:
    """Several pages a column, whose layers differ, and tasks that start within them."""
    tables = [everything(4000), everything(50), everything(1500)]
    for i, table in enumerate(tables):
        lance.write_dataset(table, f"{tmp}/t.lance", mode="append" if i else "create", data_storage_version=version)
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    try:
        frame = spark.read.format("lance").load(f"{tmp}/t.lance")
        assert splits(frame) > 10
        assert_same(lance.dataset(f"{tmp}/t.lance").to_table(), frame.toArrow())
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


def test_reads_only_the_fields_that_a_query_names(spark: SparkSession, tmp: str) -> None:
    table = everything(500)
    lance.write_dataset(table, f"{tmp}/t.lance", data_storage_version="2.2")
    spark.read.format("lance").load(f"{tmp}/t.lance").createOrReplaceTempView("nested")
    query = spark.sql(
        "SELECT get(all.inner.y, 1).w AS w, all.text AS text, all.inner.x AS x, all.vector[2] AS v FROM nested"
    )
    scan = physical(query)
    assert "number" not in scan
    assert "stamp" not in scan
    for row, value in zip(query.collect(), table["all"].to_pylist(), strict=True):
        inner = (value or {}).get("inner") or {}
        items = inner.get("y") or []
        expected = items[1]["w"] if len(items) > 1 else None
        vector = (value or {}).get("vector")
        assert row.w == expected
        assert row.text == (value or {}).get("text")
        assert row.x == inner.get("x")
        assert row.v == (vector and vector[2])


def test_knows_null_structs_whatever_is_read_of_them(spark: SparkSession, tmp: str) -> None:
    table = everything(500)
    lance.write_dataset(table, f"{tmp}/t.lance")
    frame = spark.read.format("lance").load(f"{tmp}/t.lance")
    rows = table["all"].to_pylist()
    assert frame.where("all IS NULL").count() == sum(row is None for row in rows)
    assert frame.where("all.inner IS NULL").count() == sum(row is None or row["inner"] is None for row in rows)
    sizes = [len(row["inner"]["y"]) for row in rows if row and row["inner"] and row["inner"]["y"] is not None]
    assert frame.selectExpr("sum(size(all.inner.y)) FILTER (WHERE all.inner.y IS NOT NULL)").first()[0] == sum(sizes)


def test_reads_maps_in_queries(spark: SparkSession, tmp: str) -> None:
    entries = [None if i % 5 == 0 else [(f"k{j}", {"n": i + j}) for j in range(i % 4)] for i in range(1000)]
    table = pa.table({"m": pa.array(entries, pa.map_(pa.string(), pa.struct({"n": pa.int32()})))})
    lance.write_dataset(table, f"{tmp}/t.lance", data_storage_version="2.2")
    frame = spark.read.format("lance").load(f"{tmp}/t.lance")
    got = [row[0] for row in frame.selectExpr("m['k1'].n").collect()]
    assert got == [dict(row)["k1"]["n"] if row and len(row) > 1 else None for row in entries]


def test_brings_structs_of_several_files_together(spark: SparkSession, tmp: str) -> None:
    """A field that was added to a struct later has a file of its own, or none."""
    path = f"{tmp}/t.lance"
    rows = 1000
    old = pa.struct({"a": pa.int32(), "b": pa.string()})
    ids = pa.array(range(rows), pa.int64())
    values = [None if i % 9 == 0 else {"a": i, "b": str(i)} for i in range(rows)]
    lance.write_dataset(pa.table({"id": ids, "s": pa.array(values, old)}), path, data_storage_version="2.2")
    dataset = lance.dataset(path)
    dataset.add_columns(pa.schema([pa.field("s", pa.struct({"later": pa.int64()}))]))
    expected = lance.dataset(path).to_table()
    assert expected.schema.field("s").type.num_fields == 3
    assert_same(expected, read(spark, path))
    frame = spark.read.format("lance").load(path)
    assert frame.selectExpr("s.later", "s IS NULL AS n").where("n").count() == expected["s"].null_count
