"""Tables whose file version was raised in place: pylance reads, changes and extends them."""

import lance
import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

from sparklance import LanceDataset
from tests.products import crossed


def rise(spark: SparkSession, path: str, version: str) -> Row:
    return spark.sql(f"CALL lance.system.raise_file_version('{path}', '{version}')").collect()[0]


def numbers(start: int, end: int) -> pa.Table:
    ids = range(start, end)
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "text": [f"text {i % 13}" if i % 7 else None for i in ids],
            "pair": [{"a": i, "b": f"b{i}"} for i in ids],
            "list": [[i] * (i % 3) for i in ids],
            "kind": pa.array(["abc"[i % 3] for i in ids]).dictionary_encode(),
        }
    )


def versions(path: str) -> set[tuple[int, int]]:
    fragments = lance.dataset(path).get_fragments()
    return {(f.file_major_version, f.file_minor_version) for fragment in fragments for f in fragment.metadata.files}


def same(spark: SparkSession, path: str) -> None:
    ours = spark.read.format("lance").load(path).orderBy("id").toArrow().to_pylist()
    assert ours == lance.dataset(path).to_table().sort_by("id").to_pylist()


@crossed(1, raised=[("2.0", "2.1"), ("2.0", "2.2"), ("2.1", "2.2")], stable=[False, True])
def test_new_files_have_the_new_version(spark: SparkSession, tmp: str, raised: tuple[str, str], stable: bool) -> None:
    old, new = raised
    path = f"{tmp}/t.lance"
    dataset = lance.write_dataset(
        numbers(0, 300), path, max_rows_per_file=100, data_storage_version=old, enable_stable_row_ids=stable
    )
    dataset.create_scalar_index("id", "BTREE")
    dataset.delete("id % 10 = 3")
    before = lance.dataset(path).to_table(with_row_id=True)
    found = rise(spark, path, new)
    assert (found.data_storage_version, found.files_rewritten) == (new, 0)
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.data_storage_version == new
    assert dataset.to_table(with_row_id=True).equals(before)
    assert "ScalarIndexQuery" in dataset.scanner(filter="id = 17").explain_plan()
    assert versions(path) == {tuple(map(int, old.split(".")))}
    spark.createDataFrame(numbers(300, 350)).write.format("lance").mode("append").save(path)
    lance.write_dataset(numbers(350, 400), path, mode="append")
    assert versions(path) == {tuple(map(int, v.split("."))) for v in (old, new)}
    same(spark, path)
    dataset = lance.dataset(path)
    dataset.update({"text": "'new'"}, where="id % 50 = 5")
    dataset.add_columns({"twice": "id * 2"})
    spark.sql(f"UPDATE lance.`{path}` SET text = 'ours' WHERE id % 50 = 6")
    spark.sql(f"CALL lance.system.update_columns('{path}', map('twice', 'twice + 1'), where => 'id < 20')")
    spark.sql(f"DELETE FROM lance.`{path}` WHERE id % 50 = 7")
    same(spark, path)
    filtered = lance.dataset(path).to_table(filter="id IN (5, 6, 7, 17, 355)")
    scanned = lance.dataset(path).to_table(filter="id IN (5, 6, 7, 17, 355)", use_scalar_index=False)
    assert filtered.sort_by("id").to_pylist() == scanned.sort_by("id").to_pylist()
    lance.dataset(path).optimize.compact_files(target_rows_per_fragment=1000)
    same(spark, path)
    assert rise(spark, path, new) == Row(lance.dataset(path).version, new, 0)


@pytest.mark.parametrize("new", ["2.0", "2.2"])
def test_legacy_tables_take_rows_afterwards(spark: SparkSession, tmp: str, new: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = lance.write_dataset(numbers(0, 300), path, max_rows_per_file=100, data_storage_version="0.1")
    dataset.delete("id % 10 = 3 or id < 5")
    before = lance.dataset(path).to_table()
    with pytest.raises(Exception, match=r"lance\.system\.raise_file_version"):
        spark.createDataFrame(numbers(300, 310)).write.format("lance").mode("append").save(path)
    with pytest.raises(Exception, match=r"lance\.system\.raise_file_version"):
        spark.sql(f"CALL lance.system.compact(table => '{path}', data_storage_version => '{new}')")
    assert rise(spark, path, new).files_rewritten == 3
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.data_storage_version == new
    assert dataset.to_table().to_pylist() == before.to_pylist()
    spark.createDataFrame(numbers(300, 350)).write.format("lance").mode("append").save(path)
    lance.write_dataset(numbers(350, 400), path, mode="append")
    assert versions(path) == {tuple(map(int, new.split(".")))}
    same(spark, path)
    lance.dataset(path).optimize.compact_files()
    same(spark, path)
    assert lance.dataset(path).checkout_version(dataset.version - 1).to_table().to_pylist() == before.to_pylist()


def test_an_empty_legacy_table(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    # pylance does not write an empty table of 0.1 with a dictionary.
    empty = numbers(0, 9).slice(0, 0).drop_columns(["kind"])
    lance.write_dataset(empty, path, data_storage_version="0.1")
    ds = LanceDataset(spark, path)
    ds.raise_file_version("2.2")
    assert ds.data_storage_version == lance.dataset(path).data_storage_version == "2.2"
    lance.write_dataset(numbers(0, 5).drop_columns(["kind"]), path, mode="append")
    spark.createDataFrame(numbers(5, 9).drop_columns(["kind"])).write.format("lance").mode("append").save(path)
    same(spark, path)


def test_refusals(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(numbers(0, 5), path, data_storage_version="2.1")
    version = lance.dataset(path).version
    with pytest.raises(Exception, match=r"can be raised but not lowered to 2\.0"):
        rise(spark, path, "2.0")
    with pytest.raises(Exception, match=r"it must be one of 2\.0, 2\.1, 2\.2"):
        rise(spark, path, "0.1")
    assert lance.dataset(path).version == version
