"""`LanceDataset` does what pylance's does: each test does the same with both, or lets one see what the other did.

`test_connect.py` runs this file over Spark Connect as well.
"""

import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparklance import LanceDataset, LanceOperation, Transaction, write_fragments, write_transaction
from sparklance.errors import (
    CommitConflictException,
    LanceFormatException,
    LanceTableNotFoundException,
    LanceUsageException,
)
from sparklance.rows import FEW_KEYS


def sorted_ids(dataset: Any) -> list[int]:
    table = dataset.to_arrow(columns=["id"]) if isinstance(dataset, LanceDataset) else dataset.to_table(columns=["id"])
    return sorted(table["id"].to_pylist())


@pytest.fixture
def path(tmp: str) -> str:
    """10 rows, then 15, then 14: three versions that pylance has made."""
    made = f"{tmp}/t.lance"
    rows = pa.table({"id": pa.array(range(15), pa.int64()), "name": [f"n{i}" for i in range(15)]})
    lance.write_dataset(rows.slice(0, 10), made)
    lance.write_dataset(rows.slice(10), made, mode="append")
    lance.dataset(made).delete("id = 3")
    return made


def test_what_a_dataset_tells_of_itself(spark: SparkSession, path: str) -> None:
    ours, theirs = LanceDataset(spark, path), lance.dataset(path)
    assert (ours.version, ours.latest_version, ours.branch) == (theirs.version, theirs.latest_version, None)
    assert ours.uri.endswith(path)
    assert ours.count_rows() == theirs.count_rows() == 14
    assert ours.count_rows("id > 5") == ours.count_rows(F.col("id") > 5) == theirs.count_rows("id > 5")
    assert ours.data_storage_version == theirs.data_storage_version
    assert ours.has_stable_row_ids == theirs.has_stable_row_ids
    assert [f.id for f in ours.fragments] == [f.fragment_id for f in theirs.get_fragments()]
    assert [f.name for f in ours.lance_schema] == theirs.schema.names == ours.schema.fieldNames()
    assert ours.config() == theirs.config()
    assert repr(ours).endswith("version 3)")


def test_versions(spark: SparkSession, path: str) -> None:
    ours, theirs = LanceDataset(spark, path), lance.dataset(path)
    assert [v["version"] for v in ours.versions()] == [v["version"] for v in theirs.versions()] == [1, 2, 3]
    rows = [int(v["metadata"]["total_rows"]) for v in theirs.versions()]
    assert [v["metadata"]["rows"] for v in ours.versions()] == rows
    for version in (1, 2):
        assert sorted_ids(ours.checkout_version(version)) == sorted_ids(theirs.checkout_version(version))
    with pytest.raises(LanceTableNotFoundException, match="has no version 9"):
        ours.checkout_version(9)
    with pytest.raises(LanceTableNotFoundException, match="no tag and no branch 'x'"):
        LanceDataset(spark, path, "x")


def test_opening_at_a_time(spark: SparkSession, path: str) -> None:
    second = LanceDataset(spark, path, 2)
    assert LanceDataset(spark, path, asof=second.timestamp).version == 2
    assert LanceDataset(spark, path, asof=datetime.now(UTC)).version == 3
    with pytest.raises(LanceTableNotFoundException, match="as old as"):
        LanceDataset(spark, path, asof=datetime(2000, 1, 1, tzinfo=UTC))


def test_a_dataset_stays_at_its_version(spark: SparkSession, path: str) -> None:
    held = LanceDataset(spark, path)
    frame = held.to_df()
    lance.dataset(path).delete("id < 10")
    assert held.version == 3
    assert held.count_rows() == frame.count() == 14
    assert held.latest_version == 4
    held.checkout_latest()
    assert held.count_rows() == 5


