"""Rows that are erased are in no file and no version, as pylance reads them, or the places that hold them are named."""

import shutil
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from lance.file import LanceFileReader
from lance.indices import IndexConfig
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from sparklance.errors import ErasureIncompleteException, LanceUsageException
from sparklance.maintenance import ErasureFinding

MARKER = "zz-marker-of-jane"
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("plain", pa.string(), metadata={"lance-encoding:compression": "none"}),
        pa.field("zstd", pa.string(), metadata={"lance-encoding:compression": "zstd"}),
        pa.field("bytes", pa.binary()),
        pa.field("words", pa.list_(pa.string())),
        pa.field("inner", pa.struct([pa.field("name", pa.string())])),
        pa.field("codes", pa.dictionary(pa.int32(), pa.string())),
    ]
)


def people(first: int, count: int) -> pa.Table:
    def named(i: int) -> str:
        return MARKER if i == 42 else f"person number {i}"

    names = [named(i) for i in range(first, first + count)]
    columns = [
        list(range(first, first + count)),
        names,
        [name * 3 for name in names],
        [name.encode() for name in names],
        [["a", name] for name in names],
        [{"name": name} for name in names],
        pa.array(names).dictionary_encode(),
    ]
    arrays = [pa.array(c, f.type) if isinstance(c, list) else c for c, f in zip(columns, SCHEMA, strict=True)]
    return pa.table(arrays, SCHEMA)


def written(path: str, version: str = "2.2", **options: object) -> lance.LanceDataset:
    """Returns a table of two fragments and two versions, with the marker in the first."""
    lance.write_dataset(people(0, 300), path, data_storage_version=version, **options)
    return lance.write_dataset(people(300, 100), path, mode="append")


def with_bytes(path: str) -> list[str]:
    """Returns the files whose bytes have the marker."""
    files = [file for file in sorted(Path(path).rglob("*")) if file.is_file()]
    return [str(file) for file in files if MARKER.encode() in file.read_bytes()]


def holders(path: str) -> list[str]:
    """Returns the files whose bytes, or whose values as pylance decodes them, have the marker."""
    found = with_bytes(path)
    for file in sorted(Path(path).glob("data/*.lance")):
        values = LanceFileReader(str(file)).read_all().to_table().to_pylist()
        if MARKER in repr(values) and str(file) not in found:
            found.append(str(file))
    return found


def in_versions(path: str) -> list[int]:
    """Returns the versions in which pylance reads the marker."""
    dataset = lance.dataset(path)
    numbers = [version["version"] for version in dataset.versions()]
    return [n for n in numbers if MARKER in repr(dataset.checkout_version(n).to_table().to_pylist())]


