"""Columns that are written in place, as pylance reads them; and what pylance does beside such a job."""

import functools
import subprocess
import sys
import tempfile
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparklance import LanceDataset
from tests.interop.bits import REFUSED, VERSIONS, assert_same_bits, assert_same_tables, writable
from tests.interop.compare import plain
from tests.interop.matrix.tables import METADATA
from tests.interop.matrix.types import TYPES
from tests.products import ends

pytestmark = pytest.mark.slow

#: What rows are not written with, or not shown as: see docs/format-coverage.md.
UNWRITABLE = {*REFUSED}

#: Types with values that Spark cannot hold.
LOSSY: set[str] = set()


@functools.cache
def writable_columns(version: str) -> dict[str, pa.Array]:
    with tempfile.TemporaryDirectory() as tmp:
        columns = {name: writable(name, version, tmp) for name in TYPES if name not in UNWRITABLE}
    return {name: column for name, column in columns.items() if column is not None}


def table_of_all_types(tmp: str, version: str, **options: object) -> tuple[str, list[str]]:
    """A table of pylance with a column of each type, of some fragments with deleted rows."""
    columns = writable_columns(version)
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


@pytest.mark.parametrize("version", ends(VERSIONS))
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


@pytest.mark.parametrize("version", ends(VERSIONS))
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


def letters(rows: range) -> pa.Table:
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(np.repeat(np.array(rows), 4), pa.float32()), 4)
    return pa.table({"id": pa.array(rows, pa.int64()), "word": [f"w{i}" for i in rows], "vec": vectors})


def small_table(path: str, fragments: int = 4, **options: object) -> None:
    for i in range(fragments):
        lance.write_dataset(letters(range(100 * i, 100 * i + 100)), path, mode="append", **options)


