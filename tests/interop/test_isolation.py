"""Statements of Spark and pylance that change one table at the same time: docs/isolation.md with two engines."""

import datetime
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

import sparklance
from dev_tools import ROOT
from sparklance.errors import RetryableCommitConflictException, as_lance_exception
from sparklance.proto import Transaction

pytestmark = pytest.mark.slow

OURS = {
    "INSERT": "INSERT INTO {t} VALUES (300, 3, 1)",
    "INSERT … SELECT": "INSERT INTO {t} SELECT id + 297, v, w FROM {t} WHERE v = 3",
    "UPDATE": "UPDATE {t} SET w = 1 WHERE v = 3",
    "DELETE": "DELETE FROM {t} WHERE v = 3",
    "MERGE": "MERGE INTO {t} t USING (SELECT explode(array(3, 300)) AS id, 3 AS v, 7 AS w) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "overwrite": "INSERT OVERWRITE {t} VALUES (3, 3, 5)",
    "REPLACE WHERE": "INSERT INTO {t} REPLACE WHERE v = 3 VALUES (300, 3, 4)",
}


def rows(ids: list[int], value: int, w: int) -> pa.Table:
    of_ints = {"id": ids, "v": [value] * len(ids), "w": [w] * len(ids)}
    return pa.table({name: pa.array(values, pa.int32()) for name, values in of_ints.items()})


def append(ds: lance.LanceDataset, v: int) -> None:
    ds.insert(rows([100 * v], v, 1))


def update(ds: lance.LanceDataset, v: int) -> None:
    ds.update({"w": "2"}, where=f"v = {v}")


def delete(ds: lance.LanceDataset, v: int) -> None:
    ds.delete(f"v = {v}")


def merge(ds: lance.LanceDataset, v: int) -> None:
    ds.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows([v, 100 * v], v, 7))


def overwrite(ds: lance.LanceDataset, v: int) -> None:
    lance.write_dataset(rows([v], v, 5), ds.uri, mode="overwrite")


def compact(ds: lance.LanceDataset, v: int) -> None:
    ds.optimize.compact_files()


def add_columns(ds: lance.LanceDataset, v: int) -> None:
    ds.add_columns({"x": "8 * id"})


THEIRS = {
    "INSERT": append,
    "UPDATE": update,
    "DELETE": delete,
    "MERGE": merge,
    "overwrite": overwrite,
    "compact": compact,
    "add_columns": add_columns,
}


def outcomes(level: str) -> dict[tuple[str, str], str]:
    """Returns the outcomes of a level's table, by the second and the first statement: of all its rows."""
    text = (ROOT / "docs/isolation.md").read_text().split(f"With the level `{level}`")[1].split("\n\n")[1]
    found = {}
    for line in text.splitlines()[2:]:
        seconds, *firsts = [cell.strip().split(", ") for cell in line.strip("|").split("|")]
        for second in seconds:
            found |= {(second, first): "ok" for first in THEIRS}
            for word, names in zip(("X", "R", "rows"), firsts, strict=True):
                found |= {(second, name): word for name in names}
    return found


def during(spark: SparkSession, statement: str, other: Callable[[], None]) -> str:
    """Runs a statement that has read its table before `other` commits, and returns how it ends."""
    state = spark._jsparkSession.sessionState()
    mode = getattr(state, "executePlan$default$2")()
    running = state.executePlan(state.sqlParser().parsePlan(statement), mode)
    running.analyzed()
    other()
    try:
        running.commandExecuted()
    except Exception as error:
        name = type(as_lance_exception(error)).__name__
        return {"RetryableCommitConflictException": "R", "IncompatibleCommitConflictException": "X"}[name]
    return "ok"


@pytest.mark.classic("it stops a statement between its analysis and its run")
@pytest.mark.parametrize("level", ["serializable", "snapshot"])
def test_statements_beside_those_of_pylance(spark: SparkSession, tmp_path: Path, full: bool, level: str) -> None:
    template = str(tmp_path / "template.lance")
    for ids in (range(5), range(5, 10)):
        pa_rows = pa.table({name: pa.array([*ids], pa.int32()) for name in ("id", "v", "w")})
        lance.write_dataset(pa_rows, template, mode="append")
    known = outcomes("serializable") | outcomes(level)
    pairs = [(ours, theirs) for ours in OURS for theirs in THEIRS]
    setting = "spark.datasource.lance.isolation"
    spark.conf.set(setting, level)
    try:
        for ours, theirs in pairs if full else random.sample(pairs, 10):
            cell = known[ours, theirs]
            for value in (3, 8) if cell == "rows" else (3,):
                path = str(tmp_path / f"{ours[:9]}-{theirs}-{value}.lance".replace(" ", ""))
                shutil.copytree(template, path)
                statement = OURS[ours].format(t=f"lance.`{path}`")
                end = during(spark, statement, lambda p=path, v=value, of=theirs: THEIRS[of](lance.dataset(p), v))
                assert end == (("R" if value == 3 else "ok") if cell == "rows" else cell), f"{ours} after {theirs}"
                lance.dataset(path).validate()
    finally:
        spark.conf.unset(setting)


def keyed(path: str, names: list[str], kinds: list[pa.DataType], rows: dict[str, list]) -> lance.LanceDataset:
    """Creates a table with a primary key."""
    position = "lance-schema:unenforced-primary-key:position"
    fields = [
        pa.field(name, kind, nullable=False, metadata={position: str(i + 1)})
        for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
    ]
    schema = pa.schema([*fields, pa.field("v", pa.int32())])
    return lance.write_dataset(pa.table(rows, schema=schema), path)


