"""Makes the files beside it: what the reference implementation writes for small tables.

Run with pylance 14.0.2 and pyarrow 26.0.1; expected values are in the suites that read the files. `ours.arrow` is not
made here: sparklance wrote it, and both were seen to read it as rows 3 and 7.
"""

import pathlib
import shutil
import tempfile

import lance
import pyarrow as pa
import pyarrow.ipc as ipc

HERE = pathlib.Path(__file__).parent


def versions(root):
    return sorted(pathlib.Path(root, "_versions").glob("*.manifest"), reverse=True)


def only(root, directory):
    (path,) = pathlib.Path(root, directory).iterdir()
    return path


def rows(start, count):
    return pa.table({"id": pa.array(range(start, start + count), pa.int32()), "s": [str(i) for i in range(count)]})


def history(tmp):
    """create, append, index, config, delete: a manifest and a transaction each."""
    root = f"{tmp}/history"
    lance.write_dataset(rows(0, 20), root, data_storage_version="2.2")
    ds = lance.write_dataset(rows(20, 10), root, mode="append")
    ds.create_scalar_index("id", "BTREE")
    ds.update_config({"owner": "golden"})
    ds.delete("id % 10 = 3")
    for path, name in zip(versions(root), ["create", "append", "index", "config", "delete"], strict=True):
        shutil.copy(path, HERE / f"{name}.manifest")
    for path in pathlib.Path(root, "_transactions").iterdir():
        name = ["create", "append", "index", "config", "delete"][int(path.name.split("-")[0])]
        shutil.copy(path, HERE / f"{name}.txn")


def stable_row_ids(tmp):
    root = f"{tmp}/stable"
    lance.write_dataset(rows(0, 5), root, enable_stable_row_ids=True)
    shutil.copy(versions(root)[0], HERE / "stable_row_ids.manifest")


def deletions(tmp):
    few = lance.write_dataset(rows(0, 100), f"{tmp}/few")
    few.delete("id in (3, 50, 99, 7)")
    shutil.copy(only(f"{tmp}/few", "_deletions"), HERE / "zstd.arrow")
    many = lance.write_dataset(rows(0, 20000), f"{tmp}/many")
    many.delete("id >= 1000 and id < 9000")
    shutil.copy(only(f"{tmp}/many", "_deletions"), HERE / "bitmap.bin")
    offsets = pa.schema([pa.field("row_id", pa.uint32(), nullable=False)])
    for codec in [None, "lz4", "zstd"]:
        options = ipc.IpcWriteOptions(compression=codec)
        with ipc.new_file(HERE / f"pyarrow_{codec or 'plain'}.arrow", offsets, options=options) as file:
            file.write_batch(pa.record_batch([pa.array([99, 3, 7, 50], pa.uint32())], schema=offsets))


def keep(root, name):
    """All manifests of a table, by version; each has its transaction within."""
    target = HERE / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for version, path in enumerate(versions(root), start=1):
        shutil.copy(path, target / f"{version}.manifest")


def operations(tmp, name, stable):
    """A version for every operation that a release commits, and for what makes a difference to it."""
    root = f"{tmp}/{name}"
    options = {"max_rows_per_file": 20, "data_storage_version": "2.2", "enable_stable_row_ids": stable}
    lance.write_dataset(rows(0, 60), root, **options)
    ds = lance.write_dataset(rows(60, 30), root, mode="append", **options)
    ds.create_scalar_index("id", "BTREE")
    ds.create_scalar_index("s", "BITMAP")
    ds.delete("id in (1, 2, 25)")
    ds.delete("id >= 40 and id < 60")  # a whole fragment
    ds.update({"s": "'updated'"}, where="id in (5, 70)")
    merge = ds.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merge.execute(rows(85, 10))
    ds = lance.dataset(root)
    ds.add_columns({"twice": "id * 2"})
    columns = ds.merge_insert("id").when_matched_update_all()
    columns.write_mode("rewrite_columns").execute(rows(60, 3).select(["id", "s"]))
    ds = lance.dataset(root)
    ds.add_columns(pa.field("empty", pa.int64()))
    ds.alter_columns({"path": "twice", "name": "double"})
    ds.alter_columns({"path": "double", "data_type": pa.int64()})
    ds.drop_columns(["empty"])
    ds.drop_columns(["s"])  # the index on it goes as well
    ds.update_config({"k": "1", "l": "2"})
    ds.delete_config_keys(["l"])
    ds.update_metadata({"m": "n"})
    ds.update_schema_metadata({"x": "y"})
    ds.update_field_metadata({"id": {"f": "g"}})
    ds.optimize.compact_files(target_rows_per_fragment=50)
    ds = lance.dataset(root)
    ds.add_bases([lance.DatasetBasePath("/elsewhere", "other", False)])
    ds = lance.dataset(root)
    replace_column(ds, "double")
    ds.drop_index("id_idx")
    lance.dataset(root, version=6).restore()
    lance.write_dataset(rows(0, 5), root, mode="overwrite")
    keep(root, name)


def replace_column(ds, column):
    """The data of one column, in all fragments."""
    groups = []
    for fragment in ds.get_fragments():
        values = pa.table({column: pa.array(range(fragment.physical_rows), pa.int64())})
        (written,) = lance.fragment.write_fragments(
            values, f"{ds.uri}_parts", mode="create" if not groups else "append"
        )
        file = written.files[0]
        shutil.copy(f"{ds.uri}_parts/data/{file.path}", f"{ds.uri}/data/{file.path}")
        ids = [f.id() for f in ds.lance_schema.fields() if f.name() == column]
        new = lance.fragment.DataFile(file.path, ids, [0], 2, 2, file.file_size_bytes)
        groups.append(lance.LanceOperation.DataReplacementGroup(fragment.fragment_id, new))
    lance.LanceDataset.commit(ds.uri, lance.LanceOperation.DataReplacement(groups), read_version=ds.version)


with tempfile.TemporaryDirectory() as directory:
    history(directory)
    stable_row_ids(directory)
    deletions(directory)
    operations(directory, "operations", stable=False)
    operations(directory, "operations_stable", stable=True)
