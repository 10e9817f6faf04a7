"""Tables that are mostly long fixed-size lists are read row by row, each list in one piece, and hold the same."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from tests.interop.plans import physical

DIMENSION, ROWS = 130, 500
KINDS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()]
OTHERS = {
    "text": pa.array([None if i % 7 == 0 else "word" * (i % 5) for i in range(ROWS)]),
    "price": pa.array([i if i % 3 else None for i in range(ROWS)], pa.int64()).cast(pa.decimal128(24, 2)),
    "day": pa.array(range(ROWS), pa.int32()).cast(pa.date32()),
    "flag": pa.array([i % 2 == 0 for i in range(ROWS)]),
    "parts": pa.array([None if i % 11 == 0 else {"a": i, "l": [i, None]} for i in range(ROWS)]),
}


def lists(kind: pa.DataType, seed: int) -> pa.Array:
    """Some are null, and so are some of the items of others."""
    rng = np.random.default_rng(seed)
    items = pa.array(rng.integers(-100, 100, ROWS * DIMENSION), mask=rng.random(ROWS * DIMENSION) < 0.01).cast(kind)
    return pa.FixedSizeListArray.from_arrays(items, DIMENSION, mask=pa.array(rng.random(ROWS) < 0.1))


@pytest.fixture(scope="module")
def written() -> pa.Table:
    wide = {f"v_{kind}": lists(kind, seed) for seed, kind in enumerate(KINDS)}
    return pa.table({"id": pa.array(range(ROWS), pa.int64())} | OTHERS | wide)


def is_columnar(frame: DataFrame) -> bool:
    return "ColumnarToRow" in physical(frame)


@pytest.mark.parametrize("version", ["2.0", "2.2"])
def test_wide_lists_are_the_same_as_rows(spark: SparkSession, tmp: str, written: pa.Table, version: str) -> None:
    stored = written if version != "2.0" else written.drop_columns(["parts"])
    lance.write_dataset(stored, tmp, data_storage_version=version, max_rows_per_file=300)
    df = spark.read.format("lance").load(tmp)
    assert not is_columnar(df)
    assert df.orderBy("id").toArrow().to_pylist() == stored.to_pylist()


def test_a_batch_is_as_good_where_lists_are_not_most(spark: SparkSession, tmp: str, written: pa.Table) -> None:
    lance.write_dataset(written, tmp)
    df = spark.read.format("lance").load(tmp)
    assert is_columnar(df.select("id", "text", "day"))
    assert not is_columnar(df.select("id", "v_float"))
    assert is_columnar(df.select("id", "text", "price", "day", "flag", "v_int8"))


def test_equal_lists_are_equal_to_spark(spark: SparkSession, tmp: str, written: pa.Table) -> None:
    """Rows are grouped by their bytes, so null items must not keep what was stored below them."""
    column = lists(pa.int32(), 1)
    nulls = np.array(column.values.is_null())
    items = pa.array(np.where(nulls, 77, column.values.fill_null(0)), mask=nulls)
    below = pa.FixedSizeListArray.from_arrays(items, DIMENSION, mask=column.is_null())
    lance.write_dataset(pa.table({"v": pa.chunked_array([column, below.cast(column.type)])}), tmp)
    df = spark.read.format("lance").load(tmp)
    assert not is_columnar(df)
    counts = df.groupBy("v").count().agg(f.min("count"), f.max("count")).collect()[0]
    assert tuple(counts) == (2, 2 * column.null_count)


def test_filters_and_limits_apply_to_rows(spark: SparkSession, tmp: str, written: pa.Table) -> None:
    lance.write_dataset(written, tmp, max_rows_per_file=170)
    df = spark.read.format("lance").load(tmp).select("id", "v_double")
    found = df.where("id % 200 = 7 OR id = 222").orderBy("id").toArrow()
    assert found["id"].to_pylist() == [7, 207, 222, 407]
    assert found["v_double"].to_pylist() == written["v_double"].take([7, 207, 222, 407]).to_pylist()
    assert df.limit(5).count() == 5
    assert df.where("v_double IS NULL").count() == written["v_double"].null_count


def test_values_of_rows_that_spark_drops_are_not_looked_at(spark: SparkSession, tmp: str, written: pa.Table) -> None:
    """Blob bytes would be read, and some are larger than Spark can hold."""
    nanos = pa.array([1000 * i + i % 2 * 500 for i in range(ROWS)], pa.int64()).cast(pa.timestamp("ns"))
    lance.write_dataset(written.select(["id", "v_double"]).append_column("at", nanos), tmp)
    df = spark.read.format("lance").option("pushDownFilters", "false").load(tmp)
    assert not is_columnar(df)
    assert df.where("id % 2 = 0").selectExpr("count(at)", "count(v_double[0])").first()[0] == ROWS // 2
    with pytest.raises(Exception, match="'at' holds 1500 ns in row 1 of fragment 0"):
        df.select("id", "v_double", "at").collect()
