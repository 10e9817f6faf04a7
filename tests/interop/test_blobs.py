"""Blobs of both versions: descriptors as pylance shows them, bytes if asked for, wherever they are stored."""

import random
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.products import ends

VERSIONS = ("2.0", "2.1", "2.2")
V1 = {"lance-encoding:blob": "true"}


def blobs(n: int, seed: int = 1) -> list[bytes | None]:
    rng = random.Random(seed)
    sizes = (None, 0, 1, 60, 64, 2000)
    return [None if (size := rng.choice(sizes)) is None else rng.randbytes(size) for _ in range(n)]


def column(values: list[bytes | None], version: str) -> tuple[pa.Field, pa.Array]:
    if version == "2.2":
        field = lance.blob_field("blob", inline_size_threshold=62, dedicated_size_threshold=1999)
        return field, lance.blob_array(values)
    return pa.field("blob", pa.large_binary(), metadata=V1), pa.array(values, pa.large_binary())


def stored(path: str, values: list[bytes | None], version: str, **options: object) -> lance.LanceDataset:
    field, array = column(values, version)
    schema = pa.schema([pa.field("id", pa.int64()), field])
    table = pa.table([range(len(values)), array], schema=schema)
    return lance.write_dataset(table, path, data_storage_version=version, **options)


def read(spark: SparkSession, path: str, **options: str) -> dict[int, object]:
    """By id, what Spark shows of the other column."""
    rows = spark.read.format("lance").options(**options).load(path).collect()
    return {row[0]: row[1].asDict() if hasattr(row[1], "asDict") else row[1] for row in rows}


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_reads_descriptors_and_bytes(spark: SparkSession, tmp: str, version: str) -> None:
    values = blobs(3000)
    dataset = stored(f"{tmp}/t.lance", values, version, max_rows_per_file=1700)
    shown = dict(zip(range(3000), dataset.to_table()["blob"].to_pylist(), strict=True))
    if version == "2.0":
        # There pylance shows the mark of a null, (1, 0), and not a null.
        shown = {i: None if values[i] is None else descriptor for i, descriptor in shown.items()}
    assert read(spark, f"{tmp}/t.lance") == shown
    assert read(spark, f"{tmp}/t.lance", blobHandling="bytes") == dict(enumerate(values))


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_reads_blobs_in_queries(spark: SparkSession, tmp: str, version: str) -> None:
    values = blobs(500)
    stored(f"{tmp}/t.lance", values, version).delete("id % 3 = 1")
    left = {i: value for i, value in enumerate(values) if i % 3 != 1}
    table = spark.read.format("lance").load(f"{tmp}/t.lance")
    assert table.where("blob.size > 50").count() == sum(len(v or b"") > 50 for v in left.values())
    assert table.where("blob IS NULL").count() == sum(v is None for v in left.values())
    assert {r[0] for r in table.select("blob.size").distinct().collect()} == {None, 0, 1, 60, 64, 2000}
    content = spark.read.format("lance").option("blobHandling", "bytes").load(f"{tmp}/t.lance")
    assert {r.id: r.blob for r in content.where("id > 400").collect()} == {i: v for i, v in left.items() if i > 400}
    assert content.where("length(blob) = 64").count() == sum(v is not None and len(v) == 64 for v in left.values())
    assert content.selectExpr("sum(length(blob))").first()[0] == sum(len(v or b"") for v in left.values())


def test_takes_the_option_from_the_session_for_tables_with_a_name(spark: SparkSession, tmp: str) -> None:
    stored(f"{tmp}/t.lance", [b"a", None], "2.2")
    spark.sql(f"CREATE TABLE blobs USING lance LOCATION '{tmp}/t.lance'")
    try:
        assert spark.table("blobs").dtypes[1][1].startswith("struct<kind:smallint,")
        with pytest.raises(Exception, match="blobHandling for the session"):
            spark.sql("SELECT * FROM blobs WITH (`blobHandling` = 'bytes')").collect()
        spark.conf.set("spark.datasource.lance.blobHandling", "bytes")
        assert [bytes(r.blob) if r.blob else None for r in spark.table("blobs").orderBy("id").collect()] == [b"a", None]
    finally:
        spark.conf.unset("spark.datasource.lance.blobHandling")
        spark.sql("DROP TABLE blobs")


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_reads_blobs_within_structs(spark: SparkSession, tmp: str, version: str) -> None:
    values = blobs(100)
    field, array = column(values, version)
    inner = [field, pa.field("k", pa.int32())]
    nulls = pa.array([version != "2.0" and i % 7 == 0 for i in range(100)])
    structs = pa.StructArray.from_arrays([array, pa.array(range(100), pa.int32())], fields=inner, mask=nulls)
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("s", structs.type)])
    lance.write_dataset(pa.table([range(100), structs], schema=schema), f"{tmp}/t.lance", data_storage_version=version)
    frame = spark.read.format("lance").option("blobHandling", "bytes").load(f"{tmp}/t.lance")
    shown = {r.id: r.s for r in frame.collect()}
    for i, value in enumerate(values):
        assert (shown[i] is None) == nulls[i].as_py()
        assert shown[i] is None or (shown[i].blob, shown[i].k) == (value, i)
    one = frame.where("id = 15").select("s.blob").first()
    assert one.blob == values[15]


