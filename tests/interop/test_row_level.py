"""DELETE, UPDATE and MERGE by Spark: the same rows, ids and versions as by pylance, and every value as it was."""

from collections.abc import Callable
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sparklance.errors import UnsupportedLanceFeatureException, as_lance_exception
from tests.interop.compare import assert_same
from tests.interop.generate import COLUMNS, FOREIGN, dictionary, table

SCHEMA = pa.schema([("id", pa.int64()), ("value", pa.int64()), ("name", pa.string())])
TOLD = ["_row_created_at_version", "_row_last_updated_at_version"]


def numbers(start: int, stop: int) -> pa.Table:
    ids = range(start, stop)
    names = [None if i % 7 == 0 else f"n{i % 10}" for i in ids]
    return pa.table({"id": ids, "value": [i * 3 for i in ids], "name": names}, SCHEMA)


def rows(path: str) -> list[dict]:
    dataset = lance.dataset(path)
    dataset.validate()
    columns = [*SCHEMA.names, *TOLD] if dataset.has_stable_row_ids else SCHEMA.names
    found = dataset.to_table(columns=columns, with_row_id=dataset.has_stable_row_ids).to_pylist()
    return sorted(found, key=lambda row: row["id"])


def upsert(dataset: lance.LanceDataset) -> None:
    builder = dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    builder.execute(numbers(950, 1050).set_column(1, "value", pa.array([-1] * 100)))


def replace(dataset: lance.LanceDataset) -> None:
    builder = dataset.merge_insert("id").when_matched_update_all("target.value > 1500")
    builder.when_not_matched_by_source_delete("id < 30").execute(numbers(20, 700))


#: by Spark, and by pylance
STATEMENTS: list[tuple[str, Callable[[lance.LanceDataset], object]]] = [
    ("DELETE FROM {t} WHERE id % 7 = 3 OR name = 'n9'", lambda d: d.delete("id % 7 = 3 OR name = 'n9'")),
    (
        "UPDATE {t} SET value = value * 2, name = concat(name, '!') WHERE id >= 500 AND id < 700",
        lambda d: d.update({"value": "value * 2", "name": "name || '!'"}, where="id >= 500 AND id < 700"),
    ),
    (
        "MERGE INTO {t} t USING source s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        upsert,
    ),
    (
        "MERGE INTO {t} t USING other s ON t.id = s.id WHEN MATCHED AND t.value > 1500 THEN UPDATE SET * "
        "WHEN NOT MATCHED BY SOURCE AND t.id < 30 THEN DELETE",
        replace,
    ),
    ("UPDATE {t} SET name = NULL WHERE value = -1", lambda d: d.update({"name": "NULL"}, where="value = -1")),
    ("DELETE FROM {t} WHERE id >= 0", lambda d: d.delete("id >= 0")),
]


@pytest.mark.parametrize(("version", "stable"), [("2.0", False), ("2.1", True), ("2.2", True), ("2.2", False)])
def test_statements_do_what_pylance_does(spark: SparkSession, tmp: str, version: str, stable: bool) -> None:
    ours, theirs = f"{tmp}/ours.lance", f"{tmp}/theirs.lance"
    for path in (ours, theirs):
        lance.write_dataset(
            numbers(0, 1000), path, max_rows_per_file=300, data_storage_version=version, enable_stable_row_ids=stable
        )
    source = numbers(950, 1050).set_column(1, "value", pa.array([-1] * 100))
    spark.createDataFrame(source).createOrReplaceTempView("source")
    spark.createDataFrame(numbers(20, 700)).createOrReplaceTempView("other")
    for statement, same in STATEMENTS:
        spark.sql(statement.format(t=f"lance.`{ours}`"))
        same(lance.dataset(theirs))
        expected, actual = rows(theirs), rows(ours)
        # Which of the new rows gets which of the new ids is nobody's promise.
        assert {row.get("_rowid") for row in actual} == {row.get("_rowid") for row in expected}
        for row in (*expected, *actual):
            if row["id"] >= 1000:
                row.pop("_rowid", None)
        assert actual == expected, statement
        live = {f.fragment_id: f.count_rows() for f in lance.dataset(ours).get_fragments() if f.fragment_id < 4}
        assert live == {
            f.fragment_id: f.count_rows() for f in lance.dataset(theirs).get_fragments() if f.fragment_id < 4
        }
    assert lance.dataset(ours).version == 7


def halves_updated(spark: SparkSession, path: str, written: pa.Table, **options: object) -> None:
    """Every second row is rewritten; then all are unchanged, or the statement names what it cannot do."""
    before = written.append_column("id", pa.array(range(written.num_rows), pa.int64()))
    lance.write_dataset(before, path, **options)
    before = lance.dataset(path).to_table(blob_handling="all_binary")
    try:
        spark.sql(f"UPDATE lance.`{path}` SET id = id + {written.num_rows} WHERE id % 2 = 1")
    except (PySparkException, Py4JError) as error:
        refused = as_lance_exception(error)
        if not isinstance(refused, UnsupportedLanceFeatureException):
            raise
        assert lance.dataset(path).version == 1
        assert len(list(Path(path, "data").iterdir())) == 1
        return
    after = lance.dataset(path).to_table(blob_handling="all_binary")
    assert after.schema == before.schema
    odd = np.arange(written.num_rows) % 2 == 1
    kept = after.num_rows - int(odd.sum())
    names = written.column_names
    assert_same(before.select(names).filter(pa.array(~odd)), after.select(names).slice(0, kept))
    assert_same(before.select(names).filter(pa.array(odd)), after.select(names).slice(kept))


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_rows_of_every_type_are_updated_and_stay_what_they_are(spark: SparkSession, tmp: str, version: str) -> None:
    for shape, nulls in (("random", 0.2), ("extremes", 0.0)):
        written = table(shape, 601, nulls, columns=COLUMNS | FOREIGN)
        halves_updated(spark, f"{tmp}/{shape}.lance", written, data_storage_version=version)


