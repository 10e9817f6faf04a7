"""Tables of pylance with row ids and versions of rows in hidden columns of their data files."""

import shutil
from pathlib import Path

import lance
import pytest
from pyspark.sql import SparkSession

COLUMNS = ["id", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]


@pytest.fixture
def path(tmp: str) -> str:
    shutil.copytree(Path(__file__).parent.parent / "golden/tables/spilled_2.2", f"{tmp}/t.lance")
    return f"{tmp}/t.lance"


def rows(path: str) -> list[tuple]:
    dataset = lance.dataset(path)
    dataset.validate()
    return sorted(tuple(row.values()) for row in dataset.to_table(columns=COLUMNS).to_pylist())


def test_they_are_read_and_kept_by_deletes_and_appends(spark: SparkSession, path: str) -> None:
    table = f"lance.`{path}`"

    def check(count: int) -> None:
        found = sorted(map(tuple, spark.sql(f"SELECT {', '.join(COLUMNS)} FROM {table}").collect()))
        assert found == rows(path)
        assert len(found) == count

    check(36)
    assert [row.id for row in spark.sql(f"SELECT id FROM {table} WHERE _rowid = 16").collect()] == [16]
    spark.sql(f"DELETE FROM {table} WHERE id IN (0, 39)")
    check(33)
    spark.sql(f"INSERT INTO {table} VALUES (100, 'new')")
    check(34)
    lance.dataset(path).update({"word": "'theirs'"}, where="id = 12")
    check(34)
    with pytest.raises(Exception, match="in hidden columns"):
        spark.sql(f"UPDATE {table} SET word = 'ours' WHERE id = 5")
    check(34)
    spark.sql(f"CALL lance.system.compact('{path}', target_rows_per_fragment => 1000)")
    check(34)
    spark.sql(f"UPDATE {table} SET word = 'ours' WHERE id = 5")
    check(34)
