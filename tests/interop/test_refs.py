"""Tags, branches, clones, restored versions, config and transactions: pylance and we take turns."""

from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance._procedures import call


def ids(table: Any) -> list[int]:
    return sorted(table.to_table(columns=["id"])["id"].to_pylist())


def read(spark: SparkSession, path: str, **options: Any) -> list[int]:
    frame = spark.read.format("lance").options(**options).load(path)
    return sorted(row["id"] for row in frame.collect())


@pytest.fixture(params=["pylance", "spark"])
def path(request: pytest.FixtureRequest, spark: SparkSession, tmp: str) -> str:
    """Two versions, and a third one that deletes a row, of a table that either has made."""
    made = f"{tmp}/t.lance"
    if request.param == "pylance":
        lance.write_dataset(pa.table({"id": pa.array(range(10), pa.int64())}), made)
    else:
        spark.range(10).write.format("lance").save(made)
    lance.write_dataset(pa.table({"id": pa.array(range(10, 15), pa.int64())}), made, mode="append")
    lance.dataset(made).delete("id = 3")
    return made


def test_each_finds_the_tags_of_the_other(spark: SparkSession, path: str) -> None:
    dataset = lance.dataset(path)
    dataset.tags.create("theirs", 1)
    call(spark, "create_tag", table=path, tag="ours", version="2")
    ours = {row.tag: row.asDict() for row in call(spark, "tags", table=path)}
    theirs = dataset.tags.list()
    assert set(ours) == set(theirs) == {"ours", "theirs"}
    for name, tag in theirs.items():
        assert tag["manifest_size"] == ours[name]["manifest_size"]
        assert (tag["branch"], tag["version"]) == (ours[name]["branch"], ours[name]["version"])
        assert tag["created_at"].replace(tzinfo=None) == ours[name]["created_at"]
    assert len(read(spark, path, tag="theirs")) == 10
    assert lance.dataset(path, version="ours").count_rows() == 15
    dataset.tags.update("ours", 3)
    call(spark, "update_tag", table=path, tag="theirs", version="2")
    assert len(read(spark, path, tag="ours")) == 14
    assert lance.dataset(path, version="theirs").count_rows() == 15
    dataset.tags.delete("ours")
    call(spark, "delete_tag", table=path, tag="theirs")
    assert not dataset.tags.list()
    assert not call(spark, "tags", table=path)


def test_a_branch_is_written_to_by_an_option(spark: SparkSession, path: str, tmp: str) -> None:
    call(spark, "create_branch", table=path, branch="exp", version="2")
    main, writer = read(spark, path), spark.range(100, 102).write.format("lance").option("branch", "exp")
    writer.mode("append").save(path)
    spark.range(102, 103).writeTo(f"lance.`{path}`").option("branch", "exp").append()
    options = {"branch": "exp", "checkpointLocation": f"{tmp}/check"}
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    stream = source.selectExpr("value + 200 AS id").writeStream.format("lance").options(**options)
    query = stream.trigger(once=True).start(path)
    query.awaitTermination()
    exp = lance.dataset(path).checkout_version(("exp", None))
    exp.validate()
    assert ids(exp) == read(spark, path, branch="exp") == [*range(15), 100, 101, 102, 200]
    writer.mode("overwrite").save(path)
    assert ids(lance.dataset(path).checkout_version(("exp", None))) == [100, 101]
    assert len(read(spark, path, branch="exp", version=2)) == 15
    assert read(spark, path) == ids(lance.dataset(path)) == main
    spark.range(500, 501).write.format("lance").option("branch", "main").mode("append").save(path)
    assert read(spark, path) == [*main, 500]


def test_a_branch_that_cannot_be_written_to_is_an_error(spark: SparkSession, path: str, tmp: str) -> None:
    rows = spark.range(1)
    with pytest.raises(Exception, match="no branch 'exp'"):
        rows.write.format("lance").option("branch", "exp").mode("append").save(path)
    with pytest.raises(Exception, match="no Lance table"):
        rows.write.format("lance").option("branch", "exp").save(f"{tmp}/new.lance")
    with pytest.raises(Exception, match="a new table has no branch yet"):
        rows.writeTo(f"lance.`{tmp}/new.lance`").option("branch", "exp").create()
    with pytest.raises(Exception, match="a new table has no branch yet"):
        spark.sql(f"CREATE TABLE lance.`{tmp}/new.lance` (id BIGINT) OPTIONS (branch 'exp')")
    call(spark, "create_branch", table=path, branch="exp", version="2")
    call(spark, "delete_branch", table=path, branch="exp")
    lance.dataset(path).create_branch("other").add_columns({"more": "id + 1"})
    with pytest.raises(Exception, match=r"branch .other. of .* has other columns: id, more"):
        rows.writeTo(f"lance.`{path}`").option("branch", "other").append()
    assert not Path(f"{tmp}/new.lance").exists()