def test_reads_lists_of_blobs(spark: SparkSession, tmp: str) -> None:
    field, array = column([b"a", None, b"", b"x" * 70, b"y" * 3000], "2.2")
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 2, 5], pa.int32()), array, type=pa.list_(field.with_name("item")))
    table = pa.table([[0, 1, 2], lists], schema=pa.schema([pa.field("id", pa.int64()), pa.field("l", lists.type)]))
    dataset = lance.write_dataset(table, f"{tmp}/t.lance", data_storage_version="2.2")
    shown = read(spark, f"{tmp}/t.lance", blobHandling="bytes")
    assert shown == {0: [b"a", None], 1: [], 2: [b"", b"x" * 70, b"y" * 3000]}
    described = read(spark, f"{tmp}/t.lance")
    expected = dataset.to_table()["l"].to_pylist()
    assert [[d and d.asDict() for d in described[i]] for i in range(3)] == expected


def test_reads_external_blobs(spark: SparkSession, tmp: str) -> None:
    """More than a few URIs are compressed; and their characters are escaped."""
    content = bytes(range(256)) * 4
    folder = Path(tmp, "a folder, 100% 😀")
    folder.mkdir()
    uris = []
    for i in range(200):
        (folder / f"number {i}.bin").write_bytes(content[i:])
        uris.append((folder / f"number {i}.bin").as_uri())
    values = [*uris, lance.blob.Blob.from_uri(uris[7], position=10, size=20), None, b"inline"]
    array = lance.blob_array(values)
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("blob")])
    table = pa.table([range(len(values)), array], schema=schema)
    dataset = lance.write_dataset(
        table, f"{tmp}/t.lance", data_storage_version="2.2", allow_external_blob_outside_bases=True
    )
    assert list(read(spark, f"{tmp}/t.lance").values()) == dataset.to_table()["blob"].to_pylist()
    shown = read(spark, f"{tmp}/t.lance", blobHandling="bytes")
    expected = [*(content[i:] for i in range(200)), content[17:37], None, b"inline"]
    assert [shown[i] for i in range(len(values))] == expected
    (folder / "number 3.bin").unlink()
    with pytest.raises(Exception, match=r"(?s)the file is missing.*row 3 of fragment 0"):
        read(spark, f"{tmp}/t.lance", blobHandling="bytes")


def test_reads_external_blobs_below_a_base(spark: SparkSession, tmp: str) -> None:
    Path(tmp, "base/in").mkdir(parents=True)
    Path(tmp, "base/in/a b.bin").write_bytes(b"0123456789")
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("blob")])
    uri = Path(tmp, "base/in/a b.bin").as_uri()
    values = lance.blob_array([uri, lance.blob.Blob.from_uri(uri, position=2, size=3)])
    base = lance.DatasetBasePath(f"{tmp}/base", "outside")
    dataset = lance.write_dataset(
        pa.table([[0, 1], values], schema=schema), f"{tmp}/t.lance", data_storage_version="2.2", initial_bases=[base]
    )
    assert dataset.to_table()["blob"][0].as_py()["blob_id"] > 0
    assert read(spark, f"{tmp}/t.lance", blobHandling="bytes") == {0: b"0123456789", 1: b"234"}


def test_finds_blobs_of_columns_that_were_added_and_of_compacted_files(spark: SparkSession, tmp: str) -> None:
    values = blobs(400)
    dataset = stored(f"{tmp}/t.lance", values, "2.2", max_rows_per_file=90)
    dataset.delete("id % 5 = 0")
    dataset.optimize.compact_files()
    assert read(spark, f"{tmp}/t.lance", blobHandling="bytes") == {i: v for i, v in enumerate(values) if i % 5}


def test_refuses_a_side_file_that_is_cut_short(spark: SparkSession, tmp: str) -> None:
    stored(f"{tmp}/t.lance", [b"a" * 100, b"b" * 100], "2.2")
    (side,) = Path(tmp, "t.lance/data").glob("*/*.blob")
    side.write_bytes(side.read_bytes()[:150])
    assert len(read(spark, f"{tmp}/t.lance")) == 2
    with pytest.raises(Exception, match=r"(?s)a blob of 100 bytes at \d+, in a file of 150.*row 1 of fragment 0"):
        read(spark, f"{tmp}/t.lance", blobHandling="bytes")
