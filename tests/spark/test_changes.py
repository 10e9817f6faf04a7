"""delete, update and merge_insert of the Python package."""

import os
from collections.abc import Callable
from datetime import timedelta

import lance
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, lit

from sparklance import LanceDataset
from sparklance.changes import _GROUP_FILTER, _MARK_OPTION, MergeInsertBuilder, delete, update
from sparklance.errors import (
    IncompatibleCommitConflictException,
    LanceUsageException,
    RetryableCommitConflictException,
    as_lance_exception,
)
from tests.products import only


@pytest.fixture
def path(tmp: str) -> str:
    path = f"{tmp}/t.lance"
    rows = pa.table({"id": pa.array(range(100), pa.int64()), "name": [f"n{i}" for i in range(100)]})
    lance.write_dataset(rows, path, max_rows_per_file=30, enable_stable_row_ids=True)
    return path


def named(path: str) -> str:
    return f"lance.`{path}`"


def names(path: str) -> dict[int, str]:
    held = lance.dataset(path).to_table().to_pydict()
    return dict(zip(held["id"], held["name"], strict=True))


def source(spark: SparkSession, *ids: int) -> DataFrame:
    return spark.createDataFrame([(i, "new") for i in ids], "id BIGINT, name STRING")


def test_rows_are_deleted_and_counted(spark: SparkSession, path: str) -> None:
    assert delete(spark, named(path), "id % 10 = 3 AND name <> 'n13'") == {"num_deleted_rows": 9}
    assert delete(spark, named(path), col("id") > lit(90)) == {"num_deleted_rows": 8}
    assert delete(spark, named(path), "id > 1000") == {"num_deleted_rows": 0}
    assert delete(spark, named(path), "_fragid = 0") == {"num_deleted_rows": 28}
    assert sorted(names(path)) == [i for i in range(30, 91) if i % 10 != 3]


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_an_empty_condition_is_not_one_for_all_rows(spark: SparkSession, path: str, blank: str) -> None:
    before = names(path)
    table = LanceDataset(spark, path)
    merge = MergeInsertBuilder(spark, named(path), "id")
    search = {"q": [1.0], "column": "v"}
    attempts: list[Callable[[], object]] = [
        lambda: table.delete(blank),
        lambda: table.update({"name": "'x'"}, where=blank),
        lambda: table.update_columns({"name": "'x'"}, where=blank),
        lambda: table.count_rows(blank),
        lambda: table.to_df(filter=blank),
        lambda: table.to_df(nearest=search, filter=blank, prefilter=True),
        lambda: merge.when_matched_update_all(blank),
        lambda: merge.when_not_matched_insert_all(blank),
        lambda: merge.when_not_matched_by_source_delete(blank),
    ]
    for attempt in attempts:
        with pytest.raises(ValueError, match="The condition is empty"):
            attempt()
    quoted = blank.replace("\n", "\\n").replace("\t", "\\t")
    for statement in (
        f"CALL lance.system.update_columns('{path}', map('name', '1'), where => '{quoted}')",
        f"SELECT * FROM lance_fts('{path}', 'name', 'n1', filter => '{quoted}')",
        f"SELECT * FROM lance_fts('{path}', 'name', 'n1', filter => '{quoted}', prefilter => false)",
    ):
        with pytest.raises(Exception, match="is an empty condition") as refused:
            spark.sql(statement).collect()
        assert isinstance(as_lance_exception(refused.value), LanceUsageException)
    assert names(path) == before


def test_comments_in_a_condition_end_with_it(spark: SparkSession, path: str) -> None:
    assert delete(spark, named(path), "id = 1 -- the second") == {"num_deleted_rows": 1}
    assert update(spark, named(path), {"name": "'x'"}, "id = 2 -- the third") == {"num_rows_updated": 1}
    for comment in ("-- all", "/* all */"):
        with pytest.raises(ParseException):
            delete(spark, named(path), comment)
        with pytest.raises(ParseException):
            update(spark, named(path), {"name": "'y'"}, comment)
    assert len(names(path)) == 99


