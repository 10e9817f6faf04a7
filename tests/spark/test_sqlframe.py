"""SQLFrame, which writes SQL of DataFrames and runs it in a session of Spark."""

import uuid

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.classic("SQLFrame takes a session of this process")


def test_sqlframe_reads_and_writes_tables(spark: SparkSession, tmp: str) -> None:
    frames = pytest.importorskip("sqlframe.spark", reason="SQLFrame is not installed: pip install '.[test]'")
    functions = pytest.importorskip("sqlframe.spark.functions")
    vectors = pa.array([[1.0, 2.0], None, [3.0, 4.0]], pa.list_(pa.float32(), 2))
    lance.write_dataset(pa.table({"id": [1, 2, 3], "name": ["a", "b", "b"], "v": vectors}), f"{tmp}/t")
    theirs = frames.SparkSession(conn=spark)
    rows = theirs.read.load(f"{tmp}/t", format="lance")
    assert [row.v for row in rows.where(functions.col("id") > 1).orderBy("id").collect()] == [None, [3.0, 4.0]]
    counts = rows.groupBy("name").agg(functions.count("id").alias("n")).orderBy("name").collect()
    assert [(row.name, row.n) for row in counts] == [("a", 1), ("b", 2)]
    rows.select("id", "name").write.save(f"{tmp}/copy", format="lance", mode="append")
    assert lance.dataset(f"{tmp}/copy").to_table()["id"].to_pylist() == [1, 2, 3]
    table = f"frames_{uuid.uuid4().hex}"
    spark.sql(f"CREATE TABLE {table} (id BIGINT, name STRING) USING lance")
    try:
        theirs.createDataFrame([(5, "z")], ["id", "name"]).write.insertInto(table)
        assert [(row.id, row.name) for row in theirs.read.table(table).collect()] == [(5, "z")]
    finally:
        spark.sql(f"DROP TABLE {table}")
