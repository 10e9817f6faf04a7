"""Change feeds of histories that pylance and Spark have made, compared with pylance's `delta` and with the versions.

`./dev test --full` makes 300 of each kind, and SPARKLANCE_TEST_HISTORIES as many as it says.
"""

import os
import random
from collections.abc import Sequence
from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset

pytestmark = pytest.mark.slow

Row = tuple[Any, ...]
COLUMNS = ["id", "a", "b"]


class History:
    """A table with random commits, by pylance or by Spark in turns."""

    def __init__(self, spark: SparkSession, path: str, seed: int, stable: bool = True) -> None:
        self.spark, self.path, self.random = spark, path, random.Random(seed)
        self.next_id = 0
        self.steps: list[str] = []
        lance.write_dataset(self.rows(20), path, enable_stable_row_ids=stable, max_rows_per_file=7)

    @property
    def table(self) -> lance.LanceDataset:
        return lance.dataset(self.path)

    def rows(self, count: int) -> pa.Table:
        ids = range(self.next_id, self.next_id + count)
        self.next_id += count
        return self.valued(list(ids))

    def valued(self, ids: list[int]) -> pa.Table:
        numbers = [self.random.choice([None, self.random.randrange(100)]) for _ in ids]
        texts = [f"t{self.random.randrange(1000)}" for _ in ids]
        return pa.table(
            {"id": pa.array(ids, pa.int64()), "a": pa.array(numbers, pa.int32()), "b": pa.array(texts, pa.string())}
        )

    def some(self) -> list[int]:
        ids = self.table.to_table(columns=["id"])["id"].to_pylist()
        return self.random.sample(ids, min(len(ids), self.random.randrange(1, 6)))

    def step(self) -> None:
        steps = {
            self.append: 3,
            self.delete: 3,
            self.update: 3,
            self.merge: 3,
            self.compact: 2,
            self.update_by_spark: 2,
            self.restore: 1,
            self.overwrite: 1,
        }
        chosen = self.random.choices(list(steps), list(steps.values()))[0]
        chosen()
        self.steps.append(f"{self.table.version}: {chosen.__name__}")

    def maker(self, number: int) -> str | None:
        """The step that made a version. One that changed nothing names the version before it again."""
        return next((step.partition(": ")[2] for step in self.steps if step.startswith(f"{number}: ")), None)

    def append(self) -> None:
        lance.write_dataset(self.rows(self.random.randrange(1, 9)), self.path, mode="append")

    def delete(self) -> None:
        if ids := self.some():
            self.table.delete(f"id IN ({', '.join(map(str, ids))})")

    def update(self) -> None:
        if ids := self.some():
            self.table.update({"a": "a + 1"}, where=f"id IN ({', '.join(map(str, ids))})")

    def merge(self) -> None:
        source = pa.concat_tables([self.valued(self.some()), self.rows(self.random.randrange(3))])
        self.table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(source)

    def compact(self) -> None:
        self.table.optimize.compact_files(target_rows_per_fragment=self.random.choice([5, 20, 1000]))

    def update_by_spark(self) -> None:
        if ids := self.some():
            LanceDataset(self.spark, self.path).update({"b": "concat(b, '+')"}, f"id IN ({', '.join(map(str, ids))})")

    def restore(self) -> None:
        lance.dataset(self.path, version=self.random.randrange(1, self.table.version + 1)).restore()  # type: ignore[no-untyped-call]

    def overwrite(self) -> None:
        lance.write_dataset(self.rows(5), self.path, mode="overwrite")

    def version(self, number: int) -> dict[int, Row]:
        """The rows of a version, by row id."""
        found = lance.dataset(self.path, version=number).to_table(columns=COLUMNS, with_row_id=True)
        return {row["_rowid"]: tuple(row[name] for name in COLUMNS) for row in found.to_pylist()}


def changed(changes: list[Any], kind: str) -> dict[int, Row]:
    found = [(row["_rowid"], tuple(row[name] for name in COLUMNS)) for row in changes if row["_change_type"] == kind]
    assert len(found) == len(dict(found)), f"a row is twice among those of kind {kind}"
    return dict(found)


def applied(before: dict[int, Row], changes: list[Any]) -> dict[int, Row]:
    """A version with changes, each of which must fit it."""
    after = dict(before)
    for kind in ("delete", "update_preimage"):
        for row_id, row in changed(changes, kind).items():
            assert after.pop(row_id) == row, kind
    for kind in ("insert", "update_postimage"):
        for row_id, row in changed(changes, kind).items():
            assert row_id not in after, kind
            after[row_id] = row
    return after


@pytest.fixture
def seeds(full: bool) -> Sequence[int]:
    """All of a range, or three of them, which the output of a test that fails names."""
    count = int(os.environ.get("SPARKLANCE_TEST_HISTORIES", "300"))
    if full or "SPARKLANCE_TEST_HISTORIES" in os.environ:
        return range(count)
    chosen = random.sample(range(count), 3)
    print(f"seeds {chosen}")
    return chosen


