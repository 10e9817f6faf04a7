"""Blobs that Spark writes, whose bytes pylance finds, wherever they went by their size."""

from pathlib import Path

import lance
import pytest
from pyspark.sql import DataFrame, SparkSession

from sparklance.inspect import encodings
from tests.interop.test_blobs import VERSIONS, blobs, read, stored
from tests.products import crossed, ends

KEY = "lance-encoding:blob"
#: On both sides of what is stored inline, together with others, and alone.
SIZES = [None, 0, 1, 64 << 10, (64 << 10) + 1, 4 << 20, (4 << 20) + 1, 3]


def rows(spark: SparkSession, values: list[bytes | None]) -> DataFrame:
    return spark.createDataFrame(list(enumerate(values)), "id BIGINT, blob BINARY").coalesce(1)


def some() -> list[bytes | None]:
    return [None if size is None else bytes([i]) * size for i, size in enumerate(SIZES)]


def taken(path: str, column: str = "blob") -> dict[int, bytes | None]:
    """By id, what pylance reads of each blob."""
    dataset = lance.dataset(path)
    dataset.validate()
    table = dataset.to_table(columns=["id", column])
    ids = table["id"].to_pylist()
    found: dict[int, bytes | None] = dict.fromkeys(ids)
    # Some versions leave nulls out, and others list them.
    for row, i in enumerate(ids):
        blob = dataset.take_blobs(column, indices=[row])
        found[i] = blob[0].readall() if blob and blob[0] is not None else None
    return found


def is_blob(path: str) -> bool:
    field = lance.dataset(path).schema.field("blob")
    return "blob" in str(field.type) or (field.metadata or {}).get(KEY.encode()) == b"true"


@crossed(1, way=["metadata", "option", "property"], version=VERSIONS)
def test_makes_blobs_when_asked(spark: SparkSession, tmp: str, version: str, way: str) -> None:
    frame, path = rows(spark, some()), f"{tmp}/t.lance"
    match way:
        case "metadata":
            frame = frame.withMetadata("blob", {KEY: "true"})
            frame.write.format("lance").option("dataStorageVersion", version).save(path)
        case "option":
            frame.write.format("lance").option(f"blob.{KEY}", "true").option("dataStorageVersion", version).save(path)
        case _:
            frame.createOrReplaceTempView("blob_rows")
            spark.sql(
                f"CREATE TABLE blob_table USING lance OPTIONS (dataStorageVersion = '{version}') LOCATION '{path}' "
                f"TBLPROPERTIES ('blob.{KEY}' = 'true') AS SELECT * FROM blob_rows"
            )
            spark.sql("DROP TABLE blob_table")
    assert is_blob(path)
    expected = dict(enumerate(some()))
    if version == "2.0":
        expected[0] = taken(path)[0]
    assert taken(path) == expected
    assert read(spark, path, blobHandling="bytes") == dict(enumerate(some()))
    sides = sorted(file.stat().st_size for file in Path(path, "data").glob("*/*.blob"))
    assert sides == ([(4 << 20) + 1, (64 << 10) + 1 + (4 << 20)] if version == "2.2" else [])


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_appends_to_tables_of_pylance(spark: SparkSession, tmp: str, version: str) -> None:
    path, values = f"{tmp}/t.lance", blobs(700)
    before = stored(path, values, version)
    theirs = encodings(Path(path, "data", before.get_fragments()[0].data_files()[0].path))["blob"]
    more = [(1000 + i, value) for i, value in enumerate(values)]
    added = spark.createDataFrame(more, "id BIGINT, blob BINARY").coalesce(1)
    added.write.format("lance").mode("append").save(path)
    after = lance.dataset(path)
    assert after.schema.equals(before.schema, check_metadata=True)
    ours = encodings(Path(path, "data", after.get_fragments()[1].data_files()[0].path))["blob"]
    assert ours == theirs
    expected = {i: value for i, value in enumerate(values)} | dict(more)
    assert read(spark, path, blobHandling="bytes") == expected
    shown = after.to_table()["blob"].to_pylist()
    assert shown[700:] == [d and d | {"position": shown[700 + i]["position"]} for i, d in enumerate(shown[:700])]
    rows = [i for i, value in enumerate(values) if value is not None][:40]
    assert [b.readall() for b in after.take_blobs("blob", indices=[700 + i for i in rows])] == [values[i] for i in rows]


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_copies_are_blobs_again(spark: SparkSession, tmp: str, version: str) -> None:
    values = blobs(50)
    stored(f"{tmp}/t.lance", values, version)
    frame = spark.read.format("lance").option("blobHandling", "bytes").load(f"{tmp}/t.lance")
    for other in VERSIONS:
        frame.write.format("lance").option("dataStorageVersion", other).save(f"{tmp}/{other}.lance")
        assert is_blob(f"{tmp}/{other}.lance")
        assert read(spark, f"{tmp}/{other}.lance", blobHandling="bytes") == dict(enumerate(values))
    descriptors = spark.read.format("lance").load(f"{tmp}/t.lance")
    with pytest.raises(Exception, match=r"(?s)INCOMPATIBLE_DATA_FOR_TABLE.*blob"):
        descriptors.write.format("lance").mode("append").save(f"{tmp}/t.lance")


