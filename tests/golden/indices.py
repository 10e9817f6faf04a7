"""Writes the small table with one scalar index of each kind that tests damage; run again only on purpose.

python tests/golden/indices.py        # needs pylance 14.0.2 and pyarrow 26.0.1
"""

import pathlib
import shutil

import lance
import pyarrow as pa
from lance.indices import IndexConfig

HERE = pathlib.Path(__file__).parent / "indices"
ROWS = 120


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    rows = range(ROWS)
    table = pa.table(
        {
            "tree": pa.array([None if i % 10 == 3 else i * 37 % 41 for i in rows], pa.int32()),
            "bits": pa.array([None if i % 9 == 0 else ("red", "green", "blue")[i % 3] for i in rows]),
            "zone": pa.array([i / 4 for i in rows], pa.float64()),
            "bloom": pa.array([f"key{i % 30:03}" for i in rows]),
            "text": pa.array([f"the quick brown fox jumps {i % 7} times" for i in rows]),
            "labels": pa.array([None if i % 8 == 0 else [f"a{i % 5}", None] for i in rows]),
        }
    )
    dataset = lance.write_dataset(table, str(HERE), max_rows_per_file=50)
    kinds = {
        "tree": IndexConfig("btree", {"zone_size": 16}),
        "bits": "BITMAP",
        "zone": IndexConfig("zonemap", {"rows_per_zone": 16}),
        "bloom": IndexConfig("bloomfilter", {"number_of_items": 16, "probability": 0.05}),
        "text": "NGRAM",
        "labels": "LABEL_LIST",
    }
    for column, kind in kinds.items():
        dataset.create_scalar_index(column, kind, name=column)
        dataset = lance.dataset(str(HERE))
    # Only the latest version is read.
    for directory in ("_transactions",):
        shutil.rmtree(HERE / directory)
    for old in sorted((HERE / "_versions").iterdir())[1:]:
        old.unlink()


main()