def test_reading(spark: SparkSession, path: str) -> None:
    ours, theirs = LanceDataset(spark, path), lance.dataset(path)
    columns = {"n": "name", "twice": "id * 2"}
    expected = theirs.to_table(columns=columns, filter="id >= 10").to_pydict()
    assert ours.to_arrow(columns=columns, filter="id >= 10").to_pydict() == expected
    assert ours.to_df(columns=["id"], with_row_id=True).columns == ["id", "_rowid"]
    assert ours.head(3).count() == 3
    assert list(ours.to_pandas(columns=["name"])["name"]) == theirs.to_table(columns=["name"])["name"].to_pylist()


def test_taking_rows(spark: SparkSession, path: str) -> None:
    ours, theirs = LanceDataset(spark, path), lance.dataset(path)
    for positions in ([5, 1], [13, 3, 3, 0], [2]):
        assert ours.take(positions).toArrow().to_pydict() == theirs.take(positions).to_pydict()
    assert ours.take([5], columns=["name"]).columns == ["name"]
    # More rows than one task puts in order.
    many = [place * 5 % 14 for place in range(FEW_KEYS + 1)]
    assert ours.take(many).toArrow().to_pydict() == theirs.take(many).to_pydict()
    assert ours.take([]).count() == 0
    row_ids = theirs.to_table(with_row_id=True)["_rowid"].to_pylist()
    wanted = [row_ids[7], row_ids[0]]
    assert ours.take_rows(wanted).toArrow().to_pydict() == theirs._take_rows(wanted).to_pydict()
    with pytest.raises(LanceUsageException, match="no row 14"):
        ours.take([14])


