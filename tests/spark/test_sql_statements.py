"""Each statement of the session catalog's table in docs/sql.md, with the outcome that it has there."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from tests.spark.statements import (
    EMPTY,
    EXTERNAL,
    FILLED,
    MADE,
    ROWS,
    Mentions,
    Refused,
    Shows,
    Step,
    documented,
    fill,
    run,
)

CASES: dict[str, list[Step]] = {
    "CREATE TABLE t (…) USING lance": [MADE, EMPTY, Mentions("DESCRIBE EXTENDED {t}", "MANAGED")],
    "CREATE TABLE t (…) USING lance LOCATION '…'": [
        EXTERNAL,
        FILLED,
        Shows("SELECT * FROM lance.`{tmp}/t`", [(1, "a"), (2, "b")]),
        Mentions("DESCRIBE EXTENDED {t}", "EXTERNAL"),
    ],
    "CREATE TABLE t USING lance LOCATION '…'": [
        "CREATE TABLE lance.`{tmp}/t` USING lance AS SELECT 1 AS x",
        "CREATE TABLE {t} USING lance LOCATION '{tmp}/t' COMMENT 'found'",
        Shows("SELECT x FROM {t}", [(1,)]),
        Refused("CREATE TABLE {u} (y STRING) USING lance LOCATION '{tmp}/t'", "has other columns"),
    ],
    "CREATE TABLE IF NOT EXISTS t …": [
        MADE,
        FILLED,
        "CREATE TABLE IF NOT EXISTS {t} (x INT) USING lance",
        ROWS,
        Refused("CREATE TABLE {t} (x INT) USING lance", "TABLE_OR_VIEW_ALREADY_EXISTS"),
    ],
    "CREATE TABLE t USING lance AS SELECT …": [
        Refused("CREATE TABLE {t} USING lance AS SELECT raise_error('no') || '' AS x", "no"),
        Refused("SELECT * FROM {t}", "TABLE_OR_VIEW_NOT_FOUND"),
        "CREATE TABLE {t} USING lance AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, name)",
        ROWS,
        Shows("SELECT version FROM (SELECT 1 AS version)", [(1,)]),
    ],
    "CREATE TABLE t … COMMENT '…' TBLPROPERTIES (…)": [
        MADE + " COMMENT 'about t' TBLPROPERTIES (k = 'v')",
        Mentions("DESCRIBE EXTENDED {t}", "about t"),
        Shows("SHOW TBLPROPERTIES {t}", [("k", "v")]),
        Refused("CREATE TABLE {u} (id INT) USING lance TBLPROPERTIES ('lance.nope' = '1')", "no property 'lance.nope'"),
    ],
    "CREATE TABLE t … OPTIONS (…)": [
        MADE + " OPTIONS (dataStorageVersion = '2.1')",
        Shows("SELECT 1", [(1,)]),
        Refused("CREATE TABLE {u} (id INT) USING lance OPTIONS (dataStorageVersoin = '2.1')", "'dataStorageVersion'"),
    ],
    "CREATE TABLE t (a INT NOT NULL)": [
        "CREATE TABLE {t} (a INT NOT NULL) USING lance",
        Refused("INSERT INTO {t} SELECT CAST(NULL AS INT)", "NOT_NULL"),
        Mentions("SHOW CREATE TABLE {t}", "a INT NOT NULL"),
    ],
    "CREATE TABLE t (a INT DEFAULT …)": [
        "CREATE TABLE {t} (id INT, a INT DEFAULT 2 + 3) USING lance",
        "INSERT INTO {t} VALUES (1, DEFAULT)",
        Shows("SELECT * FROM {t}", [(1, 5)]),
        Mentions("SHOW CREATE TABLE {t}", "a INT DEFAULT 2 + 3"),
    ],
    "CREATE TABLE t (…) PARTITIONED BY (…)": [
        Refused("CREATE TABLE {t} (id INT, b INT) USING lance PARTITIONED BY (b)", "PARTITIONED BY (b) has no meaning"),
        Refused("SELECT * FROM {t}", "TABLE_OR_VIEW_NOT_FOUND"),
    ],
    "CREATE TABLE t (…) CLUSTER BY (…)": [
        Refused("CREATE TABLE {t} (id INT) USING lance CLUSTER BY (id)", "CLUSTER BY (id) has no meaning")
    ],
    "CREATE TABLE t (a INT GENERATED ALWAYS AS (…))": [
        Refused("CREATE TABLE {t} (id INT, a INT GENERATED ALWAYS AS (id + 1)) USING lance", "generated columns")
    ],
    "CREATE TABLE t (a BIGINT GENERATED ALWAYS AS IDENTITY)": [
        Refused("CREATE TABLE {t} (a BIGINT GENERATED ALWAYS AS IDENTITY) USING lance", "identity column")
    ],
    "CREATE TABLE t (a INT CHECK (…))": [
        Refused("CREATE TABLE {t} (a INT CHECK (a > 0)) USING lance", "constraint", "PARSE_SYNTAX_ERROR")
    ],
    "CREATE TABLE t (a INT PRIMARY KEY)": [
        Refused("CREATE TABLE {t} (a INT PRIMARY KEY) USING lance", "constraint", "PARSE_SYNTAX_ERROR")
    ],
    "CREATE TABLE u LIKE t": [MADE],
    "REPLACE TABLE t …, CREATE OR REPLACE TABLE t …": [
        MADE,
        FILLED,
        Refused("REPLACE TABLE {t} USING lance AS SELECT raise_error('no') || '' AS x", "no"),
        ROWS,
        "REPLACE TABLE {t} USING lance AS SELECT 'x' AS y",
        Shows("SELECT * FROM {t}", [("x",)]),
        "CREATE OR REPLACE TABLE {t} USING lance AS SELECT * FROM {t} VERSION AS OF 2",
        ROWS,
    ],
    "CREATE OR REPLACE TABLE t USING parquet …": [
        MADE,
        FILLED,
        Refused("CREATE OR REPLACE TABLE {t} USING parquet AS SELECT 1 AS x", "REPLACE TABLE", "cannot be replaced"),
        ROWS,
    ],
    "INSERT INTO t …": [MADE, FILLED, ROWS],
    "INSERT INTO t (a) …": [
        "CREATE TABLE {t} (id INT, name STRING DEFAULT 'b') USING lance",
        "INSERT INTO {t} (name, id) VALUES ('a', 1)",
        "INSERT INTO {t} (id) VALUES (2)",
        ROWS,
    ],
    "INSERT INTO t BY NAME …": [
        MADE,
        "INSERT INTO {t} BY NAME SELECT 'a' AS name, 1 AS id",
        "INSERT INTO {t} VALUES (2, 'b')",
        ROWS,
    ],
    "INSERT OVERWRITE t …": [
        MADE,
        "INSERT INTO {t} VALUES (9, 'z')",
        "INSERT OVERWRITE {t} VALUES (1, 'a'), (2, 'b')",
        ROWS,
        Shows("SELECT * FROM {t} VERSION AS OF 2", [(9, "z")]),
    ],
    "INSERT INTO t REPLACE WHERE …": [
        MADE,
        "INSERT INTO {t} VALUES (1, 'a'), (9, 'z')",
        "INSERT INTO {t} REPLACE WHERE id = 9 VALUES (2, 'b')",
        ROWS,
    ],
    "INSERT INTO t PARTITION (…) …": [
        MADE,
        Refused("INSERT INTO {t} PARTITION (id = 1) VALUES ('a')", "NON_PARTITION_COLUMN"),
    ],
    "LOAD DATA INPATH … INTO TABLE t": [
        MADE,
        Refused("LOAD DATA INPATH '/x' INTO TABLE {t}", "LOAD DATA is not supported"),
    ],
    "DELETE, UPDATE, MERGE": [
        MADE,
        "INSERT INTO {t} VALUES (1, 'x'), (3, 'c')",
        "DELETE FROM {t} WHERE id = 3",
        "UPDATE {t} SET name = 'a' WHERE id = 1",
        "MERGE INTO {t} USING (SELECT 2 AS id, 'b' AS name) s ON {t}.id = s.id WHEN NOT MATCHED THEN INSERT *",
        ROWS,
    ],
    "TRUNCATE TABLE t": [
        MADE,
        FILLED,
        "TRUNCATE TABLE {t}",
        EMPTY,
        Shows("SELECT id FROM {t} VERSION AS OF 2", [(1,), (2,)]),
    ],
    "SELECT … FROM t VERSION AS OF 1": [
        MADE,
        FILLED,
        "CALL lance.system.create_tag('{t}', 'filled', 2)",
        "CALL lance.system.create_branch('{t}', 'side', 1)",
        Shows("SELECT * FROM {t} VERSION AS OF 1", []),
        Shows("SELECT id FROM {t} VERSION AS OF 'filled'", [(1,), (2,)]),
        Shows("SELECT id FROM {t} VERSION AS OF 'side'", []),
        Refused("SELECT * FROM {t} VERSION AS OF 9", "no version 9"),
        Refused("SELECT * FROM {t} VERSION AS OF 'nope'", "no tag and no branch 'nope'"),
    ],
    "SELECT … FROM t TIMESTAMP AS OF …": [
        MADE,
        FILLED,
        Shows("SELECT id FROM {t} TIMESTAMP AS OF current_timestamp()", [(1,), (2,)]),
        Refused("SELECT * FROM {t} TIMESTAMP AS OF '2001-01-01'", "no version as old as"),
    ],
    "DESCRIBE t, DESCRIBE EXTENDED t": [
        MADE + " COMMENT 'about t'",
        FILLED,
        Shows("DESCRIBE {t}", [("id", "int", None), ("name", "string", None)]),
        Mentions("DESCRIBE EXTENDED {t}", "_rowaddr"),
        Mentions("DESCRIBE EXTENDED {t}", "about t"),
        Mentions("DESCRIBE EXTENDED {t}", "2 rows"),
    ],
    "DESCRIBE t a": [MADE, Mentions("DESCRIBE {t} name", "string"), Refused("DESCRIBE {t} nope", "nope")],
    "SHOW CREATE TABLE t": [
        "CREATE TABLE {t} (id INT COMMENT 'number') USING lance LOCATION '{tmp}/t' COMMENT 'about t' "
        "TBLPROPERTIES (k = 'v')",
        *[
            Mentions("SHOW CREATE TABLE {t}", text)
            for text in ("id INT COMMENT 'number'", "USING lance", "LOCATION", "about t", "'k' = 'v'")
        ],
    ],
    "SHOW TBLPROPERTIES t": [
        MADE + " TBLPROPERTIES (k = 'v')",
        Shows("SHOW TBLPROPERTIES {t} ('k')", [("k", "v")]),
        Mentions("SHOW TBLPROPERTIES {t} ('nope')", "does not have property"),
    ],
    "SHOW COLUMNS IN t": [MADE, Shows("SHOW COLUMNS IN {t}", [("id",), ("name",)])],
    "SHOW TABLES, SHOW TABLE EXTENDED": [
        MADE,
        Shows("SHOW TABLES LIKE '{t}'", [("default", "{t}", False)]),
        Mentions("SHOW TABLE EXTENDED LIKE '{t}'", "Provider: lance"),
    ],
    "SHOW PARTITIONS t": [MADE, Refused("SHOW PARTITIONS {t}", "does not support partition management")],
    "ALTER TABLE t SET TBLPROPERTIES (…), UNSET": [
        MADE,
        "ALTER TABLE {t} SET TBLPROPERTIES (k = 'v', 'lance.auto_cleanup.interval' = '5')",
        Shows("SHOW TBLPROPERTIES {t}", [("k", "v"), ("lance.auto_cleanup.interval", "5")]),
        "ALTER TABLE {t} UNSET TBLPROPERTIES (k, 'lance.auto_cleanup.interval')",
        "ALTER TABLE {t} UNSET TBLPROPERTIES IF EXISTS (nope)",
        Shows("SHOW TBLPROPERTIES {t}", []),
        Refused("ALTER TABLE {t} SET TBLPROPERTIES (provider = 'x')", "reserved"),
        Refused("ALTER TABLE {t} SET TBLPROPERTIES ('lance.write.compresion' = 'zstd')", "'compression'"),
    ],
    "COMMENT ON TABLE t IS '…'": [
        MADE,
        "COMMENT ON TABLE {t} IS 'new words'",
        Mentions("DESCRIBE EXTENDED {t}", "new words"),
        "COMMENT ON TABLE {t} IS NULL",
    ],
    "ALTER TABLE t RENAME TO u": [
        MADE,
        FILLED,
        "ALTER TABLE {t} RENAME TO {u}",
        Refused("SELECT * FROM {t}", "TABLE_OR_VIEW_NOT_FOUND"),
        "ALTER TABLE {u} RENAME TO {t}",
        ROWS,
        Refused("ALTER TABLE {t} RENAME TO other.{t}", "do not match"),
    ],
    "ALTER TABLE t SET LOCATION '…'": [
        EXTERNAL,
        "CREATE TABLE lance.`{tmp}/u` USING lance AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(id, name)",
        "ALTER TABLE {t} SET LOCATION '{tmp}/u'",
        ROWS,
        Refused("ALTER TABLE {t} SET LOCATION '{tmp}/nothing'", "no Lance table at"),
        "CREATE TABLE {u} (id INT, name STRING) USING lance",
        Refused("ALTER TABLE {u} SET LOCATION '{tmp}/u'", "it is managed"),
    ],
    "ALTER TABLE t ADD COLUMN …, RENAME, DROP": [
        MADE,
        FILLED,
        "ALTER TABLE {t} ADD COLUMN more INT",
        "ALTER TABLE {t} RENAME COLUMN name TO called",
        Shows("SELECT id, called, more FROM {t}", [(1, "a", None), (2, "b", None)]),
        "ALTER TABLE {t} DROP COLUMN more",
        ROWS,
    ],
    "ALTER TABLE t ADD COLUMN a T DEFAULT …": [
        MADE,
        FILLED,
        "ALTER TABLE {t} ADD COLUMN more INT DEFAULT 7",
        Shows("SELECT id, more FROM {t}", [(1, 7), (2, 7)]),
    ],
    "ALTER TABLE t ALTER COLUMN a TYPE …": [
        MADE,
        FILLED,
        "ALTER TABLE {t} ADD COLUMN more INT DEFAULT 7",
        "ALTER TABLE {t} ALTER COLUMN more TYPE BIGINT",
        "INSERT INTO {t} SELECT id + 2, name, 3000000000 FROM {t} WHERE id = 1",
        Shows("SELECT id, more FROM {t}", [(1, 7), (2, 7), (3, 3000000000)]),
    ],
    "ALTER TABLE t ALTER COLUMN a …": [
        MADE,
        FILLED,
        "ALTER TABLE {t} ALTER COLUMN name COMMENT 'of it'",
        "ALTER TABLE {t} ALTER COLUMN name FIRST",
        "ALTER TABLE {t} ALTER COLUMN name SET DEFAULT 'none'",
        "INSERT INTO {t} VALUES (DEFAULT, 3)",
        "ALTER TABLE {t} ALTER COLUMN name DROP DEFAULT",
        "INSERT INTO {t} VALUES (DEFAULT, 4)",
        Shows("SELECT * FROM {t}", [("a", 1), ("b", 2), ("none", 3), (None, 4)]),
    ],
    "ALTER TABLE t ADD PARTITION, RECOVER PARTITIONS": [
        MADE,
        Refused("ALTER TABLE {t} ADD PARTITION (id = 1)", "does not support partition management"),
        Refused("ALTER TABLE {t} RECOVER PARTITIONS", "is not supported"),
    ],
    "ALTER TABLE t SET SERDE …": [MADE, Refused("ALTER TABLE {t} SET SERDE 'x'", "is not supported")],
    "ALTER TABLE t CLUSTER BY (…)": [MADE, Refused("ALTER TABLE {t} CLUSTER BY (id)", "is not supported")],
    "ANALYZE TABLE t …": [
        MADE,
        Refused("ANALYZE TABLE {t} COMPUTE STATISTICS", "ANALYZE TABLE is not supported"),
        Refused("ANALYZE TABLE {t} COMPUTE STATISTICS FOR ALL COLUMNS", "ANALYZE TABLE is not supported"),
    ],
    "MSCK REPAIR TABLE t": [MADE, Refused("MSCK REPAIR TABLE {t}", "MSCK REPAIR TABLE is not supported")],
    "REFRESH TABLE t": [MADE, FILLED, "REFRESH TABLE {t}", ROWS],
    "CACHE TABLE t, UNCACHE": [
        MADE,
        "CACHE TABLE {t}",
        EMPTY,
        FILLED,
        ROWS,
        "UNCACHE TABLE {t}",
        ROWS,
    ],
    "CREATE VIEW v AS SELECT … FROM t": [
        MADE,
        "CREATE VIEW {u} AS SELECT name FROM {t}",
        FILLED,
        Shows("SELECT * FROM {u}", [("a",), ("b",)]),
        "ALTER VIEW {u} AS SELECT id FROM {t}",
        Shows("SELECT * FROM {u}", [(1,), (2,)]),
        "DROP VIEW {u}",
    ],
    "CREATE INDEX … ON t": [MADE, Refused("CREATE INDEX i ON TABLE {t} (id)", "not supported")],
    "DROP TABLE t": [
        EXTERNAL,
        FILLED,
        "DROP TABLE {t}",
        Shows("SELECT id FROM lance.`{tmp}/t`", [(1,), (2,)]),
        "DROP TABLE IF EXISTS {t}",
        Refused("DROP TABLE {t}", "TABLE_OR_VIEW_NOT_FOUND"),
        "CREATE TABLE {t} (x INT) USING lance",
        "DROP TABLE {t}",
        MADE,
    ],
    "DROP TABLE t PURGE": [MADE, "DROP TABLE {t} PURGE", MADE],
    "EXPLAIN SELECT … FROM t": [MADE, Mentions("EXPLAIN SELECT id FROM {t}", "columns [id]")],
}

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


OWN = {
    "OPTIMIZE t": ("OPTIMIZE {t}", "compact('{t}')"),
    "VACUUM t [RETAIN n HOURS] [DRY RUN]": (
        "VACUUM {t} RETAIN 0 HOURS DRY RUN",
        "cleanup('{t}', older_than => '0 hours', dry_run => true)",
    ),
    "DESCRIBE HISTORY t [LIMIT n]": ("DESCRIBE HISTORY {t} LIMIT 2", "history('{t}', limit => 2)"),
    "DESCRIBE DETAIL t": ("DESCRIBE DETAIL '{tmp}/t'", "detail('{t}')"),
    "SHOW TAGS IN t": ("SHOW TAGS IN {t}", "tags('{t}')"),
    "SHOW BRANCHES IN t": ("SHOW BRANCHES FROM '{tmp}/t'", "branches('{t}')"),
}


# Those that change something, and what it comes to.
CHANGES: dict[str, list[Step]] = {
    "RESTORE TABLE t TO VERSION AS OF n": [
        MADE,
        FILLED,
        "TRUNCATE TABLE {t}",
        "RESTORE TABLE {t} TO VERSION AS OF 2",
        ROWS,
        "RESTORE TABLE {t} TO VERSION AS OF 1",
        EMPTY,
        "RESTORE TABLE {t} TO TIMESTAMP AS OF '2999-01-01'",
        EMPTY,
        Refused("RESTORE TABLE {t} TO VERSION AS OF 99", "no version 99"),
        Refused("RESTORE TABLE {t} TO TIMESTAMP AS OF '2001-01-01'", "no version as old as"),
    ],
    "ALTER TABLE t CREATE TAG v [AS OF VERSION n]": [
        MADE,
        FILLED,
        "ALTER TABLE {t} CREATE TAG `v-1`",
        Shows("SELECT id FROM {t} VERSION AS OF 'v-1'", [(1,), (2,)]),
        "ALTER TABLE {t} CREATE TAG v0 AS OF VERSION 1",
        Shows("SELECT id FROM {t}.tag_v0", []),
        Refused("ALTER TABLE {t} CREATE TAG v0", "v0"),
    ],
    "ALTER TABLE t REPLACE TAG v AS OF VERSION n": [
        MADE,
        FILLED,
        "ALTER TABLE {t} CREATE TAG v",
        "ALTER TABLE {t} REPLACE TAG v AS OF VERSION 1",
        Shows("SELECT id FROM {t}.tag_v", []),
    ],
    "ALTER TABLE t DROP TAG v": [
        MADE,
        "ALTER TABLE {t} CREATE TAG v",
        "ALTER TABLE {t} DROP TAG v",
        Refused("SELECT id FROM {t} VERSION AS OF 'v'", "no tag and no branch 'v'"),
    ],
    "ALTER TABLE t CREATE BRANCH b [AS OF VERSION n]": [
        MADE,
        FILLED,
        "ALTER TABLE {t} CREATE BRANCH `audit-branch` AS OF VERSION 1",
        Shows("SELECT * FROM {t}.`branch_audit-branch`", []),
        "INSERT INTO {t}.`branch_audit-branch` VALUES (9, 'z')",
        ROWS,
    ],
    "ALTER TABLE t DROP BRANCH b": [
        MADE,
        "ALTER TABLE {t} CREATE BRANCH b",
        "ALTER TABLE {t} DROP BRANCH b",
        Refused("SELECT * FROM {t} VERSION AS OF 'b'", "no tag and no branch 'b'"),
    ],
}


def test_statements_of_our_own_are_calls(spark: SparkSession, names: dict[str, str]) -> None:
    for step in (
        EXTERNAL,
        FILLED,
        "OPTIMIZE {t}",
        Refused("OPTIMIZE {t} WHERE id = 1", "OPTIMIZE with WHERE"),
        "ALTER TABLE {t} CREATE TAG v1",
        "ALTER TABLE {t} CREATE BRANCH side",
        Refused("SHOW TAGS IN {t} LIMIT 1", "makes no sense here. Write SHOW TAGS IN table"),
    ):
        run(spark, step, names)
    assert list(documented("sql.md", "Statements of our own")) == [*OWN, *CHANGES]
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
