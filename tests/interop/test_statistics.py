"""Statistics in files that Spark writes: pylance does not mind them, and scans stay right whatever it edits."""

import shutil
from collections.abc import Callable
from functools import reduce

import lance
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit

from tests.interop.plans import physical

pytestmark = pytest.mark.slow

VERSIONS = ("2.0", "2.1", "2.2")
ROWS = 30_000

CONDITIONS = [
    "id = 20000",
    "id < 0",
    "id IN (5, 29999, 31000)",
    "d BETWEEN DATE'2001-01-01' AND DATE'2001-01-05'",
    "ts > TIMESTAMP'2020-01-01 08:00:00'",
    "price > 299.9",
    "price = 'NaN'",
    "price < 0.005",
    "amount = 123.45",
    "word = concat(repeat('é', 20), '12345')",
    "word LIKE concat(repeat('é', 20), '2999%')",
    "word IS NULL",
    "flag AND id > 100",
    "s.x = 77 OR bin = X'FFFFFFFF'",
    "s.x IS NULL AND id > 25000",
    "bin > X'FF'",
]


def table(spark: SparkSession) -> DataFrame:
    return spark.range(0, ROWS, 1, 1).selectExpr(
        "id",
        "date_add(DATE'2000-01-01', cast(id / 50 AS int)) AS d",
        "TIMESTAMP'2020-01-01 00:00:00' + make_interval(0, 0, 0, 0, 0, 0, id) AS ts",
        "CASE WHEN id % 9000 = 1 THEN double('NaN') WHEN id = 10 THEN -0.0d ELSE id / 100d END AS price",
        "cast(id / 100 AS decimal(12, 2)) AS amount",
        "CASE WHEN id BETWEEN 8000 AND 9000 THEN NULL ELSE concat(repeat('é', 20), id) END AS word",
        "id % 2 = 0 AS flag",
        "named_struct('x', CASE WHEN id % 5 > 0 THEN cast(id / 10 AS int) END) AS s",
        "CASE WHEN id % 10000 = 3 THEN repeat(X'FF', 4) ELSE unhex(hex(id)) END AS bin",
    )


@pytest.fixture(scope="module")
def newest(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of the newest version, to copy."""
    return written(spark, str(tmp_path_factory.mktemp("statistics")), "2.2")


def written(spark: SparkSession, tmp: str, version: str) -> str:
    """Two fragments of rows in order, and one of others."""
    path = f"{tmp}/t.lance"
    rows = table(spark)
    writer = rows.write.format("lance").option("dataStorageVersion", version)
    writer.option("maxRowsPerFile", ROWS // 2).save(path)
    rows.where("id % 1000 = 0").selectExpr("id + 100000 AS id", *rows.columns[1:]).coalesce(1).write.format(
        "lance"
    ).mode("append").save(path)
    return path


def assert_filters(spark: SparkSession, path: str) -> None:
    """Each condition finds what Spark finds when it looks at all rows."""
    pushed = spark.read.format("lance").load(path)
    plain = spark.read.format("lance").option("pushDownFilters", False).load(path)
    rows = plain.selectExpr("id", *(f"({condition}) AS c{i}" for i, condition in enumerate(CONDITIONS))).collect()
    queries = [pushed.where(c).select(lit(i).alias("condition"), "id") for i, c in enumerate(CONDITIONS)]
    found = reduce(DataFrame.union, queries).collect()
    for i, condition in enumerate(CONDITIONS):
        expected = sorted(row.id for row in rows if row[f"c{i}"])
        assert sorted(row.id for row in found if row.condition == i) == expected, condition


AGGREGATED = ["id", "d", "ts", "price", "amount", "word", "flag", "s.x", "bin"]


def assert_aggregates(spark: SparkSession, path: str) -> None:
    """MIN, MAX and COUNT are what Spark finds when it looks at all rows."""
    asked = [f"{function}({name})" for name in AGGREGATED for function in ("min", "max", "count")]
    pushed = spark.read.format("lance").load(path).selectExpr(*asked, "count(*)")
    plain = spark.read.format("lance").option("pushDownFilters", False).load(path).selectExpr(*asked, "count(*)")
    assert "aggregates [" in physical(pushed)
    # NaN is not equal to itself.
    assert [str(value) for value in pushed.head()] == [str(value) for value in plain.head()]


def add_rows(dataset: lance.LanceDataset) -> None:
    """A fragment without statistics."""
    lance.write_dataset(dataset.to_table(limit=50, offset=100), dataset.uri, mode="append")


def drop_rows(dataset: lance.LanceDataset) -> None:
    dataset.delete("id % 3 = 0")


def update_rows(dataset: lance.LanceDataset) -> None:
    dataset.update({"price": "-1.0", "word": "'new'"}, where="id % 1000 = 7")


def make_null(dataset: lance.LanceDataset) -> None:
    """The least and the greatest values are gone."""
    dataset.update({"amount": "NULL", "d": "NULL"}, where="id = 29999 OR id = 0 OR id > 100000")


def add_under_old_name(dataset: lance.LanceDataset) -> None:
    dataset.drop_columns(["amount"])
    dataset.add_columns({"amount": "cast(7 - id AS decimal(12, 2))"})


def compact(dataset: lance.LanceDataset) -> None:
    dataset.optimize.compact_files(target_rows_per_fragment=100_000)


def copy_pages(dataset: lance.LanceDataset) -> None:
    """Files are put together as they are, with their column buffers."""
    dataset.optimize.compact_files(target_rows_per_fragment=100_000, compaction_mode="force_binary_copy")


def merge(dataset: lance.LanceDataset) -> None:
    rows = dataset.to_table(filter="id < 20")
    rows = rows.set_column(3, "price", pa.array([1e6] * rows.num_rows))
    dataset.merge_insert("id").when_matched_update_all().execute(rows)


def replace_column(dataset: lance.LanceDataset) -> None:
    """New data files for a column; the old ones keep its old values."""
    dataset.add_columns({"again": "price * 2 - 100"})
    dataset.drop_columns(["price"])
    dataset.alter_columns({"path": "again", "name": "price"})


EDITS = [add_rows, drop_rows, update_rows, make_null, add_under_old_name, compact, copy_pages, merge, replace_column]


@pytest.mark.parametrize("version", VERSIONS)
def test_pylance_reads_and_edits_tables_with_statistics(spark: SparkSession, tmp: str, version: str) -> None:
    path = written(spark, tmp, version)
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.to_table(["id"]) == spark.read.format("lance").load(path).select("id").toArrow()
    assert dataset.count_rows("word IS NULL") == 1001 + 2
    assert_filters(spark, path)
    assert_aggregates(spark, path)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_filters_stay_right_when_pylance_edits_a_table(
    spark: SparkSession, tmp: str, newest: str, edit: Callable[[lance.LanceDataset], None]
) -> None:
    path = shutil.copytree(newest, f"{tmp}/t.lance")
    edit(lance.dataset(path))
    lance.dataset(path).validate()
    assert_filters(spark, path)
    assert_aggregates(spark, path)
