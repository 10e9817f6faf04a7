"""Searches by pylance's vector indices: rows and distances are those that pylance finds by them."""

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from sparklance import LanceDataset
from sparklance.errors import LanceUsageException
from tests.products import crossed

pytestmark = pytest.mark.slow

ROWS = 2400
DIMENSION = 16

#: Type of index, metric, and settings.
INDICES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "flat_l2": ("IVF_FLAT", "l2", {}),
    "flat_cosine": ("IVF_FLAT", "cosine", {}),
    "flat_dot": ("IVF_FLAT", "dot", {}),
    "pq_l2": ("IVF_PQ", "l2", {"num_sub_vectors": 4}),
    "pq_cosine": ("IVF_PQ", "cosine", {"num_sub_vectors": 4}),
    "pq_dot": ("IVF_PQ", "dot", {"num_sub_vectors": 4}),
    "pq_nibbles": ("IVF_PQ", "l2", {"num_sub_vectors": 8, "num_bits": 4}),
    "pq_rows": ("IVF_PQ", "l2", {"num_sub_vectors": 4, "skip_transpose": True}),
    "sq_l2": ("IVF_SQ", "l2", {}),
    "sq_cosine": ("IVF_SQ", "cosine", {}),
    "sq_dot": ("IVF_SQ", "dot", {}),
    "graph_flat_l2": ("IVF_HNSW_FLAT", "l2", {}),
    "graph_flat_cosine": ("IVF_HNSW_FLAT", "cosine", {"m": 6, "ef_construction": 20}),
    "graph_flat_dot": ("IVF_HNSW_FLAT", "dot", {}),
    "graph_sq_l2": ("IVF_HNSW_SQ", "l2", {}),
    "graph_sq_cosine": ("IVF_HNSW_SQ", "cosine", {"max_level": 2}),
    "graph_sq_dot": ("IVF_HNSW_SQ", "dot", {}),
    "graph_pq_l2": ("IVF_HNSW_PQ", "l2", {"num_sub_vectors": 4}),
    "graph_pq_cosine": ("IVF_HNSW_PQ", "cosine", {"num_sub_vectors": 4}),
    "graph_pq_dot": ("IVF_HNSW_PQ", "dot", {"num_sub_vectors": 4}),
}


def vectors(rng: np.random.Generator, count: int, kind: str = "f4") -> pa.Array:
    centers = np.random.default_rng(99).normal(size=(40, DIMENSION)) * 3
    values = centers[rng.integers(0, 40, count)] + rng.normal(size=(count, DIMENSION))
    return pa.FixedSizeListArray.from_arrays(pa.array(values.astype(kind).ravel()), DIMENSION)


def table(rng: np.random.Generator, first: int, count: int, kind: str = "f4") -> pa.Table:
    ids = np.arange(first, first + count)
    return pa.table({"id": ids, "kind": ids % 4, "v": vectors(rng, count, kind)})


def indexed(path: str, index: str, kind: str = "f4", **options: Any) -> lance.LanceDataset:
    """A table with an index of four partitions, and deleted rows."""
    dataset = lance.write_dataset(
        table(np.random.default_rng(1), 0, ROWS, kind), path, max_rows_per_file=900, **options
    )
    name, metric, settings = INDICES[index]
    dataset.create_index("v", name, metric=metric, num_partitions=4, **settings)
    dataset = lance.dataset(path)
    dataset.delete("id % 23 = 5")
    return lance.dataset(path)


def queries(count: int = 4) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [np.array(row, "f4") for row in vectors(rng, count).to_pylist()]


def answers(ours: LanceDataset, asked: Sequence[np.ndarray], nearest: dict[str, Any], **more: Any) -> list[list[Row]]:
    """Returns what one statement finds for each query."""
    rows = ours.to_df(["id"], nearest={**nearest, "q": np.array(asked)}, **more).collect()
    return [[row for row in rows if row.query_index == number] for number in range(len(asked))]


def assert_same(found: DataFrame | list[Row], expected: pa.Table, tolerance: float = 1e-4) -> None:
    """Whether rows have equal distances, and equal ids but for ties."""
    rows = found if isinstance(found, list) else found.select("id", "_distance").collect()
    ours = [(row["id"], row["_distance"]) for row in rows]
    theirs = list(zip(expected["id"].to_pylist(), expected["_distance"].to_pylist(), strict=True))
    assert len(ours) == len(theirs)
    by_id = dict(theirs)
    for (row, distance), (_, reference) in zip(ours, theirs, strict=True):
        assert math.isclose(distance, reference, rel_tol=tolerance, abs_tol=tolerance)
        assert math.isclose(by_id.get(row, reference), distance, rel_tol=tolerance, abs_tol=tolerance)
    last = theirs[-1][1] if theirs else 0
    certain = {row for row, distance in theirs if not math.isclose(distance, last, rel_tol=1e-3, abs_tol=1e-3)}
    assert len(certain - {row for row, _ in ours}) <= 1


