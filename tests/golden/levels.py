"""Writes levels_6.0.1.lance, in which a chunk has more levels than its header can count.

    python tests/golden/levels.py        # pylance 6.0.1, CPython 3.11; needs nothing else

Later releases begin a new page instead. NestedFragmentSuite knows the values.
"""

import pathlib
import shutil
import tempfile

import lance
import pyarrow as pa

HERE = pathlib.Path(__file__).parent

if __name__ == "__main__":
    assert lance.__version__ == "6.0.1", lance.__version__
    lists = [[i % 2] for i in range(20_000)] + [[] for _ in range(66_000)] + [[5]]
    with tempfile.TemporaryDirectory() as scratch:
        table = pa.table({"l": pa.array(lists, pa.list_(pa.int32()))})
        lance.write_dataset(table, f"{scratch}/t.lance", data_storage_version="2.2")
        (file,) = pathlib.Path(scratch, "t.lance", "data").iterdir()
        shutil.copy(file, HERE / "levels_6.0.1.lance")
