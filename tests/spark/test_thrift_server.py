"""Spark's Thrift server with the jar in `--jars`, of which Hive's sessions know nothing."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest

from sparklance.session import jar_path
from tests import jdbc

pytestmark = pytest.mark.process

BIN = Path(pyspark.__file__).parent / "bin"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("thrift")
    lake = {
        "spark.sql.catalog.lake": "io.sparklance.spark.LanceCatalog",
        "spark.sql.catalog.lake.root": f"{folder}/lake",
    }
    with jdbc.server(BIN / "spark-submit", str(jar_path()), folder, **lake) as port:
        yield port


def beeline(port: int, database: str, *statements: str) -> str:
    """Runs statements in a session that begins in a database, and returns what beeline prints."""
    asked = [part for statement in statements for part in ("-e", statement)]
    place = f"jdbc:hive2://127.0.0.1:{port}/{database}"
    command = [str(BIN / "beeline"), "-u", place, "-n", "me", "--outputformat=csv2", *asked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pyhive(port: int, *statements: str) -> list[Any]:
    """Runs statements in a session, and returns the rows of the last one."""
    hive = pytest.importorskip("pyhive.hive", reason="PyHive is not installed: pip install '.[test]'")
    connection = hive.connect("127.0.0.1", port, username="me")
    try:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        return list(cursor.fetchall())
    finally:
        connection.close()


def test_beeline_opens_sessions_one_after_another(port: int) -> None:
    assert pyhive(port, "SELECT 3 + 4") == [(7,)]
    statements = [
        "CREATE TABLE of_beeline USING lance AS SELECT id, CAST(id AS INT) AS v FROM range(10)",
        "DELETE FROM of_beeline WHERE id < 5",
        "MERGE INTO of_beeline t USING (SELECT 9L AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = -1",
        "OPTIMIZE of_beeline",
        "SELECT count(*) AS n, min(v) AS least FROM of_beeline",
    ]
    assert "\n5,-1\n" in beeline(port, "default", *statements)
    in_lake = ["CREATE NAMESPACE ns", "CREATE TABLE ns.t AS SELECT 8 AS a", "USE lake.ns", "SELECT a FROM t"]
    assert "\n8\n" in beeline(port, "lake", *in_lake)


def test_what_a_session_does_works_after_others_have_ended(port: int) -> None:
    for _ in range(2):
        assert pyhive(port, "SELECT 1") == [(1,)]
    rows = "(1, 'the old houses'), (2, 'a new house'), (3, 'trees')"
    creation = "CREATE TABLE texts (id INT, words STRING) USING lance"
    assert pyhive(port, creation, f"INSERT INTO texts VALUES {rows}", "SELECT count(*) FROM texts") == [(3,)]
    made = "CREATE INDEX in_words ON texts USING inverted (words) OPTIONS (language = 'English', stem = true)"
    assert len(pyhive(port, made, "SHOW INDEXES IN texts")) == 1
    found = "SELECT id FROM lance_fts('texts', 'words', 'house') ORDER BY id"
    assert pyhive(port, found) == [(1,), (2,)]
    assert pyhive(port, "UPDATE texts SET words = 'x' WHERE id = 3", "DESCRIBE HISTORY texts")[0][3] == "UPDATE"
    assert pyhive(port, "SELECT max(version) FROM texts.versions") == [(4,)]
    assert pyhive(port, "SELECT a FROM lake.ns.t") == [(8,)]


def test_lists_of_jdbc_are_those_of_the_session_catalog(port: int) -> None:
    """Spark's server asks no other catalog."""
    pyhive(port, "CREATE TABLE IF NOT EXISTS listed USING lance AS SELECT 1 AS a", "SELECT 1")
    pyhive(port, "CREATE NAMESPACE IF NOT EXISTS lake.eu", "CREATE TABLE lake.eu.flights AS SELECT 1 AS a", "SELECT 1")
    shown = ("SHOW NAMESPACES IN lake", "SHOW TABLES IN lake.eu")
    tables, found, of_lake = beeline(port, "default", "!tables", "SELECT 'and then' AS x", *shown).partition("and then")
    assert "listed" in tables
    assert "flights" not in tables
    assert found
    assert "\neu\n" in of_lake
    assert "flights" in of_lake
