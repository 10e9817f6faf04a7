"""Statements of Iceberg's and Delta Lake's documentation, with the outcomes in docs/other-sql.md."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from tests.spark.statements import (
    FILLED,
    MADE,
    ROWS,
    Mentions,
    Refused,
    Shows,
    Step,
    documented,
    run,
)

pytestmark = pytest.mark.slow

SYNTAX = "PARSE_SYNTAX_ERROR"
NO_TABLE = "TABLE_OR_VIEW_NOT_FOUND"
NESTED = (
    "CREATE TABLE {t} (id INT, point STRUCT<x: DOUBLE, y: DOUBLE>, points ARRAY<STRUCT<x: DOUBLE>>, "
    "named MAP<STRING, STRUCT<a: INT>>) USING lance"
)


def no_syntax(*statements: str) -> list[Step]:
    """Statements unknown to Spark's parser, on a shared table."""
    return [Refused(statement, SYNTAX) for statement in statements]


def no_procedure(*names: str) -> list[Step]:
    return [Refused(f"CALL lance.system.{name}('{{s}}')", f"has no procedure 'system.{name}'") for name in names]


ICEBERG: dict[str, list[Step]] = {
    "CREATE TABLE t (…) PARTITIONED BY (bucket(16, id), days(ts))": [
        Refused(
            "CREATE TABLE {t} (id BIGINT, ts TIMESTAMP) USING lance PARTITIONED BY (bucket(16, id), days(ts))",
            "PARTITIONED BY (bucket(16, id), days(ts)) has no meaning",
        ),
        Refused(
            "CREATE TABLE {t} USING lance PARTITIONED BY (truncate(4, a)) AS SELECT 'x' AS a",
            "PARTITIONED BY (truncate(4, a)) has no meaning",
        ),
    ],
    "REPLACE TABLE t … TBLPROPERTIES (…) AS SELECT …": [
        MADE + " TBLPROPERTIES (old = '1')",
        "REPLACE TABLE {t} USING lance TBLPROPERTIES (new = '2') AS SELECT 1 AS id, 'a' AS name",
        Shows("SHOW TBLPROPERTIES {t}", [("new", "2")]),
    ],
    "ALTER TABLE t SET TBLPROPERTIES ('comment' = '…')": [
        MADE,
        "ALTER TABLE {t} SET TBLPROPERTIES ('comment' = 'of old')",
        Mentions("DESCRIBE EXTENDED {t}", "of old"),
    ],
    "ALTER TABLE t SET TBLPROPERTIES ('read.split.target-size' = '…')": [
        MADE,
        "ALTER TABLE {t} SET TBLPROPERTIES ('read.split.target-size' = '268435456')",
        Shows("SHOW TBLPROPERTIES {t}", [("read.split.target-size", "268435456")]),
    ],
    "ALTER TABLE t ADD COLUMN point.z DOUBLE, points.element.z, named.value.z": [
        NESTED,
        "ALTER TABLE {t} ADD COLUMNS (point.z DOUBLE FIRST, points.element.z DOUBLE AFTER x, named.value.z DOUBLE)",
        Mentions("DESCRIBE {t}", "struct<z:double,x:double,y:double>"),
        Mentions("DESCRIBE {t}", "array<struct<x:double,z:double>>"),
        Mentions("DESCRIBE {t}", "map<string,struct<a:int,z:double>>"),
        "ALTER TABLE {t} RENAME COLUMN point.x TO lat",
        "ALTER TABLE {t} ALTER COLUMN point.y FIRST",
        "ALTER TABLE {t} DROP COLUMN point.z",
        Mentions("DESCRIBE {t}", "struct<y:double,lat:double>"),
    ],
    "ALTER TABLE t ADD PARTITION FIELD bucket(16, id), DROP, REPLACE": no_syntax(
        "ALTER TABLE {s} ADD PARTITION FIELD bucket(16, id) AS shard",
        "ALTER TABLE {s} DROP PARTITION FIELD shard",
        "ALTER TABLE {s} REPLACE PARTITION FIELD ts_day WITH day(ts)",
    ),
    "ALTER TABLE t WRITE ORDERED BY a, b DESC": [
        *no_syntax("ALTER TABLE {s} WRITE ORDERED BY name ASC NULLS LAST, id DESC"),
        *no_syntax("ALTER TABLE {s} WRITE LOCALLY ORDERED BY name", "ALTER TABLE {s} WRITE UNORDERED"),
        MADE,
        "ALTER TABLE {t} SET TBLPROPERTIES ('lance.write.orderColumns' = 'name, id desc')",
        "INSERT INTO {t} VALUES (2, 'b'), (1, 'a')",
        ROWS,
    ],
    "ALTER TABLE t WRITE DISTRIBUTED BY PARTITION": no_syntax("ALTER TABLE {s} WRITE DISTRIBUTED BY PARTITION"),
    "ALTER TABLE t SET IDENTIFIER FIELDS id, DROP IDENTIFIER FIELDS": no_syntax(
        "ALTER TABLE {s} SET IDENTIFIER FIELDS id", "ALTER TABLE {s} DROP IDENTIFIER FIELDS id"
    ),
    "CREATE OR REPLACE VIEW v (a COMMENT '…') TBLPROPERTIES (…) AS SELECT …": [
        "CREATE OR REPLACE VIEW {u} (a COMMENT 'of it') COMMENT 'a view' TBLPROPERTIES (k = 'v') AS SELECT id FROM {s}",
        Shows("SELECT a FROM {u}", [(1,), (2,)]),
        "ALTER VIEW {u} SET TBLPROPERTIES (k = 'w')",
        Mentions("SHOW TBLPROPERTIES {u}", "'w'"),
        "ALTER VIEW {u} UNSET TBLPROPERTIES (k)",
        Mentions("SHOW VIEWS", "{u}"),
        Mentions("SHOW CREATE TABLE {u}", "SELECT id FROM"),
        Mentions("DESCRIBE EXTENDED {u}", "VIEW"),
        "DROP VIEW {u}",
    ],
    "CREATE VIEW lance.v AS SELECT …": [
        Refused("CREATE VIEW lance.{u} AS SELECT 1 AS x", "does not support", "MISSING_CATALOG_ABILITY")
    ],
    "MERGE INTO t USING (SELECT …) s ON … WHEN MATCHED AND … THEN DELETE …": [
        "CREATE TABLE {t} (id INT, n INT) USING lance",
        "INSERT INTO {t} VALUES (1, 1), (2, NULL), (3, 3), (4, 4)",
        "MERGE INTO {t} t USING (SELECT * FROM VALUES (1, 'delete'), (2, 'add'), (3, 'add'), (5, 'new') AS v(id, op)) "
        "s ON t.id = s.id WHEN MATCHED AND s.op = 'delete' THEN DELETE "
        "WHEN MATCHED AND t.n IS NULL AND s.op = 'add' THEN UPDATE SET t.n = 0 "
        "WHEN MATCHED AND s.op = 'add' THEN UPDATE SET t.n = t.n + 1 "
        "WHEN NOT MATCHED AND s.op = 'new' THEN INSERT (id, n) VALUES (s.id, 9) "
        "WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN UPDATE SET n = -1",
        Shows("SELECT * FROM {t}", [(2, 0), (3, 4), (4, -1), (5, 9)]),
        "MERGE INTO {t} t USING (SELECT 2 AS id, 7 AS n) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE",
        Shows("SELECT * FROM {t}", [(2, 7)]),
        Refused(
            "MERGE INTO {t} t USING (SELECT id, id AS n FROM VALUES (2), (2) AS v(id)) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET *",
            "MERGE_CARDINALITY_VIOLATION",
        ),
    ],
    "INSERT OVERWRITE t PARTITION (level = 'INFO') SELECT …": [
        Refused("INSERT OVERWRITE {s} PARTITION (name = 'a') SELECT 1", "NON_PARTITION_COLUMN")
    ],
    "SET spark.sql.sources.partitionOverwriteMode = dynamic; INSERT OVERWRITE t SELECT …": [
        MADE,
        "INSERT INTO {t} VALUES (9, 'z')",
        "SET spark.sql.sources.partitionOverwriteMode = dynamic",
        Refused("INSERT OVERWRITE {t} SELECT * FROM {s}", "does not support dynamic overwrite"),
        "RESET spark.sql.sources.partitionOverwriteMode",
        "INSERT OVERWRITE {t} SELECT * FROM {s}",
        ROWS,
    ],
    "DELETE FROM t WHERE a < (SELECT …), WHERE EXISTS (SELECT …)": [
        MADE,
        "INSERT INTO {t} VALUES (0, 'x'), (1, 'a'), (2, 'b'), (3, 'c')",
        "DELETE FROM {t} WHERE id < (SELECT min(id) FROM {s})",
        "DELETE FROM {t} AS t1 WHERE NOT EXISTS (SELECT id FROM {s} WHERE t1.id = id)",
        ROWS,
    ],
    "UPDATE t SET … WHERE a < (SELECT …), WHERE EXISTS (SELECT …)": [
        MADE,
        "INSERT INTO {t} VALUES (1, 'x'), (2, 'y')",
        "UPDATE {t} SET name = 'a' WHERE id < (SELECT max(id) FROM {s})",
        "UPDATE {t} AS t1 SET name = 'b' WHERE EXISTS (SELECT 1 FROM {s} WHERE t1.id = id AND id > 1)",
        ROWS,
    ],
    "INSERT INTO t.branch_audit …, UPDATE, DELETE, MERGE": [
        MADE,
        FILLED,
        "ALTER TABLE {t} CREATE BRANCH audit",
        "INSERT INTO {t}.branch_audit VALUES (3, 'c'), (4, 'd')",
        "UPDATE {t}.branch_audit AS t1 SET name = 'z' WHERE id = 3",
        "DELETE FROM {t}.branch_audit WHERE id = 2",
        "MERGE INTO {t}.branch_audit t USING (SELECT 4 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
        Shows("SELECT * FROM {t}.branch_audit", [(1, "a"), (3, "z")]),
        ROWS,
    ],
    "SET spark.wap.branch = audit": [
        MADE,
        "SET spark.wap.branch = audit",
        FILLED,
        "RESET spark.wap.branch",
        ROWS,
    ],
    "ALTER TABLE t CREATE OR REPLACE BRANCH b, CREATE BRANCH b RETAIN 30 DAYS": [
        *no_syntax("ALTER TABLE {s} CREATE OR REPLACE BRANCH b", "ALTER TABLE {s} REPLACE BRANCH b AS OF VERSION 1"),
        Refused("ALTER TABLE {s} CREATE BRANCH b AS OF VERSION 1 RETAIN 30 DAYS", "RETAIN"),
    ],
    "SELECT … FROM t FOR SYSTEM_VERSION AS OF 1, FOR SYSTEM_TIME AS OF '…'": [
        Shows("SELECT * FROM {s} FOR SYSTEM_VERSION AS OF 1", []),
        Shows("SELECT id FROM {s} FOR SYSTEM_TIME AS OF '2999-01-01 00:00:00'", [(1,), (2,)]),
        Shows("SELECT id FROM {s} TIMESTAMP AS OF 32472144000", [(1,), (2,)]),
        Refused("SELECT * FROM {s} TIMESTAMP AS OF 499162860", "no version as old as"),
    ],
    "SELECT * FROM t.files": [Mentions("SELECT * FROM {s}.files", ".lance")],
    "SELECT * FROM t.history, t.snapshots, t.metadata_log_entries": [
        Refused(f"SELECT * FROM {{s}}.{name}", NO_TABLE) for name in ("history", "snapshots", "metadata_log_entries")
    ],
    "SELECT * FROM t.entries, t.manifests, t.partitions, t.position_deletes": [
        Refused(f"SELECT * FROM {{s}}.{name}", NO_TABLE)
        for name in ("entries", "manifests", "partitions", "position_deletes", "all_data_files")
    ],
    "SELECT * FROM t.refs": [Refused("SELECT * FROM {s}.refs", NO_TABLE)],
    "SELECT system.bucket(16, id), system.days(ts)": [
        Refused("SELECT lance.system.bucket(16, id) FROM {s}", "bucket"),
        Refused("SELECT system.days(current_timestamp())", "UNRESOLVED_ROUTINE"),
    ],
    "CALL lance.system.rollback_to_snapshot, rollback_to_timestamp, set_current_snapshot": no_procedure(
        "rollback_to_snapshot", "rollback_to_timestamp", "set_current_snapshot"
    ),
    "CALL lance.system.cherrypick_snapshot, publish_changes, fast_forward": no_procedure(
        "cherrypick_snapshot", "publish_changes", "fast_forward"
    ),
    "CALL lance.system.expire_snapshots, remove_orphan_files": no_procedure("expire_snapshots", "remove_orphan_files"),
    "CALL lance.system.rewrite_data_files, rewrite_manifests, rewrite_position_delete_files": no_procedure(
        "rewrite_data_files", "rewrite_manifests", "rewrite_position_delete_files"
    ),
    "CALL lance.system.snapshot": no_procedure("snapshot"),
    "CALL lance.system.register_table": [
        Refused("CALL lance.system.register_table('{s}', '/a/metadata.json')", "CREATE TABLE"),
    ],
    "CALL lance.system.migrate, add_files": no_procedure("migrate", "add_files"),
    "CALL lance.system.ancestors_of": no_procedure("ancestors_of"),
    "CALL lance.system.create_changelog_view": no_procedure("create_changelog_view"),
    "CALL lance.system.compute_table_stats, compute_partition_stats": no_procedure(
        "compute_table_stats", "compute_partition_stats"
    ),
    "CALL lance.system.rewrite_table_path": no_procedure("rewrite_table_path"),
}

