"""The first rows of an order, of tables that pylance wrote: found by the scan, and by Spark alone."""

import decimal
import math
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.interop.plans import physical
from tests.products import ends

ROWS = 3000

COLUMNS: dict[str, tuple[pa.DataType, Callable[[random.Random], Any]]] = {
    "i": (pa.int64(), lambda r: r.choice([r.randrange(50), -(2**63), 2**63 - 1])),
    "u": (pa.uint64(), lambda r: r.choice([r.randrange(50), 2**64 - 1, 2**63])),
    "f": (pa.float32(), lambda r: r.choice([r.random(), math.nan, math.inf, -math.inf, 0.0, -0.0])),
    "d": (pa.float64(), lambda r: r.choice([r.randrange(50) / 4, math.nan, -0.0])),
    "m": (pa.decimal128(12, 3), lambda r: decimal.Decimal(r.randrange(-999, 999)) / 8),
    "w": (
        pa.decimal128(38, 2),
        lambda r: decimal.Decimal(r.choice([r.randrange(99), 10**35 + r.randrange(99), -(10**35)])),
    ),
    "b": (pa.bool_(), lambda r: r.random() < 0.5),
    "s": (pa.string(), lambda r: r.choice(["", "the same beginning "]) + str(r.randrange(500))),
    "l": (pa.large_string(), lambda r: r.choice("aéz") * r.randrange(12)),
    "k": (pa.dictionary(pa.int8(), pa.string()), lambda r: r.choice(["x", "y", "zebra"])),
    "x": (pa.binary(), lambda r: r.randbytes(r.randrange(12))),
    "t": (
        pa.timestamp("us", "UTC"),
        lambda r: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=r.randrange(-(10**9), 10**9)),
    ),
    "day": (pa.date32(), lambda r: datetime(2020, 1, 1).date() + timedelta(days=r.randrange(-40, 40))),
}


def table(version: str) -> pa.Table:
    r = random.Random(version)
    values = {
        n: pa.array([None if r.random() < 0.1 else make(r) for _ in range(ROWS)], t) for n, (t, make) in COLUMNS.items()
    }
    wide = pa.array([f"row {i} " * r.randrange(90) for i in range(ROWS)])
    if version == "legacy":
        # That version has no nulls of numbers.
        values = {
            n: v if n in ("s", "l") else v.fill_null(v.drop_null()[0]) for n, v in values.items() if n not in ("k", "w")
        }
    return pa.table({"id": range(ROWS), **values, "wide": wide})


@pytest.mark.parametrize("version", ends(["legacy", "2.0", "2.1", "2.2"]))
def test_the_first_rows_are_those_that_spark_finds(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    written = table(version)
    lance.write_dataset(written, path, data_storage_version=version, max_rows_per_file=1100, max_rows_per_group=500)
    lance.dataset(path).delete("id % 7 = 3")
    r = random.Random(3)
    # One half of the columns, or the other.
    for name in written.column_names[1:-1][int(version in ("2.0", "2.2")) :: 2]:
        direction, nulls, limit = r.choice(["ASC", "DESC"]), r.choice(["FIRST", "LAST"]), r.choice([1, 20, 600])
        where = r.choice(["true", "id > 500", "id < 900 OR id >= 1500", f"{name} IS NOT NULL AND wide LIKE '%9 %'"])
        order = f"{name} {direction} NULLS {nulls}"

        def first(push: bool, order: str = order, limit: int = limit, where: str = where) -> DataFrame:
            spark.read.format("lance").option("pushDownFilters", push).option("splitRows", 800).load(
                path
            ).createOrReplaceTempView("t")
            return spark.sql(f"SELECT * FROM t WHERE {where} ORDER BY {order}, id LIMIT {limit}")

        pushed = first(push=True)
        plan = physical(pushed)
        assert f"top {limit} by {order}" in plan, plan
        assert [str(row) for row in pushed.collect()] == [str(row) for row in first(push=False).collect()], order
