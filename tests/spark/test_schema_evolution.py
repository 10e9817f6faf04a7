"""WITH SCHEMA EVOLUTION: the table gets the columns, and the wider types, of the rows that come to it."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from pyspark import __version__ as spark_version
from pyspark.sql import SparkSession

from sparklance import LanceDataset

pytestmark = pytest.mark.skipif(
    tuple(map(int, spark_version.split(".")[:2])) < (4, 1), reason="Spark 4.0 reads the words and does nothing"
)

UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


@pytest.fixture
def table(spark: SparkSession) -> Iterator[str]:
    name = f"t_{uuid4().hex[:8]}"
    spark.sql(f"CREATE TABLE {name} (id INT, s STRUCT<a: INT>, v FLOAT) USING lance")
    spark.sql(f"INSERT INTO {name} VALUES (1, named_struct('a', 1), 0.5F), (2, NULL, NULL)")
    yield name
    spark.sql(f"DROP TABLE {name}")


def source(spark: SparkSession, text: str) -> None:
    spark.sql(text).createOrReplaceTempView("source_rows")


def merge(spark: SparkSession, table: str, actions: str = UPSERT) -> None:
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION INTO {table} t USING source_rows s ON t.id = s.id {actions}")


def rows(spark: SparkSession, table: str) -> list[tuple]:
    return [tuple(row) for row in spark.sql(f"SELECT * FROM {table} ORDER BY id").collect()]


@pytest.mark.parametrize("by_path", [False, True])
def test_merge_adds_columns_and_fields(spark: SparkSession, table: str, by_path: bool) -> None:
    name = f"lance.`{LanceDataset(spark, table).uri}`" if by_path else table
    source(spark, "SELECT 2 AS id, named_struct('a', 20, 'b', 'x') AS s, 2.5F AS v, 'new' AS note")
    spark.sql("SELECT 3, named_struct('a', 30, 'b', NULL), 3.5F, NULL").union(spark.table("source_rows")).toDF(
        "id", "s", "v", "note"
    ).createOrReplaceTempView("source_rows")
    merge(spark, name)
    assert spark.table(table).schema.simpleString() == "struct<id:int,s:struct<a:int,b:string>,v:float,note:string>"
    assert rows(spark, table) == [(1, (1, None), 0.5, None), (2, (20, "x"), 2.5, "new"), (3, (30, None), 3.5, None)]


def test_merge_widens_types(spark: SparkSession, table: str) -> None:
    source(spark, "SELECT 3000000000L AS id, named_struct('a', 4000000000L) AS s, 0.1D AS v")
    merge(spark, table)
    assert spark.table(table).schema.simpleString() == "struct<id:bigint,s:struct<a:bigint>,v:double>"
    assert rows(spark, table) == [(1, (1,), 0.5), (2, None, None), (3_000_000_000, (4_000_000_000,), 0.1)]


def test_rows_that_bring_nothing_new_change_no_column(spark: SparkSession, table: str) -> None:
    source(spark, "SELECT 1 AS id, named_struct('a', 9) AS s, 9F AS v")
    before = LanceDataset(spark, table).version
    merge(spark, table)
    assert LanceDataset(spark, table).version == before + 1
    assert rows(spark, table) == [(1, (9,), 9.0), (2, None, None)]


def test_without_the_words_nothing_is_added(spark: SparkSession, table: str) -> None:
    source(spark, "SELECT 1 AS id, named_struct('a', 9) AS s, 9F AS v, 'x' AS note")
    spark.sql(f"MERGE INTO {table} t USING source_rows s ON t.id = s.id {UPSERT}")
    assert rows(spark, table) == [(1, (9,), 9.0), (2, None, None)]


def test_a_type_that_cannot_be_given_is_refused_and_nothing_is_committed(spark: SparkSession, table: str) -> None:
    source(spark, "SELECT 'one' AS id, named_struct('a', 1) AS s, 9F AS v")
    before = LanceDataset(spark, table).version
    with pytest.raises(Exception, match=r"(?i)id|schema"):
        merge(spark, table, "WHEN NOT MATCHED THEN INSERT *")
    assert LanceDataset(spark, table).version == before


NARROWER = [("BIGINT", "3000000000", "6"), ("DOUBLE", "0.1", "float(6)"), ("DECIMAL(10,4)", "1.5", "6.5BD")]


@pytest.mark.parametrize("statement", ["INSERT", "MERGE"])
@pytest.mark.parametrize(("kind", "value", "narrower"), NARROWER)
def test_rows_of_narrower_types_do_not_narrow_columns(
    spark: SparkSession, tmp: str, statement: str, kind: str, value: str, narrower: str
) -> None:
    name = f"lance.`{tmp}/t`"
    spark.sql(f"CREATE TABLE {name} (id INT, v {kind}, s STRUCT<v: {kind}>, l ARRAY<{kind}>)")
    spark.sql(f"INSERT INTO {name} VALUES (1, {value}, named_struct('v', {value}), array({value}))")
    before, old = spark.table(name).schema, spark.table(name).collect()
    new = f"named_struct('v', {narrower}) AS s, array({narrower}) AS l"
    source(spark, f"SELECT 2 AS id, {narrower} AS v, {new}, 'x' AS more")
    later = tuple(map(int, spark_version.split(".")[:2])) >= (4, 2)
    if statement == "INSERT" and later:
        spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {name} BY NAME SELECT * FROM source_rows")
    elif later:
        merge(spark, name, "WHEN NOT MATCHED THEN INSERT *")
    else:
        # Spark 4.1 asks for the narrower type, and does not ask whether it may.
        with pytest.raises(Exception, match="which lacks some of its values"):
            merge(spark, name, "WHEN NOT MATCHED THEN INSERT *")
        assert (spark.table(name).schema, spark.table(name).collect()) == (before, old)
        return
    after = spark.table(name)
    assert after.drop("more").schema == before
    assert after.where("id = 1").drop("more").collect() == old
    assert after.where("id = 2 AND v = s.v AND v = l[0] AND more = 'x'").count() == 1
