"""Seeded columns of structs, lists and maps, with nulls and empties at every level."""

import functools
from collections.abc import Callable

import numpy as np
import pyarrow as pa

Rng = np.random.Generator

WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "", "äöü", "🙂"]

LEAVES: list[tuple[pa.DataType, Callable[[Rng], object]]] = [
    (pa.int32(), lambda rng: int(rng.integers(-1000, 1000))),
    (pa.int64(), lambda rng: int(rng.integers(-(1 << 62), 1 << 62))),
    (pa.float64(), lambda rng: float(rng.standard_normal())),
    (pa.bool_(), lambda rng: bool(rng.integers(0, 2))),
    (pa.string(), lambda rng: " ".join(rng.choice(WORDS, int(rng.integers(0, 5))))),
    (pa.binary(), lambda rng: rng.bytes(int(rng.integers(0, 9)))),
    (pa.int8(), lambda rng: 7),
    (pa.list_(pa.float32(), 3), lambda rng: [float(x) for x in rng.integers(0, 9, 3)]),
]


def random_type(rng: Rng, depth: int, maps: bool) -> pa.DataType:
    """A type that is nested `depth` levels deep at least along one branch."""
    if depth == 0:
        return LEAVES[rng.integers(0, len(LEAVES))][0]
    match rng.choice(["struct", "list", "large_list", "map"] if maps else ["struct", "list", "large_list"]):
        case "struct":
            depths = [depth - 1, *rng.integers(0, depth, int(rng.integers(0, 3)))]
            return pa.struct([(f"f{i}", random_type(rng, int(d), maps)) for i, d in enumerate(depths)])
        case "list":
            return pa.list_(random_type(rng, depth - 1, maps))
        case "large_list":
            return pa.large_list(random_type(rng, depth - 1, maps))
        case _:
            return pa.map_(pa.string(), random_type(rng, depth - 1, maps))


def random_value(rng: Rng, kind: pa.DataType, null_share: float, longest: int) -> object:
    if rng.random() < null_share:
        return None
    if pa.types.is_struct(kind):
        return {field.name: random_value(rng, field.type, null_share, longest) for field in kind}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [random_value(rng, kind.value_type, null_share, longest) for _ in range(rng.integers(0, longest + 1))]
    if pa.types.is_map(kind):
        return [
            (f"k{i}", random_value(rng, kind.item_type, null_share, longest))
            for i in range(rng.integers(0, longest + 1))
        ]
    return next(make for leaf, make in LEAVES if leaf == kind)(rng)


def random_table(
    seed: int, rows: int, null_share: float, maps: bool, longest: int = 4, types: int | None = None
) -> pa.Table:
    """Columns of depth 1 to 4. Their types are those of the seed `types`, or others for each table."""
    rng = np.random.default_rng([seed, rows, int(null_share * 100)])
    of_types = rng if types is None else np.random.default_rng(types)
    columns = {}
    for depth in (1, 2, 3, 4):
        kind = random_type(of_types, depth, maps)
        columns[f"c{depth}"] = pa.array([random_value(rng, kind, null_share, longest) for _ in range(rows)], kind)
    return pa.table(columns)


def lists_of_long_strings(rows: int) -> pa.Table:
    texts = [[f"{i}-{j} " * (50 + i % 100) for j in range(i % 4)] for i in range(rows)]
    some_null = [
        None if i % 7 == 0 else [None if j == 1 else t for j, t in enumerate(row)] for i, row in enumerate(texts)
    ]
    return pa.table({"all": pa.array(texts), "some": pa.array(some_null, pa.list_(pa.string()))})


def lists_of_vectors(rows: int) -> pa.Table:
    """Short vectors go to mini-block pages, long ones to full-zip pages of one width."""
    rng = np.random.default_rng(5)

    def column(size: int) -> pa.Array:
        return pa.array(
            [None if i % 9 == 4 else [rng.integers(0, 99, size).tolist() for _ in range(i % 5)] for i in range(rows)],
            pa.list_(pa.list_(pa.float32(), size)),
        )

    return pa.table({"short": column(4), "long": column(128)})


def rows_of_many_chunks(rows: int) -> pa.Table:
    rng = np.random.default_rng(6)
    lengths = rng.choice([0, 1, 3, 5000, 40_000], rows)
    return pa.table(
        {
            "long": pa.array([rng.integers(0, 1 << 40, n).tolist() for n in lengths], pa.list_(pa.int64())),
            "pairs": pa.array(
                [[{"a": int(x), "b": str(x)} for x in rng.integers(0, 99, n)] for n in rng.choice([0, 2, 3000], rows)]
            ),
            "lists": pa.array([[list(range(k % 4)) for k in range(n)] for n in rng.choice([0, 4, 4000], rows)]),
        }
    )


