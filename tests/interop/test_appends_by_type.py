"""Rows appended to a table of pylance are stored in its Arrow types, and equal those that they were read from."""

import datetime as dt

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.compare import assert_same
from tests.interop.generate import FOREIGN, table
from tests.products import ends


def doubled(spark: SparkSession, path: str) -> tuple[pa.Table, pa.Table]:
    """A table's rows, and the rows after them when all of them are appended once more."""
    before = lance.dataset(path).to_table()
    spark.read.format("lance").load(path).coalesce(1).write.format("lance").mode("append").save(path)
    dataset = lance.dataset(path)
    dataset.validate()
    after = dataset.to_table()
    assert after.schema == before.schema
    return before, after.slice(before.num_rows)


@pytest.mark.parametrize("version", ends(["2.0", "2.1", "2.2"]))
@pytest.mark.parametrize("shape", ["random", "constant", "few", "runs", "extremes", "all_null"])
def test_every_type_is_appended_to(spark: SparkSession, tmp: str, version: str, shape: str) -> None:
    # One row is alike in most shapes.
    single = [(1, 0.0)] if shape in ("random", "extremes", "all_null") else []
    for rows, null_share in (*single, (1025, 0.2)):
        path = f"{tmp}/{rows}.lance"
        written = table(shape, rows, null_share, columns=FOREIGN)
        lance.write_dataset(written, path, data_storage_version=version)
        before, added = doubled(spark, path)
        assert_same(before, added)


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (pa.float16(), "70000f", "floats of 16 bits"),
        (pa.timestamp("ns"), "TIMESTAMP_NTZ'2400-01-01'", "nanoseconds"),
        (pa.duration("ms"), "INTERVAL '0 00:00:00.0001' DAY TO SECOND", "units of 1000"),
        (pa.time32("s"), "86400L", "from 0 to 86399"),
        (pa.binary(3), "X'0102'", "byte strings of 3"),
        (pa.decimal128(5, -2), "150BD", "scale -2"),
        (pa.json_(), "'{]'", "'\"' was expected, at byte 1"),
        (pa.string(), "CAST(X'61ff' AS STRING)", "bytes that are not UTF-8: X'61ff'"),
    ],
)
def test_values_that_do_not_fit_are_refused(
    spark: SparkSession, tmp: str, kind: pa.DataType, value: str, said: str
) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"odd": pa.array([None], kind)}), path)
    with pytest.raises(Exception, match=f"Column 'odd' holds .*{said}"):
        spark.sql(f"SELECT {value} AS odd").write.format("lance").mode("append").save(path)
    assert lance.dataset(path).version == 1


def test_day_time_intervals_are_durations(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    rows = spark.sql("SELECT INTERVAL '1 02:03:04.5' DAY TO SECOND AS whole, INTERVAL '-3' DAY AS days")
    rows.write.format("lance").save(path)
    written = lance.dataset(path).to_table()
    assert written.schema.types == [pa.duration("us"), pa.duration("us")]
    assert written.to_pylist() == [
        {"whole": dt.timedelta(days=1, hours=2, minutes=3, seconds=4.5), "days": dt.timedelta(days=-3)}
    ]
    assert spark.read.format("lance").load(path).collect() == rows.collect()
