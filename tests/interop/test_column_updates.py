"""UPDATE and MERGE that write columns of changed rows in place, as pylance sees them."""

import contextlib
from collections.abc import Iterator

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.compaction import lineage

pytestmark = pytest.mark.slow

#: Spreads the values of a column, so that each takes some bytes.
WIDE = 1 << 40

MODE = "spark.datasource.lance.updateMode"
MERGE = """
MERGE INTO lance.`{}` t USING (SELECT id * 7 AS id, id AS n FROM range(100)) s ON t.id = s.id
WHEN MATCHED AND t.id < 70 THEN DELETE
WHEN MATCHED AND t.id < 280 THEN UPDATE SET n = s.n + 5000
WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)
WHEN NOT MATCHED BY SOURCE AND t.id > 590 THEN DELETE
"""


@contextlib.contextmanager
def mode(spark: SparkSession, name: str) -> Iterator[None]:
    spark.conf.set(MODE, name)
    try:
        yield
    finally:
        spark.conf.unset(MODE)


def made(path: str, stable: bool) -> None:
    rng = np.random.default_rng(1)
    rows = pa.table(
        {
            "id": pa.array(range(600), pa.int64()),
            "n": pa.array(range(0, 600 * WIDE, WIDE), pa.int64()),
            "time": pa.array(range(600), pa.timestamp("ns")),
            "v": pa.FixedSizeListArray.from_arrays(pa.array(rng.random(600 * 16), pa.float32()), 16),
            "text": [rng.bytes(40).hex() for _ in range(600)],
            "pair": [{"a": i, "tags": [str(i)] * (i % 3)} if i % 4 else None for i in range(600)],
            "word": pa.array([f"w{i % 5}" for i in range(600)]).dictionary_encode(),
        }
    )
    dataset = lance.write_dataset(rows, path, max_rows_per_file=200, enable_stable_row_ids=stable)
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_scalar_index("n", "BTREE")
    dataset.delete("id % 50 = 7")


def files(path: str) -> list[tuple[int, int]]:
    return [(f.fragment_id, len(f.metadata.files)) for f in lance.dataset(path).get_fragments()]


def covered(path: str) -> dict[str, set[int]]:
    return {index["name"]: set(index["fragment_ids"]) for index in lance.dataset(path).list_indices()}


def rows(path: str) -> dict[int, dict[str, object]]:
    dataset = lance.dataset(path)
    dataset.validate()
    for value in (17 * WIDE + 1000, 17 * WIDE, 13 * WIDE, -10 * WIDE, 450 * WIDE, 5010):
        query = {"columns": ["id", "n"], "filter": f"n = {value} OR id = 17"}
        assert dataset.to_table(**query).equals(dataset.to_table(**query, use_scalar_index=False)), query
    table = dataset.to_table()
    times = table["time"].cast(pa.int64())
    return {row["id"]: row for row in table.set_column(2, "time", times).to_pylist()}


def feed(spark: SparkSession, path: str, since: int) -> list[tuple[object, ...]]:
    changes = spark.read.format("lance").option("readChangeFeed", "true").option("startingVersion", since).load(path)
    return sorted(changes.select("_change_type", "id", "n", "text", "_commit_version").collect())


@pytest.mark.parametrize("stable", [False, True])
def test_columns_are_written_for_fragments_with_a_change(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    made(path, stable)
    before, since = rows(path), lance.dataset(path).version + 1
    born = {row["id"]: row for row in lineage(path)} if stable else {}
    update = f"UPDATE lance.`{path}` SET n = n + 1000 WHERE id % 10 <> 3 AND id < 400"
    with mode(spark, "columns"):
        spark.sql(update)
    assert files(path) == [(0, 2), (1, 2), (2, 1)]
    assert covered(path) == {"id_idx": {0, 1, 2}, "n_idx": {2}}
    changed = {i for i in before if i % 10 != 3 and i < 400}
    expected = {i: row | {"n": i * WIDE + 1000 * (i in changed)} for i, row in before.items()}
    assert rows(path) == expected
    for row in lineage(path) if stable else []:
        was = born[row["id"]]
        updated = since if row["id"] in changed else was["_row_last_updated_at_version"]
        assert row == was | {"_row_last_updated_at_version": updated}
    with mode(spark, "columns"):
        spark.sql(MERGE.format(path))
    assert [count for _, count in files(path)] == [2, 2, 1, 1]
    for i in range(0, 700, 7):
        if i not in expected:
            expected[i] = {"id": i, "n": i // 7} | dict.fromkeys(("time", "v", "text", "pair", "word"))
        elif i < 70:
            del expected[i]
        elif i < 280:
            expected[i]["n"] = i // 7 + 5000
    assert rows(path) == {i: row for i, row in expected.items() if i <= 590 or i % 7 == 0}
    if stable:
        other = f"{tmp}/rows.lance"
        made(other, stable)
        without = "SELECT id, n, v, text FROM lance.`{}`"
        lance.dataset(other).drop_columns(["time"])
        for statement in (update.replace(path, other), MERGE.format(other)):
            spark.sql(statement)
        assert spark.sql(without.format(path)).exceptAll(spark.sql(without.format(other))).count() == 0
        mine, theirs = feed(spark, path, since), feed(spark, other, since + 1)
        assert [row[:4] for row in mine] == [row[:4] for row in theirs]


@pytest.mark.parametrize("stable", [False, True])
def test_each_fragment_goes_the_cheaper_way(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    made(path, stable)
    before, since = rows(path), lance.dataset(path).version + 1
    born = {row["id"]: row for row in lineage(path)} if stable else {}
    changed = {5, 9, 10} | {i for i in before if 200 <= i < 400 and i % 2 == 0}
    with mode(spark, "auto"):
        spark.sql(f"UPDATE lance.`{path}` SET n = -n WHERE id IN (5, 9, 10) OR id BETWEEN 200 AND 399 AND id % 2 = 0")
    assert files(path) == [(0, 1), (1, 2), (2, 1), (3, 1)]
    assert covered(path)["n_idx"] == {0, 2}
    expected = {i: row | ({"n": -i * WIDE} if i in changed else {}) for i, row in before.items()}
    assert rows(path) == expected
    assert lance.dataset(path).get_fragment(3).count_rows() == 3
    for row in lineage(path) if stable else []:
        was = born[row["id"]]
        updated = since if row["id"] in changed else was["_row_last_updated_at_version"]
        assert row == was | {"_row_last_updated_at_version": updated}
    # Most of a row: rows, even of half a fragment.
    with mode(spark, "auto"):
        spark.sql(f"UPDATE lance.`{path}` SET v = array_repeat(0.5F, 16), text = 'x' WHERE id >= 400 AND id % 2 = 0")
    assert files(path)[:3] == [(0, 1), (1, 2), (2, 1)]
    half = {i: row | ({"v": [0.5] * 16, "text": "x"} if i >= 400 and i % 2 == 0 else {}) for i, row in expected.items()}
    assert rows(path) == half
