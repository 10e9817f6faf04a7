"""Writes the small table with one vector index of each kind that tests search and damage; run again only on purpose.

python tests/golden/vectors.py        # needs pylance 14.0.2, pyarrow 26.0.1 and numpy
"""

import json
import pathlib
import shutil

import lance
import numpy as np
import pyarrow as pa

HERE = pathlib.Path(__file__).parent / "vectors"
ROWS = 520
DIMENSION = 8
#: For each column: type and metric of its index, and further settings.
INDICES = {
    "whole": ("IVF_FLAT", "l2", {}),
    "angles": ("IVF_FLAT", "cosine", {}),
    "doubles": ("IVF_FLAT", "dot", {}),
    "bits": ("IVF_FLAT", "hamming", {}),
    "product": ("IVF_PQ", "l2", {"num_sub_vectors": 4}),
    "nibbles": ("IVF_PQ", "cosine", {"num_sub_vectors": 4, "num_bits": 4}),
    "dots": ("IVF_PQ", "dot", {"num_sub_vectors": 4}),
    "rows": ("IVF_PQ", "l2", {"num_sub_vectors": 4, "skip_transpose": True}),
    "scalar": ("IVF_SQ", "l2", {}),
    "scaled": ("IVF_SQ", "dot", {}),
    "graph": ("IVF_HNSW_FLAT", "l2", {}),
    "turned": ("IVF_HNSW_FLAT", "cosine", {}),
    "bit_graph": ("IVF_HNSW_FLAT", "hamming", {}),
    "code_graph": ("IVF_HNSW_SQ", "l2", {"m": 5, "ef_construction": 30}),
    "dot_graph": ("IVF_HNSW_SQ", "dot", {}),
    "part_graph": ("IVF_HNSW_PQ", "l2", {"num_sub_vectors": 4}),
    "signs": ("IVF_RQ", "l2", {"num_bits": 1}),
    "rotated": ("IVF_RQ", "cosine", {}),
    "rotated_dots": ("IVF_RQ", "dot", {"num_bits": 3}),
}
#: An index of product quantization takes 256 rows for each partition.
PARTITIONS = {"IVF_PQ": 2, "IVF_HNSW_PQ": 2}


def partitions(kind: str) -> int:
    return PARTITIONS.get(kind, 4)


def values(column: str, rng: np.random.Generator, count: int) -> np.ndarray:
    if column in ("bits", "bit_graph"):
        return rng.integers(0, 256, count).astype("u1")
    return rng.normal(size=count).astype("f8" if column == "doubles" else "f4")


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    rng = np.random.default_rng(5)
    columns = {
        name: pa.FixedSizeListArray.from_arrays(pa.array(values(name, rng, ROWS * DIMENSION)), DIMENSION)
        for name in INDICES
    }
    dataset = lance.write_dataset(pa.table({"id": range(ROWS), **columns}), str(HERE), max_rows_per_file=260)
    for column, (kind, metric, more) in INDICES.items():
        dataset.create_index(column, kind, name=column, metric=metric, num_partitions=partitions(kind), **more)
        dataset = lance.dataset(str(HERE))
    dataset.delete("id % 10 = 3")
    dataset = lance.dataset(str(HERE))
    answers = {}
    for column, (kind, metric, _) in INDICES.items():
        query = values(column, rng, DIMENSION)
        nearest = {"column": column, "q": query, "k": 6, "metric": metric, "nprobes": partitions(kind) // 2}
        if kind == "IVF_RQ":
            nearest["approx_mode"] = "accurate"
        found = dataset.to_table(columns=["_rowaddr", "_distance"], nearest=nearest, with_row_address=True)
        answers[column] = {
            "q": [float(x) for x in query],
            "metric": metric,
            "nprobes": nearest["nprobes"],
            "addresses": found["_rowaddr"].to_pylist(),
            "distances": found["_distance"].to_pylist(),
        }
    # Only the latest version is read.
    shutil.rmtree(HERE / "_transactions")
    for old in sorted((HERE / "_versions").iterdir())[1:]:
        old.unlink()
    (HERE / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")


main()
