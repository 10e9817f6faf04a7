"""Blobs of tables that are compacted stay what they were, to pylance and to us."""

from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.bits import VERSIONS
from tests.interop.compaction import compact
from tests.interop.test_blob_writes import taken
from tests.interop.test_blobs import blobs, stored
from tests.interop.test_blobs import read as read_blobs
from tests.products import ends


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_blobs_are_stored_anew(spark: SparkSession, tmp: str, version: str) -> None:
    """Each where it belongs by its size, in as many files as before."""
    path, values = f"{tmp}/t.lance", blobs(900)
    stored(path, values, version, max_rows_per_file=200)
    dataset = lance.dataset(path)
    dataset.delete("id % 3 = 1 OR id BETWEEN 200 AND 399")
    before, held = dataset.to_table(), taken(path)
    assert compact(spark, path).fragments_added == 1
    after = lance.dataset(path)
    assert after.schema.equals(dataset.schema, check_metadata=True)
    for left, right in zip(before.to_pylist(), after.to_table().to_pylist(), strict=True):
        assert left["id"] == right["id"]
        for part in ("kind", "size"):
            assert (left["blob"] or {}).get(part) == (right["blob"] or {}).get(part)
    assert taken(path) == held
    kept = {i: v for i, v in enumerate(values) if not (i % 3 == 1 or 200 <= i < 400)}
    assert read_blobs(spark, path, blobHandling="bytes") == kept
    compact(spark, path, materialize_deletions_threshold="0.0D", data_storage_version=f"'{version}'")
    assert taken(path) == held


def test_blobs_within_structs_and_lists_are_stored_anew(spark: SparkSession, tmp: str) -> None:
    values = [b"a", None, b"", b"x" * 70_000, b"y" * 3000, b"z"]
    lists = pa.ListArray.from_arrays(
        pa.array([0, 2, 2, None, 5, 6], pa.int32()),
        lance.blob_array(values),
        type=pa.list_(lance.blob_field("item")),
    )
    inner = [lance.blob_field("blob"), pa.field("k", pa.int32())]
    mask = pa.array([False, True, False, False, False])
    structs = pa.StructArray.from_arrays(
        [lance.blob_array(values[:5]), pa.array(range(5), pa.int32())], fields=inner, mask=mask
    )
    fields = [pa.field("id", pa.int64()), pa.field("l", lists.type), pa.field("s", structs.type)]
    path = f"{tmp}/t.lance"
    for i in range(3):
        made = pa.table([range(5 * i, 5 * i + 5), lists, structs], schema=pa.schema(fields))
        lance.write_dataset(made, path, mode="append", data_storage_version="2.2")
    lance.dataset(path).delete("id IN (1, 8)")
    before = read_blobs(spark, path, blobHandling="bytes")
    nested = spark.read.format("lance").option("blobHandling", "bytes").load(path).orderBy("id").collect()
    assert compact(spark, path).fragments_added == 1
    assert read_blobs(spark, path, blobHandling="bytes") == before
    assert spark.read.format("lance").option("blobHandling", "bytes").load(path).orderBy("id").collect() == nested
    dataset = lance.dataset(path)
    dataset.validate()
    assert [s and s["k"] for s in dataset.to_table()["s"].to_pylist()] == [r.s and r.s.k for r in nested]


def test_external_blobs_stay_where_they_are(spark: SparkSession, tmp: str) -> None:
    Path(tmp, "base/in").mkdir(parents=True)
    Path(tmp, "elsewhere").mkdir()
    for folder in ("base/in", "elsewhere"):
        Path(tmp, folder, "a b.bin").write_bytes(b"0123456789")
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("blob")])
    inside, outside = (Path(tmp, folder, "a b.bin").as_uri() for folder in ("base/in", "elsewhere"))
    made = [inside, lance.blob.Blob.from_uri(inside, position=2, size=3), outside, None, b"in the table"]
    made.append(lance.blob.Blob.from_uri(outside, position=4, size=2))
    path = f"{tmp}/t.lance"
    options = {"data_storage_version": "2.2", "allow_external_blob_outside_bases": True}
    base = [lance.DatasetBasePath(f"{tmp}/base", "outside")]
    for i in range(2):
        rows = pa.table([range(6 * i, 6 * i + 6), lance.blob_array(made)], schema=schema)
        lance.write_dataset(rows, path, mode="append", **options, **({} if i else {"initial_bases": base}))
    before = lance.dataset(path).to_table().to_pylist()
    held = taken(path)
    assert held[1] == b"234"
    assert compact(spark, path).fragments_added == 1
    own = ("position",)
    for left, right in zip(before, lance.dataset(path).to_table().to_pylist(), strict=True):
        if (left["blob"] or {}).get("kind") == 3:
            assert left == right
        else:
            assert {k: v for k, v in (left["blob"] or {}).items() if k not in own} == {
                k: v for k, v in (right["blob"] or {}).items() if k not in own
            }
    assert taken(path) == held