def test_settings_of_a_statement_end_with_it(spark: SparkSession, path: str) -> None:
    of_session = _GROUP_FILTER, "true"
    before = spark.conf.get(*of_session)
    MergeInsertBuilder(spark, named(path), "id").when_matched_update_all().execute(source(spark, 1))
    with pytest.raises(AnalysisException, match="missing"):
        delete(spark, named(path), "missing = 1")
    assert spark.conf.get(_MARK_OPTION, "") == ""
    assert spark.conf.get(*of_session) == before


def test_rows_are_updated_and_counted(spark: SparkSession, path: str) -> None:
    assert update(spark, named(path), {"name": "concat(name, '!')"}, "id < 5") == {"num_rows_updated": 5}
    assert update(spark, named(path), {"name": lit("all"), "id": col("id") + 1}) == {"num_rows_updated": 100}
    assert names(path) == dict.fromkeys(range(1, 101), "all")
    with pytest.raises(ValueError, match="There is no column to update"):
        update(spark, named(path), {})


def test_rows_are_merged_and_counted(spark: SparkSession, path: str) -> None:
    builder = MergeInsertBuilder(spark, named(path), "id")
    builder.when_not_matched_by_source_delete("target.id < 10").when_not_matched_insert_all()
    builder.when_matched_update_all("target.id > 50").when_matched_update({"name": "concat(source.name, '?')"})
    counts = builder.execute(source(spark, 5, 60, 200, 201))
    assert counts == {"num_inserted_rows": 2, "num_updated_rows": 2, "num_deleted_rows": 9, "num_attempts": 1}
    expected = {i: f"n{i}" for i in range(10, 100)} | {5: "new?", 60: "new", 200: "new", 201: "new"}
    assert names(path) == expected
    assert spark.catalog.listTables(pattern="sparklance_source*") == []


PARTS = pa.table({"id": pa.array([2, 9], pa.int64()), "a b": ["new", "ins"]})


@pytest.mark.parametrize(
    "clauses",
    [
        ["when_matched_update_all"],
        ["when_not_matched_insert_all"],
        ["when_matched_update_all", "when_not_matched_insert_all"],
        ["when_matched_update_all", "when_not_matched_by_source_delete"],
    ],
)
def test_columns_that_the_source_lacks_stay_or_are_null_as_in_pylance(
    clauses: list[str], spark: SparkSession, tmp: str
) -> None:
    rows = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "a b": ["a", "b", "c"], "d": [1.0, 2.0, 3.0]})
    ours, theirs = lance.write_dataset(rows, f"{tmp}/ours"), lance.write_dataset(rows, f"{tmp}/theirs")
    builder, reference = MergeInsertBuilder(spark, named(f"{tmp}/ours"), "id"), theirs.merge_insert("id")
    for clause in clauses:
        getattr(builder, clause)()
        getattr(reference, clause)()
    counts, expected = builder.execute(spark.createDataFrame(PARTS)), reference.execute(PARTS)
    assert expected.items() <= counts.items()
    by_id = [("id", "ascending")]
    merged = lance.dataset(ours.uri).to_table().sort_by(by_id)
    assert merged == lance.dataset(theirs.uri).to_table().sort_by(by_id)


def test_a_source_without_needed_columns_is_refused(spark: SparkSession, tmp: str) -> None:
    schema = pa.schema([("id", pa.int64()), pa.field("a b", pa.string()), pa.field("n", pa.int64(), nullable=False)])
    lance.write_dataset(pa.table({"id": [1], "a b": ["a"], "n": [1]}, schema), f"{tmp}/t")
    insert = MergeInsertBuilder(spark, named(f"{tmp}/t"), "id").when_not_matched_insert_all()
    with pytest.raises(ValueError, match="must not be NULL in new rows: n"):
        insert.execute(spark.createDataFrame(PARTS))
    with pytest.raises(ValueError, match="no column n, by which rows match"):
        MergeInsertBuilder(spark, named(f"{tmp}/t"), "n").when_matched_delete().execute(spark.createDataFrame(PARTS))


