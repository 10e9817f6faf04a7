"""Old versions that we remove, and that pylance removes: the same go, and what stays is whole."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession


def cleanup(spark: SparkSession, path: str, **options: object) -> Row:
    given = "".join(f", {name} => {value}" for name, value in options.items())
    return spark.sql(f"CALL lance.system.cleanup(table => '{path}'{given})").collect()[0]


def history(path: str) -> lance.LanceDataset:
    """Appends, deletions, an index, an overwrite, and a restore."""
    dataset = lance.write_dataset(pa.table({"id": range(1000)}), path, max_rows_per_file=400)
    dataset.delete("id % 7 = 1")
    dataset.create_scalar_index("id", "BTREE")
    dataset = lance.write_dataset(pa.table({"id": range(1000, 1500)}), path, mode="append")
    dataset.optimize.compact_files()
    dataset = lance.write_dataset(pa.table({"id": range(50)}), path, mode="overwrite")
    dataset.checkout_version(4).restore()
    dataset = lance.dataset(path)
    dataset.delete("id = 3")
    return lance.dataset(path)


def files(path: str) -> dict[str, int]:
    """Returns the number of files in each of a table's directories."""
    counts: dict[str, int] = {}
    for file in Path(path).rglob("*"):
        if file.is_file() and file.name != "latest_version_hint.json":
            top = file.relative_to(path).parts[0]
            counts[top] = counts.get(top, 0) + 1
    return counts


@pytest.mark.parametrize("retain", [None, 1, 3, 20])
def test_the_same_goes_as_by_pylance(spark: SparkSession, tmp: str, retain: int | None) -> None:
    ours, theirs = f"{tmp}/ours.lance", f"{tmp}/theirs.lance"
    history(ours)
    history(theirs)
    if retain is None:
        done = cleanup(spark, ours, older_than="'0 seconds'")
        stats = lance.dataset(theirs).cleanup_old_versions(timedelta(microseconds=1))
    else:
        done = cleanup(spark, ours, retain_versions=retain)
        stats = lance.dataset(theirs).cleanup_old_versions(retain_versions=retain)
    assert files(ours) == files(theirs)
    names = ["old_versions", "data_files_removed", "transaction_files_removed", "index_files_removed"]
    names.append("deletion_files_removed")
    assert [done[name] for name in names] == [getattr(stats, name) for name in names]
    assert [v["version"] for v in lance.dataset(ours).versions()] == [
        v["version"] for v in lance.dataset(theirs).versions()
    ]
    for version in lance.dataset(ours).versions():
        dataset = lance.dataset(ours, version=version["version"])
        dataset.validate()
        expected = lance.dataset(theirs, version=version["version"]).to_table()["id"].to_pylist()
        assert dataset.to_table()["id"].to_pylist() == expected
        assert dataset.to_table(filter="id = 777") == dataset.to_table(filter="id = 777", use_scalar_index=False)


def test_tags_and_branches_of_pylance_keep_what_they_need(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = history(path)
    tagged = dataset.checkout_version(2).to_table()
    dataset.tags.create("first", 2)
    branch = dataset.create_branch("side", 4)
    branch = lance.write_dataset(pa.table({"id": [7]}), branch.uri, mode="append")
    branched = branch.to_table()
    with pytest.raises(Exception, match="'first' \\(version 2\\)"):
        cleanup(spark, path, retain_versions=1)
    done = cleanup(spark, path, retain_versions=1, error_if_tagged_old_versions="false")
    assert done.failed_deletes == 0
    latest = lance.dataset(path).version
    assert [v["version"] for v in lance.dataset(path).versions()] == [2, 4, latest]
    assert lance.dataset(path, version="first").to_table() == tagged
    side = lance.dataset(path).checkout_version(("side", None))
    side.validate()
    assert side.to_table() == branched
    lance.dataset(path).validate()


def test_leftovers_of_pylance_go_only_when_they_are_old_or_nobody_writes(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = lance.write_dataset(pa.table({"id": range(10)}), path)
    lance.fragment.write_fragments(pa.table({"id": [1]}), path, mode="append")
    assert cleanup(spark, path, retain_versions=1).data_files_removed == 0
    shown = cleanup(spark, path, retain_versions=1, delete_unverified="true", dry_run="true")
    assert shown.data_files_removed == 1
    assert files(path)["data"] == 2
    removed = cleanup(spark, path, retain_versions=1, delete_unverified="true")
    assert shown.asDict() == removed.asDict() | {"keeping_tags": [], "keeping_branches": []}
    assert files(path)["data"] == 1
    assert dataset.to_table().num_rows == 10


def test_blobs_of_pylance_go_with_their_files(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    blobs = [bytes([i]) * 3000 for i in range(20)]

    def write(mode: str) -> lance.LanceDataset:
        field = lance.blob_field("blob", inline_size_threshold=10, dedicated_size_threshold=2000)
        table = pa.table([lance.blob_array(blobs)], schema=pa.schema([field]))
        return lance.write_dataset(table, path, mode=mode, data_storage_version="2.2")

    write("create")
    write("overwrite")
    before = files(path)["data"]
    assert before > 4
    cleanup(spark, path, retain_versions=1)
    assert files(path)["data"] == before // 2
    found = lance.dataset(path).take_blobs("blob", indices=list(range(20)))
    assert [blob.read() for blob in found] == blobs


def test_a_config_of_pylance_asks_for_it_after_commits(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    options = {"interval": 3, "older_than_seconds": 0}
    lance.write_dataset(pa.table({"id": [0]}), path, auto_cleanup_options=options)
    rows = spark.range(1, 2)
    kept = []
    for _ in range(5):
        rows.write.format("lance").mode("append").save(path)
        kept.append([v["version"] for v in lance.dataset(path).versions()])
    assert kept == [[1, 2], [3], [3, 4], [3, 4, 5], [6]]
    assert lance.dataset(path).count_rows() == 6


@pytest.mark.parametrize(
    "call",
    [
        "restore('{t}', 1)",
        "create_tag('{t}', 'x', 1)",
        "create_branch('{t}', 'x', 1)",
        "shallow_clone('{t}', '{t}.clone', 1)",
    ],
)
def test_a_version_whose_files_pylance_is_removing_does_not_live_again(
    spark: SparkSession, tmp: str, call: str
) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"id": range(40)}), path, max_rows_per_file=10)
    old = set(Path(path, "data").iterdir())
    lance.write_dataset(pa.table({"id": [7]}), path, mode="overwrite")
    dataset = lance.dataset(path)
    slow = {"retain_versions": 1, "delete_rate_limit": 20}
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(dataset.cleanup_old_versions, **slow)
        while all(file.exists() for file in old):
            pass
        statement = f"CALL lance.system.{call.format(t=path)}"
        with pytest.raises(Exception, match=r"Choose another version|has no version 1"):
            spark.sql(statement).collect()
        done.result()
    latest = lance.dataset(path)
    assert latest.to_table()["id"].to_pylist() == [7]
    assert [row.id for row in spark.read.format("lance").load(path).collect()] == [7]
    assert not latest.tags.list()
    assert not latest.branches.list()
    assert not list(Path(f"{path}.clone").rglob("*.manifest"))
