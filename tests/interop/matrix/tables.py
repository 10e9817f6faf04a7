"""The tables of the matrix. A column is a cell, named type__nulls__shape, so that few jobs compare thousands."""

import functools
import zlib
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tests.interop.matrix.types import METADATA, TYPES, Maker

#: "random" is of high cardinality, "few" of low; "narrow" are small numbers; "extremes" has NaNs with payloads, -0.0,
#: infinities, least and largest values, empty strings.
SHAPES = ["constant", "sorted", "random", "few", "runs", "narrow", "extremes", "long"]

#: The share of nulls at every level, by nullability. "required" is a column whose schema allows none.
NULLS = {"required": 0.0, "none": 0.0, "some": 0.2, "all": 1.0}


@dataclass(frozen=True)
class Size:
    """The number of rows of a table, the shapes of its columns, and whether a page may hold only a part of them.

    In turns, shapes are without nulls and with some if not each is both.
    """

    rows: int
    shapes: list[str]
    page_bytes: int | None = None
    in_turns: bool = False


#: What is compared of the current release.
SIZES = {
    "no row": Size(0, ["random"]),
    "one row": Size(1, ["random", "extremes"]),
    "one more than a chunk": Size(1025, SHAPES),
    "several pages": Size(4100, ["random", "runs"], page_bytes=4096),
}

#: Of older ones; and what `./dev test` has time for.
OLDER = {"one more than a chunk": Size(1025, ["random", "runs", "extremes"])}
SHORT = {"one more than a chunk": Size(1025, ["random", "runs"], in_turns=True)}


def grows(kind: pa.DataType) -> bool:
    """Whether values of this type can be long."""
    tests = "string large_string string_view binary large_binary binary_view list large_list map".split()
    return any(getattr(pa.types, f"is_{test}")(kind) for test in tests)


def cells(kind: pa.DataType, size: Size) -> list[tuple[str, str]]:
    """Nullability and shape of the columns of a type."""
    shapes = [shape for shape in size.shapes if shape != "long" or grows(kind)]
    required = [] if pa.types.is_null(kind) else [("required", "random")]
    # The required ones are random, so that the first of two shapes has some nulls.
    pairs = [
        (nulls, shape)
        for turn, nulls in enumerate(("none", "some"))
        for number, shape in enumerate(shapes)
        if not size.in_turns or (turn + number) % 2 == 1
    ]
    return [*required, *pairs, ("all", "all_null")]


def array(name: str, make: Maker, size: Size, nulls: str, shape: str) -> pa.Array:
    rng = np.random.default_rng(zlib.crc32(f"{name} {size.rows} {nulls} {shape}".encode()))
    return make(rng, shape, size.rows, NULLS[nulls])


@functools.cache
def short_tables() -> dict[str, pa.Table]:
    """Returns the tables of the everyday ring, which are the same for all file versions."""
    return {name: table(size) for name, size in SHORT.items()}


def table(size: Size, names: list[str] | None = None) -> pa.Table:
    columns, fields = [], []
    for name in names or TYPES:
        kind = array(name, TYPES[name], Size(0, []), "none", "random").type
        for nulls, shape in cells(kind, size):
            columns.append(array(name, TYPES[name], size, nulls, shape))
            field = pa.field(f"{name}__{nulls}__{shape}", kind, nullable=nulls != "required")
            fields.append(field.with_metadata(METADATA.get(name, {})))
    return pa.table(columns, schema=pa.schema(fields))


def type_of(column: str) -> str:
    return column.split("__")[0]