def test_columns_that_the_table_lacks_are_refused_unless_a_condition_names_them(spark: SparkSession, tmp: str) -> None:
    rows, more = pa.table({"id": [1, 2], "v": [1, 2]}), pa.table({"id": [1, 3], "v": [5, 6], "Op": ["u", "i"]})
    lance.write_dataset(rows, f"{tmp}/t")
    with pytest.raises(OSError, match=r"unexpected=\[Op\]"):
        lance.dataset(f"{tmp}/t").merge_insert("id").when_matched_update_all().execute(more)
    frame = spark.createDataFrame(more)
    for clause in ("when_matched_update_all", "when_not_matched_insert_all"):
        with pytest.raises(ValueError, match="table has no column Op, which the source has"):
            getattr(MergeInsertBuilder(spark, named(f"{tmp}/t"), "id"), clause)().execute(frame)
    assert lance.dataset(f"{tmp}/t").to_table() == rows
    upsert = MergeInsertBuilder(spark, named(f"{tmp}/t"), "id").when_matched_update_all("source.op = 'u'")
    assert upsert.when_not_matched_insert_all("source.op <> 'i'").execute(frame)["num_updated_rows"] == 1
    assert (
        MergeInsertBuilder(spark, named(f"{tmp}/t"), "id").when_matched_delete().execute(frame)["num_deleted_rows"] == 1
    )
    assert lance.dataset(f"{tmp}/t").to_table() == rows.slice(1)


def test_rows_are_only_inserted_or_only_deleted(spark: SparkSession, path: str) -> None:
    insert = MergeInsertBuilder(spark, named(path), ["id"]).when_not_matched_insert_all()
    assert insert.execute(source(spark, 5, 500))["num_inserted_rows"] == 1
    gone = MergeInsertBuilder(spark, named(path), ["id", "name"]).when_matched_delete()
    assert gone.execute(source(spark, 5, 500))["num_deleted_rows"] == 1
    assert sorted(names(path)) == list(range(100))


def test_a_match_may_be_an_error(spark: SparkSession, path: str) -> None:
    builder = MergeInsertBuilder(spark, named(path), "id").when_matched_fail().when_not_matched_insert_all()
    with pytest.raises(Exception, match="is in the table already"):
        builder.execute(source(spark, 5, 500))
    assert builder.execute(source(spark, 500, 501))["num_inserted_rows"] == 2


def test_without_keys_or_clauses_nothing_is_merged(spark: SparkSession, path: str) -> None:
    with pytest.raises(ValueError, match="no primary key"):
        MergeInsertBuilder(spark, named(path))
    with pytest.raises(ValueError, match="The merge has no clause"):
        MergeInsertBuilder(spark, named(path), "id").execute(source(spark, 1))


