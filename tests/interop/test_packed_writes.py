"""Packed structs that Spark writes: pylance reads them, and finds them packed as it would have done it."""

from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparklance.inspect import encodings
from tests.interop.compare import assert_same
from tests.interop.packed import CASES, FIXED, TABLES, VARIABLE, around, fixed, packed, variable
from tests.interop.test_nested import read
from tests.products import crossed

pytestmark = pytest.mark.slow

PACKED = "lance-encoding:packed"


def files(path: str) -> list[Path]:
    return [Path(path, "data", f.data_files()[0].path) for f in lance.dataset(path).get_fragments()]


def doubled(spark: SparkSession, path: str) -> pa.Table:
    """The rows of a table that were appended to it as it is."""
    before = lance.dataset(path).to_table()
    spark.read.format("lance").load(path).coalesce(1).write.format("lance").mode("append").save(path)
    dataset = lance.dataset(path)
    dataset.validate()
    after = dataset.to_table()
    assert after.schema.equals(before.schema, check_metadata=True)
    assert_same(read(spark, path), after)
    return after.slice(before.num_rows)


@pytest.mark.parametrize(("name", "version"), CASES)
def test_appends_to_tables_of_pylance(spark: SparkSession, tmp: str, name: str, version: str) -> None:
    written = TABLES[name][0]()
    path = f"{tmp}/t.lance"
    lance.write_dataset(written, path, data_storage_version=version)
    assert_same(written, doubled(spark, path))
    theirs, ours = (encodings(file) for file in files(path))
    for column in theirs:
        if name != "vectors":
            assert kinds(ours[column]) == kinds(theirs[column]), column


def kinds(pages: list[str]) -> set[str]:
    """Returns how values are packed. Levels and the compression of texts are each writer's choice."""
    return {page.split(" ")[0].split("(")[0] + "/" + ("packed" if "packed_struct" in page else "") for page in pages}


@crossed(1, way=["metadata", "option", "property"], version=["2.0", "2.1", "2.2"])
def test_makes_packed_structs_when_asked(spark: SparkSession, tmp: str, version: str, way: str) -> None:
    frame = spark.range(5000).selectExpr("id", "named_struct('a', id, 'b', CAST(id AS FLOAT)) AS s").coalesce(1)
    path = f"{tmp}/t.lance"
    match way:
        case "metadata":
            frame = frame.withMetadata("s", {PACKED: "true"})
            frame.write.format("lance").option("dataStorageVersion", version).save(path)
        case "option":
            frame.write.format("lance").option(f"s.{PACKED}", "true").option("dataStorageVersion", version).save(path)
        case _:
            frame.createOrReplaceTempView("packed_rows")
            spark.sql(
                f"CREATE TABLE packed_table USING lance OPTIONS (dataStorageVersion = '{version}') LOCATION '{path}' "
                f"TBLPROPERTIES ('s.{PACKED}' = 'true') AS SELECT * FROM packed_rows"
            )
            spark.sql("DROP TABLE packed_table")
    dataset = lance.dataset(path)
    assert dataset.schema.field("s").metadata == {PACKED.encode(): b"true"}
    assert dataset.to_table().to_pylist() == [{"id": i, "s": {"a": i, "b": float(i)}} for i in range(5000)]
    assert all("packed_struct" in page for page in encodings(files(path)[0])["s"])
    assert spark.read.format("lance").load(path).where("s.a >= 4000").count() == 1000


def test_makes_what_pylance_reads_though_it_would_not_write_it(spark: SparkSession, tmp: str) -> None:
    """Structs of 256 bytes and more, of more than 4 KiB, and structs of one width within structs."""
    wide = pa.struct({"a": pa.int32(), "b": pa.binary(300)})
    wider = pa.struct({"a": pa.int32(), "b": pa.binary(5000)})
    inner = pa.struct({"t": pa.string(), "s": pa.struct({"x": pa.int64()})})
    rows = 300
    columns = {
        "wide": pa.array([{"a": i, "b": bytes([i % 256]) * 300} for i in range(rows)], wide),
        "wider": pa.array([None if i % 5 == 3 else {"a": i, "b": bytes([i % 256]) * 5000} for i in range(rows)], wider),
        "inner": pa.array([{"t": f"{i}", "s": {"x": i}} for i in range(rows)], inner),
    }
    empty = [pa.field(name, array.type, metadata={PACKED: "true"}) for name, array in columns.items()]
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table(columns).schema.empty_table().cast(pa.schema(empty)), path)
    lance.write_dataset(pa.table(columns), f"{tmp}/plain.lance")
    spark.read.format("lance").load(f"{tmp}/plain.lance").write.format("lance").mode("append").save(path)
    assert_same(pa.table(columns), lance.dataset(path).to_table())
    assert_same(pa.table(columns), read(spark, path))