def test_indices_answer_right_after_columns_were_written(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    small_table(path)
    theirs = lance.dataset(path)
    theirs.create_scalar_index("id", "BTREE")
    theirs.create_scalar_index("word", "BTREE")
    theirs.create_index("vec", "IVF_FLAT", num_partitions=1)
    ds = LanceDataset(spark, path)
    ds.add_columns({"double": "id * 2"})
    ds.update_columns({"word": "concat('x', id)"}, where="id >= 100 AND id < 300")
    ds.update_columns({"vec": "array(1000f - id, 0f, 0f, 0f)"}, where="id >= 350")
    theirs = lance.dataset(path)
    theirs.validate()
    assert theirs.to_table(filter="word = 'w150'").num_rows == 0
    assert theirs.to_table(filter="word = 'x150'")["double"].to_pylist() == [300]
    assert theirs.to_table(filter="word = 'w50'")["id"].to_pylist() == [50]
    assert theirs.to_table(filter="id = 399")["double"].to_pylist() == [798]
    covered = {
        index.name: set(theirs.stats.index_stats(index.name)["indices"] and index.segments[0].fragment_ids)
        for index in theirs.describe_indices()
    }
    assert covered == {"id_idx": {0, 1, 2, 3}, "word_idx": {0, 3}, "vec_idx": {0, 1, 2}}
    nearest = theirs.to_table(nearest={"column": "vec", "q": [620.0, 0, 0, 0], "k": 1}, columns=["id"])
    assert nearest["id"].to_pylist() == [380]
    nearest = theirs.to_table(nearest={"column": "vec", "q": [7.0, 7, 7, 7], "k": 1}, columns=["id"])
    assert nearest["id"].to_pylist() == [7]


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_stable_rows_keep_their_ids_and_tell_which_changed(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    small_table(path, fragments=2, enable_stable_row_ids=True, data_storage_version=version)
    lance.dataset(path).delete("id = 5")
    before = lance.dataset(path)
    ids = before.to_table(with_row_id=True)["_rowid"].to_pylist()
    ds = LanceDataset(spark, path)
    ds.update_columns({"word": "'new'"}, where="id % 10 = 3")
    after = lance.dataset(path)
    after.validate()
    told = after.to_table(columns=["id", "word", "_row_last_updated_at_version"], with_row_id=True)
    assert told["_rowid"].to_pylist() == ids
    changed = {row["id"] for row in told.to_pylist() if row["_row_last_updated_at_version"] == after.version}
    assert changed == {row["id"] for row in told.to_pylist() if row["word"] == "new"} == set(range(3, 200, 10))
    ds.add_columns({"half": "id / 2"})
    told = lance.dataset(path).to_table(columns=["id", "half"], with_row_id=True)
    assert told["_rowid"].to_pylist() == ids
    assert told["half"].to_pylist() == [i / 2 for i in told["id"].to_pylist()]


def test_the_table_becomes_what_pylance_makes_of_it(spark: SparkSession, tmp: str) -> None:
    ours, theirs = f"{tmp}/ours.lance", f"{tmp}/theirs.lance"
    for path in (ours, theirs):
        small_table(path)
        lance.dataset(path).delete("id % 3 = 1")
    LanceDataset(spark, ours).add_columns({"double": "id * 2", "loud": "upper(word)"})
    lance.dataset(theirs).add_columns({"double": "id * 2", "loud": "upper(word)"})
    mine, reference = LanceDataset(spark, ours), LanceDataset(spark, theirs)
    assert mine.to_df().collect() == reference.to_df().collect()
    assert lance.dataset(ours).schema == lance.dataset(theirs).schema
    assert lance.dataset(ours).to_table() == lance.dataset(theirs).to_table()
    for left, right in zip(mine.fragments, reference.fragments, strict=True):
        assert [list(file.fields) for file in left.files] == [list(file.fields) for file in right.files]
    assert mine.read_transaction().operation.arm == reference.read_transaction().operation.arm == "merge"


def test_embeddings_are_vectors_to_pylance(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    small_table(path, fragments=2)
    size = {"arrow.fixed-size-list.size": 3}
    column = F.transform(F.sequence(F.lit(1), F.lit(3)), lambda i: (F.col("id") + i).cast("float"))
    LanceDataset(spark, path).add_columns({"embedding": column.alias("e", metadata=size)})
    found = lance.dataset(path)
    assert found.schema.field("embedding").type == pa.list_(pa.float32(), 3)
    nearest = found.to_table(nearest={"column": "embedding", "q": [43.0, 44, 45], "k": 1}, columns=["id"])
    assert nearest["id"].to_pylist() == [42]


JOB = """
import os, signal, sys, threading, time
from pathlib import Path
from pyspark.sql import SparkSession, functions as F
import sparklance
path = sys.argv[1]
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
spark = sparklance.configure(builder).getOrCreate()
spark.conf.set("spark.sql.files.openCostInBytes", 1)

def kill():
    notes = Path(path, "_sparklance", "job")
    while len(list(notes.glob("[!.]*"))) < 3:  # without those still being written
        time.sleep(0.05)
    os.kill(spark.sparkContext._gateway.proc.pid, signal.SIGKILL)
    os._exit(7)

@F.udf("long")
def slow(i):
    if i >= 600:
        time.sleep(3600)
    return i * 2

threading.Thread(target=kill, daemon=True).start()
sparklance.LanceDataset(spark, path).add_columns({"double": slow("id")}, job_id="job")
"""


@pytest.mark.process
@pytest.mark.classic("it starts a session of its own")
def test_a_job_whose_driver_is_killed_goes_on_where_it_was(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    small_table(path, fragments=8)
    done = subprocess.run([sys.executable, "-c", JOB, path], timeout=300, capture_output=True)
    assert done.returncode == 7, done.stderr
    notes = Path(path, "_sparklance", "job")
    finished = len(list(notes.glob("[!.]*")))
    assert 3 <= finished < 8
    # The reference does not see the folder.
    theirs = lance.dataset(path)
    theirs.validate()
    assert (theirs.version, theirs.count_rows()) == (8, 800)
    theirs.delete("id = 17")
    lance.write_dataset(letters(range(800, 850)), path, mode="append")
    theirs.cleanup_old_versions()
    assert len(list(notes.glob("[!.]*"))) == finished
    before = {file.name for file in Path(path, "data").glob("*.lance")}
    double = F.udf(lambda i: i * 2, "long")
    LanceDataset(spark, path).add_columns({"double": double("id")}, job_id="job")
    written = {file.name for file in Path(path, "data").glob("*.lance")} - before
    assert len(written) == 9 - finished
    rows = lance.dataset(path).to_table()
    assert rows.num_rows == 849
    assert rows["double"].to_pylist() == [i * 2 for i in rows["id"].to_pylist()]
    lance.dataset(path).validate()
    assert not notes.exists()
