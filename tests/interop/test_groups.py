"""Groups of tables that pylance wrote: aggregated by the scan, and by pyarrow."""

import decimal
import math
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.plans import physical, scans
from tests.products import ends

pytestmark = pytest.mark.slow

ROWS = 2000

KEYS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int32(), [-(2**31), -1, 0, 7, 2**31 - 1]),
    "u": (pa.uint64(), [0, 1, 2**63, 2**64 - 1]),
    "y": (pa.uint8(), [0, 127, 128, 255]),
    "f": (pa.float32(), [math.inf, -math.inf, 0.0, 0.25]),
    "m": (pa.decimal128(12, 3), [decimal.Decimal("999999999.999"), decimal.Decimal("-0.001"), decimal.Decimal(0)]),
    "b": (pa.bool_(), [True, False]),
    "s": (pa.string(), ["", "the same beginning 1", "the same beginning 2", "aéz"]),
    "l": (pa.large_string(), ["", "x" * 300, "y"]),
    "k": (pa.dictionary(pa.int8(), pa.string()), ["x", "y", "zebra"]),
    "x": (pa.binary(), [b"", b"\0", b"\0\0", b"\xff" * 9]),
    "t": (pa.timestamp("us", "UTC"), [datetime(1960, 1, 1, tzinfo=UTC) + timedelta(days=9000 * n) for n in range(4)]),
    "day": (pa.date32(), [datetime(2020, 1, 1).date() + timedelta(days=n) for n in range(4)]),
}
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "n": (pa.int64(), list(range(-50, 50))),
    "p": (pa.decimal128(15, 2), [decimal.Decimal(n) / 100 for n in range(-9999, 9999, 7)]),
    "d": (pa.float64(), [n / 4 for n in range(-99, 99)]),
}
AGGREGATES = [("n", "sum"), ("n", "min"), ("p", "sum"), ("p", "max"), ("d", "sum"), ("d", "mean"), ("d", "count")]


def table(version: str) -> pa.Table:
    r = random.Random(version)

    def column(kind: pa.DataType, values: list[Any]) -> pa.Array:
        # The legacy version has no nulls of numbers.
        share = 0.0 if version == "legacy" else 0.1
        return pa.array([None if r.random() < share else r.choice(values) for _ in range(ROWS)], kind)

    legacy = {"k", "m", "p"} if version == "legacy" else set()
    columns = {name: column(*of) for name, of in (KEYS | VALUES).items() if name not in legacy}
    return pa.table({"id": range(ROWS), **columns})


@pytest.mark.parametrize("version", ends(["legacy", "2.0", "2.1", "2.2"]))
def test_groups_are_those_of_pyarrow(spark: SparkSession, tmp: str, full: bool, version: str) -> None:
    """In short, every other column is a key of the legacy version."""
    path = f"{tmp}/t.lance"
    lance.write_dataset(table(version), path, data_storage_version=version, max_rows_per_file=1100)
    lance.dataset(path).delete("id % 7 = 3")
    spark.read.format("lance").option("splitRows", 800).load(path).createOrReplaceTempView("t")
    live = lance.dataset(path).to_table()
    if "k" in live.column_names:
        # pyarrow cannot group by dictionaries.
        live = live.set_column(live.column_names.index("k"), "k", live["k"].cast(pa.string()))
    aggregates = [(name, function) for name, function in AGGREGATES if name in live.column_names]
    names = {"mean": "avg"}
    asked = ", ".join(f"{names.get(function, function)}({name})" for name, function in aggregates)
    known = [name for name in KEYS if name in live.column_names]
    single = known if full or version != "legacy" else known[::2]
    groups = [[], *([name] for name in single), ["s", "i"], ["u", "b", "x"]]
    # One query for all groups: each has a number, and nulls for the keys of others.
    parts = []
    for number, keys in enumerate(groups):
        shown = ", ".join(name if name in keys else f"NULL AS {name}" for name in known)
        parts.append(f"SELECT {number}, {shown}, {asked} FROM t {'GROUP BY ' + ', '.join(keys) if keys else ''}")
    frame = spark.sql(" UNION ALL ".join(parts))
    for keys, scan in zip(groups, scans(frame), strict=True):
        shown = f"groups [{', '.join(keys)}], aggregates [" if keys else "aggregates ["
        assert shown in scan, f"{keys}: {scan}"
        assert ("groups [" in scan) == bool(keys), f"{keys}: {scan}"
    rows = frame.collect()
    for number, keys in enumerate(groups):
        places = [1 + known.index(name) for name in keys]
        found = [[*(row[i] for i in places), *row[1 + len(known) :]] for row in rows if row[0] == number]
        expected = live.group_by(keys).aggregate(aggregates)
        results = zip(
            *(expected[name].to_pylist() for name in keys + [f"{name}_{function}" for name, function in aggregates]),
            strict=True,
        )
        assert sorted(map(shape, found)) == sorted(map(shape, results)), keys


@pytest.mark.parametrize("lossy", ["error", "truncate", "raw"])
def test_times_finer_than_those_of_spark(spark: SparkSession, tmp: str, lossy: str) -> None:
    path = f"{tmp}/t.lance"
    nanos = pa.array([None, 1_000, 2_001_000, 1_000, 2_001_000, 3_000], pa.timestamp("ns"))
    lance.write_dataset(pa.table({"t": nanos, "n": range(6)}), path)

    def answers(query: str, push: bool) -> list[str]:
        reader = spark.read.format("lance").option("lossyValues", lossy).option("pushDownFilters", push)
        reader.load(path).createOrReplaceTempView("t")
        frame = spark.sql(query)
        assert ("groups [" in physical(frame)) == (push and (lossy == "raw" or "BY t" not in query))
        return sorted(map(str, frame.collect()))

    for query in ["SELECT t, sum(n), count(t) FROM t GROUP BY t", "SELECT n, count(t) FROM t GROUP BY n"]:
        assert answers(query, push=True) == answers(query, push=False)


def shape(row: Any) -> list[str]:
    """A row whose values compare as texts; all sums of this table are exact."""

    def text(value: Any) -> str:
        if isinstance(value, decimal.Decimal):
            return str(value.normalize())
        if isinstance(value, float):
            return f"{value:.9g}"
        if isinstance(value, datetime):
            return str(value.timestamp())
        return str(bytes(value) if isinstance(value, bytearray) else value)

    return [text(value) for value in row]
