"""Procedures and methods of LanceDataset commit by location, and refresh what the session has cached by name."""

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
