"""Tables that are compacted hold what they held, to pylance; and we read what pylance compacts."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

from tests.interop.compaction import compact, lineage, numbers


def test_rows_keep_their_ids_and_versions(spark: SparkSession, tmp: str) -> None:
    """Ours is what pylance makes of the same table."""
    found = []
    for name in ("ours", "theirs"):
        path = f"{tmp}/{name}.lance"
        dataset = lance.write_dataset(
            pa.table({"id": range(3000)}), path, max_rows_per_file=1000, enable_stable_row_ids=True
        )
        dataset.update({"id": "id"}, where="id % 17 = 3")
        dataset.delete("id % 11 = 5")
        lance.write_dataset(pa.table({"id": range(3000, 3100)}), path, mode="append")
        before = lineage(path)
        if name == "ours":
            compact(spark, path)
        else:
            lance.dataset(path).optimize.compact_files()
        after = lineage(path)
        assert after == before
        dataset = lance.dataset(path)
        dataset.validate()
        assert dataset.take([0, 2000], columns=["id"]) == lance.dataset(path).to_table(columns=["id"]).take([0, 2000])
        found.append((after, [f.physical_rows for f in dataset.get_fragments()]))
    assert found[0] == found[1]


@pytest.mark.parametrize("options", [{}, {"target_rows_per_fragment": 250}, {"max_source_fragments": 7}])
def test_the_same_fragments_are_chosen_as_by_pylance(spark: SparkSession, tmp: str, options: dict) -> None:
    rng = np.random.default_rng(11)
    sizes = rng.choice([10, 90, 240, 260, 600], 30)
    shapes = []
    for name in ("ours", "theirs"):
        path = f"{tmp}/{name}.lance"
        start = 0
        for size in sizes:
            lance.write_dataset(pa.table({"id": range(start, start + size)}), path, mode="append")
            start += int(size)
        dataset = lance.dataset(path)
        dataset.delete("id % 100 < 20 AND id > 3000")
        given = {"target_rows_per_fragment": 240} | options
        if name == "ours":
            compact(spark, path, **given)
        else:
            dataset.optimize.compact_files(**given)
        dataset = lance.dataset(path)
        shapes.append([(f.fragment_id, f.physical_rows, f.num_deletions) for f in dataset.get_fragments()])
    assert shapes[0] == shapes[1]


def test_we_read_what_pylance_compacts(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = numbers(path, stable=True)
    dataset.create_scalar_index("id", "BTREE")
    dataset.delete("id % 3 = 1")
    held = spark.read.format("lance").load(path)
    dataset.optimize.compact_files()
    dataset = lance.dataset(path)
    assert len(dataset.get_fragments()) == 1
    rows = spark.read.format("lance").load(path).select("id", "_rowid").orderBy("id").collect()
    expected = dataset.to_table(columns=["id"], with_row_id=True).sort_by("id").to_pylist()
    assert [row.asDict() for row in rows] == expected
    assert held.count() == len(expected)
    compact(spark, path, materialize_deletions_threshold="0.0D")
    assert spark.read.format("lance").load(path).count() == len(expected)


def test_defaults_come_from_the_config_of_pylance(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = numbers(path, stable=False)
    dataset.update_config({"lance.compaction.target_rows_per_fragment": "800"})
    assert compact(spark, path).fragments_added == 3
    dataset.update_config({"lance.compaction.target_rows_per_fragment": "many"})
    with pytest.raises(Exception, match="'many' is not a value of lance"):
        compact(spark, path)
    assert compact(spark, path, target_rows_per_fragment=100000).fragments_added == 1


def test_a_clone_is_compacted_into_files_of_its_own(spark: SparkSession, tmp: str) -> None:
    source = numbers(f"{tmp}/source.lance", stable=False)
    clone = source.shallow_clone(f"{tmp}/clone.lance", source.version)
    before = clone.to_table()
    compact(spark, f"{tmp}/clone.lance")
    clone = lance.dataset(f"{tmp}/clone.lance")
    assert clone.to_table() == before
    assert [f.base_id for fragment in clone.get_fragments() for f in fragment.metadata.files] == [None]
    assert lance.dataset(f"{tmp}/source.lance").to_table() == before


def test_files_are_rewritten_in_a_higher_version(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"id": range(100)}), path, max_rows_per_file=30, data_storage_version="2.0")
    compact(spark, path, data_storage_version="'2.2'")
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.data_storage_version == "2.0"
    (fragment,) = dataset.get_fragments()
    assert [(f.file_major_version, f.file_minor_version) for f in fragment.metadata.files] == [(2, 2)]
    lance.write_dataset(pa.table({"id": range(100, 110)}), path, mode="append")
    assert lance.dataset(path).to_table()["id"].to_pylist() == list(range(110))


def test_pylance_rebases_over_a_compaction_or_begins_again(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    begun = numbers(path, stable=False)
    begun.delete("id = 2399")
    appending, deleting = lance.dataset(path), lance.dataset(path)
    assert compact(spark, path).fragments_removed == 6
    lance.write_dataset(appending.to_table(limit=3), appending, mode="append")
    deleting.delete("id < 5")
    latest = lance.dataset(path)
    latest.validate()
    ids = sorted(latest.to_table()["id"].to_pylist())
    assert ids == list(range(5, 2399))
    assert spark.read.format("lance").load(path).count() == len(ids)
    # A transaction of pylance that began before refers to fragments that are gone, and fails.
    stale = lance.LanceOperation.Delete(
        [begun.get_fragments()[0].metadata], [begun.get_fragments()[1].fragment_id], "id < 800"
    )
    with pytest.raises(Exception, match="conflict"):
        lance.LanceDataset.commit(path, stale, read_version=begun.version)


def test_rows_are_given_stable_ids(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = numbers(path, stable=False, fragments=3)
    dataset.delete("id % 9 = 1")
    dataset.create_scalar_index("id", "BTREE")

    def enable() -> Row:
        return spark.sql(f"CALL lance.system.enable_stable_row_ids('{path}')").collect()[0]

    with pytest.raises(Exception, match=r"The table has indices.*: id_idx"):
        enable()
    dataset.drop_index("id_idx")
    assert enable() == Row(version=5, enabled=True)
    assert enable() == Row(version=5, enabled=False)
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.has_stable_row_ids
    before = lineage(path)
    assert [row["_rowid"] for row in before] == [row["id"] for row in before]
    dataset.update({"id": "id"}, where="id = 20")
    lance.write_dataset(dataset.to_table(limit=2), path, mode="append")
    dataset = lance.dataset(path)
    dataset.create_scalar_index("id", "BTREE")
    compact(spark, path, materialize_deletions_threshold="0.0D")
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.to_table(filter="id = 20", with_row_id=True)["_rowid"].to_pylist() == [20]
    assert sorted(row["_rowid"] for row in lineage(path))[-2:] == [1200, 1201]
