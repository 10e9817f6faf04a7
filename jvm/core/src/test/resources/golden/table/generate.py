"""Makes the files beside it: what the reference implementation writes for small tables.

Run with pylance 14.0.2 and pyarrow 26.0.1; expected values are in the suites that read the files. `ours.arrow` is not made
here: sparklance wrote it, and both were seen to read it as rows 3 and 7.
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


with tempfile.TemporaryDirectory() as directory:
    history(directory)
    stable_row_ids(directory)
    deletions(directory)
