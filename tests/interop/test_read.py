"""Spark reads what pylance writes, to the last bit: every flat type, in every shape of data, in both file versions."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest
from lance.arrow import BFloat16Type
from lance.file import LanceFileWriter
from lance.fragment import LanceFragment
from pyspark.sql import SparkSession

from sparklance.inspect import encodings
from tests.interop.compare import assert_same
from tests.interop.generate import DICTIONARIES, FOREIGN, INDICES, SHAPES, dictionary, table
from tests.interop.rare import COMPRESSION, STRUCTURE, TABLES, hinted
from tests.products import ends

VERSIONS = ["2.0", "2.1", "2.2"]

#: Pages of 2.1 and 2.2 are read by the same code, but for the sizes of chunks: two shapes are enough of 2.1.
SHAPES_BY_VERSION = [
    pytest.param(
        shape, version, marks=pytest.mark.cross if version == "2.1" and shape not in ("random", "runs") else ()
    )
    for shape in SHAPES
    for version in VERSIONS
]

#: one value; the edges of a chunk of 1,024; several chunks of every encoding
ROWS = [1, 1023, 1024, 1025, 6000]


def read(spark: SparkSession, path: str, **options: str) -> pa.Table:
    return spark.read.format("lance").options(**options).load(path).toArrow()


@pytest.mark.parametrize(("shape", "version"), SHAPES_BY_VERSION)
def test_reads_every_type_and_shape(spark: SparkSession, tmp: str, version: str, shape: str) -> None:
    """Each number of rows, with nulls and without, is a fragment."""
    assert_fragments_are_read(spark, f"{tmp}/t.lance", version, shape, product(ROWS, (0.0, 0.2)))


def assert_fragments_are_read(
    spark: SparkSession, path: str, version: str, shape: str, fragments: Iterable[tuple[int, float]], **columns: Any
) -> None:
    written = [table(shape, rows, null_share, **columns) for rows, null_share in fragments]
    for each in written:
        lance.write_dataset(each, path, mode="append", data_storage_version=version)
    found, start = read(spark, path), 0
    for each in written:
        assert_same(each, found.slice(start, each.num_rows))
        start += each.num_rows
    assert found.num_rows == start


@pytest.mark.parametrize(("shape", "version"), SHAPES_BY_VERSION)
def test_reads_types_that_spark_lacks_as_the_nearest(spark: SparkSession, tmp: str, version: str, shape: str) -> None:
    fragments = [(1500, 0.0), (1500, 0.2)]
    assert_fragments_are_read(spark, f"{tmp}/t.lance", version, shape, fragments, columns=FOREIGN)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("null_share", [0.0, 0.2])
def test_reads_dictionary_columns_as_their_values(
    spark: SparkSession, tmp: str, version: str, null_share: float
) -> None:
    by_index = {str(index): dictionary(pa.string(), index, 3000, null_share) for index in INDICES}
    by_value = {name: dictionary(kind, pa.int32(), 3000, null_share) for name, kind in DICTIONARIES.items()}
    written = pa.table(by_index | {f"of_{name}": column for name, column in by_value.items()})
    lance.write_dataset(written, f"{tmp}/t.lance", data_storage_version=version)
    assert_same(written, read(spark, f"{tmp}/t.lance"))


def test_reads_dictionary_columns_of_2_0_whose_values_have_nulls_or_are_in_lists(spark: SparkSession, tmp: str) -> None:
    """A null value, a value that no row has, and dictionaries of more items than those of strings have there."""
    keys = pa.array([None if i % 7 == 0 else i % 3 for i in range(900)], pa.int8())
    many = dictionary(pa.string(), pa.int32(), 900, 0.1)
    written = pa.table(
        {
            "null": pa.DictionaryArray.from_arrays(keys, pa.array(["a", None, "c", "unused"])),
            "all_null": pa.array([None] * 900).cast(pa.dictionary(pa.int16(), pa.string())),
            "unique": pa.array([f"word {i}" for i in range(900)]).dictionary_encode(),
            "lists": pa.ListArray.from_arrays(pa.array([min(i * 2, 900) for i in range(901)], pa.int32()), many),
            "structs": pa.StructArray.from_arrays([many], ["inside"]),
        }
    )
    lance.write_dataset(written, f"{tmp}/t.lance", data_storage_version="2.0")
    got = read(spark, f"{tmp}/t.lance")
    for name in written.column_names:
        assert got[name].to_pylist() == written[name].to_pylist(), name


@pytest.mark.parametrize("version", VERSIONS)
def test_reads_bfloat16(spark: SparkSession, tmp: str, version: str) -> None:
    bits = np.random.default_rng(1).integers(0, 1 << 16, 400, "u2")
    bits |= np.where(bits & 0x7FFF > 0x7F80, 0x40, 0).astype("u2")
    stored = pa.array([b.tobytes() for b in bits], pa.binary(2), mask=np.arange(400) % 7 == 3)
    numbers = pa.ExtensionArray.from_storage(BFloat16Type(), stored)
    lists = pa.FixedSizeListArray.from_arrays(numbers, 4)
    lance.write_dataset(pa.table({"lists": lists}), f"{tmp}/lists.lance", data_storage_version=version)
    lance.write_dataset(pa.table({"numbers": numbers}), f"{tmp}/numbers.lance", data_storage_version=version)
    wide = pa.array((bits.astype("u4") << 16).view("f4"), mask=np.arange(400) % 7 == 3)
    assert_same(pa.table({"numbers": wide}), read(spark, f"{tmp}/numbers.lance"))
    assert_same(pa.table({"lists": pa.FixedSizeListArray.from_arrays(wide, 4)}), read(spark, f"{tmp}/lists.lance"))


@pytest.mark.parametrize("version", ends(VERSIONS))
@pytest.mark.parametrize("compression", ["zstd", "lz4", "fsst", "none"])
def test_reads_general_compression(spark: SparkSession, tmp: str, version: str, compression: str) -> None:
    plain = table("few", 20_000, 0.1)
    written = hinted(plain, COMPRESSION, compression)
    lance.write_dataset(written, f"{tmp}/t.lance", data_storage_version=version)
    assert_same(plain, read(spark, f"{tmp}/t.lance"))


@pytest.mark.parametrize("structure", ["miniblock", "fullzip"])
def test_reads_either_structure_for_every_type(spark: SparkSession, tmp: str, structure: str) -> None:
    for null_share in (0.0, 0.3):
        plain = table("random", 3000, null_share)
        written = hinted(plain, STRUCTURE, structure)
        lance.write_dataset(written, f"{tmp}/{null_share}.lance", data_storage_version="2.2")
        assert_same(plain, read(spark, f"{tmp}/{null_share}.lance"))


@pytest.mark.parametrize("version", ends(VERSIONS))
@pytest.mark.parametrize("name", TABLES)
def test_reads_what_pylance_chooses_rarely(spark: SparkSession, tmp: str, version: str, name: str) -> None:
    written = TABLES[name]()
    lance.write_dataset(written, f"{tmp}/t.lance", data_storage_version=version)
    assert_same(written, read(spark, f"{tmp}/t.lance"))


@pytest.mark.parametrize("version", VERSIONS)
def test_reads_columns_of_many_pages_in_many_fragments(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    written = [table(shape, 3000, 0.05) for shape in ("random", "few", "runs")]
    write_many_pages(path, version, written)
    pages = encodings(Path(path, "data/0.lance"))
    assert all(len(pages[name]) > 3 for name in pages if name != "bool"), pages
    assert_same(pa.concat_tables(written), read(spark, path))


def write_many_pages(path: str, version: str, fragments: list[pa.Table]) -> None:
    """Files whose writer has room for 4,000 bytes of each column."""
    schema = fragments[0].schema
    dataset = lance.write_dataset(schema.empty_table(), path, data_storage_version=version)
    Path(path, "data").mkdir(exist_ok=True)
    made = []
    for i, rows in enumerate(fragments):
        file = f"{path}/data/{i}.lance"
        with LanceFileWriter(file, schema, version=version, data_cache_bytes=4000 * len(schema)) as writer:
            for batch in rows.to_batches(300):
                writer.write_batch(batch)
        made.append(LanceFragment.create_from_file(f"{i}.lance", dataset, i))
    lance.LanceDataset.commit(path, lance.LanceOperation.Append(made), read_version=dataset.version)


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_reads_columns_of_large_pages_in_many_fragments(spark: SparkSession, tmp: str, version: str) -> None:
    written = pa.concat_tables([table(shape, 50_000, 0.05) for shape in ("random", "few", "runs")])
    lance.write_dataset(written, f"{tmp}/t.lance", max_rows_per_file=60_000, data_storage_version=version)
    assert_same(written, read(spark, f"{tmp}/t.lance"))


def test_reads_non_nullable_columns(spark: SparkSession, tmp: str) -> None:
    nullable = table("random", 1500, 0.0)
    schema = pa.schema([field.with_nullable(False) for field in nullable.schema])
    lance.write_dataset(nullable.cast(schema), f"{tmp}/t.lance")
    frame = spark.read.format("lance").load(f"{tmp}/t.lance")
    assert not any(field.nullable for field in frame.schema)
    assert_same(nullable, frame.toArrow())


@pytest.mark.parametrize(("deleted", "suffix"), [(30, ".arrow"), (12_000, ".bin")])
def test_skips_deleted_rows(spark: SparkSession, tmp: str, deleted: int, suffix: str) -> None:
    path = f"{tmp}/t.lance"
    everything = table("sorted", 40_000, 0.1)
    row = pa.array(range(everything.num_rows), pa.int64())
    lance.write_dataset(everything.append_column("row", row), path, max_rows_per_file=25_000)
    dataset = lance.dataset(path)
    dataset.delete(f"row % 2 = 1 AND row < {deleted * 2}")
    assert [file.suffix for file in Path(path, "_deletions").iterdir()] == [suffix]
    assert_same(lance.dataset(path).to_table(), read(spark, path))
    assert spark.read.format("lance").load(path).count() == dataset.count_rows()


def test_reads_an_empty_table(spark: SparkSession, tmp: str) -> None:
    empty = table("random", 10, 0.0).slice(0, 0)
    lance.write_dataset(empty, f"{tmp}/t.lance")
    assert_same(empty, read(spark, f"{tmp}/t.lance"))


@pytest.mark.parametrize("version", VERSIONS)
def test_reads_columns_that_pylance_added_renamed_and_dropped(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(table("random", 2000, 0.1), path, max_rows_per_file=900, data_storage_version=version)
    dataset = lance.dataset(path)
    dataset.add_columns({"doubled": "double * 2"})
    dataset.add_columns(pa.field("empty", pa.string()))
    dataset.alter_columns({"path": "int32", "name": "renamed"})
    dataset.drop_columns(["binary"])
    lance.write_dataset(dataset.to_table().slice(0, 10), path, mode="append")
    assert_same(lance.dataset(path).to_table(), read(spark, path))


def test_reads_an_older_version(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    first, second = table("random", 100, 0.1, seed=1), table("random", 50, 0.1, seed=2)
    lance.write_dataset(first, path)
    lance.write_dataset(second, path, mode="append")
    assert_same(first, read(spark, path, version="1"))
    assert_same(pa.concat_tables([first, second]), read(spark, path))


def test_refuses_a_column_of_an_unknown_type_only_when_it_is_read(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    table = pa.table({"id": [1, 2], "odd": pa.array([3, 4], pa.date32()), "s": [{"a": 5}, {"a": 6}]})
    lance.write_dataset(table, path)
    for manifest in Path(path, "_versions").glob("*.manifest"):
        manifest.write_bytes(manifest.read_bytes().replace(b"date32:day", b"date99:day"))
    frame = spark.read.format("lance").load(path)
    assert frame.dtypes[:2] == [("id", "bigint"), ("odd", "binary")]
    assert frame.schema["odd"].metadata["lance.type"] == "date99:day"
    assert (frame.count(), sorted(frame.select("id", "s.a").collect())) == (2, [(1, 5), (2, 6)])
    for query in (frame, frame.select("odd"), frame.where("odd IS NULL")):
        with pytest.raises(Exception, match="column 'odd' of type date99:day is not supported"):
            query.collect()


def test_refuses_version_2_3_by_name(spark: SparkSession, tmp: str) -> None:
    lance.write_dataset(pa.table({"a": [1, 2, 3]}), f"{tmp}/t.lance", data_storage_version="2.3")
    with pytest.raises(Exception, match=r"(?s)2\.3.*not supported"):
        read(spark, f"{tmp}/t.lance")


def test_writes_to_a_table_of_version_0_1_only_by_replacing_it(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"a": [1, 2, 3]}), path, data_storage_version="0.1")
    frame = spark.createDataFrame([(4,)], "a long")
    with pytest.raises(Exception, match=r"have version 0\.1, which is read but not written. Replace the table"):
        frame.write.format("lance").mode("append").save(path)
    with pytest.raises(Exception, match=r"'dataStorageVersion' cannot be '0\.1': it must be one of 2\.0, 2\.1, 2\.2"):
        frame.write.format("lance").option("dataStorageVersion", "0.1").mode("overwrite").save(path)
    frame.write.format("lance").mode("overwrite").save(path)
    dataset = lance.dataset(path)
    assert (dataset.to_table().to_pylist(), dataset.data_storage_version) == ([{"a": 4}], "2.2")
