"""The change feed through Spark's own interface, from 4.2 on: `SELECT … FROM t CHANGES …` and `changes()`."""

from typing import Any

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.skipif(
    tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 2), reason="Spark has CHANGES from 4.2 on"
)
NEW_ROW, UPDATED, DELETED = (5, "e", "insert", 2), (2, "B", "update_postimage", 3), (1, "a", "delete", 4)
ALL = {NEW_ROW, (2, "b", "update_preimage", 3), UPDATED, DELETED}


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    name = f"lance.`{tmp_path_factory.mktemp('changelog')}/t.lance`"
    rows = "VALUES (1, 'a'), (2, 'b'), (3, 'c') AS v (id, name)"
    options = "OPTIONS ('enableStableRowIds' = 'true')"
    spark.sql(f"CREATE TABLE {name} USING lance {options} AS SELECT * FROM {rows}")
    spark.sql(f"INSERT INTO {name} VALUES (5, 'e')")
    spark.sql(f"UPDATE {name} SET name = 'B' WHERE id = 2")
    spark.sql(f"DELETE FROM {name} WHERE id = 1")
    spark.sql(f"OPTIMIZE {name}")
    return name


def told(frame: DataFrame) -> set[Any]:
    columns = frame.select("id", "name", "_change_type", "_commit_version")
    return {tuple(row) for row in columns.collect()}


def test_changes_of_a_range_in_sql(spark: SparkSession, table: str) -> None:
    assert told(spark.sql(f"SELECT * FROM {table} CHANGES FROM VERSION 2")) == ALL
    assert told(spark.sql(f"SELECT * FROM {table} CHANGES FROM VERSION 2 TO VERSION 2")) == {NEW_ROW}
    within = spark.sql(f"SELECT * FROM {table} CHANGES FROM VERSION 1 EXCLUSIVE TO VERSION 3 EXCLUSIVE")
    assert told(within) == {NEW_ROW}
    times = f"SELECT max(_commit_timestamp) FROM {table} CHANGES FROM VERSION 2 TO VERSION 2"
    start = spark.sql(times).collect()[0][0]
    later = spark.sql(f"SELECT * FROM {table} CHANGES FROM TIMESTAMP '{start}' EXCLUSIVE")
    assert told(later) == ALL - {NEW_ROW}


def test_net_changes_in_sql(spark: SparkSession, table: str) -> None:
    net = spark.sql(f"SELECT * FROM {table} CHANGES FROM VERSION 2 WITH (deduplicationMode = 'netChanges')")
    found = {(row["id"], row["name"]) for row in net.collect() if row["_change_type"] in ("insert", "delete")}
    assert {(5, "e"), (1, "a")} <= found


def test_changes_of_a_reader(spark: SparkSession, table: str) -> None:
    assert told(spark.read.option("startingVersion", 3).changes(table)) == ALL - {NEW_ROW}
    some = spark.read.option("startingVersion", 2).option("endingVersion", 3).changes(table)
    assert told(some) == ALL - {DELETED}
    assert told(some.where("id = 5")) == {NEW_ROW}


def test_changes_as_a_stream(spark: SparkSession, table: str, tmp: str) -> None:
    feed = spark.readStream.option("startingVersion", 2).changes(table)
    query = (
        feed.writeStream.format("parquet")
        .option("checkpointLocation", f"{tmp}/checkpoint")
        .option("path", f"{tmp}/copy")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    assert told(spark.read.parquet(f"{tmp}/copy")) == ALL


def test_bad_ranges_say_what_is_wrong(spark: SparkSession, table: str) -> None:
    with pytest.raises(Exception, match="startingVersion"):
        spark.sql(f"SELECT * FROM {table} CHANGES FROM VERSION 'first'").collect()
    with pytest.raises(Exception, match="Option 'startVersion' is not known"):
        spark.read.option("startVersion", 2).option("startingVersion", 2).changes(table).collect()
    with pytest.raises(Exception, match="99"):
        spark.sql(f"SELECT * FROM {table} CHANGES FROM VERSION 99").collect()
