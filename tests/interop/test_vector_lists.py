"""Vector indices of columns with several vectors in a row: built by Spark or pylance, searched by both."""

from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from sparklance.errors import LanceUsageException

ROWS, DIMENSION, K = 1500, 16, 5
KINDS: dict[str, dict[str, Any]] = {
    "IVF_FLAT": {},
    "IVF_PQ": {"num_sub_vectors": 8},
    "IVF_SQ": {},
    "IVF_HNSW_SQ": {},
}


def table(seed: int, first: int, count: int) -> pa.Table:
    """Rows of none to three vectors; each seventh is null."""
    rng = np.random.default_rng(seed)
    sizes = np.arange(count) % 4
    centers = np.random.default_rng(99).normal(size=(40, DIMENSION)) * 2
    vectors = centers[rng.integers(0, 40, sizes.sum())] + rng.normal(size=(sizes.sum(), DIMENSION))
    inner = pa.FixedSizeListArray.from_arrays(pa.array(vectors.astype("f4").ravel()), DIMENSION)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype("i4")
    nulls = pa.array(np.arange(count) % 7 == 3)
    lists = pa.ListArray.from_arrays(pa.array(offsets), inner, mask=nulls)
    return pa.table({"id": np.arange(first, first + count), "v": lists})


def queries() -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.normal(size=(2, DIMENSION)).astype("f4") * 2 for _ in range(20)]


def of_pylance(path: str, **more: Any) -> list[set[int]]:
    dataset = lance.dataset(path)
    return [
        set(dataset.to_table(columns=["id"], nearest={"column": "v", "q": q, "k": K, **more})["id"].to_pylist())
        for q in queries()
    ]


def of_spark(spark: SparkSession, path: str, **more: Any) -> list[list[tuple[int, float]]]:
    nearest = {"column": "v", "q": [q.tolist() for q in queries()], "k": K, "metric": "cosine", **more}
    rows = LanceDataset(spark, path).to_df(["id"], nearest=nearest).collect()
    return [[(row.id, row._distance) for row in rows if row.query_index == i] for i in range(len(queries()))]


def recall(exact: list[set[int]], found: list[set[int]]) -> float:
    return sum(len(a & b) for a, b in zip(exact, found, strict=True)) / sum(map(len, exact))


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_of_lists_of_vectors_built_by_spark(spark: SparkSession, tmp: str, kind: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(table(1, 0, ROWS), path, max_rows_per_file=600)
    theirs = lance.dataset(path).create_index("v", kind, metric="cosine", num_partitions=4, replace=True, **KINDS[kind])
    indexed = theirs.stats.index_stats("v_idx")["indices"][0]["partitions"]
    exact = of_pylance(path, use_index=False, metric="cosine")
    rate = recall(exact, of_pylance(path, nprobes=4))
    found = of_spark(spark, path, nprobes=4)
    assert recall(exact, [{row for row, _ in rows} for rows in found]) >= 0.9
    LanceDataset(spark, path).create_index("v", kind, metric="cosine", num_partitions=4, replace=True, **KINDS[kind])
    ours = lance.dataset(path).stats.index_stats("v_idx")["indices"][0]["partitions"]
    assert sum(p["size"] for p in ours) == sum(p["size"] for p in indexed)
    assert recall(exact, of_pylance(path, nprobes=4)) >= rate - 0.05
    whole = of_spark(spark, path, use_index=False)
    assert [{row for row, _ in rows} for rows in whole] == exact
    distances = [dict(rows) for rows in whole]
    found = of_spark(spark, path, nprobes=4)
    assert recall(exact, [{row for row, _ in rows} for rows in found]) >= 0.9
    for rows, known in zip(found, distances, strict=True):
        assert all(distance == pytest.approx(known[row], abs=1e-5) for row, distance in rows if row in known)


def test_rows_outside_of_an_index_of_lists_of_vectors(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(table(1, 0, ROWS), path, max_rows_per_file=600)
    ds = LanceDataset(spark, path)
    ds.create_index("v", "IVF_FLAT", metric="cosine", num_partitions=2)
    lance.write_dataset(table(2, ROWS, 300), path, mode="append")
    ds.delete("id % 5 = 0")
    found = of_spark(spark, path, nprobes=2)
    assert [{row for row, _ in rows} for rows in found] == of_pylance(path, use_index=False, metric="cosine")
    assert any(row >= ROWS for rows in found for row, _ in rows)
    fast = of_spark(spark, path, nprobes=2, fast_search=True)
    assert all(row < ROWS and row % 5 for rows in fast for row, _ in rows)
    ds.optimize.optimize_indices()
    assert ds.index_recall("v_idx", k=K, nprobes=2) >= 0.95
    assert of_spark(spark, path, nprobes=2) == found


def test_indices_that_pylance_does_not_build_either(spark: SparkSession, tmp: str) -> None:
    ds = LanceDataset(spark, lance.write_dataset(table(1, 0, 300), f"{tmp}/t.lance").uri)
    for metric in ("l2", "dot"):
        with pytest.raises(LanceUsageException, match="lists of such"):
            ds.create_index("v", "IVF_FLAT", metric=metric)
    bytes_ = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(1600) % 100, pa.int8()), DIMENSION)
    small = LanceDataset(spark, lance.write_dataset(pa.table({"v": bytes_}), f"{tmp}/b.lance").uri)
    with pytest.raises(LanceUsageException, match="fixed-size lists of floats"):
        small.create_index("v", "IVF_FLAT")
