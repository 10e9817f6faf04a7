"""Records of each kind of commit, as `DESCRIBE HISTORY` and pylance show them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import lance
import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

from sparklance import LanceDataset, LanceOperation, write_transaction
from sparklance.errors import as_lance_exception

MADE = "CREATE TABLE {t} (id INT, name STRING) USING lance"
FILLED = "INSERT INTO {t} SELECT /*+ COALESCE(1) */ * FROM VALUES (1, 'a'), (2, 'b')"
BYTES = "any"


@dataclass(frozen=True)
class Commit:
    """A statement, and what history shows of it. A value that is `BYTES` only has to be there."""

    sql: str
    operation: str
    parameters: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = (MADE, FILLED)


def written(rows: int, files: int = 1, removed: int = 0) -> dict[str, str]:
    return {
        "numOutputRows": str(rows),
        "numFiles": str(files),
        "numOutputBytes": BYTES,
        "numRemovedFiles": str(removed),
        "numRemovedBytes": BYTES,
    }


def changed(added: int = 0, removed: int = 0, **rows: int) -> dict[str, str]:
    files = {"numAddedFiles": str(added), "numRemovedFiles": str(removed)}
    return files | {"numAddedBytes": BYTES, "numRemovedBytes": BYTES} | {k: str(v) for k, v in rows.items()}


def merged(inserted: int, updated: int, deleted: int, added: int, removed: int) -> dict[str, str]:
    return {
        "numTargetRowsInserted": str(inserted),
        "numTargetRowsUpdated": str(updated),
        "numTargetRowsDeleted": str(deleted),
        "numTargetFilesAdded": str(added),
        "numTargetFilesRemoved": str(removed),
        "numTargetBytesAdded": BYTES,
        "numTargetBytesRemoved": BYTES,
    }


TWICE = (MADE, FILLED, FILLED)
AS_SELECT = "USING lance AS SELECT 1 AS id, 'a' AS name"
ADDED = "ALTER TABLE {t} ADD COLUMNS (a INT, b STRING)"

SQL = [
    Commit(MADE, "CREATE TABLE", {}, written(0, 0), ()),
    Commit(f"CREATE TABLE {{t}} {AS_SELECT}", "CREATE TABLE AS SELECT", {}, written(1), ()),
    Commit(f"CREATE OR REPLACE TABLE {{t}} {AS_SELECT}", "CREATE OR REPLACE TABLE AS SELECT", {}, written(1), ()),
    Commit(f"CREATE OR REPLACE TABLE {{t}} {AS_SELECT}", "CREATE OR REPLACE TABLE AS SELECT", {}, written(1, 1, 1)),
    Commit("CREATE OR REPLACE TABLE {t} (x INT) USING lance", "CREATE OR REPLACE TABLE", {}, written(0, 0, 1)),
    Commit(f"REPLACE TABLE {{t}} {AS_SELECT}", "REPLACE TABLE AS SELECT", {}, written(1, 1, 1)),
    Commit("REPLACE TABLE {t} (x INT) USING lance", "REPLACE TABLE", {}, written(0, 0, 1)),
    Commit("INSERT INTO {t} VALUES (3, 'c')", "WRITE", {"mode": "Append"}, written(1)),
    Commit("INSERT OVERWRITE {t} VALUES (3, 'c')", "WRITE", {"mode": "Overwrite"}, written(1, 1, 1)),
    Commit(
        "INSERT INTO {t} REPLACE WHERE id >= 2 SELECT /*+ COALESCE(1) */ * FROM VALUES (3, 'c'), (4, 'd')",
        "WRITE",
        {"mode": "Overwrite", "predicate": "id >= 2"},
        written(2) | {"numDeletedRows": "1"},
    ),
    Commit("TRUNCATE TABLE {t}", "TRUNCATE", {}, changed(0, 1, numDeletedRows=2)),
    Commit("DELETE FROM {t} WHERE upper(name) = 'A'", "DELETE", {}, changed(numDeletedRows=1)),
    Commit("DELETE FROM {t} WHERE upper(name) IN ('A', 'B')", "DELETE", {}, changed(0, 1, numDeletedRows=2)),
    Commit("DELETE FROM {t} WHERE _rowaddr = 0", "DELETE", {"predicate": "_rowaddr = 0"}, changed(numDeletedRows=1)),
    Commit("UPDATE {t} SET name = 'x' WHERE id = 1", "UPDATE", {}, changed(1, numUpdatedRows=1)),
    Commit(
        "MERGE INTO {t} USING (SELECT explode(array(1, 2, 3)) AS id) s ON {t}.id = s.id "
        "WHEN MATCHED AND s.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'x' "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'new')",
        "MERGE",
        {},
        merged(1, 1, 1, added=BYTES, removed=1),  # type: ignore[arg-type]
    ),
    Commit(ADDED, "ADD COLUMNS", {"columns": "a, b"}),
    Commit("ALTER TABLE {t} ADD COLUMN a INT DEFAULT 7", "ADD COLUMNS", {"columns": "a"}, changed(1)),
    Commit("ALTER TABLE {t} DROP COLUMN name", "DROP COLUMNS", {"columns": "name"}),
    Commit(
        "ALTER TABLE {t} RENAME COLUMN name TO called",
        "RENAME COLUMN",
        {"oldColumnPath": "name", "newColumnPath": "called"},
    ),
    Commit(
        "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT", "CHANGE COLUMN", {"column": "id", "type": "BIGINT"}, changed(1)
    ),
    Commit("ALTER TABLE {t} ALTER COLUMN id COMMENT 'x'", "CHANGE COLUMN", {"column": "id", "comment": "x"}),
    Commit("ALTER TABLE {t} ALTER COLUMN name FIRST", "CHANGE COLUMN", {"column": "name", "position": "FIRST"}),
    Commit("ALTER TABLE {t} ALTER COLUMN id SET DEFAULT 7", "CHANGE COLUMN", {"column": "id", "default": "7"}),
    Commit(
        "ALTER TABLE {t} SET TBLPROPERTIES ('lance.auto_cleanup.interval' = '5')",
        "SET TBLPROPERTIES",
        {"properties": "lance.auto_cleanup.interval=5"},
    ),
    Commit(
        "ALTER TABLE {t} UNSET TBLPROPERTIES ('lance.auto_cleanup.interval')",
        "UNSET TBLPROPERTIES",
        {"properties": "lance.auto_cleanup.interval"},
        before=(MADE, "ALTER TABLE {t} SET TBLPROPERTIES ('lance.auto_cleanup.interval' = '5')"),
    ),
    Commit("OPTIMIZE {t}", "OPTIMIZE", {}, changed(1, 2), TWICE),
    Commit(
        "RESTORE TABLE {t} TO VERSION AS OF 2",
        "RESTORE",
        {"version": "2"},
        {"numRestoredFiles": "0", "restoredFilesSize": "0", "numRemovedFiles": "1", "removedFilesSize": BYTES},
        TWICE,
    ),
    Commit("CALL lance.system.drop_columns('{t}', array('name'))", "DROP COLUMNS", {"columns": "name"}),
    Commit("CALL lance.system.add_null_columns('{t}', 'x INT, y INT')", "ADD COLUMNS", {"columns": "x, y"}),
    Commit("CALL lance.system.add_columns('{t}', map('x', 'id + 1'))", "ADD COLUMNS", {"columns": "x"}, changed(1)),
    Commit(
        "CALL lance.system.update_columns('{t}', map('id', 'id + 1'))", "UPDATE COLUMNS", {"columns": "id"}, changed(1)
    ),
    Commit(
        'CALL lance.system.alter_columns(\'{t}\', \'[{"path": "id", "name": "x"}]\')',
        "CHANGE COLUMNS",
        {"alterations": '[{"path": "id", "name": "x"}]'},
    ),
    Commit("CALL lance.system.enable_stable_row_ids('{t}')", "ENABLE STABLE ROW IDS"),
    Commit(
        "CALL lance.system.update_config('{t}', map('k', 'v', 'l', CAST(NULL AS STRING)))",
        "UPDATE CONFIG",
        {"properties": "k=v, l"},
    ),
    Commit("CALL lance.system.update_metadata('{t}', map('k', 'v'))", "UPDATE METADATA", {"properties": "k=v"}),
    Commit(
        "CALL lance.system.update_schema_metadata('{t}', map('k', 'v'), replace => true)",
        "UPDATE SCHEMA METADATA",
        {"properties": "k=v", "replace": "true"},
    ),
    Commit(
        "CALL lance.system.update_field_metadata('{t}', 'id', map('k', 'v'))",
        "UPDATE FIELD METADATA",
        {"field": "id", "properties": "k=v"},
    ),
]


@pytest.fixture
def name(spark: SparkSession) -> Iterator[str]:
    name = f"h_{uuid4().hex[:8]}"
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def last(spark: SparkSession, table: str) -> Row:
    row = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").first()
    assert row is not None
    return row


def check(row: Row, operation: str, parameters: dict[str, str], metrics: dict[str, str]) -> None:
    assert (row.operation, row.operationParameters) == (operation, parameters)
    assert {k: BYTES if metrics.get(k) == BYTES else v for k, v in row.operationMetrics.items()} == metrics
    assert all(int(value) >= 0 for value in row.operationMetrics.values())
    assert row.userName
    assert row.engineInfo.startswith("sparklance ")


@pytest.mark.parametrize("commit", SQL, ids=lambda commit: commit.sql)
def test_statement(spark: SparkSession, name: str, commit: Commit) -> None:
    for sql in commit.before:
        spark.sql(sql.replace("{t}", name))
    spark.sql(commit.sql.replace("{t}", name)).collect()
    shown = last(spark, name)
    check(shown, commit.operation, commit.parameters, commit.metrics)
    told = spark.sql(f"SELECT command, user_name, parameters, metrics FROM {name}.transactions").first()
    assert tuple(told or ()) == (shown.operation, shown.userName, shown.operationParameters, shown.operationMetrics)


Write = Callable[[SparkSession, str], object]


def lance_write(spark: SparkSession, path: str, mode: str) -> None:
    spark.range(3).coalesce(1).write.format("lance").mode(mode).save(path)


def uncommitted(spark: SparkSession, path: str) -> None:
    lance_write(spark, path, "error")
    LanceDataset.commit(spark, path, write_transaction(spark.range(2).coalesce(1), path, mode="append"))


SAVES: list[tuple[str, Write, str, dict[str, str], dict[str, str]]] = [
    ("error", lambda s, p: lance_write(s, p, "error"), "WRITE", {"mode": "ErrorIfExists"}, written(3)),
    ("ignore", lambda s, p: lance_write(s, p, "ignore"), "WRITE", {"mode": "Ignore"}, written(3)),
    ("append", lambda s, p: lance_write(s, p, "append"), "WRITE", {"mode": "Append"}, written(3)),
    ("overwrite", lambda s, p: lance_write(s, p, "overwrite"), "WRITE", {"mode": "Overwrite"}, written(3)),
    (
        "append twice",
        lambda s, p: [lance_write(s, p, "append") for _ in "12"],
        "WRITE",
        {"mode": "Append"},
        written(3),
    ),
    (
        "overwrite twice",
        lambda s, p: [lance_write(s, p, "overwrite") for _ in "12"],
        "WRITE",
        {"mode": "Overwrite"},
        written(3, 1, 1),
    ),
    ("uncommitted", uncommitted, "WRITE", {"mode": "Append"}, written(2)),
]


@pytest.mark.parametrize(
    ("write", "operation", "parameters", "metrics"), [s[1:] for s in SAVES], ids=[s[0] for s in SAVES]
)
def test_save(
    spark: SparkSession, tmp: str, write: Write, operation: str, parameters: dict[str, str], metrics: dict[str, str]
) -> None:
    write(spark, f"{tmp}/t")
    check(last(spark, f"'{tmp}/t'"), operation, parameters, metrics)


def test_new_columns_on_append(spark: SparkSession, tmp: str) -> None:
    lance_write(spark, f"{tmp}/t", "append")
    more = spark.range(2).selectExpr("id", "id AS x").coalesce(1).write.format("lance").option("mergeSchema", "true")
    more.mode("append").save(f"{tmp}/t")
    check(last(spark, f"'{tmp}/t'"), "WRITE", {"mode": "Append", "mergeSchema": "true"}, written(2))


@pytest.mark.parametrize("mode", ["append", "complete"])
def test_stream(spark: SparkSession, tmp: str, mode: str) -> None:
    spark.range(0).write.format("lance").save(f"{tmp}/t")
    spark.range(3).coalesce(1).write.parquet(f"{tmp}/source")
    rows = spark.readStream.schema("id BIGINT").parquet(f"{tmp}/source")
    if mode == "complete":
        rows = rows.groupBy().count().selectExpr("count AS id")
        spark.conf.set("spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled", "false")
        rows = rows.selectExpr("CASE WHEN true THEN id END AS id")
    query = rows.writeStream.format("lance").outputMode(mode).option("checkpointLocation", f"{tmp}/c")
    query.trigger(availableNow=True).start(f"{tmp}/t").awaitTermination()
    row = last(spark, f"'{tmp}/t'")
    assert row.operation == "STREAMING UPDATE"
    assert row.operationParameters | {"queryId": "q"} == {"outputMode": mode.title(), "queryId": "q", "epochId": "0"}
    assert row.operationMetrics["numOutputRows"] == ("3" if mode == "append" else "1")
    assert row.operationMetrics["numAddedFiles"] == "1"


def test_a_branch_and_a_clone_begin_with_what_made_them(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    lance_write(spark, path, "append")
    spark.sql(f"ALTER TABLE '{path}' CREATE BRANCH side")
    check(last(spark, f"'{path}/tree/side'"), "CREATE BRANCH", {"branch": "side", "sourceVersion": "1"}, {})
    spark.sql(f"CALL lance.system.shallow_clone('{path}', '{tmp}/clone')")
    row = last(spark, f"'{tmp}/clone'")
    check(row, "CLONE", {"source": row.operationParameters["source"], "sourceVersion": "1", "isShallow": "true"}, {})
    assert row.operationParameters["source"].endswith("/t")
    for copy in (f"{path}/tree/side", f"{tmp}/clone"):
        assert lance.dataset(copy).count_rows() == 3


def test_other_software_has_the_names_of_the_format(spark: SparkSession, tmp: str) -> None:
    lance.write_dataset(pa.table({"a": [1]}), f"{tmp}/t")
    row = last(spark, f"'{tmp}/t'")
    assert (row.operation, row.transaction, row.userName) == ("Overwrite", "Overwrite", None)
    assert (row.operationParameters, row.operationMetrics) == (None, None)
    assert row.engineInfo.startswith("lance")


def test_a_transaction_of_other_software_is_recorded_as_a_commit(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    lance_write(spark, path, "append")
    LanceDataset.commit(spark, path, LanceOperation.UpdateConfig(LanceOperation.UpdateMap({"k": "v"})), read_version=1)
    check(last(spark, f"'{path}'"), "COMMIT", {"operation": "UpdateConfig"}, {})


def test_pylance_reads_the_properties_and_rows_stay(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    spark.range(3).coalesce(1).write.format("lance").option("commit.job", "nightly").save(path)
    found = lance.dataset(path).read_transaction(1).transaction_properties
    assert found["job"] == "nightly"
    assert found["sparklance.command"] == "WRITE"
    assert found["sparklance.parameter.mode"] == "ErrorIfExists"
    assert found["sparklance.rowsInserted"] == "3"
    assert found["sparklance.filesAdded"] == "1"
    assert int(found["sparklance.bytesAdded"]) == sum(f.stat().st_size for f in Path(path, "data").iterdir())
    lance.dataset(path).validate()
    assert lance.dataset(path).to_table().to_pydict() == {"id": [0, 1, 2]}


@pytest.mark.parametrize(
    "options",
    [
        {"commit.sparklance.command": "x"},
        {"commit.Sparklance.anything": "x"},
        {"commit.message": "a", "commit.__lance_commit_message": "b"},
    ],
)
def test_a_note_with_a_name_of_ours_is_refused(spark: SparkSession, tmp: str, options: dict[str, str]) -> None:
    with pytest.raises(Exception, match=r"commit\.") as caught:
        spark.range(1).write.format("lance").options(**options).save(f"{tmp}/t")
    assert "commit." in str(as_lance_exception(caught.value))
    assert not Path(tmp, "t").exists()


@pytest.mark.classic("the test knows whom the session belongs to")
def test_the_user_is_the_sessions(spark: SparkSession, tmp: str) -> None:
    lance_write(spark, f"{tmp}/t", "append")
    assert last(spark, f"'{tmp}/t'").userName == spark.sparkContext.sparkUser()
