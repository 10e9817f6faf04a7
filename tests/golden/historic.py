"""Writes tables with releases of pylance that wrote something wrong; run again only on purpose, each step with its own.

    python tests/golden/historic.py rows     # needs pylance 0.7.5
    python tests/golden/historic.py migrate  # needs pylance 0.8.0, after `rows`
    python tests/golden/historic.py fields   # needs pylance 0.10.5
    python tests/golden/historic.py files    # needs pylance 0.16.0

`rows_0.8.0`: a table without row counts, to which a later release added a fragment. It then counted the rows of the
first fragment without its deleted ones.

`fields_0.10.5`: the ids of dropped columns went to new columns, while the old data files stayed: two files of a
fragment have the same field.

`one_0.16.0`, `both_0.16.0`: the manifest names file version 0.1, but the fragments that were committed are of
version 2.0: the only one, and one beside a fragment of version 0.1.
"""

import pathlib
import sys

import lance
import pyarrow as pa

HERE = pathlib.Path(__file__).parent / "historic"


def rows() -> None:
    dataset = lance.write_dataset(pa.table({"x": range(100)}), str(HERE / "rows_0.8.0"))
    dataset.delete("x >= 10 and x < 20")


def migrate() -> None:
    dataset = lance.write_dataset(pa.table({"x": range(2)}), str(HERE / "rows_0.8.0"), mode="append")
    assert dataset.count_rows() != dataset.to_table().num_rows


def fields() -> None:
    path = str(HERE / "fields_0.10.5")
    dataset = lance.write_dataset(pa.table({"x": range(2)}), path)
    dataset.add_columns({"y": "x * 2", "z": "x * 3"})
    dataset.add_columns({"a": "-x"})
    dataset = lance.write_dataset(pa.table({"x": [2, 3], "y": [4, 6], "z": [6, 9], "a": [-2, -3]}), path, mode="append")
    dataset.drop_columns(["a", "z"])
    dataset.add_columns({"b": "x * 4", "c": "x * 5"})
    assert dataset.to_table()["b"].to_pylist() == [0, 3, 6, 9]


def files() -> None:
    for name, versions in {"one_0.16.0": ["stable"], "both_0.16.0": ["legacy", "stable"]}.items():
        path = str(HERE / name)
        empty = pa.table({"x": pa.array([], pa.int64())})
        lance.write_dataset(empty, path, data_storage_version="legacy")
        fragments = [
            lance.fragment.LanceFragment.create(path, pa.table({"x": range(i * 3, i * 3 + 3)}), data_storage_version=v)
            for i, v in enumerate(versions)
        ]
        lance.LanceDataset.commit(path, lance.LanceOperation.Append(fragments), read_version=1)


if __name__ == "__main__":
    {"rows": rows, "migrate": migrate, "fields": fields, "files": files}[sys.argv[1]]()