def test_writes_to_tables_with_a_name(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    stored(path, [b"a", None], "2.2")
    spark.sql(f"CREATE TABLE blobs_by_name USING lance LOCATION '{path}'")
    try:
        spark.sql("INSERT INTO blobs_by_name VALUES (2, X'6263'), (3, NULL), (4, X'')")
        assert spark.table("blobs_by_name").dtypes[1][1].startswith("struct<kind:smallint,")
        assert taken(path) == {0: b"a", 1: None, 2: b"bc", 3: None, 4: b""}
        spark.sql("UPDATE blobs_by_name SET id = 12 WHERE id = 2")
        spark.sql("UPDATE blobs_by_name SET blob = X'66' WHERE id = 3")
        spark.sql("DELETE FROM blobs_by_name WHERE id = 4")
        assert taken(path) == {0: b"a", 1: None, 12: b"bc", 3: b"f"}
        spark.sql("INSERT OVERWRITE blobs_by_name VALUES (7, X'6465')")
        assert taken(path) == {7: b"de"}
    finally:
        spark.sql("DROP TABLE blobs_by_name")


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_blobs_within_structs(spark: SparkSession, tmp: str, version: str) -> None:
    path, values = f"{tmp}/t.lance", blobs(300)
    nulls = version != "2.0"
    made = [(i, None if nulls and i % 7 == 0 else (i, value)) for i, value in enumerate(values)]
    frame = spark.createDataFrame(made, "id BIGINT, s STRUCT<k: BIGINT, blob: BINARY>").coalesce(1)
    frame.write.format("lance").option(f"s.blob.{KEY}", "true").option("dataStorageVersion", version).save(path)
    shown = read(spark, path, blobHandling="bytes")
    assert shown == {i: s and {"k": s[0], "blob": s[1]} for i, s in made}
    described = lance.dataset(path).to_table()["s"].to_pylist()
    if version != "2.0":
        assert [s and s["blob"] and s["blob"]["size"] for s in described] == [
            s and (None if s[1] is None else len(s[1])) for _, s in made
        ]


def test_blobs_within_lists(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    made = [(0, [b"a", None]), (1, []), (2, None), (3, [b"", b"x" * 70_000])]
    frame = spark.createDataFrame(made, "id BIGINT, l ARRAY<BINARY>").coalesce(1)
    frame.write.format("lance").option(f"l.item.{KEY}", "true").save(path)
    assert read(spark, path, blobHandling="bytes") == dict(made)
    shown = lance.dataset(path).to_table()["l"].to_pylist()
    assert [blobs and [b and b["size"] for b in blobs] for blobs in shown] == [[1, None], [], None, [0, 70_000]]
    with pytest.raises(Exception, match=r"writing blobs in lists to files before version 2.2 .column 'l.item'."):
        frame.write.format("lance").option(f"l.item.{KEY}", "true").option("dataStorageVersion", "2.1").save(
            f"{tmp}/2.1.lance"
        )


def test_sizes_are_those_that_the_metadata_names(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    sizes = {f"{KEY}-inline-size-threshold": "10", f"{KEY}-dedicated-size-threshold": "100"}
    sizes |= {f"{KEY}-pack-file-size-threshold": "150"}
    frame = rows(spark, [bytes(size) for size in (10, 11, 100, 60, 101, 60)])
    frame.withMetadata("blob", {KEY: "true"} | sizes).write.format("lance").save(path)
    shown = [d["kind"] for d in lance.dataset(path).to_table()["blob"].to_pylist()]
    assert shown == [0, 1, 1, 1, 2, 1]
    assert sorted(file.stat().st_size for file in Path(path, "data").glob("*/*.blob")) == [101, 111, 120]
    assert {i: len(v) for i, v in taken(path).items()} == dict(enumerate((10, 11, 100, 60, 101, 60)))
    with pytest.raises(Exception, match="dedicated-size-threshold = '0', but it must be a number of bytes, 1 or more"):
        frame.withMetadata("blob", {KEY: "true", f"{KEY}-dedicated-size-threshold": "0"}).write.format("lance").save(
            f"{tmp}/0.lance"
        )


def test_refuses_blobs_of_other_types(spark: SparkSession, tmp: str) -> None:
    with pytest.raises(
        Exception, match=r"'id\.lance-encoding:blob' cannot be 'true': it is for a BINARY, but the column is bigint"
    ):
        spark.range(3).write.format("lance").option(f"id.{KEY}", "true").save(f"{tmp}/t.lance")


def test_nothing_is_left_of_a_write_that_fails(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    stored(path, [b"a"], "2.2")
    frame = spark.range(300).selectExpr(
        "id", "IF(id = 250, CAST(raise_error('stop') AS BINARY), CAST(repeat('x', 70000) AS BINARY)) AS blob"
    )
    with pytest.raises(Exception, match="stop"):
        frame.coalesce(1).write.format("lance").mode("append").save(path)
    assert not list(Path(path, "data").glob("*/*"))
    assert len(list(Path(path, "data").iterdir())) == 1


def test_new_columns_are_blobs_when_asked(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    spark.range(2).coalesce(1).write.format("lance").save(path)
    frame = rows(spark, [b"x"]).withMetadata("blob", {KEY: "true"})
    frame.write.format("lance").mode("append").option("mergeSchema", "true").save(path)
    assert is_blob(path)
    shown = spark.read.format("lance").option("blobHandling", "bytes").load(path).collect()
    assert sorted((r.id, r.blob) for r in shown if r.blob) == [(0, b"x")]


def test_descriptors_are_no_blobs_and_copies_name_the_setting(spark: SparkSession, tmp: str) -> None:
    path, other = f"{tmp}/t.lance", f"{tmp}/other.lance"
    for each in (path, other):
        rows(spark, [b"abc"]).write.format("lance").option(f"blob.{KEY}", "true").save(each)
    with pytest.raises(Exception, match=r"it describes blobs and has none of their bytes; .* blobHandling = bytes"):
        spark.sql(f"CREATE TABLE lance.`{tmp}/copy.lance` USING lance AS SELECT * FROM lance.`{path}`")
    with pytest.raises(Exception, match="it describes blobs"):
        spark.read.format("lance").load(path).write.format("lance").mode("overwrite").save(other)
    spark.conf.set("spark.datasource.lance.blobHandling", "bytes")
    try:
        spark.sql(f"INSERT INTO lance.`{other}` SELECT id + 1, blob FROM lance.`{path}`")
        spark.sql(f"CREATE TABLE lance.`{tmp}/copy.lance` USING lance AS SELECT * FROM lance.`{path}`")
    finally:
        spark.conf.unset("spark.datasource.lance.blobHandling")
    assert taken(other) == {0: b"abc", 1: b"abc"}
    assert taken(f"{tmp}/copy.lance") == {0: b"abc"}