def test_types_that_are_not_written_are_refused_or_stay_what_they_are(spark: SparkSession, tmp: str) -> None:
    words = [b"one", None, b"", b"four" * 1000] * 25
    blob = pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    packed = pa.field("p", pa.struct([("x", pa.int32()), ("y", pa.float32())]), metadata={"packed": "true"})
    columns = {
        "blob": pa.table([pa.array(words, pa.large_binary())], pa.schema([blob])),
        "packed": pa.table([pa.array([{"x": i, "y": i / 2} for i in range(100)], packed.type)], pa.schema([packed])),
        "words": pa.table({"w": dictionary(pa.string(), pa.int8(), 100, 0.2)}),
        "map": pa.table({"m": pa.array([[("k", i)] for i in range(100)], pa.map_(pa.string(), pa.int64()))}),
    }
    for name, written in columns.items():
        version = "2.2" if name == "map" else "2.1"
        halves_updated(spark, f"{tmp}/{name}.lance", written, data_storage_version=version)


def test_what_spark_would_cut_off_is_not_written(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    times = pa.array([1_000_000_001, 2_000_000_000, 3_000_000_007], pa.timestamp("ns"))
    lance.write_dataset(pa.table({"id": [1, 2, 3], "t": times}), path)
    spark.conf.set("spark.datasource.lance.lossyValues", "truncate")
    try:
        with pytest.raises(Exception, match=r"cannot show\. The statement rewrites whole rows"):
            spark.sql(f"UPDATE lance.`{path}` SET id = id + 10")
        spark.sql(f"UPDATE lance.`{path}` SET id = 20 WHERE id = 2")
        spark.sql(f"DELETE FROM lance.`{path}` WHERE id = 3")
    finally:
        spark.conf.unset("spark.datasource.lance.lossyValues")
    after = lance.dataset(path).to_table()
    assert after["id"].to_pylist() == [1, 20]
    assert after["t"].cast(pa.int64()).to_pylist() == [1_000_000_001, 2_000_000_000]


def test_indices_of_pylance_answer_right_after_each_statement(spark: SparkSession, tmp: str) -> None:
    for stable in (False, True):
        path = f"{tmp}/{stable}.lance"
        dataset = lance.write_dataset(numbers(0, 1000), path, max_rows_per_file=300, enable_stable_row_ids=stable)
        dataset.create_scalar_index("id", "BTREE")
        dataset.create_scalar_index("name", "BITMAP")
        spark.sql(f"UPDATE lance.`{path}` SET id = id + 5000 WHERE id % 10 = 4")
        spark.sql(f"DELETE FROM lance.`{path}` WHERE id % 10 = 5")
        spark.sql(f"UPDATE lance.`{path}` SET name = 'moved' WHERE id BETWEEN 100 AND 109")
        found = {row["id"]: row["name"] for row in lance.dataset(path).to_table().to_pylist()}
        for condition, expected in [
            ("id = 4", []),
            ("id = 5004", [5004]),
            ("id = 15", []),
            ("name = 'moved'", sorted(i for i, name in found.items() if name == "moved")),
            ("name = 'n3'", sorted(i for i, name in found.items() if name == "n3")),
        ]:
            answer = lance.dataset(path).to_table(filter=condition)["id"].to_pylist()
            assert sorted(answer) == expected, (stable, condition)


def test_deleting_one_row_in_a_hundred_writes_next_to_nothing(spark: SparkSession, tmp: str) -> None:
    path, count = f"{tmp}/t.lance", 1_000_000
    lance.write_dataset(pa.table({"id": range(count)}), path, max_rows_per_file=400_000)

    def size() -> int:
        return sum(file.stat().st_size for file in Path(path).rglob("*") if file.is_file())

    before = size()
    spark.sql(f"DELETE FROM lance.`{path}` WHERE pmod(hash(id), 100) = 7")
    gone = count - lance.dataset(path).count_rows()
    assert 9_000 < gone < 11_000
    assert size() - before <= 0.1 * count


@pytest.mark.classic("it counts the jobs of a statement")
def test_a_statement_reads_the_table_once(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(numbers(0, 100), path, max_rows_per_file=30)
    context = spark.sparkContext
    for statement in (
        "DELETE FROM lance.`{}` WHERE sqrt(id) > 9.5",
        "UPDATE lance.`{}` SET value = 0 WHERE id % 3 = 1",
    ):
        context.setJobGroup(statement, statement)
        spark.sql(statement.format(path))
        for key in ("spark.jobGroup.id", "spark.job.description"):
            context.setLocalProperty(key, None)
        assert len(context.statusTracker().getJobIdsForGroup(statement)) == 1


def test_metadata_columns_are_keys_of_a_merge(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(numbers(0, 100), path, max_rows_per_file=30, enable_stable_row_ids=True)
    key = "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled"
    spark.conf.set(key, "false")
    try:
        spark.sql(
            f"MERGE INTO lance.`{path}` t USING (SELECT _rowid r, id FROM lance.`{path}` WHERE id > 90) s "
            "ON t._rowid = s.r WHEN MATCHED THEN UPDATE SET value = -s.id"
        )
    finally:
        spark.conf.unset(key)
    assert {row["id"] for row in rows(path) if row["value"] == -row["id"]} == {0, *range(91, 100)}
