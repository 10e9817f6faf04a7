"""Values come to SQL as they are, whatever its parser is set to."""

from datetime import datetime, timedelta, timezone

import pytest
from pyspark.sql import SparkSession

from sparklance._literals import literal

VALUES = [
    True,
    0,
    -(1 << 63),
    (1 << 63) - 1,
    0.05,
    -1e300,
    float("inf"),
    "",
    "plain text, ünïcödé 🦜",
    "it's",
    "C:\\temp\\new",
    "'; DROP TABLE t; --",
    "${spark.app.name} $x :name ? -- no comment /* either */",
    "two\nlines\tand\0nothing",
    b"",
    b"\0\xff'",
    [1, 2, 3],
    ["a", None, "it's"],
    {"a": "1", "b'": None},
]


@pytest.mark.parametrize("escapes", ["false", "true"])
def test_a_value_comes_as_it_is(spark: SparkSession, escapes: str) -> None:
    key = "spark.sql.parser.escapedStringLiterals"
    spark.conf.set(key, escapes)
    try:
        found = spark.sql(f"SELECT {', '.join(map(literal, VALUES))}").first()
    finally:
        spark.conf.unset(key)
    assert [bytes(value) if isinstance(value, bytearray) else value for value in found] == VALUES


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 11, 22, 9, 30, 15, 123456),
        datetime(1955, 1, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=-9))),
    ],
)
def test_a_moment_is_the_same_in_every_zone(spark: SparkSession, moment: datetime) -> None:
    (micros,) = spark.sql(f"SELECT unix_micros({literal(moment)})").first()
    assert micros == round(moment.timestamp() * 1_000_000)


def test_what_sql_cannot_say_is_refused() -> None:
    with pytest.raises(TypeError, match="has no literal in SQL"):
        literal(object())