def answers_of_tied_estimates(theirs: lance.LanceDataset, nearest: dict[str, Any]) -> list[list[int]]:
    """The ids that a search may find if rows with equal codes tie for the last place; none if there is no such tie.

    Which of the tied rows pylance takes differs from index to index. It shows where exact distances replace the
    estimates afterwards, because rows are uncovered.
    """
    k = nearest["k"]
    columns = ["id", "_distance"]
    all_rows = {**nearest, "k": 5000, "nprobes": 4}
    covered = set(theirs.to_table(columns=columns, nearest=all_rows, fast_search=True)["id"].to_pylist())
    uncovered = set(theirs.to_table(columns=["id"])["id"].to_pylist()) - covered
    wide = theirs.to_table(columns=columns, nearest={**nearest, "k": 3 * k}, fast_search=True)
    estimates = list(zip(wide["id"].to_pylist(), wide["_distance"].to_pylist(), strict=True))
    last = estimates[k - 1][1]
    if not uncovered or estimates[k][1] != last:
        return []
    nearer = {row for row, estimate in estimates if estimate < last}
    tied = [row for row, estimate in estimates if estimate == last]
    everything = theirs.to_table(columns=columns, nearest={**all_rows, "use_index": False})
    by_distance = everything["id"].to_pylist()
    return [
        sorted([row for row in by_distance if row in nearer | set(chosen) | uncovered][:k])
        for chosen in combinations(tied, k - len(nearer))
    ]


@pytest.mark.parametrize("index", INDICES)
def test_every_kind_finds_what_pylance_finds(spark: SparkSession, tmp: str, full: bool, index: str) -> None:
    theirs = indexed(f"{tmp}/t.lance", index)
    ours = LanceDataset(spark, f"{tmp}/t.lance")
    options: list[dict[str, int]]
    options = [{}, {"nprobes": 1}, {"nprobes": 2, "k": 40}, {"refine_factor": 3}, {"k": 3000}, {"ef": 60}]
    for (i, query), (j, more) in product(enumerate(queries()), enumerate(options)):
        # Each query and all options, in a full run each query with all options.
        if full or j % 4 == i:
            nearest = {"column": "v", "q": query, "k": 10, **more}
            expected = theirs.to_table(columns=["id", "_distance"], nearest=nearest)
            assert_same(ours.to_df(["id"], nearest=nearest), expected)


@pytest.mark.parametrize("kind", ["f2", "f8"])
@pytest.mark.parametrize("index", ["flat_l2", "pq_l2", "graph_flat_l2"])
def test_items_of_other_widths(spark: SparkSession, tmp: str, index: str, kind: str) -> None:
    theirs = indexed(f"{tmp}/t.lance", index, kind)
    nearest = {"column": "v", "k": 10, "nprobes": 2}
    asked = [query.astype(kind) for query in queries()]
    for query, found in zip(asked, answers(LanceDataset(spark, f"{tmp}/t.lance"), asked, nearest), strict=True):
        expected = theirs.to_table(columns=["id", "_distance"], nearest={**nearest, "q": query})
        # pylance computes with halves; estimates differ in their last digits, and some rows at the end.
        if kind == "f8":
            assert_same(found, expected)
        else:
            ids = {row["id"] for row in found}
            assert len(ids & set(expected["id"].to_pylist())) >= 8


