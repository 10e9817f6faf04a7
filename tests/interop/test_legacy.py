"""Tables of file version 0.1: what pylance reads of them, Spark reads. Such files lose nulls, so that what was written
does not count."""

from itertools import product

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop import nested
from tests.interop.compare import assert_same
from tests.interop.generate import FOREIGN, INDICES, dictionary, table
from tests.interop.plans import splits
from tests.interop.test_nested import assert_same as assert_same_nested
from tests.products import only

pytestmark = pytest.mark.slow

#: Between pages of 1,024 rows, the default, and within.
ROWS = [1, 1024, 3000]

#: Pages are stored one way, whatever the data's shape.
SHAPES = ["random", "extremes", "all_null"]

DICTIONARIES = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.int64(), pa.uint8(), pa.int16()]


def write(written: pa.Table, path: str, **options) -> pa.Table:
    """Returns the table as pylance reads it."""
    lance.write_dataset(written, path, data_storage_version="0.1", **options)
    return lance.dataset(path).to_table()


def read(spark: SparkSession, path: str) -> pa.Table:
    return spark.read.format("lance").load(path).toArrow()


@pytest.mark.parametrize("shape", SHAPES)
def test_reads_every_type_and_shape(spark: SparkSession, tmp: str, shape: str) -> None:
    """Each number of rows, with nulls and without, is a fragment."""
    path = f"{tmp}/t.lance"
    for rows, null_share in product(ROWS, (0.0, 0.2)):
        expected = write(table(shape, rows, null_share), path, mode="append")
    assert_same(expected, read(spark, path))


def test_reads_types_that_spark_lacks_as_the_nearest(spark: SparkSession, tmp: str) -> None:
    for shape in SHAPES:
        path = f"{tmp}/{shape}.lance"
        assert_same(write(table(shape, 1100, 0.2, columns=FOREIGN), path), read(spark, path))


@pytest.mark.parametrize("null_share", [0.0, 0.2])
def test_reads_dictionary_columns_as_their_values(spark: SparkSession, tmp: str, null_share: float) -> None:
    by_index = {str(index): dictionary(pa.string(), index, 3000, null_share) for index in INDICES}
    by_value = {f"of_{kind}": dictionary(kind, pa.int32(), 3000, null_share) for kind in DICTIONARIES}
    assert_same(write(pa.table(by_index | by_value), f"{tmp}/t.lance"), read(spark, f"{tmp}/t.lance"))


def test_reads_dictionaries_that_have_nulls_and_empty_strings(spark: SparkSession, tmp: str) -> None:
    values = pa.array(["x", None, "", "z"])
    column = pa.DictionaryArray.from_arrays(pa.array([3, 2, None, 0, 1] * 500, pa.int8()), values)
    inside = pa.ListArray.from_arrays(pa.array(range(2501), pa.int32()), column)
    assert_same_nested(
        write(pa.table({"column": column, "inside": inside}), f"{tmp}/t.lance"), read(spark, f"{tmp}/t.lance")
    )


@pytest.mark.parametrize("seed", only(range(4), 0))
def test_reads_random_nested_columns(spark: SparkSession, tmp: str, seed: int) -> None:
    for rows, null_share in ((1, 0.0), (1500, 0.0), (2100, 0.15)):
        path = f"{tmp}/{rows}-{null_share}.lance"
        expected = write(nested.random_table(seed, rows, null_share, maps=False), path, max_rows_per_group=700)
        assert_same_nested(expected, read(spark, path))


@pytest.mark.parametrize("name", nested.TABLES)
def test_reads_what_is_hard_about_nesting(spark: SparkSession, tmp: str, name: str) -> None:
    assert_same_nested(write(nested.TABLES[name](), f"{tmp}/t.lance"), read(spark, f"{tmp}/t.lance"))


def test_reads_columns_that_may_not_be_null(spark: SparkSession, tmp: str) -> None:
    """There, an empty string is one."""
    schema = pa.schema([pa.field("text", pa.string(), nullable=False), pa.field("list", pa.list_(pa.string()), False)])
    written = pa.table({"text": ["a", "", "b"], "list": [["x", ""], [], [None]]}, schema=schema)
    expected = write(written, f"{tmp}/t.lance")
    assert expected["text"].to_pylist() == ["a", "", "b"]
    assert_same_nested(expected, read(spark, f"{tmp}/t.lance"))


def test_reads_tables_that_changed(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    rows = range(9000)
    written = pa.table(
        {
            "id": pa.array(rows, pa.int64()),
            "text": pa.array([None if i % 7 == 0 else f"text {i}" for i in rows]),
            "gone": pa.array(rows, pa.int16()),
            "pair": pa.array([{"a": i, "b": [str(i)] * (i % 3)} for i in rows]),
        }
    )
    write(written, path, max_rows_per_file=2500, max_rows_per_group=600)
    dataset = lance.dataset(path)
    dataset.drop_columns(["gone"])
    dataset.add_columns({"twice": "id * 2", "long": "concat(text, text)"})
    dataset.alter_columns({"path": "pair.a", "data_type": pa.int32()}, {"path": "id", "data_type": pa.int32()})
    dataset.delete("id % 5 = 1 or (id > 4000 and id < 5500)")
    dataset.update({"text": "'new'"}, where="id % 100 = 3")
    lance.write_dataset(dataset.to_table().slice(0, 10), path, mode="append")
    expected = lance.dataset(path).to_table()
    assert_same_nested(expected, read(spark, path))
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    try:
        frame = spark.read.format("lance").load(path)
        assert splits(frame) > 10
        assert_same_nested(expected, frame.toArrow())
        some = frame.selectExpr("pair.b", "twice", "pair.a").where("twice % 3 = 0").toArrow().to_pylist()
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    assert some == [
        {"b": row["pair"]["b"], "twice": row["twice"], "a": row["pair"]["a"]}
        for row in expected.to_pylist()
        if row["twice"] % 3 == 0
    ]
    dataset.optimize.compact_files()
    assert_same_nested(lance.dataset(path).to_table(), read(spark, path))


@pytest.mark.parametrize(
    ("kind", "values", "hints", "named"),
    [
        (pa.struct({"a": pa.int32()}), [{"a": 1}], {"packed": "true"}, "struct"),
        (pa.large_binary(), [b"a"], {"lance-encoding:blob": "true"}, "blob"),
    ],
)
def test_refuses_by_name_what_came_with_later_versions(
    spark: SparkSession, tmp: str, kind: pa.DataType, values: list, hints: dict, named: str
) -> None:
    schema = pa.schema([pa.field("odd", kind, metadata=hints)])
    lance.write_dataset(pa.table([values], schema=schema), f"{tmp}/t.lance", data_storage_version="0.1")
    with pytest.raises(Exception, match=rf"(?s){named}.*odd|odd.*{named}"):
        read(spark, f"{tmp}/t.lance")