def filter_of(path: str) -> Any:
    """Returns the filter of inserted keys of the last transaction."""
    names = sorted(Path(path, "_transactions").iterdir(), key=os.path.getmtime)
    return Transaction.FromString(names[-1].read_bytes()).update.inserted_rows


KEYS: list[tuple[list[pa.DataType], list[list[Any]]]] = [
    ([pa.int64()], [[1, -5, 1 << 40]]),
    ([pa.int32()], [[1, -5, 7]]),
    ([pa.string()], [["a", "", "ä" * 40]]),
    ([pa.binary()], [[b"a", b"", b"\0\xff"]]),
    ([pa.uint64()], [[1, 5, (1 << 64) - 1]]),
    ([pa.string(), pa.int32()], [["a\0b", "", "x"], [1, 2, -3]]),
]


@pytest.mark.parametrize(("kinds", "values"), KEYS, ids=lambda v: str(v[0]))
def test_filters_of_inserted_keys_are_those_of_pylance(
    spark: SparkSession, tmp_path: Path, kinds: list[pa.DataType], values: list[list[Any]]
) -> None:
    names = [f"k{i}" for i in range(len(kinds))]
    first = {name: column[:1] for name, column in zip(names, values, strict=True)} | {"v": [0]}
    every = {name: column for name, column in zip(names, values, strict=True)} | {"v": [1, 2, 3]}
    filters = []
    for who in ("pylance", "spark"):
        path = str(tmp_path / f"{who}.lance")
        ds = keyed(path, names, kinds, first)
        source = pa.table(every, schema=ds.schema)
        if who == "pylance":
            ds.merge_insert(names).when_matched_update_all().when_not_matched_insert_all().execute(source)
        else:
            lance.write_dataset(source, str(tmp_path / "source.lance"))
            df = spark.read.format("lance").load(str(tmp_path / "source.lance"))
            builder = sparklance.LanceDataset(spark, path).merge_insert(names)
            builder.when_matched_update_all().when_not_matched_insert_all().execute(df)
        filters.append(filter_of(path))
        assert sorted(lance.dataset(path).to_table()["v"].to_pylist()) == [1, 2, 3]
    assert any(filters[1].bloom.bitmap)
    assert filters[0] == filters[1]


def test_pylance_sees_the_keys_that_spark_inserted(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t.lance")
    stale = keyed(path, ["k"], [pa.int64()], {"k": [1], "v": [0]})
    merging = f"MERGE INTO lance.`{path}` t USING (SELECT {{}}L AS k, 7 AS v) s ON t.k = s.k "
    for clauses in ("WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", "WHEN NOT MATCHED THEN INSERT *"):
        for key in (5, 1 << 40):
            stale = lance.dataset(path, version=stale.version)
            spark.sql(merging.format(key) + clauses)
            merge = stale.merge_insert("k").when_not_matched_insert_all().conflict_retries(0)
            new = pa.table({"k": [key], "v": pa.array([9], pa.int32())}, schema=stale.schema)
            with pytest.raises(OSError, match="concurrent writers"):
                merge.execute(new)
            other = pa.table({"k": [-key], "v": pa.array([9], pa.int32())}, schema=stale.schema)
            merge.execute(other)
            stale = lance.dataset(path)
            spark.sql(f"DELETE FROM lance.`{path}` WHERE k <> 1")
            stale = lance.dataset(path)
    assert lance.dataset(path).to_table()["k"].to_pylist() == [1]


def test_keys_of_types_that_pylance_does_not_hash_are_compared_by_spark(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t.lance")
    ds = keyed(path, ["k"], [pa.date32()], {"k": [datetime.date(2020, 1, 1)], "v": [0]})
    row = pa.table({"k": [datetime.date(2021, 1, 1)], "v": pa.array([1], pa.int32())}, schema=ds.schema)

    def theirs() -> None:
        ds.merge_insert("k").when_not_matched_insert_all().execute(row)

    merge = f"MERGE INTO lance.`{path}` t USING (SELECT DATE'2021-01-01' AS k, 2 AS v) s ON t.k = s.k "
    assert during(spark, merge + "WHEN NOT MATCHED THEN INSERT *", theirs) == "R"
    spark.sql(merge + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
    assert not filter_of(path).HasField("bloom")
    assert sorted(lance.dataset(path).to_table()["v"].to_pylist()) == [0, 2]


def test_merge_insert_runs_again_if_others_insert_its_keys(spark: SparkSession, tmp_path: Path) -> None:
    path, mark = str(tmp_path / "t.lance"), str(tmp_path / "mark")
    lance.write_dataset(rows([1, 2], 0, 0), path)
    theirs = rows([50], 1, 1)

    @udf("int")
    def beside(value: int) -> int:
        # The worker cannot import this module.
        import os

        import lance

        if not os.path.exists(mark):
            os.mkdir(mark)
            lance.dataset(path).insert(theirs)
        return value

    source: DataFrame = spark.range(49, 52, 1, 1).selectExpr("CAST(id AS INT) AS id", "5 AS v", "6 AS w")
    source = source.withColumn("w", beside("w"))
    builder = sparklance.LanceDataset(spark, path).merge_insert("id")
    counts = builder.when_matched_update_all().when_not_matched_insert_all().execute(source)
    assert counts == {"num_inserted_rows": 2, "num_updated_rows": 1, "num_deleted_rows": 0, "num_attempts": 2}
    assert sorted(lance.dataset(path).to_table()["id"].to_pylist()) == [1, 2, 49, 50, 51]
    Path(mark).rmdir()
    again = sparklance.LanceDataset(spark, path).merge_insert("id").conflict_retries(0)
    sparklance.LanceDataset(spark, path).delete("id = 50")
    with pytest.raises(RetryableCommitConflictException, match=r"keys that it inserts: \(id = 50\)"):
        again.when_not_matched_insert_all().execute(source)
