"""Filters that the reader evaluates, on tables of pylance: types, structs, deletions, several files a fragment."""

from functools import reduce
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.slow

ROWS = 3000


def column(rng: np.random.Generator, values: list, kind: pa.DataType, nulls: float = 0.1) -> pa.Array:
    return pa.array([None if rng.random() < nulls else values[rng.integers(len(values))] for _ in range(ROWS)], kind)


def table(version: str) -> pa.Table:
    rng = np.random.default_rng(5)
    days = [0, 1, 20_000, -1]
    small = list(range(-5, 5))
    counts = [0, 1, 7, 200]
    structs = [{"a": i, "t": {"word": w}} for i in range(3) for w in ("x", "yy", None)]
    # In 2.0 no struct is null.
    nulls = 0.0 if version == "2.0" else 0.1
    structs.append({"a": None, "t": {"word": None} if version == "2.0" else None})
    columns = {
        "id": pa.array(range(ROWS), pa.int64()),
        "u8": column(rng, counts, pa.uint8()),
        "u32": column(rng, [*counts, 2**32 - 1], pa.uint32()),
        "u64": column(rng, [*counts, 2**64 - 1, 2**63], pa.uint64()),
        "half": column(rng, [np.float16(x) for x in (0, 1.5, -2, np.nan)], pa.float16()),
        "decimal": column(rng, [pa.scalar(v).cast(pa.decimal128(30, 3)).as_py() for v in small], pa.decimal128(30, 3)),
        "seconds": column(rng, days, pa.timestamp("s", "UTC")),
        "millis": column(rng, days, pa.timestamp("ms")),
        "took": column(rng, days, pa.duration("s")),
        "clock": column(rng, [0, 1, 80_000], pa.time32("s")),
        "word": column(rng, ["", "a", "ab", "b", "äöü", "long " * 100], pa.string()),
        "key": column(rng, ["a", "b", "c"], pa.string()).dictionary_encode(),
        "vector": pa.array([None if i % 9 == 0 else [i] * 300 for i in range(ROWS)], pa.list_(pa.float32(), 300)),
        "list": column(rng, [[], [1, 2], [None]], pa.list_(pa.int32())),
        "s": column(rng, structs, pa.struct([("a", pa.int32()), ("t", pa.struct([("word", pa.string())]))]), nulls),
    }
    return pa.table(columns)


CONDITIONS = [
    "u8 = 7",
    "u8 > 199",
    "u32 >= 4294967295",
    "u64 > 9223372036854775807",
    "u64 IN (0, 18446744073709551615)",
    "half > 1",
    "isnan(half)",
    "decimal < 0",
    "decimal = 3",
    "seconds > TIMESTAMP'1970-01-01 00:00:00.5'",
    "seconds = TIMESTAMP'1970-01-01 00:00:01'",
    "millis <= TIMESTAMP_NTZ'1970-01-01 00:00:00.0005'",
    "took >= INTERVAL '1' SECOND",
    "clock = 1",
    "word LIKE 'a%' AND id > 100",
    "word > 'b' OR u8 IS NULL",
    "key = 'b'",
    "key <> 'b'",
    "vector IS NULL AND id < 50",
    "vector[0] = 10",
    "list IS NOT NULL AND id % 7 = 0",
    "s.a = 1",
    "s.t.word = 'yy' AND s.a <> 1",
    "s.a IS NULL",
    "s.t IS NULL",
    "s IS NULL",
    "NOT (s.a IN (0, 2)) AND word IS NOT NULL",
    "id IN (3, 1500, 2999)",
    "id = 2500 AND word <> 'zzz'",
]


def make(path: Path, version: str) -> str:
    """Fragments of 1000 rows, some deleted, and a column that was added later, in files of its own."""
    whole = table(version)
    where = str(path / "t")
    dataset = lance.write_dataset(whole, where, data_storage_version=version, max_rows_per_file=1000)
    dataset.delete("id % 11 = 3 OR id BETWEEN 1200 AND 1500")
    dataset.add_columns({"later": "id % 10"})
    return where


@pytest.mark.parametrize(("turn", "version"), list(enumerate(["2.0", "2.1", "2.2"])))
def test_rows_are_those_that_spark_finds(
    spark: SparkSession, tmp_path: Path, full: bool, turn: int, version: str
) -> None:
    """In short, a third of the conditions for each version."""
    where = make(tmp_path, version)
    conditions = [*CONDITIONS, "later = 4", "later = 4 AND s.a = 1"]
    conditions = conditions if full else conditions[turn::3]

    def read(pushed: bool, batch: int) -> DataFrame:
        frame = spark.read.format("lance").option("pushDownFilters", str(pushed)).option("batchSize", str(batch))
        return frame.load(where)

    rows = read(False, 4096).selectExpr("id", *(f"({c}) IS TRUE AS c{i}" for i, c in enumerate(conditions))).toArrow()
    # Conditions with even numbers by one query, of large batches, and the others by one of small ones.
    ids: dict[int, list[int]] = {i: [] for i in range(len(conditions))}
    for batch, start in ((4096, 0), (333, 1)):
        scans = [read(True, batch).where(conditions[i]).selectExpr(f"{i} AS k", "id") for i in list(ids)[start::2]]
        for row in reduce(DataFrame.unionAll, scans).collect():
            ids[row["k"]].append(row["id"])
    for i, condition in enumerate(conditions):
        expected = rows.filter(pa.compute.field(f"c{i}"))["id"].to_pylist()
        assert ids[i] == expected, condition
        if i % 7 == 0:
            found = read(True, 333 if i % 2 else 4096).where(condition)
            names = ["id", "word", "vector", "list", "s", "later"]
            plain = read(False, 4096).where(condition)
            assert found.select(*names).toArrow().equals(plain.select(*names).toArrow()), condition
            assert found.count() == len(expected), condition


def test_a_value_that_spark_cannot_show_is_no_error_if_its_row_is_dropped(spark: SparkSession, tmp_path: Path) -> None:
    where = str(tmp_path / "t")
    nanos = pa.array([1, 2000, None, 3001], pa.int64()).cast(pa.timestamp("ns"))
    lance.write_dataset(pa.table({"id": pa.array([1, 2, 3, 4]), "at": nanos}), where)
    frame = spark.read.format("lance").load(where)
    assert [row.id for row in frame.where("id IN (2, 3)").collect()] == [2, 3]
    with pytest.raises(Exception, match="'at' holds 3001 ns in row 3 of fragment 0"):
        frame.where("id = 4").collect()