def kinds(found: list[ErasureFinding]) -> set[str]:
    return {each.kind for each in found}


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_no_file_and_no_version_has_the_rows(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/people.lance"
    before = written(path, version)
    rows = before.to_table(filter="id != 42").sort_by("id").to_pylist()
    assert holders(path)
    assert in_versions(path) == [1, 2]
    ds = LanceDataset(spark, path)
    planned = ds.erase("id = 42", dry_run=True)
    assert not any(each.remains for each in planned)
    assert lance.dataset(path).version == before.version
    assert kinds(ds.erase("id = 42")) == kinds(planned) == {"rows", "fragment", "version", "searched"}
    after = lance.dataset(path)
    after.validate()
    assert after.to_table().sort_by("id").to_pylist() == rows
    assert holders(path) == []
    assert in_versions(path) == []
    assert kinds(ds.erase("id = 42")) == {"searched"}


@pytest.mark.parametrize("stable", [False, True])
def test_deletions_updates_and_indices_of_pylance_leave_nothing(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/people.lance"
    dataset = written(path, enable_stable_row_ids=stable)
    for column, kind in [("plain", "BTREE"), ("zstd", "INVERTED"), ("id", "BITMAP"), ("words", "LABEL_LIST")]:
        dataset.create_scalar_index(column, kind)
    dataset.update({"plain": "'renamed'"}, "id = 42")
    dataset.delete(f"zstd = '{MARKER * 3}'")
    dataset = lance.write_dataset(people(400, 10), path, mode="append")
    dataset.optimize.optimize_indices()
    rows = lance.dataset(path).to_table().sort_by("id").to_pylist()
    assert any("_transactions" in file or "_versions" in file for file in holders(path))
    done = LanceDataset(spark, path).erase("id = 42")
    assert kinds(done) == {"fragment", "index", "version", "searched"}
    assert {each.place for each in done if each.kind == "index"} == {"plain_idx", "zstd_idx", "id_idx", "words_idx"}
    after = lance.dataset(path)
    after.validate()
    assert holders(path) == []
    assert in_versions(path) == []
    assert after.to_table().sort_by("id").to_pylist() == rows
    assert after.count_rows() == 409
    assert after.to_table(filter="plain = 'person number 43'")["id"].to_pylist() == [43]
    assert after.to_table(filter="array_has(words, 'person number 44')")["id"].to_pylist() == [44]


def test_tags_branches_and_clones_of_pylance_are_named(spark: SparkSession, tmp: str) -> None:
    path, clone = f"{tmp}/all people.lance", f"{tmp}/clone.lance"
    dataset = written(path)
    dataset.tags.create("audit", 1)
    dataset.create_branch("trial", 2)
    dataset.shallow_clone(clone, 2)
    # pylance writes down the place of the table as it was named.
    by_uri = f"{tmp}/by uri.lance"
    lance.dataset(Path(path).as_uri()).shallow_clone(Path(by_uri).as_uri(), 2)
    ds = LanceDataset(spark, path)
    with pytest.raises(ErasureIncompleteException, match=r"remaining = \d") as error:
        ds.erase("id = 42")
    branch = ("branch trial (begins at version 2", "branch trial (version 2")
    for place in ("tag audit (version 1", *branch, f"{clone} ", f"{by_uri} "):
        assert place in str(error.value)
    assert ds.checkout_version("audit").count_rows() == 300
    assert lance.dataset(clone).count_rows() == 400
    ds.checkout_latest()
    assert ds.count_rows() == 399
    left = {(each.kind, each.place.split("/")[-1]) for each in ds.erase("id = 42", dry_run=True) if each.remains}
    clones = {("clone", "clone.lance"), ("clone", "by uri.lance")}
    assert left == {("tag", "audit"), ("branch", "trial"), *clones}
    lance.dataset(path).tags.delete("audit")
    ds.branches.delete("trial")
    with pytest.raises(ErasureIncompleteException, match="remaining = 2:"):
        ds.erase("id = 42")
    assert lance.dataset(clone).count_rows() == lance.dataset(by_uri).count_rows() == 400


def test_an_index_that_cannot_be_built_here_is_named_until_it_is_dropped(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/people.lance"
    values = pa.array([f'{{"name": "{MARKER if i == 42 else i}"}}' for i in range(60)], pa.json_())
    dataset = lance.write_dataset(pa.table({"id": range(60), "value": values}), path, data_storage_version="2.2")
    kind = IndexConfig(index_type="json", parameters={"target_index_type": "btree", "path": "name"})
    dataset.create_scalar_index("value", kind)
    ds = LanceDataset(spark, path)
    left = {(each.kind, each.place) for each in ds.erase("id = 42", dry_run=True) if each.remains}
    assert ("index", "value_idx") in left
    with pytest.raises(ErasureIncompleteException, match=r"index value_idx \(cannot be built here; drop it"):
        ds.erase("id = 42")
    assert any("_indices" in file for file in with_bytes(path))
    lance.dataset(path).drop_index("value_idx")
    ds.erase("id = 42")
    assert holders(path) == []
    assert lance.dataset(path).count_rows() == 59


@pytest.mark.parametrize("size", [100, 200_000, 5_000_000])
def test_blobs_go_with_their_rows(spark: SparkSession, tmp: str, size: int) -> None:
    """In data files, in files that several blobs share, and in files of their own."""
    path = f"{tmp}/blobs.lance"
    images = [(MARKER if i == 2 else f"image {i}").encode() + b"x" * size for i in range(4)]
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("image")])
    table = pa.table([range(4), lance.blob_array(images)], schema=schema)
    lance.write_dataset(table, path, data_storage_version="2.2")
    assert with_bytes(path)
    assert "fragment" in kinds(LanceDataset(spark, path).erase("id = 2"))
    assert with_bytes(path) == []
    kept = lance.dataset(path).take_blobs("image", indices=[0, 2])
    assert [each.readall() for each in kept] == [images[0], images[3]]


def test_files_in_other_places_are_named(spark: SparkSession, tmp: str) -> None:
    path, other = f"{tmp}/people.lance", f"{tmp}/other"
    base = lance.DatasetBasePath(other, "other")
    lance.write_dataset(people(0, 60), path, initial_bases=[base], target_bases=["other"])
    (file,) = [str(each) for each in Path(other).rglob("*.lance")]
    old = f"{tmp}/old.lance"
    lance.write_dataset(people(40, 5).select(["id", "plain"]), old, data_storage_version="legacy")
    left = Path(path, "data", "left.lance")
    left.parent.mkdir(exist_ok=True)
    shutil.copy(next(Path(old).glob("data/*")), left)
    with pytest.raises(ErasureIncompleteException, match="remaining = 2: ") as error:
        LanceDataset(spark, path).erase("id = 42")
    assert f"base {file} " in str(error.value)
    assert f"orphan file:{left} " in str(error.value)
    assert with_bytes(path) == [str(left)]
    assert lance.dataset(path).count_rows() == 59


def test_blobs_outside_of_the_table_are_named(spark: SparkSession, tmp: str) -> None:
    path, outside = f"{tmp}/blobs.lance", Path(tmp, "base/in")
    outside.mkdir(parents=True)
    for name in ("of jane", "of all"):
        (outside / name).write_bytes(MARKER.encode())
    uris = [(outside / ("of jane" if i == 42 else "of all")).as_uri() for i in range(60)]
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("blob")])
    table = pa.table([range(60), lance.blob_array(uris)], schema=schema)
    base = lance.DatasetBasePath(f"{tmp}/base", "outside")
    lance.write_dataset(table, path, data_storage_version="2.2", initial_bases=[base])
    ds = LanceDataset(spark, path)
    left = [each for each in ds.erase("id = 42", dry_run=True) if each.remains]
    assert [(each.kind, each.place) for each in left] == [("external blob", f"{tmp}/base/in/of jane")]
    with pytest.raises(ErasureIncompleteException, match=r"remaining = 1: .*/base/in/of jane"):
        ds.erase("id = 42")
    assert (outside / "of jane").exists()
    assert kinds(ds.erase("id = 42")) == {"searched"}
    assert lance.dataset(path).count_rows() == 59
    shared = [each for each in ds.erase("id = 41") if each.kind == "shared blob"]
    assert [(each.place, each.remains) for each in shared] == [(f"{tmp}/base/in/of all", False)]
    ds.delete("id < 40")
    with pytest.raises(ErasureIncompleteException, match=r"remaining = 1: .*/base/in/of all"):
        ds.erase("true")


def test_a_request_that_means_no_rows_changes_nothing(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/people.lance"
    written(path)
    ds = LanceDataset(spark, path)
    with pytest.raises(ValueError, match="condition is empty"):
        ds.erase(" ")
    with pytest.raises(LanceUsageException, match="is not the same each time"):
        ds.erase("rand() < 0.5")
    assert kinds(ds.erase("id = -1")) == {"searched"}
    assert ds.version == 2
