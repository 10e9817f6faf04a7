"""Each statement of the session catalog's table in docs/sql.md, with the outcome that it has there."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from tests.spark.cases.altering import ALTERING
from tests.spark.cases.creating import CREATING
from tests.spark.cases.own import CHANGES, OWN
from tests.spark.cases.rows import ROWS_OF_TABLES
from tests.spark.statements import EXTERNAL, FILLED, MADE, Refused, documented, fill, run

CASES = CREATING | ROWS_OF_TABLES | ALTERING

# What Spark 4.0 does otherwise, as the table says.
ONLY_LATER = {"INSERT INTO t (a) …", "INSERT INTO t BY NAME …"}


def test_the_table_and_the_cases_are_the_same() -> None:
    table = documented("sql.md", "The session catalog")
    assert list(table) == list(CASES)
    for statement, outcome in table.items():
        steps = CASES[statement]
        assert outcome.startswith(("works", "refused")), statement
        assert outcome.startswith("works") or any(isinstance(s, Refused) for s in steps) or "LIKE" in statement


@pytest.fixture
def names(spark: SparkSession, tmp: str) -> Iterator[dict[str, str]]:
    """Free names of two tables, and a directory."""
    t, u = (f"t_{uuid4().hex[:8]}" for _ in range(2))
    yield {"t": t, "u": u, "tmp": tmp}
    spark.sql(f"DROP TABLE IF EXISTS {t}")
    spark.sql(f"DROP TABLE IF EXISTS {u}")


@pytest.mark.parametrize("statement", CASES)
def test_statement(spark: SparkSession, names: dict[str, str], statement: str) -> None:
    if pyspark_version.startswith("4.0") and statement in ONLY_LATER:
        pytest.skip("Spark 4.0 has no values for columns that INSERT leaves out")
    for step in CASES[statement]:
        run(spark, step, names)


def test_statements_of_our_own_are_calls(spark: SparkSession, names: dict[str, str]) -> None:
    for step in (
        EXTERNAL,
        FILLED,
        "OPTIMIZE {t}",
        Refused("OPTIMIZE {t} WHERE id = 1", "OPTIMIZE with WHERE"),
        "ALTER TABLE {t} CREATE TAG v1",
        "ALTER TABLE {t} CREATE BRANCH side",
        "CREATE INDEX i ON {t} (id)",
        Refused("SHOW TAGS IN {t} LIMIT 1", "makes no sense here. Write SHOW TAGS IN table"),
    ):
        run(spark, step, names)
    assert list(documented("sql-extensions.md", "Statements of our own")) == [*OWN, *CHANGES]
    for statement, call in OWN.values():
        shown = spark.sql(fill(statement, names)).collect()
        assert shown
        assert shown == spark.sql(fill(f"CALL lance.system.{call}", names)).collect()


@pytest.mark.parametrize("statement", CHANGES)
def test_statement_of_our_own(spark: SparkSession, names: dict[str, str], statement: str) -> None:
    for step in CHANGES[statement]:
        run(spark, step, names)


def test_create_table_like(spark: SparkSession, names: dict[str, str]) -> None:
    """Spark 4.0 does not ask catalogs, and enters a table of which nothing is there."""
    run(spark, MADE, names)
    like = "CREATE TABLE {u} LIKE {t}"
    if pyspark_version.startswith("4.0"):
        run(spark, like, names)
        run(spark, Refused("SELECT * FROM {u}", "There is no Lance table at"), names)
    else:
        run(spark, Refused(like, "does not support CREATE TABLE LIKE"), names)