def test_the_primary_key_is_what_rows_are_matched_by(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/keyed.lance"
    key = pa.field("id", pa.int64(), nullable=False, metadata={"lance-schema:unenforced-primary-key": "true"})
    schema = pa.schema([key, ("name", pa.string())])
    lance.write_dataset(pa.table({"id": [1, 2], "name": ["a", "b"]}, schema), path)
    builder = MergeInsertBuilder(spark, named(path)).when_matched_update_all().when_not_matched_insert_all()
    assert builder.execute(source(spark, 2, 3))["num_updated_rows"] == 1
    assert names(path) == {1: "a", 2: "new", 3: "new"}


def test_a_statement_is_run_again_when_others_came_first(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A session over Spark Connect has a class of its own.
    statement, others = type(spark).sql, [4, 5, 6]
    kind: type[Exception] = RetryableCommitConflictException

    def late(session: SparkSession, text: str, *args: object) -> DataFrame:
        if text.startswith("DELETE") and others:
            lance.dataset(path).delete(f"id = {others.pop()}")
            raise RuntimeError(f"io.sparklance.{kind.__name__}: others deleted the same row\n")
        return statement(session, text, *args)

    monkeypatch.setattr(type(spark), "sql", late)
    assert delete(spark, named(path), "id < 10") == {"num_deleted_rows": 7}
    others.extend([20, 21])
    with pytest.raises(RetryableCommitConflictException, match="same row"):
        delete(spark, named(path), "id < 30", conflict_retries=0)
    with pytest.raises(RetryableCommitConflictException, match="same row"):
        delete(spark, named(path), "id < 30", retry_timeout=timedelta(0))
    others.append(22)
    kind = IncompatibleCommitConflictException
    with pytest.raises(IncompatibleCommitConflictException, match="same row"):
        delete(spark, named(path), "id < 30")
    assert sorted(names(path)) == [i for i in range(10, 100) if i not in (20, 21, 22)]


# The first two names have what makes each of the others hard.
KEYS = ["1st or`der,${master}", " c ", "plain", "user id", "1st", "or`der", "${master}", "a,b"]


@pytest.mark.parametrize("key", only(KEYS, 0, 1))
def test_names_of_columns_come_as_they_are(spark: SparkSession, tmp: str, key: str) -> None:
    path = f"{tmp}/keys.lance"
    lance.write_dataset(pa.table({key: pa.array([1, 2], pa.int32()), "v": pa.array([1, 2], pa.int32())}), path)
    given = spark.createDataFrame([(2, 20), (3, 30)], "__key INT, v INT")
    given = given.toDF(key, "v")
    table = LanceDataset(spark, path)
    table.merge_insert(key).when_matched_update_all().when_not_matched_insert_all().execute(given)
    assert rows_of(spark, path) == [(1, 1), (2, 20), (3, 30)]
    table.merge_insert(key).when_matched_update({key: "9"}).when_not_matched_insert_all().execute(given.limit(1))
    assert rows_of(spark, path) == [(1, 1), (3, 30), (9, 20)]
    with pytest.raises(Exception, match="when_matched_fail"):
        table.merge_insert(key).when_matched_fail().execute(given.limit(2))
    table.checkout_latest()
    table.update({key: "8"}, where="v = 1")
    assert sorted(table.to_arrow([key])[key].to_pylist()) == [3, 8, 9]
    table.add_columns(given.limit(1).select(lit(8).alias(key), lit("x").alias("w")), on=key)
    assert sorted(map(str, table.to_arrow(["w"])["w"].to_pylist())) == ["None", "None", "x"]


def rows_of(spark: SparkSession, path: str) -> list[tuple[int, ...]]:
    return sorted(map(tuple, spark.read.format("lance").load(path).collect()))


# The first two names have what makes each of the others hard.
PATHS = ["\\'; DROP back`tick ${spark.app.name}", "a`/`b quo'te back\\slash $x {y}"]
PATHS += ["back\\slash", "back`tick", "a`/`b", "quo'te", "\\'; DROP", "$x {y}", "${spark.app.name}"]


@pytest.mark.parametrize("name", only(PATHS, 0, 1))
def test_paths_come_as_they_are(spark: SparkSession, tmp: str, name: str) -> None:
    path = f"{tmp}/{name}/t"
    table = LanceDataset.create(spark, spark.range(4), path)
    assert os.listdir(tmp) == [name.partition("/")[0]]
    assert table.delete("id = 0") == {"num_deleted_rows": 1}
    assert table.delete(col("id") == 1) == {"num_deleted_rows": 1}
    assert table.update({"id": "id + 10"}, where="id = 2") == {"num_rows_updated": 1}
    upsert = table.merge_insert("id").when_not_matched_insert_all()
    assert upsert.execute(spark.range(3, 5))["num_inserted_rows"] == 1
    table.create_scalar_index("id", "BTREE")
    table.tags.create("first", 1)
    assert sorted(LanceDataset(spark, path).to_arrow()["id"].to_pylist()) == [3, 4, 12]


@pytest.mark.parametrize("kind", ["", ":position"])
def test_a_primary_key_by_position_is_that_of_a_merge(spark: SparkSession, tmp: str, kind: str) -> None:
    flag = f"lance-schema:unenforced-primary-key{kind}"

    def keyed(name: str, position: str) -> pa.Field:
        value = position if kind else "true"
        return pa.field(name, pa.int64(), nullable=False, metadata={flag: value})

    path = f"{tmp}/keyed.lance"
    schema = pa.schema([keyed("b c", "2"), keyed("a", "1"), pa.field("v", pa.int64())])
    lance.write_dataset(pa.table({"b c": [1, 2], "a": [1, 1], "v": [1, 2]}, schema=schema), path)
    merge = LanceDataset(spark, path).merge_insert()
    assert merge._on == (["`a`", "`b c`"] if kind else ["`b c`", "`a`"])
    given = spark.createDataFrame([(2, 1, 20), (3, 1, 30)], "`b c` BIGINT, a BIGINT, v BIGINT")
    merge.when_matched_update_all().when_not_matched_insert_all().execute(given)
    assert rows_of(spark, path) == [(1, 1, 1), (2, 1, 20), (3, 1, 30)]
