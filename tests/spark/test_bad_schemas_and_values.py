"""Values and schemas that a table cannot hold: each is right, or one clear error that names the column."""

from pathlib import Path

import lance
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from tests.spark.test_bad_input import failure

#: But for backticks, which pylance does not find again, whoever wrote them.
ODD = ["a b", "it's", 'say "so"', "😀", "ß", "select", "x-y", "(1)", "100%", "a:b", "a/b", "a\\b", "é", "#"]


def write(frame: DataFrame, path: str, mode: str = "error") -> None:
    frame.coalesce(1).write.format("lance").mode(mode).save(path)


def versions(path: str) -> int:
    return len(list(Path(path, "_versions").glob("*.manifest")))


def test_columns_of_odd_names(spark: SparkSession, tmp: str) -> None:
    inner = StructType([StructField(name, IntegerType()) for name in ODD])
    schema = StructType([StructField(name, inner) for name in ODD])
    rows = [tuple(tuple(range(i, i + len(ODD))) for i in range(len(ODD)))]
    write(spark.createDataFrame(rows, schema), f"{tmp}/t.lance")
    dataset = lance.dataset(f"{tmp}/t.lance")
    dataset.validate()
    assert dataset.schema.names == ODD
    assert dataset.to_table().to_pylist() == [
        {n: dict(zip(ODD, r, strict=True)) for n, r in zip(ODD, rows[0], strict=True)}
    ]
    assert spark.read.format("lance").load(f"{tmp}/t.lance").collect() == spark.createDataFrame(rows, schema).collect()


@pytest.mark.parametrize("sql", ["SELECT 1 AS `a.b`", "SELECT named_struct('a.b', 1) AS s"])
def test_names_that_lance_has_no_room_for(spark: SparkSession, tmp: str, sql: str) -> None:
    message = failure(lambda: write(spark.sql(sql), f"{tmp}/t.lance"))
    assert "a dot separates the parts of a nested column's name" in message
    assert not Path(tmp, "t.lance").exists()


@pytest.mark.parametrize("sql", ["SELECT 1 AS ``", "SELECT named_struct('', 1) AS s"])
def test_columns_without_a_name(spark: SparkSession, tmp: str, sql: str) -> None:
    message = failure(lambda: write(spark.sql(sql), f"{tmp}/t.lance"))
    assert "cannot have a column without a name, and one was given. Name it" in message
    assert not Path(tmp, "t.lance").exists()


@pytest.mark.parametrize("value", ["ST_GeomFromWKB(wkb)", "ST_GeogFromWKB(wkb)", "array(ST_GeomFromWKB(wkb))"])
def test_geometries_name_the_function_that_helps(spark: SparkSession, tmp: str, value: str) -> None:
    if not spark.catalog.functionExists("st_asbinary"):
        pytest.skip("this Spark has no geometries")
    rows = spark.sql("SELECT X'0101000000000000000000F03F0000000000000040' AS wkb").selectExpr(f"{value} AS place")
    assert "write ST_AsBinary(…) of it" in failure(lambda: write(rows, f"{tmp}/t.lance"))
    if "array" not in value:
        write(rows.selectExpr("ST_AsBinary(place) AS place"), f"{tmp}/t.lance")
        assert len(spark.read.format("lance").load(f"{tmp}/t.lance").first().place) == 21


@pytest.mark.parametrize("names", [("a", "a"), ("a", "A")])
def test_two_columns_of_one_name(spark: SparkSession, tmp: str, names: tuple[str, str]) -> None:
    frame = spark.createDataFrame([(1, 2)], StructType([StructField(name, IntegerType()) for name in names]))
    with pytest.raises(Exception, match=r"COLUMN_ALREADY_EXISTS|two columns named|differ in case only|AMBIGUOUS"):
        write(frame, f"{tmp}/t.lance")
    inside = frame.selectExpr(f"named_struct('{names[0]}', 1, '{names[1]}', 2) AS s")
    with pytest.raises(Exception, match=r"COLUMN_ALREADY_EXISTS|two columns named|differ in case only"):
        write(inside, f"{tmp}/t.lance")
    assert not Path(tmp, "t.lance", "_versions").exists()


def test_no_columns(spark: SparkSession, tmp: str) -> None:
    message = failure(lambda: write(spark.range(3).select(), f"{tmp}/t.lance"))
    assert "needs a column" in message


def test_no_rows(spark: SparkSession, tmp: str) -> None:
    frame = spark.sql("SELECT 1 AS id, array(map('k', 1.5F)) AS l WHERE false")
    write(frame, f"{tmp}/t.lance")
    dataset = lance.dataset(f"{tmp}/t.lance")
    dataset.validate()
    assert (dataset.count_rows(), dataset.schema.names, len(dataset.get_fragments())) == (0, ["id", "l"], 0)
    shown = spark.read.format("lance").load(f"{tmp}/t.lance")
    assert (shown.dtypes, shown.collect()) == (frame.dtypes, [])
    write(spark.sql("SELECT 1 AS id, array(map('k', 1.5F)) AS l"), f"{tmp}/t.lance", "append")
    assert lance.dataset(f"{tmp}/t.lance").count_rows() == 1