@pytest.mark.parametrize(
    ("version", "struct", "said"),
    [
        (
            "2.0",
            "named_struct('a', 1, 'b', 'x')",
            "Column 's' is a packed struct, .*2.0 can hold only values of one width, in",
        ),
        (
            "2.1",
            "named_struct('a', 1, 'b', 'x')",
            "Column 's' is a packed struct, .*2.1 can hold only values of one width",
        ),
        ("2.2", "named_struct('a', 1, 'b', true)", "packed structs of booleans .column 's'. is not supported"),
        ("2.2", "named_struct('a', 1, 'b', NULL)", "packed structs of nulls .column 's'. is not supported"),
        ("2.2", "named_struct('a', 1, 'b', array(1))", "type list .of column 'b'. is not supported"),
        (
            "2.2",
            "named_struct('a', 1, 'b', CAST(NULL AS INT))",
            "Column 's.b' is a field of a packed struct and cannot be",
        ),
        (
            "2.0",
            "named_struct('a', 1, 'b', CAST(NULL AS INT))",
            "Column 's.b' is a field of a packed struct and cannot be",
        ),
        ("2.0", "CAST(NULL AS STRUCT<a: INT>)", "Column 's' has structs that are NULL"),
        (
            "2.2",
            "named_struct('a', 'x', 'b', named_struct('c', CAST(NULL AS INT)))",
            "Column 's.b.c' is a field of a packed struct and cannot be",
        ),
    ],
)
def test_refuses_what_packed_structs_cannot_hold(
    spark: SparkSession, tmp: str, version: str, struct: str, said: str
) -> None:
    frame = spark.sql(f"SELECT {struct} AS s").withMetadata("s", {PACKED: "true"})
    with pytest.raises(Exception, match=said):
        frame.write.format("lance").option("dataStorageVersion", version).save(f"{tmp}/t.lance")
    assert not Path(tmp, "t.lance/_versions").exists()


def test_overwrites_and_changes_tables_with_packed_structs(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(packed([fixed(i) for i in range(50)], FIXED), path)
    spark.read.format("lance").load(path).where("p.a < -290").write.format("lance").mode("overwrite").save(f"{tmp}/c")
    assert lance.dataset(f"{tmp}/c").to_table().num_rows == 10
    assert all("packed_struct" in page for page in encodings(files(f"{tmp}/c")[0])["p"])


COPIES = 24


@pytest.mark.parametrize("kind", ["fixed", "variable"])
def test_writes_many_small_pages(spark: SparkSession, tmp: str, kind: str) -> None:
    """Lists with more empty ones than the levels of a page can hold."""
    of, make = (FIXED, fixed) if kind == "fixed" else (VARIABLE, variable)
    path = f"{tmp}/t.lance"
    table = around(of, make, 4000, nulls=True)
    lance.write_dataset(table, path)
    frame = spark.read.format("lance").load(path).selectExpr("p", "IF(p IS NULL, lists, array()) AS lists", "structs")
    # All rows of the table, again and again.
    many = spark.range(COPIES).coalesce(1).crossJoin(F.broadcast(frame)).drop("id")
    many.write.format("lance").option("writeBufferBytes", "1m").save(f"{tmp}/c")
    copy = lance.dataset(f"{tmp}/c").to_table()
    assert_same(pa.concat_tables([table.select(["p", "structs"])] * COPIES), copy.select(["p", "structs"]))
    assert_same(read(spark, f"{tmp}/c"), copy)
    pages = encodings(files(f"{tmp}/c")[0])["lists.item.a"]
    assert len(pages) > COPIES / 2
    assert all(page.startswith("mini_block") for page in pages)
