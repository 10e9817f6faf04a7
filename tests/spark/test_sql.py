"""The SQL surface in Spark's own catalog and by path, with pylance looking on."""

from collections.abc import Iterator
from pathlib import Path

import lance
import pytest
from chispa import assert_df_equality
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession


@pytest.fixture
def name(spark: SparkSession) -> Iterator[str]:
    """A free table name; the table is dropped afterwards."""
    spark.sql("DROP TABLE IF EXISTS flights")
    yield "flights"
    spark.sql("DROP TABLE IF EXISTS flights")


def location(spark: SparkSession, name: str) -> str:
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()
    uri = next(row.data_type for row in rows if row.col_name == "Location")
    return uri.removeprefix("file://").removeprefix("file:")


def test_create_table_leaves_version_1_for_pylance(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} (carrier STRING NOT NULL, distance DOUBLE, day DATE) USING lance")
    dataset = lance.dataset(location(spark, name))
    assert dataset.version == 1
    assert [(field.name, str(field.type), field.nullable) for field in dataset.schema] == [
        ("carrier", "string", False),
        ("distance", "double", True),
        ("day", "date32[day]", True),
    ]


def test_a_column_that_pylance_adds_is_seen_at_the_next_statement(spark: SparkSession, name: str, tmp: str) -> None:
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING lance LOCATION '{tmp}/t.lance'")
    spark.sql(f"INSERT INTO {name} VALUES (1), (2)")
    lance.dataset(f"{tmp}/t.lance").add_columns({"twice": "id * 2"})
    expected = spark.createDataFrame([(1, 2), (2, 4)], "id BIGINT, twice BIGINT")
    assert_df_equality(spark.table(name), expected, ignore_row_order=True)
    spark.sql(f"INSERT INTO {name} VALUES (3, 7)")
    assert lance.dataset(f"{tmp}/t.lance").to_table(filter="id = 3").to_pylist() == [{"id": 3, "twice": 7}]


def test_insert_overwrite_and_time_travel(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} USING lance AS SELECT 1 AS id, 'old' AS state")
    spark.sql(f"INSERT OVERWRITE {name} SELECT 2, 'new'")
    new = spark.createDataFrame([(2, "new")], "id INT, state STRING")
    old = spark.createDataFrame([(1, "old")], "id INT, state STRING")
    assert_df_equality(spark.table(name), new)
    assert_df_equality(spark.sql(f"SELECT * FROM {name} VERSION AS OF 1"), old)
    assert_df_equality(spark.sql(f"SELECT * FROM lance.`{location(spark, name)}`"), new)


def test_replace_table_as_select_keeps_history(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} USING lance AS SELECT 1 AS id")
    path = location(spark, name)
    spark.sql(f"CREATE OR REPLACE TABLE {name} USING lance AS SELECT 'x' AS text")
    assert lance.dataset(path).to_table().to_pylist() == [{"text": "x"}]
    assert lance.dataset(path, version=1).to_table().to_pylist() == [{"id": 1}]


def test_an_existing_table_can_be_registered(spark: SparkSession, name: str, tmp: str) -> None:
    rows = spark.range(5).selectExpr("id", "id * 1.5 AS price")
    rows.write.format("lance").save(f"{tmp}/t.lance")
    spark.sql(f"CREATE TABLE {name} USING lance LOCATION '{tmp}/t.lance'")
    assert_df_equality(spark.table(name), rows, ignore_row_order=True, ignore_nullable=True)
    spark.sql(f"DROP TABLE {name}")
    assert lance.dataset(f"{tmp}/t.lance").version == 1


def test_drop_removes_a_managed_table(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} (id INT) USING lance")
    path = location(spark, name)
    assert Path(path, "_versions").exists()
    spark.sql(f"DROP TABLE {name}")
    assert not Path(path).exists()


def test_tables_of_other_formats_pass_through(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} (id INT, part STRING) USING parquet PARTITIONED BY (part)")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
    expected = spark.createDataFrame([(1, "a"), (2, "b")], "id INT, part STRING")
    assert_df_equality(spark.table(name), expected, ignore_row_order=True)


def test_partitioned_by_is_refused(spark: SparkSession, name: str) -> None:
    with pytest.raises(Exception, match="has no partitions"):
        spark.sql(f"CREATE TABLE {name} (id INT, part STRING) USING lance PARTITIONED BY (part)")
    assert not spark.catalog.tableExists(name)


def test_functions_need_no_catalog(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} USING lance AS SELECT id, array(float(id)) AS v FROM range(5)")
    nearest = spark.sql(f"SELECT id, l2(v, array(2)) AS d FROM {name} ORDER BY d, id LIMIT 1").collect()
    assert [tuple(row) for row in nearest] == [(2, 0.0)]
    assert spark.table(name).where("dot(v, array(1)) < -2").count() == 1
    assert spark.sql("SELECT row_address_fragment(make_row_address(3, 4))").collect()[0][0] == 3
    spark.sql(f"CREATE VIEW {name}_near AS SELECT id FROM {name} WHERE l2(v, array(1)) < 1")
    try:
        assert [row["id"] for row in spark.table(f"{name}_near").collect()] == [1]
    finally:
        spark.sql(f"DROP VIEW {name}_near")
    spark.sql("CREATE FUNCTION cosine(x DOUBLE) RETURNS DOUBLE RETURN cos(x)")
    try:
        assert spark.sql("SELECT cosine(0D)").collect()[0][0] == 1.0
        assert spark.sql("SELECT lance.cosine(array(1), array(1))").collect()[0][0] == 0.0
    finally:
        spark.sql("DROP FUNCTION cosine")


@pytest.mark.skipif(
    not pyspark_version.startswith("4.3"), reason="other releases drop the table before they make a plan"
)
def test_an_overwrite_without_a_format_does_not_drop_a_table(spark: SparkSession, name: str) -> None:
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING lance")
    spark.sql(f"INSERT INTO {name} VALUES (7)")
    with pytest.raises(Exception, match=r'is a Lance table, .* would drop with all versions. Add .format."lance".'):
        spark.range(3).write.mode("overwrite").saveAsTable(name)
    assert spark.table(name).first().id == 7
    spark.range(3).write.format("lance").mode("overwrite").saveAsTable(name)
    assert lance.dataset(location(spark, name)).version == 3
    spark.range(3).write.mode("overwrite").saveAsTable("other_format")
    spark.range(4).write.mode("overwrite").saveAsTable("other_format")
    spark.sql("DROP TABLE other_format")