@crossed(1, index=["flat_l2", "pq_l2", "graph_sq_l2"], stable=[False, True])
def test_uncovered_rows_and_several_segments(spark: SparkSession, tmp: str, index: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    theirs = indexed(path, index, enable_stable_row_ids=stable)
    lance.write_dataset(table(np.random.default_rng(2), ROWS, 500), path, mode="append")
    theirs = lance.dataset(path)

    def compare(more: dict[str, Any]) -> None:
        asked, every = queries(), {"column": "v", "k": 12, "nprobes": 2}
        for query, found in zip(asked, answers(LanceDataset(spark, path), asked, every, **more), strict=True):
            nearest = {**every, "q": query}
            expected = theirs.to_table(columns=["id", "_distance"], nearest=nearest, **more)
            of_ties = [] if more else answers_of_tied_estimates(theirs, nearest)
            if of_ties:
                assert sorted(row["id"] for row in found) in of_ties
            else:
                assert_same(found, expected)

    compare({})
    compare({"fast_search": True})
    theirs.optimize.optimize_indices(num_indices_to_merge=0)
    theirs = lance.dataset(path)
    assert len(theirs.describe_indices()[0].segments) == 2
    compare({})
    theirs.delete("id % 7 = 1")
    theirs.update({"kind": "9"}, where="id % 11 = 2")
    theirs = lance.dataset(path)
    compare({})
    theirs.optimize.compact_files()
    theirs = lance.dataset(path)
    compare({})


def test_filters(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    theirs = indexed(path, "flat_l2")
    ours = LanceDataset(spark, path)
    for query in queries():
        nearest = {"column": "v", "q": query, "k": 15}
        for condition in ("kind = 2", "kind <> 2 AND id > 50"):
            everywhere = {**nearest, "nprobes": 4}
            columns = ["id", "_distance"]
            expected = theirs.to_table(columns=columns, filter=condition, prefilter=True, nearest=everywhere)
            assert_same(ours.to_df(["id"], condition, prefilter=True, nearest=everywhere), expected)
        after = ours.to_df(["id"], "kind = 2", nearest=nearest).collect()
        assert after == [
            row for row in ours.to_df(["id", "kind"], nearest=nearest).drop("kind").collect() if row in after
        ]
        # pylance returns a row that a filter leaves over with an infinite distance, and outside of a range.
        few = ours.to_df(["id"], "id IN (4, 8, 15)", prefilter=True, nearest=nearest).collect()
        assert {row["id"] for row in few} == {4, 8, 15}
        assert all(math.isfinite(row["_distance"]) for row in few)


def test_the_metric_is_that_of_the_index_unless_it_is_given(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    theirs = indexed(path, "flat_cosine")
    ours = LanceDataset(spark, path)
    (query,) = queries(1)
    for more in ({}, {"metric": "l2"}, {"use_index": False}, {"metric": "cosine", "use_index": False}):
        nearest = {"column": "v", "q": query, "k": 10, **more}
        expected = theirs.to_table(columns=["id", "_distance"], nearest=nearest)
        assert_same(ours.to_df(["id"], nearest=nearest), expected)
    with pytest.raises(LanceUsageException, match="'nprobes' sets both"):
        ours.to_df(nearest={"column": "v", "q": query, "nprobes": 2, "minimum_nprobes": 1}).collect()


def test_plans_and_metrics_name_the_index(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    indexed(path, "pq_l2")
    (query,) = queries(1)
    literal = f"array({', '.join(f'{float(x)!r}D' for x in query)})"
    call = f"lance_vector_search('{path}', 'v', {literal}, nprobes => 2)"
    (plan,) = spark.sql(f"EXPLAIN SELECT id FROM {call}").collect()
    assert "nearest 10 by l2 of v, by index v_idx of 1 segment, 2 probes" in plan[0]
    lance.write_dataset(table(np.random.default_rng(2), ROWS, 500), path, mode="append")
    refined = call.replace("nprobes => 2", "refine_factor => 3")
    (plan,) = spark.sql(f"EXPLAIN SELECT id FROM {refined}").collect()
    assert "index v_idx of 1 segment, 500 rows outside of it, probes by distance, refined from 3 times" in plan[0]
    (plan,) = spark.sql(f"EXPLAIN SELECT id FROM {call[:-1]}, use_index => false)").collect()
    assert "nearest 10 by l2 of v, exact" in plan[0]


@pytest.mark.parametrize(
    ("bits", "metric", "dimension"),
    [
        *((1, metric, dimension) for metric in ("l2", "cosine", "dot") for dimension in (16, 40)),
        *((bits, ("l2", "cosine", "dot")[bits % 3], 16 if bits % 2 else 72) for bits in range(2, 10)),
    ],
)
def test_rotated_codes(spark: SparkSession, tmp: str, bits: int, metric: str, dimension: int) -> None:
    """Estimates are those that pylance calls accurate, but for its rounding. pylance leaves out rows that its bounds of
    errors exclude, although some of these are nearer by their estimates."""
    path = f"{tmp}/t.lance"
    rng = np.random.default_rng(bits)
    values = rng.normal(size=(700, dimension)).astype("f4")
    column = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), dimension)
    theirs = lance.write_dataset(pa.table({"id": range(700), "v": column}), path)
    theirs.create_index("v", "IVF_RQ", metric=metric, num_partitions=3, num_bits=bits)
    theirs = lance.dataset(path)
    theirs.delete("id % 23 = 5")
    theirs = lance.dataset(path)
    for query in rng.normal(size=(3, dimension)).astype("f4"):
        nearest = {"column": "v", "q": query, "k": 20, "nprobes": 2}
        expected = theirs.to_table(columns=["id", "_distance"], nearest={**nearest, "approx_mode": "accurate"})
        found = LanceDataset(spark, path).to_df(["id"], nearest=nearest).collect()
        reference = dict(zip(expected["id"].to_pylist(), expected["_distance"].to_pylist(), strict=True))
        common = [row for row in found if row["id"] in reference]
        assert len(found) == 20
        assert len(common) >= 17
        for row in common:
            assert row["_distance"] == pytest.approx(reference[row["id"]], abs=0.01, rel=1e-3)
        for row, other in zip(found, reference.values(), strict=True):
            assert row["_distance"] <= other + 0.01 + 1e-3 * abs(other)


def test_fewer_nodes_than_rows_to_find_are_refused(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    indexed(path, "graph_sq_l2")
    nearest = {"column": "v", "q": queries(1)[0], "k": 10, "refine_factor": 3, "ef": 29}
    with pytest.raises(LanceUsageException, match="Set ef to 30"):
        LanceDataset(spark, path).to_df(["id"], nearest=nearest).collect()
