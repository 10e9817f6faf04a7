"""Searches without an index: rows and distances are those that pylance's own flat search finds."""

import math
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from sparklance.errors import LanceUsageException

ROWS = 900
DIMENSION = 24

ITEMS = {
    "halffloat": pa.float16(),
    "float": pa.float32(),
    "double": pa.float64(),
    "uint8": pa.uint8(),
}
METRICS = {"uint8": ["hamming"]}
CASES = [(item, metric) for item in ITEMS for metric in METRICS.get(item, ["l2", "cosine", "dot"])]
FILTERS: list[dict[str, Any]] = [{}, {"filter": "kind = 3", "prefilter": True}, {"filter": "kind > 1 AND id < 500"}]


def items(kind: str, rng: np.random.Generator, count: int) -> np.ndarray:
    if kind == "uint8":
        return rng.integers(0, 256, count).astype("u1")
    return rng.normal(size=count).astype({"halffloat": "f2", "float": "f4", "double": "f8"}[kind])


def written(path: str, kind: str, seed: int, **options: Any) -> lance.LanceDataset:
    """A table with nulls and deleted rows among its vectors, in several fragments."""
    rng = np.random.default_rng(seed)
    values = pa.array(items(kind, rng, ROWS * DIMENSION), ITEMS[kind])
    vectors = pa.FixedSizeListArray.from_arrays(values, DIMENSION, mask=pa.array(rng.random(ROWS) < 0.05))
    table = pa.table({"id": np.arange(ROWS), "kind": np.arange(ROWS) % 5, "v": vectors})
    dataset = lance.write_dataset(table, path, max_rows_per_file=250, **options)
    dataset.delete("id % 17 = 3")
    return dataset


def assert_same(found: Any, expected: pa.Table, tolerance: float = 1e-5) -> None:
    """Whether rows have equal distances, and equal ids but for ties."""
    rows = [(row["id"], row["_distance"]) for row in found.select("id", "_distance").collect()]
    theirs = list(zip(expected["id"].to_pylist(), expected["_distance"].to_pylist(), strict=True))
    assert len(rows) == len(theirs)
    distances = dict(theirs)
    for (row, ours), (_, distance) in zip(rows, theirs, strict=True):
        assert math.isclose(ours, distance, rel_tol=tolerance, abs_tol=tolerance)
        assert math.isclose(distances.get(row, distance), ours, rel_tol=tolerance, abs_tol=tolerance)
    common = len({row for row, _ in rows} & {row for row, _ in theirs})
    ties = len(theirs) - len({round(distance, 3) for _, distance in theirs})
    assert common >= len(theirs) - ties - 1


@pytest.mark.parametrize(("kind", "metric"), CASES)
def test_rows_and_distances_of_every_type_and_metric(spark: SparkSession, tmp: str, kind: str, metric: str) -> None:
    path = f"{tmp}/t.lance"
    theirs = written(path, kind, seed=1)
    ours = LanceDataset(spark, path)
    rng = np.random.default_rng(2)
    # pylance sums halves in fewer digits.
    tolerance = 2e-3 if kind == "halffloat" else 1e-5
    for k in (1, 10, 60):
        nearest = {"column": "v", "q": items(kind, rng, DIMENSION), "k": k, "metric": metric}
        for more in FILTERS:
            expected = theirs.to_table(columns=["id", "_distance"], nearest=nearest, **more)
            assert_same(ours.to_df(["id"], nearest=nearest, **more), expected, tolerance)


@pytest.mark.parametrize("version", ["legacy", "2.0", "2.1", "2.2"])
def test_every_file_version_and_stable_row_ids(spark: SparkSession, tmp: str, version: Any) -> None:
    stable = version != "legacy"
    path = f"{tmp}/t.lance"
    rng = np.random.default_rng(3)
    values = pa.array(rng.normal(size=ROWS * DIMENSION).astype("f4"))
    table = pa.table({"id": np.arange(ROWS), "v": pa.FixedSizeListArray.from_arrays(values, DIMENSION)})
    theirs = lance.write_dataset(
        table, path, data_storage_version=version, enable_stable_row_ids=stable, max_rows_per_file=400
    )
    theirs.delete("id < 30")
    nearest = {"column": "v", "q": rng.normal(size=DIMENSION).astype("f4"), "k": 20}
    expected = theirs.to_table(columns=["id", "_distance"], nearest=nearest, with_row_id=True)
    found = LanceDataset(spark, path).to_df(["id"], nearest=nearest, with_row_id=True)
    assert_same(found, expected)
    assert [row["_rowid"] for row in found.collect()] == expected["_rowid"].to_pylist()