DELTA: dict[str, list[Step]] = {
    "CREATE OR REPLACE TABLE lance./path (…) USING lance": [
        "CREATE OR REPLACE TABLE lance.`{tmp}/p` (id INT, name STRING) USING lance",
        "INSERT INTO lance.`{tmp}/p` VALUES (1, 'x'), (2, 'b'), (3, 'c')",
        "DELETE FROM lance.`{tmp}/p` WHERE id = 3",
        "UPDATE lance.`{tmp}/p` SET name = 'a' WHERE id = 1",
        "MERGE INTO lance.`{tmp}/p` p USING {s} ON p.id = {s}.id WHEN MATCHED THEN UPDATE SET *",
        Shows("SELECT * FROM lance.`{tmp}/p`", [(1, "a"), (2, "b")]),
    ],
    "CREATE TABLE t … TBLPROPERTIES (delta.appendOnly = true)": [
        MADE + " TBLPROPERTIES (delta.appendOnly = true)",
        FILLED,
        Shows("SHOW TBLPROPERTIES {t}", [("delta.appendOnly", "true")]),
        "DELETE FROM {t} WHERE id = 1",
    ],
    "ALTER TABLE t CHANGE COLUMN a DROP NOT NULL": [
        "CREATE TABLE {t} (id INT NOT NULL) USING lance",
        "ALTER TABLE {t} CHANGE COLUMN id DROP NOT NULL",
        "INSERT INTO {t} VALUES (NULL)",
        Shows("SELECT * FROM {t}", [(None,)]),
    ],
    "ALTER TABLE t ALTER COLUMN a SYNC IDENTITY": no_syntax("ALTER TABLE {s} ALTER COLUMN id SYNC IDENTITY"),
    "ALTER TABLE t ADD CONSTRAINT c CHECK (…), DROP CONSTRAINT c": [
        Refused("ALTER TABLE {s} ADD CONSTRAINT c CHECK (id > 0)", "constraint", SYNTAX),
        Refused("ALTER TABLE {s} DROP CONSTRAINT c", "constraint", SYNTAX),
    ],
    "ALTER TABLE t REPLACE COLUMNS (…)": [
        Refused("ALTER TABLE {s} REPLACE COLUMNS (id BIGINT, more STRING)", "REPLACE COLUMNS, which drops all values")
    ],
    "ALTER TABLE t DROP COLUMNS (a, b)": [
        NESTED,
        "ALTER TABLE {t} DROP COLUMNS (points, named)",
        Shows("SHOW COLUMNS IN {t}", [("id",), ("point",)]),
    ],
    "ALTER TABLE t DROP FEATURE deletionVectors": no_syntax("ALTER TABLE {s} DROP FEATURE deletionVectors"),
    "ALTER TABLE t CLUSTER BY NONE": [Refused("ALTER TABLE {s} CLUSTER BY NONE", "is not supported")],
    "UPDATE t SET s.f = …": [
        NESTED,
        "INSERT INTO {t} (id, point) VALUES (1, named_struct('x', 1D, 'y', 2D))",
        "UPDATE {t} SET point.y = 3D WHERE point.x = 1",
        Shows("SELECT id, point.x, point.y FROM {t}", [(1, 1.0, 3.0)]),
    ],
    "MERGE WITH SCHEMA EVOLUTION INTO t …": [
        MADE,
        FILLED,
        "MERGE WITH SCHEMA EVOLUTION INTO {t} t USING (SELECT 3 AS id, 'c' AS name, 7 AS more) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT *",
        Shows("SELECT * FROM {t}", [(1, "a", None), (2, "b", None), (3, "c", 7)]),
    ],
    "CREATE TABLE u SHALLOW CLONE t": [
        Refused("CREATE TABLE {u} SHALLOW CLONE {s}", "add LOCATION '/path'"),
        Refused("CREATE OR REPLACE TABLE {u} SHALLOW CLONE {s} VERSION AS OF 1", "OR REPLACE"),
        "CREATE TABLE lance.`{tmp}/clone` SHALLOW CLONE {s}",
        Shows("SELECT id FROM lance.`{tmp}/clone`", [(1,), (2,)]),
    ],
    "VACUUM t LITE, VACUUM t USING INVENTORY …": [
        Refused("VACUUM {s} LITE", "Write VACUUM table {[RETAIN number HOURS] [DRY RUN] | WITH (setting = value, …)}"),
        Refused(
            "VACUUM {s} USING INVENTORY i",
            "Write VACUUM table {[RETAIN number HOURS] [DRY RUN] | WITH (setting = value, …)}",
        ),
    ],
    "OPTIMIZE t FULL, WHERE …, ZORDER BY (…)": [
        Refused("OPTIMIZE {s} FULL", "Write OPTIMIZE table [WITH (setting = value, …)]."),
        Refused("OPTIMIZE {s} WHERE id > 1 ZORDER BY (id)", "OPTIMIZE with WHERE"),
        Refused("OPTIMIZE {s} ZORDER BY (id)", "OPTIMIZE with ZORDER"),
    ],
    "REORG TABLE t APPLY (PURGE)": no_syntax("REORG TABLE {s} APPLY (PURGE)"),
    "ANALYZE TABLE t COMPUTE DELTA STATISTICS": no_syntax("ANALYZE TABLE {s} COMPUTE DELTA STATISTICS"),
    "SELECT * FROM table_changes('t', 1, 2)": [
        Shows("SELECT id, _change_type FROM table_changes('{s}', 1, 2)", [(1, "insert"), (2, "insert")])
    ],
    "SELECT * FROM t@v1": [Shows("SELECT * FROM {s}@v1", []), Shows("SELECT id FROM {s}@v2", [(1,), (2,)])],
    "CONVERT TO DELTA parquet./path": [
        *no_syntax("CONVERT TO DELTA parquet.`{tmp}/x` PARTITIONED BY (day DATE)"),
        "CREATE TABLE parquet_{u} USING parquet AS SELECT * FROM {s}",
        "CREATE TABLE {t} USING lance AS SELECT * FROM parquet_{u}",
        "DROP TABLE parquet_{u}",
        ROWS,
    ],
    "GENERATE symlink_format_manifest FOR TABLE t": no_syntax("GENERATE symlink_format_manifest FOR TABLE {s}"),
    "COPY INTO t FROM '/path' FILEFORMAT = CSV": no_syntax("COPY INTO {s} FROM '{tmp}' FILEFORMAT = CSV"),
    "FSCK REPAIR TABLE t": no_syntax("FSCK REPAIR TABLE {s}"),
}

