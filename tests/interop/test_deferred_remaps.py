"""Tables that pylance has compacted without telling the indices, which it may do later: `defer_index_remap`."""

import functools
import random
from collections.abc import Callable

import lance
import numpy as np
import pyarrow as pa
import pytest
from lance.query import MatchQuery
from pyspark.sql import DataFrame, SparkSession

from sparklance import LanceDataset

pytestmark = pytest.mark.slow

Step = Callable[[lance.LanceDataset], object]

WORDS = ["red fox", "blue sky", "green tree", "red sky", "old fox"]
CONDITIONS = [
    "k = 111",
    "k BETWEEN 100 AND 140",
    "k IS NULL",
    "c = 'c3'",
    "array_contains(tags, 't4')",
    "g LIKE '%text 7%'",
    "z > 95",
    "b = 17",
    "lance_match(body, 'fox')",
]


FOX = "body LIKE '%fox%' AS fox"


def rows(first: int, count: int) -> pa.Table:
    ids = range(first, first + count)
    vectors = np.random.default_rng(first).random((count, 4), "f4").ravel()
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "k": pa.array([None if i % 50 == 9 else i % 200 for i in ids], pa.int64()),
            "c": [f"c{i % 6}" for i in ids],
            "tags": [[f"t{i % 5}", f"t{i % 7}"] for i in ids],
            "g": [f"the text {i % 31}" for i in ids],
            "z": pa.array([i // 10 for i in ids], pa.int64()),
            "b": pa.array([i % 97 for i in ids], pa.int64()),
            "body": [WORDS[i % len(WORDS)] for i in ids],
            "v": pa.FixedSizeListArray.from_arrays(pa.array(vectors), 4),
        }
    )


def made(path: str) -> lance.LanceDataset:
    dataset = lance.write_dataset(rows(0, 1000), path, max_rows_per_file=250)
    kinds = {
        "k": "BTREE",
        "c": "BITMAP",
        "tags": "LABEL_LIST",
        "g": "NGRAM",
        "z": "ZONEMAP",
        "b": "BLOOMFILTER",
        "body": "INVERTED",
    }
    for column, kind in kinds.items():
        dataset.create_scalar_index(column, kind, name=column)
    dataset.create_index("v", "IVF_FLAT", num_partitions=2, name="v")
    dataset.delete("id % 3 = 1")
    return dataset


def deferred(dataset: lance.LanceDataset) -> None:
    dataset.optimize.compact_files(target_rows_per_fragment=600, defer_index_remap=True)


def compacted(dataset: lance.LanceDataset) -> None:
    dataset.optimize.compact_files(target_rows_per_fragment=5000, materialize_deletions_threshold=0.0)


def appended(dataset: lance.LanceDataset) -> None:
    lance.write_dataset(rows(5000, 120), dataset.uri, mode="append")


AFTER: dict[str, Step] = {
    "append": appended,
    "delete": lambda dataset: dataset.delete("id % 7 = 2"),
    "update": lambda dataset: dataset.update({"k": "111"}, where="id % 11 = 0"),
    "config": lambda dataset: dataset.update_config({"a": "b"}),
    "optimize": lambda dataset: dataset.optimize.optimize_indices(),
    "rebuild": lambda dataset: dataset.create_scalar_index("k", "BTREE", name="k", replace=True),
    "compaction": compacted,
    "deferred": deferred,
}


def union(frames: list[DataFrame]) -> DataFrame:
    return functools.reduce(DataFrame.unionAll, frames)


def check(spark: SparkSession, path: str, told: str) -> None:
    """Fails if an answer with indices differs from that of a scan. A statement asks for all conditions at once."""

    def read(use: bool) -> DataFrame:
        return spark.read.format("lance").option("useScalarIndex", use).load(path)

    columns = [f"coalesce({c}, false) AS c{n}" for n, c in enumerate(CONDITIONS)]
    rows = read(False).selectExpr("id", *columns, FOX).collect()
    expected = {c: sorted(row.id for row in rows if row[f"c{n}"]) for n, c in enumerate(CONDITIONS)}
    each = [(n, read(True).where(c)) for n, c in enumerate(CONDITIONS)]
    found = union([frame.selectExpr(f"{n} AS n", "id") for n, frame in each]).collect()
    assert {c: sorted(row.id for row in found if row.n == n) for n, c in enumerate(CONDITIONS)} == expected, told
    counts = union([frame.selectExpr("count(*) AS rows").selectExpr(f"{n} AS n", "rows") for n, frame in each])
    assert {CONDITIONS[row.n]: row.rows for row in counts.collect()} == {c: len(ids) for c, ids in expected.items()}
    ends = [read(use).selectExpr("min(k)", "max(k)", "min(z)", "max(c)") for use in (True, False)]
    assert len(set(union(ends).collect())) == 1, told
    nearest = {"column": "v", "q": [0.5] * 4, "k": 8, "nprobes": 2}
    near = [
        [r.id for r in LanceDataset(spark, path).to_df(nearest={**nearest, "use_index": use}).select("id").collect()]
        for use in (True, False)
    ]
    assert near[0] == near[1], told
    words = lance.dataset(path).to_table(full_text_query=MatchQuery("fox", "body"), columns=["id"])["id"].to_pylist()
    fox = [r.id for r in LanceDataset(spark, path).to_df(full_text_query="fox").select("id").collect()]
    holders = sorted(row.id for row in rows if row.fox)
    assert sorted(fox) == holders, told
    assert set(words) <= set(holders), told


def test_rows_do_not_vanish_behind_any_index(spark: SparkSession, tmp: str, full: bool) -> None:
    names = list(AFTER)
    dice = random.Random()
    histories = [["append"], dice.choices(names, k=2)]
    if full:
        histories += [[name] for name in names] + [dice.choices(names, k=3) for _ in range(40)]
    for number, history in enumerate(histories):
        path = f"{tmp}/{number}.lance"
        made(path)
        deferred(lance.dataset(path))
        if number == 0 or full:
            check(spark, path, "the compaction")
        for i, name in enumerate(history):
            AFTER[name](lance.dataset(path))
            check(spark, path, " and ".join(history[: i + 1]))


def test_an_index_that_is_to_be_rebuilt_says_so(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    made(path)

    def advice() -> dict[str, str | None]:
        return {r.name: r.advice for r in spark.sql(f"SHOW INDEXES IN lance.`{path}`").collect()}

    assert set(advice().values()) == {None}
    deferred(lance.dataset(path))
    appended(lance.dataset(path))
    assert set(advice().values()) == {"rebuild"}
    problems = [r.problem for r in spark.sql(f"CALL lance.system.validate('{path}')").collect()]
    assert any("without telling the index 'k'" in problem for problem in problems), problems


def test_spark_brings_indices_up_to_date(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    made(path)
    deferred(lance.dataset(path))
    appended(lance.dataset(path))
    LanceDataset(spark, path).optimize.optimize_indices()
    check(spark, path, "optimize_indices of Spark")
    for column, kind in {"k": "BTREE", "body": "INVERTED"}.items():
        LanceDataset(spark, path).create_scalar_index(column, kind, name=column, replace=True)
    check(spark, path, "new indices of Spark")
