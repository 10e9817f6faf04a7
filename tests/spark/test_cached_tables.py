"""Commits of a session refresh what it has cached of their table, by whatever name."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset


@pytest.fixture
def table(spark: SparkSession) -> Iterator[str]:
    name = f"t_{uuid4().hex[:8]}"
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING lance")
    for i in (1, 2, 3):
        spark.sql(f"INSERT INTO {name} VALUES ({i})")
    yield name
    spark.sql(f"DROP TABLE {name}")


CHANGES: dict[str, tuple[Callable[[SparkSession, str, LanceDataset], object], list[int]]] = {
    "RESTORE": (lambda spark, t, _: spark.sql(f"RESTORE TABLE {t} TO VERSION AS OF 3"), [1, 2]),
    "CALL": (lambda spark, t, _: spark.sql(f"CALL lance.system.restore('{t}', '2')"), [1]),
    "path": (lambda spark, _, ds: spark.sql(f"CALL lance.system.restore('{ds.uri}', '2')"), [1]),
    "method": (lambda _, __, ds: ds.update_columns({"id": "id + 10"}), [11, 12, 13]),
}


@pytest.mark.classic("a cache belongs to the session of the server")
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_cached_by_name_is_refreshed(spark: SparkSession, table: str, change: str) -> None:
    def ids() -> list[int]:
        return sorted(row.id for row in spark.table(table).collect())

    dataset = LanceDataset(spark, table)
    spark.sql(f"CACHE TABLE {table}")
    assert ids() == [1, 2, 3]
    done, expected = CHANGES[change]
    done(spark, table, dataset)
    assert ids() == expected
    assert spark.catalog.isCached(table)
    # What commits nothing leaves the cache as it is.
    spark.sql(f"CALL lance.system.history('{table}')").collect()
    assert ids() == expected


STATEMENTS = {
    "DELETE FROM {} WHERE id = 1": [2, 3],
    "UPDATE {} SET id = 20 WHERE id = 2": [3, 20],
    "MERGE INTO {} t USING (SELECT 3L AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = 30": [20, 30],
    "INSERT INTO {} VALUES (4)": [4, 20, 30],
    "INSERT OVERWRITE {} VALUES (7), (8)": [7, 8],
    "DELETE FROM {}": [],
    "INSERT INTO {} VALUES (9)": [9],
    "TRUNCATE TABLE {}": [],
    "ALTER TABLE {} ADD COLUMN more INT": [],
}


@pytest.mark.classic("a cache belongs to the session of the server")
@pytest.mark.parametrize("cached", ["name", "path"])
def test_statements_refresh_other_names_of_their_table(spark: SparkSession, table: str, cached: str) -> None:
    """A DELETE without a condition was an internal error of Spark for the cached name itself."""
    path = f"lance.`{LanceDataset(spark, table).uri}`"
    kept, other = (table, path) if cached == "name" else (path, table)
    spark.catalog.cacheTable(kept)
    assert spark.table(kept).count() == 3
    for statement, expected in STATEMENTS.items():
        spark.sql(statement.format(other))
        assert sorted(row.id for row in spark.table(kept).collect()) == expected, statement
    assert spark.table(kept).columns == ["id", "more"]
    rows = spark.sql("SELECT 5L AS id, 6 AS more").write.format("lance").mode("append")
    rows.saveAsTable(table) if cached == "path" else rows.save(path.split("`")[1])
    assert spark.table(kept).count() == 1
    spark.sql(f"DELETE FROM {kept}")
    assert spark.table(kept).count() == 0
    spark.catalog.uncacheTable(kept)