OTHERS = {"Statements of Apache Iceberg": ICEBERG, "Statements of Delta Lake": DELTA}
ALL = [(heading, statement) for heading, cases in OTHERS.items() for statement in cases]

# What older ones do otherwise, as the table says. Spark 4.0 has no values for columns that INSERT leaves out.
SINCE = {"MERGE WITH SCHEMA EVOLUTION INTO t …": "4.1", "UPDATE t SET s.f = …": "4.1", "SELECT * FROM t@v1": "4.3"}


def is_refused(steps: list[Step]) -> bool:
    return isinstance(next((step for step in steps if not isinstance(step, str)), None), Refused)


@pytest.mark.parametrize("heading", OTHERS)
def test_the_table_has_all_cases_but_some_that_work(heading: str) -> None:
    table, cases = documented("other-sql.md", heading), OTHERS[heading]
    assert list(table) == [statement for statement in cases if statement in table]
    assert [statement for statement, steps in cases.items() if is_refused(steps) and statement not in table] == []
    for statement, outcome in table.items():
        assert outcome.startswith(("works", "no effect", "refused")), statement
        assert outcome.startswith("refused") == is_refused(cases[statement]), statement


@pytest.fixture(scope="module")
def shared(spark: SparkSession) -> Iterator[str]:
    """A table that is only read, and that statements are refused of."""
    name = f"s_{uuid4().hex[:8]}"
    for statement in (MADE, FILLED):
        spark.sql(statement.replace("{t}", name)).collect()
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def names(spark: SparkSession, tmp: str, shared: str) -> Iterator[dict[str, str]]:
    t, u = (f"t_{uuid4().hex[:8]}" for _ in range(2))
    yield {"t": t, "u": u, "s": shared, "tmp": tmp}
    spark.sql(f"DROP TABLE IF EXISTS {t}")


@pytest.mark.parametrize(("heading", "statement"), ALL)
def test_statement(spark: SparkSession, names: dict[str, str], heading: str, statement: str) -> None:
    if pyspark_version < (since := SINCE.get(statement, "4.0")):
        pytest.skip(f"only from Spark {since} on")
    for step in OTHERS[heading][statement]:
        run(spark, step, names)
