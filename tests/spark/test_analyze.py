"""Statistics of columns for Spark's optimizer: ANALYZE TABLE, the procedure, and Python. Spark's own statistics of a
Parquet table with the same rows are the measure."""

import datetime as dt
import re
from collections.abc import Iterator
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset

pytestmark = pytest.mark.slow

COLUMNS = "b TINYINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(20,2), o BOOLEAN, t DATE, s STRING, y BINARY"
SHOWN = re.compile(r"Statistics\(sizeInBytes=[^,)]*(?:, rowCount=([^,)]*))?")


@pytest.fixture(scope="module")
def written(spark: SparkSession) -> Iterator[tuple[str, str]]:
    """A Lance table and a Parquet table with equal rows."""
    names = ("analyzed_lance", "analyzed_parquet")
    day = dt.date(1969, 12, 25)
    rows = [
        (
            i % 5,
            i - 500,
            i * 10**12,
            i / 3,
            -i / 7,
            Decimal(i) / 4,
            i % 2 == 0,
            day + dt.timedelta(i),
            f"é{i % 40}",
            b"x" * (i % 9),
        )
        for i in range(1000)
    ]
    rows += [(None,) * 10] * 10
    df = spark.createDataFrame(rows, COLUMNS)
    for name, source in zip(names, ("lance", "parquet"), strict=True):
        spark.sql(f"DROP TABLE IF EXISTS {name}")
        df.coalesce(1).write.format(source).saveAsTable(name)
    yield names
    for name in names:
        spark.sql(f"DROP TABLE {name}")


@pytest.fixture
def twins(spark: SparkSession, written: tuple[str, str]) -> tuple[str, str]:
    """Restores the tables for each test, which may change the first one, to a version without statistics."""
    spark.sql(f"RESTORE TABLE {written[0]} TO VERSION AS OF 1")
    return written


def described(spark: SparkSession, table: str, column: str) -> dict[str, str]:
    """The statistics that DESCRIBE shows. For V2 tables Spark shows bounds as Java prints them: `Optional[7]`."""
    shown = {row.info_name: row.info_value for row in spark.sql(f"DESCRIBE EXTENDED {table} {column}").collect()}
    names = ("min", "max", "num_nulls", "distinct_count")
    return {
        name: re.sub(r"^Optional(?:\[(.*)\]|\.empty)$", r"\1", shown[name]) or "NULL" for name in names if name in shown
    }


def test_statistics_are_those_of_spark(spark: SparkSession, twins: tuple[str, str]) -> None:
    for table in twins:
        spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR ALL COLUMNS")
    for column in spark.table(twins[0]).columns:
        ours, theirs = (described(spark, table, column) for table in twins)
        if column == "t":  # Spark shows dates of V2 tables as days
            assert (ours.pop("min"), theirs.pop("min")) == ("-7", "1969-12-25")
            assert (ours.pop("max"), theirs.pop("max")) == ("992", "1972-09-19")
        assert {k: v for k, v in ours.items() if v != "NULL"} == {k: v for k, v in theirs.items() if v != "NULL"}, (
            column
        )
        assert ours["num_nulls"] == "10"


def test_estimates_are_those_of_spark(spark: SparkSession, twins: tuple[str, str]) -> None:
    for table in twins:
        spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR ALL COLUMNS")
    spark.conf.set("spark.sql.cbo.enabled", "true")
    try:
        for condition in (
            "i < 0",
            "l >= 900000000000000",
            "t = DATE '1970-01-01'",
            "s = 'é7' AND i < 0",
            "b IN (1, 2)",
            "i > 7000",
        ):
            ours, theirs = (rows(spark, f"SELECT i, s FROM {table} WHERE {condition}") for table in twins)
            assert ours == pytest.approx(theirs, rel=0.1, abs=2), condition
    finally:
        spark.conf.unset("spark.sql.cbo.enabled")


def rows(spark: SparkSession, query: str) -> float:
    """Spark's estimate of the rows of a query."""
    plan = spark.sql(f"EXPLAIN COST {query}").head()[0]
    counts = [match.group(1) for match in SHOWN.finditer(plan)]
    assert counts, plan
    assert counts[0], plan
    return float(counts[0])


def test_a_filter_does_not_lessen_estimates_unless_the_session_asks(
    spark: SparkSession, twins: tuple[str, str]
) -> None:
    table = twins[0]
    spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR COLUMNS i")
    plan = spark.sql(f"EXPLAIN COST SELECT i FROM {table} WHERE i < 0").head()[0]
    assert all(match.group(1) is None for match in SHOWN.finditer(plan)), plan


