"""Rows that the core deletes and updates in tables that pylance writes to as well."""

from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.classic("it calls the core by way of py4j")


def module(package: Any, name: str) -> Any:
    """Scala's object of this name. The jar has no static methods in its place."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


class Table:
    """A version of a table, as the core has it."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self.spark, self.path = spark, path
        self.jvm: Any = spark._jvm
        self.core = self.jvm.io.sparklance.dataset
        self.operations = module(self.core, "RowOperations")
        self.ranges = module(self.jvm.io.sparklance.data, "RowRanges")
        store = module(self.jvm.io.sparklance.io, "LocalStore")
        self.dataset = module(self.core, "Dataset").open(store, path, self.jvm.scala.Option.empty())

    def rows(self, *addresses: int) -> Any:
        array = self.spark._sc._gateway.new_array(self.jvm.long, len(addresses))
        for i, address in enumerate(addresses):
            array[i] = address
        return array

    def vector(self, items: list) -> Any:
        found = self.jvm.java.util.ArrayList()
        for item in items:
            found.add(item)
        return self.jvm.scala.jdk.javaapi.CollectionConverters.asScala(found).toVector()

    def commit(self, operation: Any) -> int:
        nothing = module(self.jvm.scala.collection.immutable, "Map").empty()
        return self.dataset.commit(operation, nothing).dataset().version()

    def delete(self, *addresses: int) -> int:
        ranges = self.ranges.ofRows(self.rows(*addresses))
        return self.commit(self.operations.delete(self.dataset, ranges, "by address"))

    def update(self, addresses: list[int], file: lance.fragment.DataFile, rows: int, row_ids: list[int]) -> int:
        version = module(self.jvm.io.sparklance.data, "FileVersion$V2_2")
        fields, columns = self.vector(file.fields), self.vector(file.column_indices)
        pages, beside = (getattr(module(self.core.write, "WrittenFile"), f"apply$default${i}")() for i in (7, 8))
        size = file.file_size_bytes
        written = self.core.write.WrittenFile(file.path, fields, columns, version, size, rows, pages, beside)
        moved = self.vector([self.core.MovedRows(written, self.rows(*row_ids))])
        ranges = self.ranges.ofRows(self.rows(*addresses))
        return self.commit(self.operations.update(self.dataset, ranges, moved))


def ids(path: str) -> list[int]:
    dataset = lance.dataset(path)
    dataset.validate()
    return sorted(dataset.to_table()["id"].to_pylist())


def make(path: str, stable: bool) -> lance.LanceDataset:
    """Three fragments of 1,000 rows; an index."""
    rows = pa.table({"id": pa.array(range(3000), pa.int64())})
    dataset = lance.write_dataset(rows, path, max_rows_per_file=1000, enable_stable_row_ids=stable)
    dataset.create_scalar_index("id", "BTREE")
    return dataset


@pytest.mark.parametrize("stable", [False, True])
def test_rows_are_deleted_by_address(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    make(path, stable)
    gone = [3, 999, (1 << 32) + 5] + [(2 << 32) + i for i in range(1000)]
    assert Table(spark, path).delete(*gone) == 3
    dataset = lance.dataset(path)
    assert ids(path) == [i for i in range(2000) if i not in (3, 999, 1005)]
    assert [f.fragment_id for f in dataset.get_fragments()] == [0, 1]
    assert type(dataset.read_transaction(3).operation).__name__ == "Delete"
    for value, found in [(3, 0), (4, 1), (1005, 0), (2500, 0)]:
        assert dataset.to_table(filter=f"id = {value}").num_rows == found
    dataset.delete("id < 10")
    assert lance.dataset(path).count_rows() == 2000 - 3 - 9


def test_both_delete_of_one_fragment_at_the_same_time(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    make(path, stable=False)
    ours, theirs = Table(spark, path), lance.dataset(path)
    lance.dataset(path).delete("id = 1")
    assert ours.delete(2, (1 << 32) + 3) == 4
    theirs.delete("id = 4")  # begun at version 2: rebased over ours by pylance
    assert ids(path) == [i for i in range(3000) if i not in (1, 2, 4, 1003)]
    with pytest.raises(Exception, match="rows of fragment 0 that others deleted"):
        ours.delete(4)
    assert lance.dataset(path).version == 5


def test_pylance_sees_that_its_row_was_deleted(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    make(path, stable=False)
    theirs = lance.dataset(path)
    Table(spark, path).delete(7)
    theirs.update({"id": "id + 10000"}, where="id in (7, 8)")  # done again on our version
    assert ids(path) == sorted([i for i in range(3000) if i not in (7, 8)] + [10008])


def test_updated_rows_keep_their_ids(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    make(path, stable=True)
    lance.write_dataset(pa.table({"id": pa.array([5000, 5001], pa.int64())}), path, mode="append")
    rows = pa.table({"id": pa.array([-6, -5001, -1], pa.int64())})
    (fragment,) = lance.fragment.write_fragments(rows, path, mode="append")
    table = Table(spark, path)
    lance.dataset(path).delete("id = 9")
    # Row 6 and the second of the append move, and a row is new.
    assert table.update([6, (3 << 32) + 1], fragment.files[0], 3, [6, 3001]) == 5
    dataset = lance.dataset(path)
    assert ids(path) == sorted([i for i in range(3000) if i not in (6, 9)] + [-6, -5001, -1, 5000])
    columns = ["id", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    found = dataset.to_table(columns=columns, filter="id < 0").to_pylist()
    assert [list(row.values()) for row in found] == [[-6, 6, 1, 5], [-5001, 3001, 3, 5], [-1, 3002, 5, 5]]
    assert dataset._take_rows([3001, 6])["id"].to_pylist() == [-5001, -6]
    for value, count in [(6, 0), (-6, 1), (-1, 1), (5001, 0), (2999, 1)]:
        assert dataset.to_table(filter=f"id = {value}").num_rows == count
    assert type(dataset.read_transaction(5).operation).__name__ == "Update"
    dataset.update({"id": "0"}, where="id = -6")
    after = lance.dataset(path).to_table(columns=columns, filter="_rowid = 6").to_pylist()
    assert [list(row.values()) for row in after] == [[0, 6, 1, 6]]
    lance.dataset(path).optimize.compact_files()
    assert lance.dataset(path).count_rows() == 3002
