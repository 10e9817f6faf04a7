"""Packed structs: all fields of a struct in one column, side by side."""

import functools
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

PACKED = {"packed": "true"}
WORDS = ["the", "quick", "brown", "fox", "", "äöü", "🙂"]

FIXED = pa.struct(
    {
        "a": pa.int32(),
        "b": pa.float64(),
        "c": pa.uint8(),
        "d": pa.binary(3),
        "e": pa.decimal128(20, 3),
        "f": pa.timestamp("us", "UTC"),
    }
)
VARIABLE = pa.struct(
    {
        "a": pa.int64(),
        "t": pa.string(),
        "b": pa.large_binary(),
        "v": pa.list_(pa.float32(), 3),
        "inner": pa.struct({"x": pa.string(), "y": pa.int16()}),
    }
)


def fixed(i: int) -> dict:
    return {"a": i - 300, "b": i / 7, "c": i % 256, "d": bytes([i % 256]) * 3, "e": i, "f": i * 1_000_003}


def variable(i: int) -> dict:
    return {
        "a": i,
        "t": WORDS[i % 7] * (i % 4),
        "b": bytes(i % 5),
        "v": [i, None if i % 3 == 0 else 1, -i],
        "inner": {"x": f"{i}", "y": i % 99},
    }


def packed(values: list, kind: pa.StructType) -> pa.Table:
    return pa.table([pa.array(values, kind)], schema=pa.schema([pa.field("p", kind, metadata=PACKED)]))


def around(kind: pa.StructType, make: Callable[[int], dict], rows: int, nulls: bool) -> pa.Table:
    """Packed structs as columns, in lists, and in structs."""
    values = [None if nulls and i % 9 == 4 else make(i) for i in range(rows)]
    item = pa.field("item", kind, metadata=PACKED)
    table = packed(values, kind)
    lists = [None if nulls and i % 11 == 3 else values[i : i + i % 4] for i in range(rows)]
    structs = [None if nulls and i % 7 == 2 else {"n": i, "s": v} for i, v in enumerate(values)]
    columns = {
        "lists": pa.array(lists, pa.list_(item)),
        "structs": pa.array(structs, pa.struct([pa.field("n", pa.int64()), item.with_name("s")])),
    }
    for name, column in columns.items():
        table = table.append_column(name, column)
    return table


def long_texts(rows: int) -> pa.Table:
    """Fields that FSST and Zstandard shorten, each value for itself."""
    zstd = pa.field("z", pa.string(), metadata={"lance-encoding:compression": "zstd"})
    kind = pa.struct([pa.field("f", pa.string()), pa.field("n", pa.int32()), zstd])
    return packed(
        [{"f": f"{i} the quick brown fox " * 10, "n": i, "z": f"{i} lazy dog " * 40} for i in range(rows)], kind
    )


TABLES: dict[str, tuple[Callable[[], pa.Table], list[str]]] = {
    "fixed": (lambda: around(FIXED, fixed, 3000, nulls=False), ["2.0", "2.1", "2.2"]),
    "fixed, some null": (lambda: around(FIXED, fixed, 3000, nulls=True), ["2.1", "2.2"]),
    "vectors": (
        lambda: around(
            pa.struct({"a": pa.int16(), "v": pa.list_(pa.list_(pa.int32(), 2), 3)}),
            lambda i: {"a": i, "v": [[i, 1], [2, i], [3, 4]]},
            3000,
            nulls=False,
        ),
        ["2.0", "2.2"],
    ),
    "variable": (lambda: around(VARIABLE, variable, 3000, nulls=False), ["2.2"]),
    "variable, some null": (lambda: around(VARIABLE, variable, 3000, nulls=True), ["2.2"]),
    "long texts": (lambda: long_texts(2000), ["2.2"]),
    "all null": (lambda: packed([None] * 500, FIXED), ["2.1", "2.2"]),
    "constant": (lambda: packed([fixed(7)] * 500, FIXED), ["2.0", "2.1", "2.2"]),
    "one row": (lambda: packed([variable(3)], VARIABLE), ["2.2"]),
    "large": (lambda: packed([fixed(int(i)) for i in np.arange(60_000)], FIXED), ["2.0", "2.1", "2.2"]),
}
# Many tests use the same ones.
TABLES = {name: (functools.cache(make), versions) for name, (make, versions) in TABLES.items()}

#: Pages of 2.1 and 2.2 differ in the sizes of chunks, which tables that have nulls show in both.
CASES = [
    pytest.param(name, version, marks=pytest.mark.cross if version == "2.1" and "2.0" in versions else ())
    for name, (_, versions) in TABLES.items()
    for version in versions
]