def test_statistics_reach_a_join(spark: SparkSession, twins: tuple[str, str]) -> None:
    """A filter that keeps few rows of a table makes Spark broadcast it."""
    table = twins[0]
    query = f"SELECT count(*) FROM {table} a JOIN {table} c ON a.i = c.i WHERE c.l < 3000000000000"
    settings = {
        "spark.sql.cbo.enabled": "true",
        "spark.sql.autoBroadcastJoinThreshold": "1000",
        "spark.sql.adaptive.enabled": "false",
    }
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        assert "BroadcastHashJoin" not in spark.sql(f"EXPLAIN {query}").head()[0]
        spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR COLUMNS i, l")
        assert "BroadcastHashJoin" in spark.sql(f"EXPLAIN {query}").head()[0]
        assert spark.sql(query).head()[0] == 3
    finally:
        for key in settings:
            spark.conf.unset(key)


def test_bounds_are_forgotten_when_rows_are_added(spark: SparkSession, twins: tuple[str, str]) -> None:
    table = twins[0]
    spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR COLUMNS i, s")
    assert described(spark, table, "i")["max"] == "499"
    spark.sql(f"INSERT INTO {table} (i) VALUES (9999)")
    assert described(spark, table, "i") | {"distinct_count": ""} == {
        "min": "NULL",
        "max": "NULL",
        "num_nulls": "10",
        "distinct_count": "",
    }
    assert int(described(spark, table, "s")["distinct_count"]) == pytest.approx(40, rel=0.1)  # an estimate
    spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR COLUMNS i")
    assert described(spark, table, "i")["max"] == "9999"


def test_statistics_of_another_type_or_column_are_not_used(spark: SparkSession, twins: tuple[str, str]) -> None:
    table = twins[0]
    spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS FOR COLUMNS i, l")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN i TYPE BIGINT")
    spark.sql(f"ALTER TABLE {table} DROP COLUMN l")
    spark.sql(f"ALTER TABLE {table} ADD COLUMN l BIGINT")
    for column in ("i", "l"):
        assert set(described(spark, table, column).values()) <= {"NULL"}


def test_the_procedure_and_python_return_what_was_found(spark: SparkSession, tmp_path) -> None:
    path = str(tmp_path / "t")
    spark.sql("SELECT id, if(id = 3, NULL, repeat('ä', int(id))) s, array(id) a FROM range(10)").write.format(
        "lance"
    ).save(path)
    ds = LanceDataset(spark, path)
    first, second = ds.optimize.analyze()
    assert (first.column, first.rows, first.nulls, first.min, first.max) == ("id", 10, 0, "0", "9")
    assert (second.column, second.nulls, second.distinct_values, second.min) == ("s", 1, 9, None)
    assert (second.average_length, second.longest_length) == (10, 18)
    assert (ds.version, ds.count_rows()) == (2, 10)
    (only,) = spark.sql(f"CALL lance.system.analyze('{path}', array('S'))").collect()
    assert only.column == "s"
    assert spark.sql(f"CALL lance.system.analyze('{path}', CAST(array() AS ARRAY<STRING>))").collect() == []
    assert LanceDataset(spark, path).version == 3


def test_empty_tables_and_columns_of_nulls(spark: SparkSession, tmp_path) -> None:
    path = str(tmp_path / "t")
    spark.sql("SELECT CAST(NULL AS INT) i, CAST(NULL AS STRING) s FROM range(0)").write.format("lance").save(path)
    ds = LanceDataset(spark, path)
    assert [(c.rows, c.nulls, c.distinct_values, c.max) for c in ds.optimize.analyze()] == [(0, 0, 0, None)] * 2
    spark.sql("SELECT CAST(NULL AS INT) i, CAST(NULL AS STRING) s FROM range(4)").write.format("lance").mode(
        "append"
    ).save(path)
    assert [(c.rows, c.nulls, c.distinct_values, c.max) for c in ds.optimize.analyze(["s", "i"])] == [
        (4, 4, 0, None)
    ] * 2


@pytest.mark.parametrize(
    ("clause", "why"),
    [
        ("FOR COLUMNS nothing", "no top-level column 'nothing'"),
        ("FOR COLUMNS a", "statistics of column 'a' of type ARRAY<INT>"),
        ("FOR COLUMNS i,", "makes no sense here"),
        ("FOR COLUMNS", "makes no sense here"),
        ("FOR SOME COLUMNS", "makes no sense here"),
    ],
)
def test_mistakes_are_named(spark: SparkSession, tmp_path, clause: str, why: str) -> None:
    path = str(tmp_path / "t")
    spark.sql("SELECT 1 i, array(1) a").write.format("lance").save(path)
    with pytest.raises(Exception, match=re.escape(why)):
        spark.sql(f"ANALYZE TABLE lance.`{path}` COMPUTE STATISTICS {clause}")
    assert LanceDataset(spark, path).version == 1
