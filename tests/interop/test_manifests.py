"""Tables whose manifests pylance has made in its less usual ways, read and written to by us, and by pylance again."""

from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.test_row_changes import Table

pytestmark = pytest.mark.classic("it calls the core by way of py4j")


def rows(start: int, stop: int) -> pa.Table:
    return pa.table({"id": pa.array(range(start, stop), pa.int64())})


def append(spark: SparkSession, path: str, start: int, stop: int) -> None:
    spark.range(start, stop).coalesce(1).write.format("lance").mode("append").save(path)


def ids(spark: SparkSession, path: str) -> list[int]:
    """Returns the ids that both read, which must be the same."""
    dataset = lance.dataset(path)
    dataset.validate()
    ours = sorted(row.id for row in spark.read.format("lance").load(path).collect())
    assert ours == sorted(dataset.to_table()["id"].to_pylist())
    return ours


def manifests(path: str) -> list[str]:
    return sorted(file.name for file in Path(path, "_versions").glob("*.manifest"))


def test_the_old_names_of_manifests_are_kept_until_they_are_migrated(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(rows(0, 3), path, enable_v2_manifest_paths=False)
    append(spark, path, 3, 5)
    Table(spark, path).delete(1)
    assert manifests(path) == ["1.manifest", "2.manifest", "3.manifest"]
    lance.write_dataset(rows(5, 6), path, mode="append")
    assert ids(spark, path) == [0, 2, 3, 4, 5]
    lance.dataset(path).migrate_manifest_paths_v2()
    append(spark, path, 6, 7)
    assert [len(name) for name in manifests(path)] == [29] * 5
    assert ids(spark, path) == [0, 2, 3, 4, 5, 6]


def test_detached_versions_are_no_part_of_the_history(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = lance.write_dataset(rows(0, 3), path)
    (fragment,) = lance.fragment.write_fragments(rows(3, 5), path, mode="append")
    operation = lance.LanceOperation.Append([fragment])
    lance.LanceDataset.commit(path, operation, read_version=1, detached=True)
    assert any(name.startswith("d") for name in manifests(path))
    append(spark, path, 10, 12)
    assert lance.dataset(path).version == dataset.version + 1
    assert ids(spark, path) == [0, 1, 2, 10, 11]


def test_clones_refer_to_files_of_their_source(spark: SparkSession, tmp: str) -> None:
    source, clone = f"{tmp}/source.lance", f"{tmp}/clone.lance"
    dataset = lance.write_dataset(rows(0, 10), source)
    dataset.delete("id = 0")
    lance.dataset(source).shallow_clone(clone, 2)
    assert ids(spark, clone) == list(range(1, 10))
    append(spark, clone, 20, 22)
    Table(spark, clone).delete(3)
    assert ids(spark, clone) == [1, 2, 4, 5, 6, 7, 8, 9, 20, 21]
    assert ids(spark, source) == list(range(1, 10))
    lance.dataset(clone).delete("id = 4")
    assert ids(spark, clone) == [1, 2, 5, 6, 7, 8, 9, 20, 21]


def test_branches_are_tables_of_their_own(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = lance.write_dataset(rows(0, 3), path)
    dataset.create_branch("side/one")
    branch = f"{path}/tree/side/one"
    append(spark, branch, 3, 5)
    Table(spark, branch).delete(0)
    opened = lance.dataset(path).checkout_version(("side/one", None))
    assert sorted(opened.to_table()["id"].to_pylist()) == [1, 2, 3, 4]
    assert ids(spark, path) == [0, 1, 2]
    assert opened.version == 3


def test_files_lie_in_other_bases(spark: SparkSession, tmp: str) -> None:
    path, other = f"{tmp}/t.lance", f"{tmp}/other"
    dataset = lance.write_dataset(rows(0, 3), path)
    dataset.add_bases([lance.DatasetBasePath(other, "other", is_dataset_root=True)])
    lance.write_dataset(rows(3, 6), path, mode="append", target_bases=["other"])
    assert ids(spark, path) == list(range(6))
    append(spark, path, 6, 8)
    Table(spark, path).delete(1, (1 << 32) + 1)
    assert ids(spark, path) == [0, 2, 3, 5, 6, 7]
    assert [base.path for base in lance.dataset(path).base_paths().values()] == [other]


@pytest.mark.parametrize("stable", [False, True])
def test_columns_config_and_metadata_survive_our_commits(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    dataset = lance.write_dataset(rows(0, 10), path, enable_stable_row_ids=stable)
    dataset.add_columns({"twice": "id * 2"})
    dataset.update_config({"a": "b"})
    dataset.update_metadata({"c": "d"})
    dataset.update_schema_metadata({"e": "f"})
    dataset.create_scalar_index("id", "BTREE")
    Table(spark, path).delete(3)
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.config()["a"] == "b"
    assert (dataset.metadata, dataset.schema_metadata) == ({"c": "d"}, {"e": "f"})
    assert dataset.to_table(filter="id = 4").to_pylist() == [{"id": 4, "twice": 8}]
    assert "ScalarIndexQuery" in dataset.scanner(filter="id = 4").explain_plan()
    dataset.optimize.compact_files()
    assert lance.dataset(path).count_rows() == 9
    assert lance.dataset(path).to_table(filter="id = 4").num_rows == 1
