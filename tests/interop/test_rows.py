"""Positions of rows, and reads of single rows, compared with pylance."""

from pathlib import Path

import lance
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.interop.plans import leaves_filters_to_spark

VERSIONS = ["2.0", "2.1", "2.2"]


def make(path: Path, version: str, stable: bool = False) -> lance.LanceDataset:
    """Three fragments of 1,000 rows, one of them without deleted rows."""
    rows = pa.table(
        {
            "id": pa.array(range(3000), pa.int64()),
            "text": pa.array([None if i % 7 == 3 else f"row {i}" * (i % 5) for i in range(3000)]),
            "vector": pa.array([[float(i), i / 2] for i in range(3000)], pa.list_(pa.float32(), 2)),
            "list": pa.array([None if i % 11 == 4 else list(range(i % 6)) for i in range(3000)], pa.list_(pa.int32())),
        }
    )
    dataset = lance.write_dataset(
        rows, path, max_rows_per_file=1000, data_storage_version=version, enable_stable_row_ids=stable
    )
    dataset.delete("id % 10 = 3 AND id < 1000 OR id >= 2500 AND id < 2600")
    return dataset


def load(spark: SparkSession, dataset: lance.LanceDataset) -> DataFrame:
    return spark.read.format("lance").load(str(dataset.uri))


def collected(frame: DataFrame) -> list[dict]:
    return [row.asDict(recursive=True) for row in frame.collect()]


@pytest.mark.parametrize("version", VERSIONS)
def test_addresses_are_those_of_pylance(spark: SparkSession, tmp_path: Path, version: str) -> None:
    dataset = make(tmp_path / "t", version)
    theirs = dataset.to_table(columns=["id"], with_row_id=True, with_row_address=True).to_pylist()
    ours = load(spark, dataset).select("id", "_rowid", "_rowaddr", "_fragid")
    assert collected(ours.drop("_fragid")) == theirs
    versions = ["_row_created_at_version", "_row_last_updated_at_version"]
    theirs = dataset.to_table(columns=versions).to_pylist()
    assert collected(load(spark, dataset).select(*versions)) == theirs
    assert all(row["_fragid"] == row["_rowaddr"] >> 32 for row in collected(ours))


@pytest.mark.parametrize("version", VERSIONS)
def test_rows_are_taken_by_address(spark: SparkSession, tmp_path: Path, version: str) -> None:
    dataset = make(tmp_path / "t", version)
    known = dataset.to_table(columns=[], with_row_address=True)["_rowaddr"].to_pylist()
    for wanted in [known[::97], known[5:9] + known[1500:1503], [known[-1]]]:
        theirs = dataset._take_rows(wanted).to_pylist()
        chosen = load(spark, dataset).where(f"_rowaddr IN ({', '.join(map(str, wanted))})")
        assert collected(chosen) == theirs
    gone = (0 << 32) + 3
    assert load(spark, dataset).where(f"_rowaddr = {gone}").count() == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_limit_and_offset_take_the_rows_that_pylance_takes(spark: SparkSession, tmp_path: Path, version: str) -> None:
    dataset = make(tmp_path / "t", version)
    for limit, offset in [(10, 0), (1, 2), (50, 880), (700, 895), (100, 2780), (5, 5000)]:
        theirs = dataset.to_table(limit=limit, offset=offset).to_pylist()
        assert collected(load(spark, dataset).offset(offset).limit(limit)) == theirs


def test_rows_are_counted_as_pylance_counts(spark: SparkSession, tmp_path: Path) -> None:
    dataset = make(tmp_path / "t", "2.2")
    ours = load(spark, dataset)
    assert ours.count() == dataset.count_rows() == 2800
    assert ours.where("_fragid = 2").count() == dataset.get_fragment(2).count_rows()
    assert ours.where("id < 50").count() == dataset.count_rows("id < 50")


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_stable_row_ids_are_those_of_pylance(spark: SparkSession, tmp_path: Path, version: str) -> None:
    dataset = make(tmp_path / "t", version, stable=True)

    def compare() -> None:
        columns = ["id", "_row_created_at_version", "_row_last_updated_at_version"]
        theirs = dataset.to_table(columns=columns, with_row_id=True, with_row_address=True).to_pylist()
        ours = load(spark, dataset)
        assert collected(ours.select(*columns, "_rowid", "_rowaddr")) == theirs
        for condition in [f"{columns[1]} = 1", f"{columns[2]} > {dataset.version - 1}", f"{columns[2]} IN (2, 3)"]:
            chosen = ours.where(condition).select("id")
            assert collected(chosen) == dataset.to_table(columns=["id"], filter=condition).to_pylist()
            assert not leaves_filters_to_spark(chosen)

    compare()
    more = dataset.to_table().slice(0, 500)
    more = more.set_column(0, "id", pc.add(more["id"], 10_000))
    dataset = lance.write_dataset(more, dataset.uri, mode="append")
    compare()
    dataset.update({"text": "'changed'"}, where="id % 13 = 5")
    compare()
    some = dataset.to_table(filter="id IN (7, 2000, 2990)")
    new = some.set_column(0, "id", pa.array([7, 2990, 4000]))
    dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(new)
    compare()
    dataset.optimize.compact_files(target_rows_per_fragment=5000)
    compare()
    wanted = dataset.to_table(columns=[], with_row_id=True)["_rowid"].to_pylist()[::301]
    theirs = dataset._take_rows(sorted(wanted)).sort_by("id").to_pylist()
    chosen = load(spark, dataset).where(f"_rowid IN ({', '.join(map(str, wanted))})")
    assert collected(chosen.orderBy("id")) == theirs
    assert not leaves_filters_to_spark(chosen)