def test_creating_and_inserting(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/new.lance"
    assert not LanceDataset.exists(spark, path)
    rows = pa.table({"id": [1, 2], "text": ["a", None]})
    ours = LanceDataset.create(spark, rows, path, dataStorageVersion="2.1")
    assert LanceDataset.exists(spark, path)
    assert lance.dataset(path).to_table().to_pydict() == rows.to_pydict()
    assert ours.data_storage_version == "2.1"
    with pytest.raises(LanceUsageException, match="already"):
        LanceDataset.create(spark, rows, path)
    ours.insert(spark.createDataFrame([(3, "c")], "id BIGINT, text STRING"))
    assert ours.version == 2
    ours.insert(pa.table({"other": [1.5]}), mode="overwrite")
    assert lance.dataset(path).to_table().to_pydict() == ours.to_arrow().to_pydict() == {"other": [1.5]}


def test_a_table_of_the_catalog(spark: SparkSession, path: str) -> None:
    spark.sql("DROP TABLE IF EXISTS named_dataset")
    assert not LanceDataset.exists(spark, "named_dataset")
    spark.sql(f"CREATE TABLE named_dataset USING lance LOCATION '{path}'")
    assert LanceDataset.exists(spark, "named_dataset")
    ours = LanceDataset.for_name(spark, "named_dataset", 2)
    assert ours.count_rows() == 15
    assert ours.checkout_version(1).count_rows() == 10
    assert "named_dataset" in repr(ours)
    ours.tags.create("second")
    assert LanceDataset(spark, "named_dataset", "second").version == 2
    assert LanceDataset(spark, "named_dataset", "second").count_rows() == 15
    spark.sql("DROP TABLE named_dataset")


def test_paths_may_be_of_pathlib(spark: SparkSession, path: str, tmp_path: Path) -> None:
    ours = LanceDataset(spark, Path(path))
    assert ours.count_rows() == LanceDataset.for_path(spark, Path(path)).count_rows() == 14
    assert LanceDataset.exists(spark, Path(path))
    assert not LanceDataset.exists(spark, tmp_path / "nothing")
    copy = LanceDataset.create(spark, ours.to_df(), tmp_path / "copy.lance")
    files = write_fragments(spark.range(100, 101).selectExpr("id", "'x' AS name"), tmp_path / "copy.lance")
    copy = LanceDataset.commit(spark, tmp_path / "copy.lance", LanceOperation.Append(files), copy.version)
    assert copy.count_rows() == ours.shallow_clone(tmp_path / "clone.lance").count_rows() + 1


def test_a_path_without_a_slash_is_not_taken_for_a_name(spark: SparkSession) -> None:
    with pytest.raises(LanceTableNotFoundException, match=r"/no_such\.lance"):
        LanceDataset(spark, Path("no_such.lance"))
    with pytest.raises(ValueError, match="Give it as text"):
        LanceDataset(spark, Path("s3://bucket/t.lance"))


@pytest.mark.parametrize("path", ["/data/t.lance", Path("/data/t.lance")])
def test_a_dataset_without_a_session_names_the_way_to_open_one(path: Any) -> None:
    with pytest.raises(TypeError, match=r"the Spark session before the path: LanceDataset\(spark, path\)"):
        LanceDataset(path)  # type: ignore[call-arg]


def test_reading_takes_the_arguments_of_pylance(spark: SparkSession, path: str) -> None:
    ours, theirs = LanceDataset(spark, path), lance.dataset(path)
    for arguments in (
        {"with_row_id": True, "with_row_address": True},
        {"with_row_address": True, "columns": ["id"]},
        {"limit": 3, "offset": 4},
        {"filter": "id > 5", "limit": 2},
    ):
        assert ours.to_arrow(**arguments).to_pylist() == theirs.to_table(**arguments).to_pylist()
        assert ours.to_pandas(**arguments).shape == theirs.to_table(**arguments).shape


@pytest.mark.parametrize(("method", "package"), [("to_arrow", "pyarrow"), ("to_pandas", "pandas")])
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    method: str, package: str, spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = getattr(LanceDataset(spark, path), method)
    monkeypatch.setitem(sys.modules, package, None)
    extra = package.removeprefix("py")
    with pytest.raises(ImportError, match=rf"needs {package}, .* pip install 'sparklance\[{extra}\]'"):
        read()


def test_restoring(spark: SparkSession, path: str) -> None:
    ours = LanceDataset(spark, path, 1)
    ours.restore()
    assert ours.version == 4
    assert sorted_ids(lance.dataset(path)) == sorted_ids(ours) == list(range(10))


def test_tags(spark: SparkSession, path: str) -> None:
    ours, theirs = LanceDataset(spark, path), lance.dataset(path)
    ours.tags.create("a", 1)
    ours.tags.create("b")
    ours.tags.update("a", 2)
    assert {k: v["version"] for k, v in theirs.tags.list().items()} == {"a": 2, "b": 3}
    assert [tag for tag, _ in ours.tags.list_ordered()] == [tag for tag, _ in theirs.tags.list_ordered()]
    assert ours.tags.get_version("a") == theirs.tags.get_version("a")
    theirs.tags.create("c", 1)
    assert LanceDataset(spark, path, "c").count_rows() == 10
    ours.tags.delete("c")
    assert set(ours.tags.list()) == {"a", "b"}
    with pytest.raises(LanceUsageException, match="already"):
        ours.tags.create("a", 1)
    with pytest.raises(LanceTableNotFoundException, match="has no tag"):
        ours.tags.delete("c")


def test_branches(spark: SparkSession, path: str) -> None:
    ours, theirs = LanceDataset(spark, path), lance.dataset(path)
    exp = ours.branches.create("exp", 2)
    assert (exp.branch, exp.version, exp.count_rows()) == ("exp", 2, 15)
    exp.insert(spark.range(100, 102).selectExpr("id", "'new' AS name"))
    assert theirs.checkout_version(("exp", None)).count_rows() == exp.count_rows() == 17
    assert exp.checkout_version((None, 3)).count_rows() == ours.count_rows() == 14
    second = exp.create_branch("exp/second")
    assert second.version == 3
    assert {k: v["parent_branch"] for k, v in ours.branches.list().items()} == {
        k: v["parent_branch"] for k, v in theirs.branches.list().items()
    }
    with pytest.raises(LanceUsageException, match="would lose its versions"):
        ours.branches.delete("exp")
    ours.branches.delete("exp/second")
    assert [name for name, _ in exp.checkout_version("main").branches.list_ordered()] == ["exp"]


def test_clones(spark: SparkSession, path: str, tmp: str) -> None:
    clone = LanceDataset(spark, path).shallow_clone(f"{tmp}/clone.lance", 2)
    clone.insert(spark.range(100, 101).selectExpr("id", "'new' AS name"))
    assert sorted_ids(lance.dataset(f"{tmp}/clone.lance")) == sorted_ids(clone) == [*range(15), 100]
    clone.validate()


def test_config_and_metadata(spark: SparkSession, path: str) -> None:
    ours = LanceDataset(spark, path)
    assert ours.update_config({"a": "1", "b": 'it\'s "2"'}) == {"a": "1", "b": 'it\'s "2"'}
    ours.delete_config_keys(["a"])
    assert ours.update_metadata({"owner": "me"}) == ours.metadata == {"owner": "me"}
    assert ours.update_schema_metadata({"k": "v"}) == ours.schema_metadata
    ours.update_field_metadata({"id": {"unit": "m"}, "name": {"x": "y"}})
    theirs = lance.dataset(path)
    assert theirs.config() == ours.config() == {"b": 'it\'s "2"'}
    assert (theirs.metadata, theirs.schema.metadata) == ({"owner": "me"}, {b"k": b"v"})
    assert theirs.schema.field("name").metadata[b"x"] == b"y"
    assert ours.version == theirs.version
    assert ours.update_config({}) == {"b": 'it\'s "2"'}
    assert ours.update_config({"z": "1"}, replace=True) == lance.dataset(path).config() == {"z": "1"}
    with pytest.raises(LanceUsageException, match="has no field 'nothing'"):
        ours.update_field_metadata({"nothing": {"a": "b"}})


def test_writing_without_a_commit(spark: SparkSession, path: str) -> None:
    rows = spark.range(100, 110).selectExpr("id", "'new' AS name")
    parts = [write_fragments(rows.where(f"id % 2 = {rest}"), path) for rest in (0, 1)]
    ours = LanceDataset(spark, path)
    assert (ours.version, ours.count_rows()) == (3, 14)
    made = LanceDataset.commit(
        spark, path, LanceOperation.Append([*parts[0], *parts[1]]), read_version=3, commit_message="both"
    )
    assert (made.version, made.count_rows()) == (4, 24)
    theirs = lance.dataset(path)
    assert sorted_ids(theirs) == sorted_ids(made)
    theirs.validate()
    transaction = made.read_transaction()
    assert transaction
    assert transaction.commit_message == "both"
    assert theirs.read_transaction(4).transaction_properties["__lance_commit_message"] == "both"


def test_making_a_table_of_files(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/new.lance"
    transaction = write_transaction(spark.range(10), path)
    assert not LanceDataset.exists(spark, path)
    assert isinstance(transaction.operation, LanceOperation.Overwrite)
    made = LanceDataset.commit(spark, path, transaction, enable_stable_row_ids=True)
    assert made.has_stable_row_ids
    assert sorted_ids(lance.dataset(path)) == list(range(10))
    # Committed twice, it is there once.
    assert LanceDataset.commit(spark, path, transaction).version == 1
    replaced = write_transaction(spark.range(5).selectExpr("id AS number"), path, mode="overwrite")
    made = LanceDataset.commit(spark, path, replaced)
    assert (made.version, made.schema.names) == (2, ["number"])
    schema = made.lance_schema
    empty = LanceDataset.commit(spark, path, LanceOperation.Overwrite(schema, []))
    assert (empty.version, empty.count_rows()) == (3, 0)


def test_files_of_a_write_without_rows(spark: SparkSession, path: str) -> None:
    assert write_fragments(spark.range(0).selectExpr("id", "'x' AS name"), path) == []


def test_only_appends_and_overwrites_are_kept_uncommitted(spark: SparkSession, path: str) -> None:
    rows = spark.range(3).selectExpr("id", "'x' AS name", "1 AS more")
    with pytest.raises(LanceUsageException, match="uncommitted"):
        write_fragments(rows, path, mergeSchema=True)


def test_operations(spark: SparkSession, path: str) -> None:
    """Each operation, made from what the manifest has and committed through us, is one that pylance reads."""
    dataset = LanceDataset(spark, path)

    def commit(operation: Any) -> LanceDataset:
        nonlocal dataset
        dataset = LanceDataset.commit(spark, path, operation, read_version=dataset.version)
        assert dataset.read_transaction(dataset.version).operation.arm == operation.arm
        theirs = lance.dataset(path)
        theirs.validate()
        assert theirs.version == dataset.version
        assert type(theirs.read_transaction(dataset.version).operation).__name__ in (
            type(operation).__name__,
            "BaseOperation",
        )
        assert sorted(theirs.to_table().to_pylist(), key=str) == sorted(dataset.to_arrow().to_pylist(), key=str)
        return dataset

    commit(
        LanceOperation.UpdateConfig(
            LanceOperation.UpdateMap({"a": "b"}), field_metadata_updates={0: LanceOperation.UpdateMap({"unit": "m"})}
        )
    )
    assert dataset.config() == {"a": "b"}
    first, second = dataset.fragments
    commit(LanceOperation.Delete([], [second.id], "id >= 10"))
    assert sorted_ids(dataset) == [0, 1, 2, *range(4, 10)]
    commit(LanceOperation.Restore(2))
    assert sorted_ids(dataset) == list(range(15))
    renamed = dataset.lance_schema
    renamed[1].name = "label"
    commit(LanceOperation.Project(renamed, preserves_nullability=True))
    assert dataset.schema.names == ["id", "label"]
    commit(LanceOperation.ReserveFragments(2))
    moved = write_fragments(dataset.to_df(filter="id < 10"), path)
    for number, fragment in enumerate(moved):
        fragment.id = dataset.manifest.max_fragment_id - number
    first = next(f for f in dataset.fragments if f.physical_rows == 10)
    if len(moved) <= 2:
        commit(LanceOperation.Rewrite([LanceOperation.RewriteGroup([first], moved)]))
    updated = write_fragments(spark.range(500, 501).selectExpr("id", "'u' AS label"), path)
    gone = next(f for f in dataset.fragments if f.physical_rows == 5)
    commit(LanceOperation.Update(removed_fragment_ids=[gone.id], new_fragments=updated))
    assert sorted_ids(dataset) == [*range(10), 500]
    commit(LanceOperation.Merge(dataset.fragments, dataset.lance_schema, preserves_nullability=True))
    fragment = dataset.fragments[0]
    other = write_fragments(spark.range(int(fragment.physical_rows)).coalesce(1).selectExpr("id", "'r' AS label"), path)
    commit(LanceOperation.DataReplacement([LanceOperation.DataReplacementGroup(fragment.id, other[0].files[0])]))
    commit(LanceOperation.CreateIndex([], []))


def test_a_clone_is_committed_as_any_operation(spark: SparkSession, path: str, tmp: str) -> None:
    clone = LanceOperation.Clone(True, None, 2, path)
    made = LanceDataset.commit(spark, f"{tmp}/clone.lance", clone)
    assert sorted_ids(lance.dataset(f"{tmp}/clone.lance")) == sorted_ids(made) == list(range(15))


def test_transactions_of_pylance_are_read(spark: SparkSession, path: str) -> None:
    ours, theirs = LanceDataset(spark, path), lance.dataset(path)
    for version in (1, 2, 3):
        mine, other = ours.read_transaction(version), theirs.read_transaction(version)
        assert mine
        assert (mine.uuid, mine.read_version) == (other.uuid, other.read_version)
        assert type(mine.operation).__name__ == type(other.operation).__name__
        assert Transaction.from_bytes(mine.to_bytes()) == mine


def test_what_goes_wrong_with_a_commit(spark: SparkSession, path: str) -> None:
    with pytest.raises(ValueError, match="Restore needs a read_version"):
        LanceDataset.commit(spark, path, LanceOperation.Restore(1))
    lance.dataset(path).restore()
    stale = LanceOperation.Delete([], [0], "true")
    lance.dataset(path, version=1).restore()
    with pytest.raises(CommitConflictException, match=r"conflicts with version 4 \(Restore\)"):
        LanceDataset.commit(spark, path, stale, read_version=3)
    with pytest.raises(LanceUsageException, match="has no read version"):
        LanceDataset.commit(spark, path, LanceOperation.Append([]), read_version=0)


def test_validating(spark: SparkSession, path: str) -> None:
    ours = LanceDataset(spark, path)
    ours.validate()
    data = sorted(Path(path, "data").iterdir())[0]
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(LanceFormatException, match=r"version 3: .*bytes, but the manifest says"):
        ours.validate()


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_rows_are_not_inserted_into_a_table_that_was_removed(spark: SparkSession, tmp: str, mode: str) -> None:
    dataset = LanceDataset.create(spark, spark.range(3), f"{tmp}/t")
    shutil.rmtree(f"{tmp}/t")
    with pytest.raises(LanceTableNotFoundException):
        dataset.insert(spark.range(3), mode)
    assert not Path(f"{tmp}/t").exists()


@pytest.mark.parametrize("name", ["_distance", "_score", "_rowid", "_Fragid"])
def test_columns_of_searches_and_metadata_are_not_added(spark: SparkSession, tmp: str, name: str) -> None:
    dataset = LanceDataset.create(spark, spark.range(3), f"{tmp}/t")
    with pytest.raises(LanceUsageException, match=r"name of a|metadata column"):
        dataset.add_columns({name: "1.5"})
    with pytest.raises(LanceUsageException, match=r"name of a|metadata column"):
        dataset.alter_columns({"path": "id", "name": name})
    assert dataset.latest_version == 1


def test_an_index_of_another_kind_has_no_metric_unless_it_is_given(spark: SparkSession, path: str) -> None:
    ours = LanceDataset(spark, path)
    ours.create_index("id", "BTREE")
    assert [index.name for index in ours.describe_indices()] == ["id_idx"]
    with pytest.raises(LanceUsageException, match="no setting 'metric'"):
        ours.create_index("id", "BTREE", metric="L2", replace=True)


def test_a_message_shows_the_beginning_of_a_long_value(spark: SparkSession, path: str) -> None:
    with pytest.raises(LanceUsageException, match="'k' must be a whole number above 0") as caught:
        LanceDataset(spark, path).to_df(nearest={"column": "v", "q": [0.5] * 2000, "k": 0}).collect()
    assert len(str(caught.value)) < 500


def test_an_error_of_the_package_says_its_condition(spark: SparkSession, path: str) -> None:
    with pytest.raises(LanceUsageException) as caught:
        LanceDataset(spark, path).index_statistics("none")
    assert str(caught.value).startswith("[LANCE_INVALID_USAGE] The table has no index 'none'")
    assert str(caught.value).endswith(" SQLSTATE: 22023")


def test_nulls_of_structs_with_fields_that_are_not_null(spark: SparkSession, tmp: str) -> None:
    struct = pa.struct(
        [pa.field("a", pa.int32(), nullable=False), pa.field("b", pa.struct([pa.field("c", pa.int32(), False)]), False)]
    )
    values = [{"a": 1, "b": {"c": 2}}, None]
    columns = {"id": [1, 2], "s": pa.array(values, struct), "l": pa.array([values, None], pa.list_(struct))}
    lance.write_dataset(pa.table(columns), f"{tmp}/t")
    ours, theirs = LanceDataset(spark, f"{tmp}/t"), lance.dataset(f"{tmp}/t").to_table()
    assert ours.to_arrow().to_pylist() == theirs.to_pylist()
    assert ours.to_arrow().schema.field("id") == theirs.schema.field("id")
    assert ours.to_pandas()["s"].tolist() == values
