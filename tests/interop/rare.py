"""Tables for which pylance chooses an encoding that no column of `generate.py` makes it choose."""

import decimal
import functools
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from tests.interop.generate import Rng

#: Metadata of a field by which a writer is asked for something.
COMPRESSION = "lance-encoding:compression"
DICTIONARY_COMPRESSION = "lance-encoding:dict-values-compression"
SPLITTING = "lance-encoding:bss"
STRUCTURE = "lance-encoding:structural-encoding"

ROWS = 6000


def hinted(plain: pa.Table, key: str, value: str) -> pa.Table:
    """Returns equal values in several columns, with one hint for all."""
    return plain.cast(pa.schema([field.with_metadata({key: value}) for field in plain.schema]))


def with_hints(columns: dict[str, tuple[pa.Array, dict[str, str]]]) -> pa.Table:
    fields = [pa.field(name, values.type, metadata=hints) for name, (values, hints) in columns.items()]
    return pa.table([values for values, _ in columns.values()], schema=pa.schema(fields))


def with_nulls(rng: Rng, share: float, values: pa.Array) -> pa.Array:
    nulls = rng.random(len(values)) < share
    return pa.array([None if null else v for null, v in zip(nulls, values.to_pylist(), strict=True)], values.type)


def words(rng: Rng, n: int, each: int) -> list[str]:
    pool = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs", "carefully"]
    return [" ".join(rng.choice(pool, each)) + f" {i}" for i in range(n)]


def compressed(scheme: str) -> pa.Table:
    """Values that the writer packs in its own way first, then compresses."""
    rng, wish = np.random.default_rng(2), {COMPRESSION: scheme}
    whole = wish | {SPLITTING: "off"}
    short, long = words(rng, ROWS, 6), words(rng, ROWS, 60)
    return with_hints(
        {
            "text": (pa.array(short), wish),
            "nullable_text": (with_nulls(rng, 0.2, pa.array(short)), wish),
            "large_text": (pa.array(short, pa.large_string()), wish),
            "long_text": (pa.array(long), wish),
            "nullable_long_text": (with_nulls(rng, 0.2, pa.array(long)), wish),
            "binary": (pa.array([text.encode() for text in short]), wish),
            "packed": (pa.array(np.tile(rng.integers(0, 1 << 20, 50), ROWS // 50), pa.int32()), whole),
            "doubles": (pa.array(rng.random(ROWS)), wish),
            "runs": (pa.array(np.repeat(rng.integers(-1000, 1000, ROWS // 3), 3), pa.int32()), whole),
            "negative": (pa.array(-(np.arange(ROWS) % 7919 / 8)), whole),
            "decimals": (pa.array([decimal.Decimal(i) for i in range(ROWS)], pa.decimal128(38, 0)), wish),
        }
    )


def dictionaries() -> pa.Table:
    rng = np.random.default_rng(3)
    n = 10 * ROWS
    few = [f"word number {i}" for i in rng.integers(0, 2000, n)]
    large = rng.integers(-(1 << 62), 1 << 62, 300)[rng.integers(0, 300, n)]
    return with_hints(
        {
            "plain_texts": (pa.array(few), {DICTIONARY_COMPRESSION: "none"}),
            "zstd_texts": (pa.array(few), {DICTIONARY_COMPRESSION: "zstd"}),
            "plain_longs": (pa.array(large), {DICTIONARY_COMPRESSION: "none"}),
            "zstd_longs": (pa.array(large), {DICTIONARY_COMPRESSION: "zstd"}),
            "few_small_longs": (pa.array(rng.integers(0, 500, n) * 16), {}),
            "many_small_longs": (pa.array(rng.integers(0, 2500, n) * 6), {}),
        }
    )


def few_nulls() -> pa.Table:
    rng = np.random.default_rng(4)
    return pa.table(
        {
            "ints": with_nulls(rng, 0.001, pa.array(rng.integers(0, 1000, ROWS), pa.int32())),
            "bools": with_nulls(rng, 0.001, pa.array(rng.random(ROWS) < 0.5)),
            "texts": with_nulls(rng, 0.001, pa.array(words(rng, ROWS, 6))),
        }
    )


def few_rows() -> pa.Table:
    return pa.table(
        {
            "ints": pa.array([1, None, -3, 4, 5], pa.int32()),
            "large_texts": pa.array(["a", None, "", "dd", "e"], pa.large_string()),
            "full_large_texts": pa.array(["a", "b", "", "dd", "e"], pa.large_string()),
        }
    )


def long_values() -> pa.Table:
    rng = np.random.default_rng(5)
    n = 40
    return pa.table(
        {
            "very_long_text": pa.array(["ab c" * (9000 + i) for i in range(n)]),
            "very_long_binary": pa.array([None if i % 3 else rng.bytes(40_000) for i in range(n)], pa.large_binary()),
            "large_text": pa.array(words(rng, n, 300), pa.large_string()),
            "large_binary": pa.array([text.encode() for text in words(rng, n, 60)], pa.large_binary()),
        }
    )


def null_items() -> pa.Table:
    """Valid vectors of null items."""
    four, hundred = pa.list_(pa.float32(), 4), pa.list_(pa.float32(), 100)
    return pa.table(
        {
            "no_item4": pa.array([[None] * 4] * 300, four),
            "no_item100": pa.array([[None] * 100] * 300, hundred),
            "some_items4": pa.array([[1.5, None, float(i), None] for i in range(300)], four),
            "some_items100": pa.array([[None, float(i)] * 50 for i in range(300)], hundred),
        }
    )


TABLES: dict[str, Callable[[], pa.Table]] = {
    "compressed by zstd": lambda: compressed("zstd"),
    "compressed by lz4": lambda: compressed("lz4"),
    "dictionaries": dictionaries,
    "few nulls": few_nulls,
    "few rows": few_rows,
    "long values": long_values,
    "null items": null_items,
}
# Many tests use the same ones.
TABLES = {name: functools.cache(make) for name, make in TABLES.items()}
