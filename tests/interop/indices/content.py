"""Columns of tables with indices: types, random values, and the same values as SQL of Spark and of pylance."""

import datetime
import decimal
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

KINDS_OF_ORDER = ("BTREE", "BITMAP", "ZONEMAP")
KINDS = (*KINDS_OF_ORDER, "BLOOMFILTER")
EPOCH = datetime.datetime(2020, 1, 1)
WORDS = (
    *(
        "",
        "a",
        "ab",
        "abc",
        "abd",
        "b",
        "ba",
        "zebra",
        "ÿ",
        "Zebra",
        "a b",
        "z" * 40,
        "zz",
        "quick",
        "The quick brown fóx",
    ),
    *("the QUICK brown fox", "Straße 12", "straSSe 123", "İab", "ﬁsh", "Kelvin", "foxes", "abcabc", "x1y2z3", "naïve"),
)


@dataclass(frozen=True)
class Column:
    """A column with an index.

    `value` draws a value, `literal` writes it in SQL. `expression` reads it if it is inside a struct.
    """

    name: str
    type: pa.DataType
    kinds: tuple[str, ...]
    value: Callable[[random.Random], Any]
    literal: Callable[[Any], str]
    path: str | None = None

    @property
    def expression(self) -> str:
        return self.path or self.name


def number(bound: int, low: int = 0) -> Callable[[random.Random], int]:
    return lambda r: r.choice([low, bound - 1, r.randrange(low, bound), r.randrange(low, bound) // 8])


def text(value: str) -> str:
    return f"'{value}'"


def double(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        name = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        return f"CAST('{name}' AS DOUBLE)"
    return f"CAST('{value}' AS DOUBLE)"


def single(value: float) -> str:
    return double(value).replace("DOUBLE", "FLOAT")


def real(r: random.Random) -> float:
    return r.choice([math.nan, math.inf, -math.inf, 0.0, -0.0, r.randrange(-4, 9) / 2, r.randrange(20) / 4])


def items(r: random.Random, item: Callable[[], Any]) -> list[Any]:
    return [None if r.random() < 0.1 else item() for _ in range(r.choice([0, 1, 3]))]


def array(value: list[Any]) -> str:
    literal = text if any(isinstance(v, str) for v in value) else double
    return f"array({', '.join('NULL' if v is None else literal(v) for v in value)})"


COLUMNS = (
    Column("i8", pa.int8(), KINDS, number(100, -100), str),
    Column("i16", pa.int16(), KINDS, number(300, -300), str),
    Column("i32", pa.int32(), KINDS, number(50, -9), str),
    Column("i64", pa.int64(), KINDS, number(1 << 40), str),
    Column("u8", pa.uint8(), KINDS, number(256), str),
    Column("u16", pa.uint16(), KINDS, number(1 << 16), str),
    Column("u32", pa.uint32(), KINDS, number(1 << 32), str),
    Column("f32", pa.float32(), KINDS, real, single),
    Column("f64", pa.float64(), KINDS, real, double),
    Column("flag", pa.bool_(), KINDS_OF_ORDER, lambda r: r.random() < 0.2, lambda v: str(v).lower()),
    Column("s", pa.string(), (*KINDS, "NGRAM", "NGRAM"), lambda r: r.choice(WORDS), text),
    Column("ls", pa.large_string(), (*KINDS, "NGRAM"), lambda r: r.choice(WORDS), text),
    Column("bin", pa.binary(), KINDS, lambda r: r.choice(WORDS).encode(), lambda v: f"X'{v.hex()}'"),
    Column(
        "day",
        pa.date32(),
        KINDS,
        lambda r: (EPOCH + datetime.timedelta(days=r.randrange(-40, 40))).date(),
        lambda v: f"DATE '{v}'",
    ),
    Column(
        "at",
        pa.timestamp("us"),
        KINDS,
        lambda r: EPOCH + datetime.timedelta(seconds=r.randrange(-9, 40)),
        lambda v: f"CAST('{v}' AS TIMESTAMP)",
    ),
    Column(
        "price",
        pa.decimal128(12, 2),
        KINDS_OF_ORDER,
        lambda r: decimal.Decimal(r.randrange(-50, 200)).scaleb(-2),
        lambda v: f"CAST('{v}' AS DECIMAL(12, 2))",
    ),
    Column("x", pa.int32(), KINDS_OF_ORDER, number(30), str, path="st.x"),
    Column("tags", pa.list_(pa.string()), ("LABEL_LIST",), lambda r: items(r, lambda: r.choice(WORDS[:9])), array),
    Column("nums", pa.list_(pa.float64()), ("LABEL_LIST",), lambda r: items(r, lambda: real(r)), array),
)
BY_NAME = {column.name: column for column in COLUMNS}


def values(column: Column, r: random.Random, count: int) -> list[Any]:
    """Random values, nulls among them; sometimes sorted, sometimes few distinct ones."""
    nulls = r.choice([0.0, 0.1, 0.1, 0.9])
    drawn = [column.value(r) for _ in range(r.choice([3, count, count]))]
    found = [None if r.random() < nulls else r.choice(drawn) for _ in range(count)]
    if r.random() < 0.3 and column.name not in ("f32", "f64", "nums", "tags"):
        found.sort(key=lambda v: (v is not None, v))
    return found


def table(columns: list[Column], r: random.Random, count: int, first: int, null_structs: bool = True) -> pa.Table:
    """Rows with consecutive ids."""
    arrays: dict[str, pa.Array] = {"id": pa.array(range(first, first + count), pa.int64())}
    for column in columns:
        array = pa.array(values(column, r, count), column.type)
        if column.path is None:
            arrays[column.name] = array
        else:
            fields = [pa.field(column.name, column.type), pa.field("y", pa.int32())]
            mask = pa.array([null_structs and r.random() < 0.1 for _ in range(count)])
            other = pa.array(range(count), pa.int32())
            arrays[column.path.split(".")[0]] = pa.StructArray.from_arrays([array, other], fields=fields, mask=mask)
    return pa.table(arrays)
