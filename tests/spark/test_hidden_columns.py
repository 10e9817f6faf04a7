"""DELETE, UPDATE and MERGE by metadata columns: in subqueries, in assignments, and in sources of MERGE."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset


@pytest.fixture(scope="module", params=[False, True], ids=["addresses", "stable"])
def made(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[tuple[str, str]]:
    names = f"t_{uuid4().hex[:8]}", f"u_{uuid4().hex[:8]}"
    for name in names:
        stable = str(request.param).lower()
        spark.sql(f"CREATE TABLE {name} (id INT, v BIGINT) USING lance OPTIONS (enableStableRowIds = {stable})")
    for rows in ("(1, 1), (1, 1)", "(2, 2)"):
        spark.sql(f"INSERT INTO {names[0]} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
    spark.sql(f"INSERT INTO {names[1]} VALUES (2, 7), (3, 8)")
    yield names
    for name in names:
        spark.sql(f"DROP TABLE {name}")


@pytest.fixture
def tables(spark: SparkSession, made: tuple[str, str]) -> tuple[str, str]:
    """Restores the tables for each test, which changes the first one."""
    spark.sql(f"CALL lance.system.restore('{made[0]}', 3)")
    return made


def rows(spark: SparkSession, table: str) -> list[tuple[int, int]]:
    return sorted(tuple(row) for row in spark.table(table).select("id", "v").collect())


@pytest.mark.parametrize("column", ["_rowid", "_rowaddr"])
def test_duplicates_are_removed(spark: SparkSession, tables: tuple[str, str], column: str) -> None:
    t, _ = tables
    numbered = f"SELECT {column} AS r, row_number() OVER (PARTITION BY id ORDER BY {column}) AS n FROM {t}"
    spark.sql(f"DELETE FROM {t} WHERE {column} IN (SELECT r FROM ({numbered}) WHERE n > 1)")
    assert rows(spark, t) == [(1, 1), (2, 2)]


def test_subqueries_name_the_rows_to_update(spark: SparkSession, tables: tuple[str, str]) -> None:
    t, u = tables
    spark.sql(f"UPDATE {t} SET v = 9 WHERE _rowid IN (SELECT max(_rowid) FROM {t})")
    assert rows(spark, t) == [(1, 1), (1, 1), (2, 9)]
    spark.sql(f"UPDATE {t} SET v = 5 WHERE _fragid = (SELECT min(_fragid) FROM {t}) AND id IN (SELECT id - 1 FROM {u})")
    assert rows(spark, t) == [(1, 5), (1, 5), (2, 9)]
    spark.sql(f"DELETE FROM {t} WHERE NOT EXISTS (SELECT 1 FROM {u} WHERE {u}.id = {t}.id AND {t}._rowid >= 0)")
    assert rows(spark, t) == [(2, 9)]


@pytest.mark.parametrize("column", ["_fragid", "_rowaddr", "_rowid"])
def test_values_come_from_metadata_columns(spark: SparkSession, tables: tuple[str, str], column: str) -> None:
    t, _ = tables
    expected = sorted((row.id, row[column]) for row in spark.table(t).select("id", column).collect())
    spark.sql(f"UPDATE {t} SET v = {column}")
    assert rows(spark, t) == expected


def test_rows_keep_their_ids_whatever_the_statement_names(spark: SparkSession, tables: tuple[str, str]) -> None:
    t, _ = tables
    ids = {row.id: row["_rowid"] for row in spark.sql(f"SELECT id, _rowid FROM {t} WHERE id = 2").collect()}
    spark.sql(f"UPDATE {t} SET v = _rowid + _fragid WHERE id = 2")
    after = spark.sql(f"SELECT id, _rowid, _rowaddr FROM {t} WHERE id = 2").collect()[0]
    if LanceDataset(spark, t).has_stable_row_ids:
        assert after["_rowid"] == ids[2]
    else:
        assert after["_rowid"] == after["_rowaddr"]
    assert spark.sql(f"CALL lance.system.validate('{t}')").collect() == []


@pytest.mark.parametrize("source", ["query", "view", "table"])
def test_sources_of_merge_have_metadata_columns(spark: SparkSession, tables: tuple[str, str], source: str) -> None:
    t, u = tables
    spark.sql(f"CREATE OR REPLACE TEMP VIEW with_ids AS SELECT id, v, _rowid AS r FROM {u}")
    using = {"query": f"(SELECT id, v, _rowid AS r FROM {u})", "view": "with_ids", "table": u}[source]
    place = "s._rowid" if source == "table" else "s.r"
    expected = spark.sql(f"SELECT _rowid FROM {u} WHERE id = 2").head()[0]
    spark.sql(
        f"MERGE INTO {t} USING {using} s ON {t}.id = s.id WHEN MATCHED THEN UPDATE SET v = {place} "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
    )
    assert rows(spark, t) == [(1, 1), (1, 1), (2, expected), (3, 8)]
