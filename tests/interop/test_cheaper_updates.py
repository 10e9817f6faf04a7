"""Updates that rewrite columns in place where that is cheaper, as pylance sees them."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from tests.interop.compaction import lineage

pytestmark = pytest.mark.slow


def made(path: str, stable: bool) -> None:
    rng = np.random.default_rng(1)
    rows = pa.table(
        {
            "id": pa.array(range(600), pa.int64()),
            "n": pa.array(range(600), pa.int64()),
            "pair": [{"a": i} for i in range(600)],
            "image": [rng.bytes(2000) for _ in range(600)],
        }
    )
    dataset = lance.write_dataset(rows, path, max_rows_per_file=200, enable_stable_row_ids=stable)
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_scalar_index("n", "BTREE")
    dataset.delete("id % 50 = 7")


def fragments(path: str) -> list[tuple[int, int]]:
    return [(f.fragment_id, len(f.metadata.files)) for f in lance.dataset(path).get_fragments()]


@pytest.mark.parametrize("stable", [False, True])
def test_many_rows_of_a_small_column_stay_in_place(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    made(path, stable)
    before = {row["id"]: row for row in lineage(path)} if stable else {}
    images = lance.dataset(path).to_table(columns=["id", "image"]).to_pylist()
    ds = LanceDataset(spark, path)
    assert ds.update({"n": "n + 1000"}, where="id % 10 <> 3 AND id < 400", rewrite="cheaper") == {
        "num_rows_updated": 352
    }
    assert fragments(path) == [(0, 2), (1, 2), (2, 1)]
    dataset = lance.dataset(path)
    dataset.validate()
    table = dataset.to_table(columns=["id", "n"]).to_pylist()
    assert all(r["n"] == r["id"] + (1000 if r["id"] % 10 != 3 and r["id"] < 400 else 0) for r in table)
    assert dataset.to_table(columns=["id", "image"]).to_pylist() == images
    covered = {i["name"]: set(i["fragment_ids"]) for i in dataset.list_indices()}
    assert covered == {"id_idx": {0, 1, 2}, "n_idx": {2}}
    for query in ("n = 1017", "n = 17", "n = 13", "n = 450", "id = 17"):
        assert dataset.to_table(filter=query).equals(dataset.to_table(filter=query, use_scalar_index=False)), query
    if stable:
        for row in lineage(path):
            was, changed = before[row["id"]], row["id"] % 10 != 3 and row["id"] < 400
            assert row["_rowid"] == was["_rowid"]
            assert row["_row_created_at_version"] == was["_row_created_at_version"]
            updated = dataset.version if changed else was["_row_last_updated_at_version"]
            assert row["_row_last_updated_at_version"] == updated


def test_few_rows_and_large_columns_move(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    made(path, stable=False)
    ds = LanceDataset(spark, path)
    assert ds.update({"image": "X'01'"}, where="id = 11", rewrite="cheaper") == {"num_rows_updated": 1}
    assert fragments(path) == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert ds.update({"image": "X'00'"}, where="id % 2 = 0", rewrite="cheaper") == {"num_rows_updated": 300}
    assert ds.update({"pair.a": "5"}, rewrite="cheaper") == {"num_rows_updated": 588}
    assert ds.update({"n": "0"}, where="id < 0", rewrite="cheaper") == {"num_rows_updated": 0}
    assert lance.dataset(path).count_rows("pair.a = 5") == 588
    with pytest.raises(ValueError, match="rewrite is 'rows' or 'cheaper', not 'columns'"):
        ds.update({"n": "0"}, rewrite="columns")  # type: ignore[arg-type]