def test_thousands_of_columns(spark: SparkSession, tmp: str, full: bool) -> None:
    count = 10_000 if full else 2_500
    schema = StructType([StructField(f"c{i}", IntegerType() if i % 2 else StringType()) for i in range(count)])
    row = tuple(i if i % 2 else (None if i % 6 == 0 else str(i)) for i in range(count))
    write(spark.createDataFrame([row, row], schema), f"{tmp}/t.lance")
    dataset = lance.dataset(f"{tmp}/t.lance")
    assert [tuple(r.values()) for r in dataset.to_table().to_pylist()] == [row, row]
    shown = spark.read.format("lance").load(f"{tmp}/t.lance").select(f"c{count - 1}", "c0", "c4")
    assert shown.collect() == [(count - 1, None, "4")] * 2


OUT_OF_RANGE = [
    ("DECIMAL(5,2)", "CAST(1000 AS DECIMAL(10,2))", "CAST_OVERFLOW"),
    ("TINYINT", "200", "CAST_OVERFLOW"),
    ("INT NOT NULL", "CAST(NULL AS INT)", "NULL value appeared in non-nullable|NOT_NULL_ASSERT_VIOLATION|NULL"),
    ("VARCHAR(3)", "'abcd'", "EXCEED_LIMIT_LENGTH"),
    ("STRING", "CAST(X'c328' AS STRING)", "bytes that are not UTF-8: X'c328'"),
]


@pytest.mark.parametrize(("kind", "value", "said"), OUT_OF_RANGE)
def test_values_out_of_range(spark: SparkSession, tmp: str, kind: str, value: str, said: str) -> None:
    spark.sql(f"CREATE TABLE lance.`{tmp}/t.lance` (v {kind})")
    with pytest.raises(Exception, match=said):
        spark.sql(f"INSERT INTO lance.`{tmp}/t.lance` SELECT {value}")
    assert versions(f"{tmp}/t.lance") == 1
    assert not list(Path(tmp, "t.lance", "data").glob("*"))


def test_nulls_within_what_has_none(spark: SparkSession, tmp: str) -> None:
    spark.sql(f"CREATE TABLE lance.`{tmp}/t.lance` (s STRUCT<x: INT NOT NULL>)")
    with pytest.raises(Exception, match=r"NOT_NULL_ASSERT_VIOLATION|NULL|nulls"):
        spark.sql(f"INSERT INTO lance.`{tmp}/t.lance` SELECT named_struct('x', IF(id > 3, NULL, 1)) FROM range(5)")
    assert versions(f"{tmp}/t.lance") == 1


def test_dates_and_times_at_the_ends_of_what_spark_has(spark: SparkSession, tmp: str) -> None:
    values = (
        "date_from_unix_date(2147483647) d, date_from_unix_date(-2147483648) e, timestamp_micros(9223372036854775807) t"
    )
    write(spark.sql(f"SELECT {values}"), f"{tmp}/t.lance")
    table = lance.dataset(f"{tmp}/t.lance").to_table()
    assert [table["d"].cast("int32")[0].as_py(), table["e"].cast("int32")[0].as_py()] == [2**31 - 1, -(2**31)]
    assert table["t"].cast("int64")[0].as_py() == 2**63 - 1
    text = "unix_date(d), unix_date(e), unix_micros(t)"
    assert spark.read.format("lance").load(f"{tmp}/t.lance").selectExpr(*text.split(", ")).collect() == [
        (2**31 - 1, -(2**31), 2**63 - 1)
    ]


def test_text_that_is_none_in_maps_and_lists(spark: SparkSession, tmp: str) -> None:
    for value, name in (("array(CAST(X'ff' AS STRING))", "v.item"), ("map(CAST(X'ff' AS STRING), 1)", "v.key")):
        message = failure(lambda value=value: write(spark.sql(f"SELECT {value} AS v"), f"{tmp}/t.lance"))
        assert f"Column '{name}' holds text, but a row" in message
        assert not Path(tmp, "t.lance", "_versions").exists()


def test_a_map_in_a_version_without_maps(spark: SparkSession, tmp: str) -> None:
    writer = spark.sql("SELECT array(map(1, 2)) AS l").write.format("lance").option("dataStorageVersion", "2.1")
    message = failure(lambda: writer.save(f"{tmp}/t.lance"))
    assert "Column 'l.item' is a map, which files of version 2.1 cannot hold" in message
    assert "2.2" in message


@pytest.mark.parametrize(("name", "version"), [("stable", "2.2"), ("STABLE", "2.2"), ("2.1", "2.1")])
def test_names_of_versions(spark: SparkSession, tmp: str, name: str, version: str) -> None:
    spark.range(1).write.format("lance").option("dataStorageVersion", name).save(f"{tmp}/t.lance")
    assert lance.dataset(f"{tmp}/t.lance").data_storage_version == version


@pytest.mark.parametrize(("name", "meant"), [("legacy", "0.1"), ("next", "2.3")])
def test_versions_that_are_not_written(spark: SparkSession, tmp: str, name: str, meant: str) -> None:
    writer = spark.range(1).write.format("lance").option("dataStorageVersion", name)
    assert f"and this is {meant}" in failure(lambda: writer.save(f"{tmp}/t.lance"))
