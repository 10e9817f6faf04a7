"""Indices of pylance on tables that are compacted find the same rows."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.compaction import compact, numbers


def answers(dataset: lance.LanceDataset) -> list[object]:
    """Answers of queries with each index, and without any."""
    ids = [1, 399, 400, 777, 1200, 1900, 2399, 5000]
    query = np.arange(8, dtype="f4") / 8
    found: list[object] = []
    for use in (True, False):
        scan = {"columns": ["id"], "use_scalar_index": use}
        by_id = [dataset.to_table(filter=f"id = {i}", **scan)["id"].to_pylist() for i in ids]
        between = sorted(dataset.to_table(filter="id BETWEEN 390 AND 1210", **scan)["id"].to_pylist())
        nearest = {"column": "vector", "q": query, "k": 10, "nprobes": 4, "refine_factor": 50, "use_index": use}
        found += [by_id, between, sorted(dataset.to_table(nearest=nearest)["id"].to_pylist())]
    assert found[:3] == found[3:]
    return found


@pytest.mark.parametrize("stable", [False, True])
def test_indices_of_pylance_answer_right(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    dataset = numbers(path, stable)
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_index("vector", "IVF_PQ", num_partitions=4, num_sub_vectors=4)
    dataset.delete("id % 5 = 2")
    before = answers(dataset)
    assert compact(spark, path).fragments_added == 1
    dataset = lance.dataset(path)
    dataset.validate()
    assert answers(dataset) == before
    # Rows that come now, and an update of some that moved.
    lance.write_dataset(dataset.to_table(limit=1).set_column(0, "id", pa.array([5000])), path, mode="append")
    dataset = lance.dataset(path)
    dataset.update({"id": "id + 100000"}, where="id = 777")
    assert answers(dataset)[0] == [*before[0][:3], [], *before[0][4:7], [5000]]
    # Compaction keeps fragments apart that different segments cover.
    dataset.optimize.optimize_indices(num_indices_to_merge=10)
    after = answers(lance.dataset(path))
    assert compact(spark, path, materialize_deletions_threshold="0.0D").fragments_added == 1
    assert answers(lance.dataset(path)) == after
    lance.dataset(path).validate()


@pytest.mark.parametrize("kind", ["BITMAP", "ZONEMAP", "LABEL_LIST", "INVERTED", "NGRAM", "BLOOMFILTER"])
@pytest.mark.parametrize("stable", [False, True])
def test_every_kind_of_index_answers_right(spark: SparkSession, tmp: str, stable: bool, kind: str) -> None:
    words = [f"word{i % 30} text{i % 7}" for i in range(1000)]
    values = [[w] for w in words] if kind == "LABEL_LIST" else words
    path = f"{tmp}/t.lance"
    table = pa.table({"id": range(1000), "v": values})
    dataset = lance.write_dataset(table, path, max_rows_per_file=250, enable_stable_row_ids=stable)
    dataset.create_scalar_index("v", kind)
    dataset.delete("id % 4 = 1")
    condition = {
        "LABEL_LIST": "array_has_any(v, ['word3 text3'])",
        "NGRAM": "contains(v, 'word3 t')",
        "INVERTED": "contains_tokens(v, 'word3')",
    }.get(kind, "v = 'word3 text3'")

    def found(use: bool) -> list[int]:
        rows = lance.dataset(path).to_table(columns=["id"], filter=condition, use_scalar_index=use)
        return sorted(rows["id"].to_pylist())

    before = found(False)
    assert before
    assert found(True) == before
    compact(spark, path)
    assert found(True) == before
    assert found(False) == before
    lance.dataset(path).validate()