def test_each_goes_on_with_a_branch_of_the_other(spark: SparkSession, path: str) -> None:
    dataset = lance.dataset(path)
    theirs = dataset.create_branch("their/s", 2)
    call(spark, "create_branch", table=path, branch="ours", version="3")
    assert set(dataset.branches.list()) == {row.branch for row in call(spark, "branches", table=path)}
    ours = dataset.checkout_version(("ours", None))
    assert ours.count_rows() == 14
    assert len(read(spark, path, branch="their/s")) == 15
    # Rows of both are appended to both, and deleted from both by pylance.
    lance.write_dataset(pa.table({"id": pa.array([100], pa.int64())}), ours, mode="append")
    spark.range(101, 102).write.format("lance").mode("append").save(f"{path}/tree/ours")
    spark.range(101, 102).write.format("lance").mode("append").save(f"{path}/tree/their/s")
    theirs.checkout_latest()
    theirs.delete("id = 4")
    for branch in ("ours", "their/s"):
        seen = dataset.checkout_version((branch, None))
        seen.validate()
        assert ids(seen) == read(spark, path, branch=branch)
        assert not call(spark, "validate", table=path, version=branch)
    assert read(spark, path) == ids(lance.dataset(path))
    # A branch of a branch, whose parent then stays.
    call(spark, "create_branch", table=path, branch="again", version="ours")
    with pytest.raises(OSError, match="referenced"):
        dataset.branches.delete("ours")
    theirs.create_branch("second")
    with pytest.raises(Exception, match="branch 'second' would lose"):
        call(spark, "delete_branch", table=path, branch="their/s")
    for branch in ("again", "second", "their/s"):
        call(spark, "delete_branch", table=path, branch=branch)
    dataset.branches.delete("ours")
    assert not list(Path(path, "tree").iterdir())


def test_each_reads_and_extends_a_clone_of_the_other(spark: SparkSession, path: str, tmp: str) -> None:
    dataset = lance.dataset(path)
    dataset.create_scalar_index("id", "BTREE")
    dataset.shallow_clone(f"{tmp}/theirs", 4)
    call(spark, "shallow_clone", table=path, target=f"{tmp}/ours")
    for clone in (f"{tmp}/theirs", f"{tmp}/ours"):
        spark.range(100, 103).write.format("lance").mode("append").save(clone)
        lance.write_dataset(pa.table({"id": pa.array([103], pa.int64())}), clone, mode="append")
        lance.dataset(clone).delete("id = 5")
        seen = lance.dataset(clone)
        seen.validate()
        assert ids(seen) == read(spark, clone) == [0, 1, 2, 4, *range(6, 15), *range(100, 104)]
        assert "ScalarIndexQuery" in seen.scanner(filter="id = 7").explain_plan()
        assert seen.to_table(filter="id = 7").num_rows == 1
        assert not call(spark, "validate", table=clone)
    # And a clone of each other's clone.
    lance.dataset(f"{tmp}/ours").shallow_clone(f"{tmp}/their_second", lance.dataset(f"{tmp}/ours").version)
    call(spark, "shallow_clone", table=f"{tmp}/theirs", target=f"{tmp}/our_second")
    for clone in (f"{tmp}/their_second", f"{tmp}/our_second"):
        assert ids(lance.dataset(clone)) == read(spark, clone) == read(spark, f"{tmp}/ours")
    ours, theirs = (lance.dataset(f"{tmp}/{name}").read_transaction(4) for name in ("ours", "theirs"))
    assert ours
    assert theirs
    assert ours.operation == theirs.operation


def test_each_restores_for_the_other(spark: SparkSession, path: str) -> None:
    call(spark, "restore", table=path, version="1")
    assert lance.dataset(path).count_rows() == 10
    lance.dataset(path, version=2).restore()
    assert len(read(spark, path)) == 15
    lance.dataset(path).validate()


def test_config_and_metadata(spark: SparkSession, path: str) -> None:
    call(spark, "update_config", table=path, values={"a": "1", "b": "2"})
    dataset = lance.dataset(path)
    assert dataset.config() == {"a": "1", "b": "2"}
    dataset.update_config({"a": None, "c": "3"})
    assert {r.key: r.value for r in call(spark, "update_config", table=path, values={"d": "4"})} == {
        "b": "2",
        "c": "3",
        "d": "4",
    }
    call(spark, "update_metadata", table=path, values={"owner": "me"})
    call(spark, "update_schema_metadata", table=path, values={"k": "v"})
    call(spark, "update_field_metadata", table=path, field="id", values={"unit": "m"})
    dataset = lance.dataset(path)
    assert dataset.metadata == {"owner": "me"}
    assert dataset.schema.metadata == {b"k": b"v"}
    assert dataset.schema.field("id").metadata[b"unit"] == b"m"


def test_the_history_is_what_pylance_tells(spark: SparkSession, path: str) -> None:
    dataset = lance.dataset(path)
    ours = call(spark, "history", table=path)[::-1]
    theirs = [dataset.read_transaction(version["version"]) for version in dataset.versions()]
    assert [row.uuid for row in ours] == [txn.uuid for txn in theirs if txn]
    assert [row.transaction for row in ours] == [type(txn.operation).__name__ for txn in theirs if txn]
    sizes = [(row.rows, row.data_files) for row in call(spark, "versions", table=path)[::-1]]
    assert sizes == [
        (int(version["metadata"]["total_rows"]), int(version["metadata"]["total_data_files"]))
        for version in dataset.versions()
    ]


def test_manifests_of_the_old_naming_are_renamed(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    for mode in ("create", "append"):
        lance.write_dataset(pa.table({"id": [1]}), path, mode=mode, enable_v2_manifest_paths=False)
    assert call(spark, "migrate_manifest_names", table=path)[0].migrated == 2
    spark.range(2, 3).write.format("lance").mode("append").save(path)
    assert lance.dataset(path).version == 3
    assert ids(lance.dataset(path)) == [1, 1, 2]
    assert all(len(file.name) == 29 for file in Path(path, "_versions").glob("*.manifest"))


def test_rows_are_found_by_position_as_pylance_finds_them(spark: SparkSession, path: str) -> None:
    positions = [13, 0, 3, 3, 9]
    addresses = [row["_rowaddr"] for row in call(spark, "row_addresses", table=path, positions=positions)]
    frame = spark.read.format("lance").load(path)
    values = {row["_rowaddr"]: row["id"] for row in frame.select("id", "_rowaddr").collect()}
    assert [values[address] for address in addresses] == lance.dataset(path).take(positions)["id"].to_pylist()
