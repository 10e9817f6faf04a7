"""Writes tables whose indices earlier releases of pylance built; run again only on purpose, with each release.

    python tests/golden/old_indices.py   # needs pylance 0.20.0, 0.35.0, 1.0.1 or 4.0.0, and writes its table

Each table has two fragments with deleted rows, indices of all kinds that the release has, rows that were appended
after these were built, and from 1.0.1 on updated rows. `tests/interop/test_old_indices.py` has the rules for each.
"""

import pathlib
import shutil

import lance
import pyarrow as pa

HERE = pathlib.Path(__file__).parent / "old_indices"
KINDS = {
    "v": ("BTREE", "0.20.0"),
    "c": ("BITMAP", "0.20.0"),
    "l": ("LABEL_LIST", "0.20.0"),
    "t": ("NGRAM", "0.35.0"),
    "z": ("ZONEMAP", "0.35.0"),
    "b": ("BLOOMFILTER", "1.0.1"),
}


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def small(kind: str) -> object:
    """Bloom filters of 32 KiB for each fragment would be most of the table."""
    if kind != "BLOOMFILTER":
        return kind
    from lance.indices import IndexConfig

    return IndexConfig("bloomfilter", {"number_of_items": 64, "probability": 0.01})


def rows(ids: range) -> pa.Table:
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "v": pa.array([None if i % 10 == 3 else i * 37 % 101 for i in ids], pa.int32()),
            "c": pa.array([None if i % 9 == 0 else ("red", "green", "blue")[i % 3] + str(i % 7) for i in ids]),
            "l": pa.array(
                [None if i % 8 == 0 else [] if i % 8 == 1 else [f"a{i % 40}", f"b{i % 7}"] for i in ids],
                pa.list_(pa.string()),
            ),
            "t": pa.array([f"the {'quick' if i % 45 == 7 else 'slow'} fox {i % 37}" for i in ids]),
            "z": pa.array([None if i % 50 == 0 else i // 3 for i in ids], pa.int64()),
            "b": pa.array([f"key{i * 7 % 151:03}" for i in ids]),
        }
    )


def write(name: str, **options: bool) -> None:
    path = str(HERE / name)
    shutil.rmtree(path, ignore_errors=True)
    release = number(lance.__version__)
    dataset = lance.write_dataset(rows(range(300)), path, max_rows_per_file=150, **options)
    dataset.delete("id % 6 = 1")
    for column, (kind, first) in KINDS.items():
        if release >= number(first):
            lance.dataset(path).create_scalar_index(column, small(kind))
    dataset = lance.write_dataset(rows(range(300, 340)), path, mode="append")
    if release >= (1, 0, 0):
        dataset.update({"v": "v + 1"}, where="id % 20 = 5")
    # Only the latest version is read.
    latest = lance.dataset(path).latest_version
    for old in (HERE / name / "_versions").iterdir():
        if old.suffix == ".manifest" and int(old.stem) not in (latest, 2**64 - 1 - latest):
            old.unlink()
    shutil.rmtree(HERE / name / "_transactions", ignore_errors=True)


if __name__ == "__main__":
    write(lance.__version__)
    if number(lance.__version__) >= (4, 0, 0):
        write(f"{lance.__version__}_stable", enable_stable_row_ids=True)
