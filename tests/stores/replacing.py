"""Statements whose table is dropped and recreated while their tasks run fail, and leave the new table unchanged."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

# Each reads one row of the source or some rows of the table, and waits there.
STATEMENTS = {
    "append": "INSERT INTO lance.`{uri}` SELECT id + 70 FROM range(0, 3, 1, 1) WHERE gated(id)",
    "DELETE": "DELETE FROM lance.`{uri}` WHERE id IN (2, 5) AND gated(id)",
    "UPDATE": "UPDATE lance.`{uri}` SET id = 70 WHERE id IN (2, 5) AND gated(id)",
    "MERGE": "MERGE INTO lance.`{uri}` t USING (SELECT 2L AS id) s ON t.id = s.id AND gated(t.id) "
    "WHEN MATCHED THEN UPDATE SET id = 70",
    "add_columns": "CALL lance.system.add_columns(table => '{uri}', columns => map('more', 'gated(id)'))",
}

# Versions of the new table. The statements begin at version 2.
VERSIONS = {"fewer": 1, "as many": 2, "more": 4}

replaced = pytest.mark.parametrize(
    ("versions", "statement"),
    [
        pytest.param(versions, statement, id=f"{name}, {count} versions")
        for count, versions in VERSIONS.items()
        for name, statement in STATEMENTS.items()
    ],
)


def check(spark: SparkSession, uri: str, versions: int, statement: str, drop: Callable[[], None], gate: Path) -> None:
    create(spark, uri, 2)
    gate.mkdir()
    spark.udf.register("gated", passing(str(gate)), "boolean")
    failures: list[BaseException] = []

    def run() -> None:
        try:
            spark.sql(statement.format(uri=uri)).collect()
        except Exception as e:
            failures.append(e)

    running = threading.Thread(target=run)
    running.start()
    try:
        while running.is_alive() and not (gate / "reached").exists():
            time.sleep(0.01)
        drop()
        rows = create(spark, uri, versions)
    finally:
        (gate / "open").touch()
        running.join()
    assert failures, f"{statement} has succeeded"
    assert "of a table that was dropped" in str(failures[0])
    assert sorted(map(tuple, spark.read.format("lance").load(uri).collect())) == rows
    assert spark.read.format("lance").option("metadataTable", "versions").load(uri).count() == versions


def create(spark: SparkSession, uri: str, versions: int) -> list[tuple[int]]:
    """Creates a table with ten rows for each version, and returns them."""
    for version in range(versions):
        rows = spark.range(10 * version, 10 * version + 10, 1, 1)
        rows.write.format("lance").mode("append" if version else "error").save(uri)
    return [(i,) for i in range(10 * versions)]


def passing(gate: str) -> Callable[[int], bool]:
    """Returns a function of which the first call waits until the gate is open: one task, so that others can run."""

    def gated(_: int) -> bool:
        try:
            Path(gate, "reached").touch(exist_ok=False)
        except FileExistsError:
            return True
        while not Path(gate, "open").exists():
            time.sleep(0.01)
        return True

    return gated
