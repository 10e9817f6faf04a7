"""pylance reads what Spark writes in file version 2.0, to the last bit, validates it, and writes on."""

import lance
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.interop.compare import assert_same
from tests.interop.generate import COLUMNS, SHAPES, table
from tests.interop.nested import TABLES, everything, random_table
from tests.interop.test_write import fragments_of, frame_of, validated
from tests.products import only

pytestmark = pytest.mark.slow


def written(frame: DataFrame, path: str, mode: str = "error", **options: object) -> lance.LanceDataset:
    frame.coalesce(1).write.format("lance").options(dataStorageVersion="2.0", **options).mode(mode).save(path)
    dataset = validated(path)
    assert dataset.data_storage_version == "2.0"
    return dataset


def filled(value: object, kind: pa.DataType) -> object:
    """The value with structs of nulls in the place of null structs."""
    if pa.types.is_struct(kind):
        return {field.name: filled((value or {}).get(field.name), field.type) for field in kind}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return None if value is None else [filled(item, kind.value_type) for item in value]
    return value


def without_null_structs(table: pa.Table) -> pa.Table:
    """Replaces null structs, which files of 2.0 cannot hold."""
    columns = [pa.array([filled(v, c.type) for v in c.to_pylist()], c.type) for c in table.columns]
    return pa.table(columns, table.column_names)


def nested_frame(spark: SparkSession, table: pa.Table, path: str) -> DataFrame:
    lance.write_dataset(table, path, data_storage_version="2.2")
    return spark.read.format("lance").load(path)


@pytest.mark.parametrize("shape", SHAPES)
def test_pylance_reads_every_type_and_shape(spark: SparkSession, tmp: str, shape: str) -> None:
    path = f"{tmp}/t.lance"
    expected = [table(shape, *of) for of in [(1025, 0.0), (5000, 0.2)]]
    fragments_of(spark, expected).write.format("lance").option("dataStorageVersion", "2.0").save(path)
    dataset = validated(path)
    assert dataset.data_storage_version == "2.0"
    assert dataset.schema.types == [kind for kind, _ in COLUMNS.values()]
    for of, fragment in zip(expected, dataset.get_fragments(), strict=True):
        assert_same(of, fragment.to_table())
    assert_same(pa.concat_tables(expected), spark.read.format("lance").load(path).toArrow())


def test_pylance_takes_rows_from_pages_of_ours(spark: SparkSession, tmp: str) -> None:
    expected = pa.concat_tables([table("random", 15_000, 0.1)] * 4)
    dataset = written(frame_of(spark, expected), f"{tmp}/t.lance", writeBufferBytes="4m")
    assert_same(expected, dataset.to_table())
    rows = [0, 1, 1023, 1024, 30_000, 59_999]
    assert_same(expected.take(rows), dataset.take(rows))
    batches = pa.Table.from_batches(dataset.to_batches(batch_size=999))
    assert_same(expected, batches)


@pytest.mark.parametrize("seed", only(range(4), 0, 1))
def test_pylance_reads_random_nested_columns(spark: SparkSession, tmp: str, seed: int) -> None:
    for rows, null_share in ((1, 0.0), (1025, 0.15), (300, 0.6)):
        path = f"{tmp}/{rows}-{null_share}"
        expected = without_null_structs(random_table(seed, rows, null_share, maps=False))
        dataset = written(nested_frame(spark, expected, f"{path}.from"), f"{path}.lance")
        assert_same(expected, dataset.to_table())
        assert_same(expected, spark.read.format("lance").load(f"{path}.lance").toArrow())


@pytest.mark.parametrize("name", TABLES)
def test_pylance_reads_what_is_hard_about_nesting(spark: SparkSession, tmp: str, name: str) -> None:
    expected = without_null_structs(TABLES[name]())
    dataset = written(nested_frame(spark, expected, f"{tmp}/from"), f"{tmp}/t.lance", writeBufferBytes="300k")
    assert_same(expected, dataset.to_table())
    rows = sorted({0, 1, 7, expected.num_rows // 2, expected.num_rows - 1})
    assert_same(expected.take(rows), dataset.take(rows))
    assert_same(expected, spark.read.format("lance").load(f"{tmp}/t.lance").toArrow())


def test_appends_of_both_make_one_table(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    tables = [without_null_structs(everything(rows)) for rows in (500, 300, 400, 20)]
    frames = [nested_frame(spark, t, f"{tmp}/{i}") for i, t in enumerate(tables)]
    lance.write_dataset(tables[0], path, data_storage_version="2.0")
    frames[1].coalesce(1).write.format("lance").mode("append").save(path)
    lance.write_dataset(tables[2], path, mode="append")
    written(frames[3], path, mode="append")
    expected = pa.concat_tables(tables)
    dataset = validated(path)
    assert dataset.data_storage_version == "2.0"
    assert_same(expected, dataset.to_table())
    assert_same(expected, spark.read.format("lance").load(path).toArrow())
    dataset.optimize.compact_files()
    assert_same(expected, lance.dataset(path).to_table())
    frames[0].write.format("lance").mode("overwrite").save(path)
    assert validated(path).data_storage_version == "2.0"


def test_pylance_filters_and_deletes_rows_of_ours(spark: SparkSession, tmp: str) -> None:
    expected = without_null_structs(everything(3000))
    dataset = written(nested_frame(spark, expected, f"{tmp}/from"), f"{tmp}/t.lance")
    assert dataset.count_rows("all.text = 'fox' AND id > 100") == sum(
        row["all"]["text"] == "fox" and row["id"] > 100 for row in expected.to_pylist()
    )
    dataset.delete("id % 3 = 1")
    left = expected.filter([i % 3 != 1 for i in range(3000)])
    assert_same(left, lance.dataset(f"{tmp}/t.lance").to_table())
    assert_same(left, spark.read.format("lance").load(f"{tmp}/t.lance").toArrow())


@pytest.mark.parametrize("scheme", ["zstd", "lz4"])
def test_strings_are_compressed_where_the_metadata_asks_for_it(spark: SparkSession, tmp: str, scheme: str) -> None:
    expected = pa.table({"text": [None if i % 9 == 0 else f"the quick brown fox number {i}" for i in range(20_000)]})
    plain = written(spark.createDataFrame(expected), f"{tmp}/plain.lance")
    frame = spark.createDataFrame(expected).withMetadata("text", {"lance-encoding:compression": scheme})
    dataset = written(frame, f"{tmp}/t.lance")
    assert_same(expected, dataset.to_table())
    size, plain_size = (d.get_fragments()[0].metadata.files[0].file_size_bytes for d in (dataset, plain))
    assert size < 0.6 * plain_size


@pytest.mark.parametrize(
    ("query", "column"),
    [
        ("SELECT IF(id = 7, NULL, named_struct('x', id)) AS s FROM range(10)", "'s'"),
        ("SELECT array(named_struct('x', IF(id = 7, NULL, named_struct('y', id)))) AS l FROM range(10)", "'l.item.x'"),
        ("SELECT named_struct('m', map(id, id)) AS s FROM range(10)", "'s.m'"),
    ],
)
def test_what_2_0_cannot_hold_is_refused_with_the_version_that_can(
    spark: SparkSession, tmp: str, query: str, column: str
) -> None:
    frame = spark.sql(query)
    with pytest.raises(Exception, match=rf"(?s)Column {column}.*files of version 2\.0 cannot hold.*2\.2"):
        frame.write.format("lance").option("dataStorageVersion", "2.0").save(f"{tmp}/t.lance")
    with pytest.raises(ValueError, match="not found"):
        lance.dataset(f"{tmp}/t.lance")