def test_changes_lead_from_one_version_to_the_next(spark: SparkSession, tmp: str, seeds: Sequence[int]) -> None:
    for seed in seeds:
        history = History(spark, f"{tmp}/{seed}.lance", seed)
        for _ in range(8):
            history.step()
        last = history.table.version
        start = history.random.randrange(2, last + 1)
        end = history.random.randrange(start, last + 1)
        told = f"seed {seed}, versions {start} to {end}: {history.steps}"
        ours = LanceDataset(spark, history.path)
        feed = ours.changes(start, end).collect()
        state = history.version(start - 1)
        for number in range(start, end + 1):
            state = applied(state, [row for row in feed if row["_commit_version"] == number])
            assert state == history.version(number), f"{told}, at {number}"
        net = ours.changes(start, end, net=True).collect()
        assert applied(history.version(start - 1), net) == history.version(end), told


def test_without_stable_row_ids_versions_that_add_rows_are_read_and_others_refused(
    spark: SparkSession, tmp: str, seeds: Sequence[int]
) -> None:
    for seed in seeds:
        history = History(spark, f"{tmp}/{seed}.lance", seed + 2000, stable=False)
        for _ in range(8):
            history.step()
        ours = LanceDataset(spark, history.path)
        for number in range(2, history.table.version + 1):
            told = f"seed {seed}, version {number}: {history.steps}"
            before, after = (sorted(history.version(v).values()) for v in (number - 1, number))
            if feed := inserted_or_refused(ours, number, told):
                assert sorted([*before, *feed]) == after, told
            elif history.maker(number) in ("append", "compact"):
                assert before == after, told


def inserted_or_refused(table: LanceDataset, number: int, told: str) -> list[Row]:
    """The rows that a version adds; none if it is refused because its rows have no stable ids."""
    try:
        feed = table.changes(number, number).collect()
    except Exception as refused:
        if "enable_stable_row_ids" not in str(refused):
            raise
        return []
    assert {row["_change_type"] for row in feed} <= {"insert"}, told
    return [tuple(row[name] for name in COLUMNS) for row in feed]


def test_delta_returns_what_pylance_returns(spark: SparkSession, tmp: str, seeds: Sequence[int]) -> None:
    for seed in seeds:
        history = History(spark, f"{tmp}/{seed}.lance", seed + 1000)
        history.restore = history.append  # type: ignore[method-assign]
        history.overwrite = history.delete  # type: ignore[method-assign]
        for _ in range(6):
            history.step()
        end = history.random.randrange(2, history.table.version + 1)
        begin = history.random.randrange(1, end)
        told = f"seed {seed}, {begin} to {end}: {history.steps}"
        # pylance reads rows of the version that is open, even if the range ends before it.
        theirs = lance.dataset(history.path, version=end).delta(begin_version=begin, end_version=end)
        ours = LanceDataset(spark, history.path).delta(begin, end)

        def rows(table: pa.Table) -> set[Row]:
            return {tuple(row[name] for name in COLUMNS) for row in table.to_pylist()}

        assert rows(ours.get_inserted_rows().toArrow()) == rows(theirs.get_inserted_rows().read_all()), told
        assert rows(ours.get_updated_rows().toArrow()) == rows(theirs.get_updated_rows().read_all()), told
        deleted = theirs.get_deleted_row_ids().read_all()["_rowid"].to_pylist()
        found = ours.get_deleted_row_ids().toArrow()["_rowid"].to_pylist()
        assert sorted(found) == sorted(deleted), told
        assert len(ours.list_transactions()) == end - begin


def test_columns_that_are_replaced_in_place_are_updates(spark: SparkSession, tmp: str) -> None:
    history = History(spark, f"{tmp}/t.lance", 7)
    history.table.add_columns({"c": "id * 2"})
    ours = LanceDataset(spark, history.path)
    feed = ours.changes(2, 2).collect()
    assert {row["_change_type"] for row in feed} == {"update_preimage", "update_postimage"}
    assert {(row["id"], row["c"]) for row in feed if row["_change_type"] == "update_postimage"} == {
        (i, 2 * i) for i in range(20)
    }
    assert all(row["c"] is None for row in feed if row["_change_type"] == "update_preimage")


def test_appended_rows_of_pylance(spark: SparkSession, tmp: str) -> None:
    history = History(spark, f"{tmp}/t.lance", 8, stable=False)
    for _ in range(3):
        history.append()
    history.compact()
    history.delete()
    read = spark.read.format("lance").option("startingVersion", 2).option("endingVersion", 4).load(history.path)
    assert sorted(row["id"] for row in read.collect()) == list(range(20, history.next_id))