def one_value_among_empty_lists(rows: int) -> pa.Table:
    empties = [[] for _ in range(rows)]
    return pa.table(
        {
            "empty": pa.array([*empties, [7], *empties], pa.list_(pa.int32())),
            "null": pa.array([*([None] * rows), ["x"], *([None] * rows)], pa.list_(pa.string())),
            "nested": pa.array([*empties, [[]], [[1]], *empties[1:]], pa.list_(pa.list_(pa.int32()))),
        }
    )


def levels_without_values(rows: int) -> pa.Table:
    """Pages that hold nothing but levels."""
    return pa.table(
        {
            "null_lists": pa.array([None] * rows, pa.list_(pa.int32())),
            "empty_lists": pa.array([[] for _ in range(rows)], pa.list_(pa.int32())),
            "null_or_empty": pa.array([None if i % 3 else [] for i in range(rows)], pa.list_(pa.string())),
            "null_items": pa.array([[None] * (i % 4) for i in range(rows)], pa.list_(pa.int64())),
            "null_structs": pa.array([None] * rows, pa.struct({"a": pa.int32(), "b": pa.string()})),
            "structs_of_nulls": pa.array(
                [None if i % 5 == 0 else {"a": None, "b": {"c": None}} for i in range(rows)],
                pa.struct({"a": pa.int32(), "b": pa.struct({"c": pa.string()})}),
            ),
            "empty_inside": pa.array([[[], []] if i % 2 else [] for i in range(rows)], pa.list_(pa.list_(pa.int32()))),
            "lists_of_null_structs": pa.array(
                [[None] * (i % 3) for i in range(rows)], pa.list_(pa.struct({"a": pa.int32()}))
            ),
        }
    )


def constants(rows: int) -> pa.Table:
    return pa.table(
        {
            "ints": pa.array([None if i % 10 == 0 else [7] * (i % 4) for i in range(rows)], pa.list_(pa.int32())),
            "texts": pa.array([["same"] * (i % 3) for i in range(rows)], pa.list_(pa.string())),
            "struct": pa.array([None if i % 4 == 0 else {"a": 1, "b": None if i % 3 else "x"} for i in range(rows)]),
            "null_items": pa.array([[None if j == 1 else True for j in range(i % 3)] for i in range(rows)]),
        }
    )


def everything(rows: int) -> pa.Table:
    kind = pa.struct(
        {
            "number": pa.int32(),
            "text": pa.string(),
            "vector": pa.list_(pa.float32(), 4),
            "inner": pa.struct({"x": pa.float64(), "y": pa.list_(pa.struct({"z": pa.date32(), "w": pa.binary()}))}),
            "stamp": pa.timestamp("us", tz="UTC"),
            "decimal": pa.decimal128(20, 3),
            "long": pa.string(),
        }
    )
    rng = np.random.default_rng(8)

    def value(i: int) -> dict | None:
        return None if i % 11 == 3 else {
            "number": i,
            "text": None if i % 5 == 0 else WORDS[i % len(WORDS)],
            "vector": None if i % 6 == 1 else [float(i)] * 4,
            "inner": None if i % 4 == 2 else {
                "x": float(rng.standard_normal()),
                "y": None if i % 3 == 0 else [
                    None if j == 2 else {"z": i + j, "w": rng.bytes(j)} for j in range(i % 5)
                ],
            },
            "stamp": i * 1_000_003,
            "decimal": i,
            "long": f"{i} " * 100,
        }  # fmt: skip

    return pa.table({"all": pa.array([value(i) for i in range(rows)], kind), "id": pa.array(range(rows), pa.int64())})


TABLES: dict[str, Callable[[], pa.Table]] = {
    "long strings": lambda: lists_of_long_strings(3000),
    "vectors": lambda: lists_of_vectors(2000),
    "rows of many chunks": lambda: rows_of_many_chunks(60),
    "one value among empty lists": lambda: one_value_among_empty_lists(100_000),
    "levels without values": lambda: levels_without_values(5000),
    "constants": lambda: constants(5000),
    "everything": lambda: everything(3000),
}
# Many tests use the same ones.
TABLES = {name: functools.cache(make) for name, make in TABLES.items()}