def test_a_batch_of_queries(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    theirs = written(path, "float", seed=4)
    queries = items("float", np.random.default_rng(5), 7 * DIMENSION).reshape(7, DIMENSION)
    nearest = {"column": "v", "q": queries, "k": 4}
    expected = theirs.to_table(columns=["id", "_distance"], nearest=nearest)
    found = LanceDataset(spark, path).to_df(["id"], nearest=nearest)
    assert [row["query_index"] for row in found.collect()] == expected["query_index"].to_pylist()
    assert_same(found, expected)


def test_ranges_of_distances(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    theirs = written(path, "float", seed=6)
    query = items("float", np.random.default_rng(7), DIMENSION)
    for bounds in ((None, 30.0), (30.0, None), (25.0, 35.0), (40.0, 40.0)):
        nearest = {"column": "v", "q": query, "k": 50, "distance_range": bounds}
        expected = theirs.to_table(columns=["id", "_distance"], nearest=nearest)
        assert_same(LanceDataset(spark, path).to_df(["id"], nearest=nearest), expected)


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
def test_rows_of_several_vectors(spark: SparkSession, tmp: str, metric: str) -> None:
    path = f"{tmp}/t.lance"
    rng = np.random.default_rng(8)
    vectors = [rng.normal(size=(rng.integers(1, 5), DIMENSION)).astype("f4").tolist() for _ in range(300)]
    vectors[5] = []
    kind = pa.list_(pa.list_(pa.float32(), DIMENSION))
    theirs = lance.write_dataset(pa.table({"id": range(300), "v": pa.array(vectors, kind)}), path)
    query = rng.normal(size=(3, DIMENSION)).astype("f4")
    for q in (query, query[0]):
        nearest = {"column": "v", "q": q, "k": 12, "metric": metric}
        expected = theirs.to_table(columns=["id", "_distance"], nearest=nearest)
        assert_same(LanceDataset(spark, path).to_df(["id"], nearest=nearest), expected)


def test_vectors_that_are_null_infinite_or_not_numbers(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    vectors = [[0, 0], [1, 0], [0, 3], None, [math.nan, 1], [math.inf, 1]]
    column = pa.array(vectors, pa.list_(pa.float32(), 2))
    theirs = lance.write_dataset(pa.table({"id": range(6), "v": column}), path)
    ours = LanceDataset(spark, path)
    for metric in ("l2", "cosine", "dot"):
        nearest = {"column": "v", "q": [1.0, 1.0], "metric": metric}
        expected = theirs.to_table(columns=["id", "_distance"], nearest={**nearest, "q": np.array([1, 1], "f4")})
        found = [tuple(row) for row in ours.to_df(["id"], nearest=nearest).collect()]
        theirs_by_id = dict(zip(expected["id"].to_pylist(), expected["_distance"].to_pylist(), strict=True))
        assert {row for row, _ in found} == set(theirs_by_id)
        assert all(math.isclose(d, theirs_by_id[row], rel_tol=1e-6, abs_tol=1e-6) for row, d in found)


def test_arguments_as_pylance_takes_them(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    theirs = written(path, "float", seed=9)
    ours = LanceDataset(spark, path)
    query = items("float", np.random.default_rng(10), DIMENSION)
    nearest = {"column": "v", "q": query, "k": 5, "nprobes": 3, "refine_factor": 2, "ef": 20, "use_index": False}
    assert ours.to_df(nearest=nearest).columns == theirs.to_table(nearest=nearest).column_names
    assert ours.to_df(["id"], nearest=nearest).columns == theirs.to_table(["id"], nearest=nearest).column_names
    doubled = ours.to_df({"twice": "id * 2"}, nearest=nearest, limit=2)
    assert doubled.columns == ["twice", "_distance"]
    assert doubled.count() == 2
    for given in (query.tolist(), pa.array(query)):
        assert ours.to_df(nearest={**nearest, "q": given}).collect() == ours.to_df(nearest=nearest).collect()
    with pytest.raises(ValueError, match="belong to a search"):
        ours.to_df(prefilter=True)
    assert ours.to_df(nearest={**nearest, "use_index": True}, fast_search=True).count() == 0
    with pytest.raises(LanceUsageException, match="it has no 'probes'"):
        ours.to_df(nearest={**nearest, "probes": 3}).collect()


def test_named_tables_and_paths_in_sql(spark: SparkSession, tmp: str) -> None:
    path = str(Path(tmp) / "t.lance")
    theirs = written(path, "float", seed=11)
    query = items("float", np.random.default_rng(12), DIMENSION)
    literal = f"array({', '.join(f'{float(x)!r}D' for x in query)})"
    expected = theirs.to_table(columns=["id", "_distance"], nearest={"column": "v", "q": query, "k": 8})
    assert_same(spark.sql(f"SELECT * FROM lance_vector_search('{path}', 'v', {literal}, k => 8)"), expected)
