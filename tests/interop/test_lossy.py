"""Values that Spark's types cannot hold: an error by default, cut off or shown as stored by option."""

import datetime as dt
import decimal
from decimal import Decimal

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

SECOND = 1_000_000_000
LONG = Decimal("9" * 40) / 100


def misfit(spark_type: str, kind: pa.DataType, values: list, said: str, truncated: object, raw: list) -> tuple:
    return kind, values, spark_type, said, truncated, raw


#: The second of two values does not fit.
CASES = {
    "timestamp": misfit(
        "timestamp_ntz",
        pa.timestamp("ns"),
        [SECOND, -1],
        "-1 ns",
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        [SECOND, -1],
    ),
    "duration": misfit(
        "interval day to second",
        pa.duration("ns"),
        [SECOND, 1_500],
        "1500 ns",
        dt.timedelta(microseconds=1),
        [SECOND, 1_500],
    ),
    "date64": misfit(
        "date", pa.date64(), [0, 86_400_001], "86400001 ms since 1970", dt.date(1970, 1, 2), [0, 86_400_001]
    ),
    "decimal": misfit(
        "decimal(38,38)",
        pa.decimal256(50, 45),
        [Decimal("1E-38"), Decimal("1.5E-38")],
        "1.5000000E-38",
        Decimal("1E-38"),
        ["0." + "0" * 37 + "10000000", "0." + "0" * 37 + "15000000"],
    ),
}


def stored(tmp: str, kind: pa.DataType, values: list) -> str:
    """Rows 0 to 9 of one fragment, of which row 2 is deleted: all fine but row 7, and nulls in odd ones."""
    fine = [values[0] if i % 2 == 0 else None for i in range(10)]
    column = pa.array([*fine[:7], values[1], *fine[8:]], kind)
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"id": range(10), "odd": column}), path)
    lance.dataset(path).delete("id = 2")
    return path


@pytest.mark.parametrize("name", CASES)
def test_errors_name_column_and_row(spark: SparkSession, tmp: str, name: str) -> None:
    kind, values, spark_type, said, _, _ = CASES[name]
    frame = spark.read.format("lance").load(stored(tmp, kind, values))
    assert frame.schema["odd"].dataType.simpleString() == spark_type
    named = rf"(?s)Column 'odd' holds {said} in row 7 of fragment 0, .*'lossyValues': 'truncate'"
    with pytest.raises(Exception, match=named):
        frame.collect()
    assert frame.where("id < 7 AND id % 2 = 0").count() == 3
    assert frame.select("id").count() == 9


@pytest.mark.parametrize("name", CASES)
def test_truncates_if_asked_to(spark: SparkSession, tmp: str, name: str) -> None:
    kind, values, _, _, truncated, _ = CASES[name]
    frame = spark.read.format("lance").option("lossyValues", "truncate").load(stored(tmp, kind, values))
    assert frame.where("id = 7").first()["odd"] == truncated


@pytest.mark.parametrize("name", CASES)
def test_shows_what_is_stored_if_asked_to(spark: SparkSession, tmp: str, name: str) -> None:
    kind, values, _, _, _, raw = CASES[name]
    frame = spark.read.format("lance").option("lossyValues", "RAW").load(stored(tmp, kind, values))
    assert [frame.where(f"id = {i}").first()["odd"] for i in (0, 7, 9)] == [*raw, None]
    assert "lance.type" in frame.schema["odd"].metadata


def test_a_decimal_that_is_too_large_can_only_be_shown_as_stored(spark: SparkSession, tmp: str) -> None:
    path = stored(
        tmp, pa.decimal256(60, 2), [Decimal("1.50"), decimal.Context(prec=60).create_decimal("9" * 40 + ".25")]
    )
    for option in ("error", "truncate"):
        frame = spark.read.format("lance").option("lossyValues", option).load(path)
        assert frame.schema["odd"].dataType.simpleString() == "decimal(38,2)"
        with pytest.raises(Exception, match=rf"(?s)Column 'odd' holds {'9' * 40}\.25 in row 7 .*'raw'"):
            frame.collect()
    shown = spark.read.format("lance").option("lossyValues", "raw").load(path)
    assert shown.where("id = 7").first()["odd"] == "9" * 40 + ".25"


def test_items_of_lists_are_named_by_their_place(spark: SparkSession, tmp: str) -> None:
    path = stored(tmp, pa.list_(pa.timestamp("ns"), 3), [[0, None, 1_000], [0, 1_000, 1_001]])
    with pytest.raises(Exception, match=r"Column 'odd' holds 1001 ns in item 2 of row 7 of fragment 0"):
        spark.read.format("lance").load(path).collect()
    raw = spark.read.format("lance").option("lossyValues", "raw").load(path)
    assert raw.where("id = 7").first()["odd"] == [0, 1_000, 1_001]


def test_a_session_default_applies_to_tables_with_names(spark: SparkSession, tmp: str) -> None:
    path = stored(tmp, pa.timestamp("ns"), [SECOND, 1_500])
    table = f"lance.`{path}`"
    with pytest.raises(Exception, match=r"'lossyValues' = 'raw' .*give columns of .* other types"):
        spark.sql(f"SELECT * FROM {table} WITH (lossyValues = 'raw')").collect()
    one = spark.sql(f"SELECT odd FROM {table} WITH (lossyValues = 'truncate') WHERE id = 7").first()
    assert one["odd"] == dt.datetime(1970, 1, 1, 0, 0, 0, 1)
    spark.conf.set("spark.datasource.lance.lossyValues", "raw")
    try:
        assert spark.sql(f"SELECT odd FROM {table} WHERE id = 7").first()["odd"] == 1_500
    finally:
        spark.conf.unset("spark.datasource.lance.lossyValues")


def test_columns_are_not_written_in_types_in_which_they_are_only_shown(spark: SparkSession, tmp: str) -> None:
    path = stored(tmp, pa.timestamp("ns"), [SECOND, 1_500])
    version = lance.dataset(path).version
    spark.conf.set("spark.datasource.lance.lossyValues", "raw")
    try:
        frame = spark.read.format("lance").load(path)
        with pytest.raises(Exception, match="in types that cannot be written"):
            frame.write.format("lance").mode("append").save(path)
    finally:
        spark.conf.unset("spark.datasource.lance.lossyValues")
    assert lance.dataset(path).version == version
