"""Writes tables with releases of pylance that wrote something wrong; run again only on purpose, each step with its own.

    python tests/golden/historic.py rows     # needs pylance 0.7.5
    python tests/golden/historic.py migrate  # needs pylance 0.8.0, after `rows`
    python tests/golden/historic.py fields   # needs pylance 0.10.5
    python tests/golden/historic.py files    # needs pylance 0.16.0
    python tests/golden/historic.py strings  # needs pylance 0.13.0

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


def strings() -> None:
    path = str(HERE / "strings_0.13.0")
    texts = [None if i % 7 == 3 else "é" * (i % 5) + str(i) * (i % 3) for i in range(60)]
    nested = pa.struct({"x": pa.string(), "y": pa.int64(), "z": pa.list_(pa.large_binary())})
    columns = {
        "id": pa.array(range(60)),
        "text": pa.array(texts),
        "binary": pa.array([text and text.encode() for text in texts], pa.binary()),
        "long": pa.array(texts, pa.large_string()),
        "n": pa.array(range(60, 120)),
        "list": pa.array([None if i % 11 == 5 else texts[i : i + i % 4] for i in range(60)]),
        "s": pa.array([{"x": t, "y": i, "z": [b"a", None] * (i % 3)} for i, t in enumerate(texts)], nested),
        "empty": pa.array([""] * 60),
        "null": pa.array([None] * 60, pa.string()),
    }
    dataset = lance.write_dataset(pa.table(columns), path, use_legacy_format=False, max_rows_per_file=40)
    dataset.delete("id = 5")


if __name__ == "__main__":
    {"rows": rows, "migrate": migrate, "fields": fields, "files": files, "strings": strings}[sys.argv[1]]()
