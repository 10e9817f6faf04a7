"""Columns that are written in place, as pylance reads them; and what pylance does beside such a job."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from tests.interop.compare import plain
from tests.interop.matrix.tables import METADATA
from tests.interop.matrix.types import TYPES
from tests.interop.test_compaction import REFUSED, VERSIONS, assert_same_bits, assert_same_tables, writable

#: What rows are not written with, or not shown as: see docs/format-coverage.md.
UNWRITABLE = {*REFUSED}

#: Types with values that Spark cannot hold.
LOSSY: set[str] = set()


def table_of_all_types(tmp: str, version: str, **options: object) -> tuple[str, list[str]]:
    """A table of pylance with a column of each type, of some fragments with deleted rows."""
    columns = {name: writable(name, version, tmp) for name in TYPES if name not in UNWRITABLE}
    columns = {name: column for name, column in columns.items() if column is not None}
    fields = [pa.field(n, c.type).with_metadata(METADATA.get(n, {})) for n, c in columns.items()]
    table = pa.table(list(columns.values()), schema=pa.schema(fields))
    path = f"{tmp}/t.lance"
    for _ in range(3):
        lance.write_dataset(table, path, mode="append", data_storage_version=version, **options)
    lance.dataset(path).delete("_rowid % 7 = 1")
    return path, list(columns)


def assert_same_rows(expected: pa.ChunkedArray, actual: pa.ChunkedArray, rows: np.ndarray, place: str) -> None:
    """Chunk by chunk: pyarrow cannot put all dictionaries together."""
    at = 0
    assert [len(chunk) for chunk in expected.chunks] == [len(chunk) for chunk in actual.chunks]
    for left, right in zip(expected.chunks, actual.chunks, strict=True):
        mask = pa.array(rows[at : at + len(left)])
        assert_same_bits(plain(left).filter(mask), plain(right).filter(mask), place)
        at += len(left)


@pytest.mark.parametrize("version", VERSIONS)
def test_values_of_all_types_stay_where_rows_are_not_changed(spark: SparkSession, tmp: str, version: str) -> None:
    path, names = table_of_all_types(tmp, version)
    before = lance.dataset(path).to_table(with_row_address=True)
    ds = LanceDataset(spark, path)
    if version == "2.0":  # has no structs that are NULL
        names = [name for name in names if not pa.types.is_struct(before[name].type)]
    ds.update_columns(dict.fromkeys(names, "NULL"), where="_rowaddr % 5 = 0")
    after = lance.dataset(path)
    after.validate()
    rows = after.to_table(with_row_address=True)
    assert before.schema.equals(rows.schema, check_metadata=True)
    changed = np.asarray(before["_rowaddr"]) % 5 == 0
    for name in names:
        assert_same_rows(before[name], rows[name], ~changed, name)
        assert rows[name].filter(pa.array(changed)).null_count == changed.sum(), name
    files = {len(fragment.data_files()) for fragment in after.get_fragments()}
    assert files == ({2} if version == "2.0" else {1})


@pytest.mark.parametrize("version", VERSIONS)
def test_every_type_that_spark_has_is_added(spark: SparkSession, tmp: str, version: str) -> None:
    path, names = table_of_all_types(tmp, version)
    before = lance.dataset(path).to_table()
    ds = LanceDataset(spark, path)
    names = [name for name in names if name not in LOSSY]
    ds.add_columns({f"{name}_2": f"`{name}`" for name in names})
    after = lance.dataset(path)
    after.validate()
    assert_same_tables(before, after.to_table(columns=before.column_names))
    copies = after.to_table(columns=[f"{name}_2" for name in names])
    same = 0
    for name in names:
        left, right = before[name], copies[f"{name}_2"]
        assert right.null_count == left.null_count, name
        if left.type == right.type:
            same += 1
            assert_same_rows(left, right, np.ones(len(left), bool), name)
    assert same > 20
