"""Seeded columns of every flat type in every shape of data that makes a writer choose another encoding."""

import datetime as dt
import decimal
import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa

Rng = np.random.Generator
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "lazy", "dogs", "carefully", "final", "deposits"]
SHAPES = ["random", "constant", "sorted", "few", "runs", "narrow", "extremes", "all_null"]


def indices(rng: Rng, shape: str, n: int) -> np.ndarray:
    """Returns an index into a large pool of values for each row, in the data's shape."""
    match shape:
        case "random" | "all_null":
            return rng.integers(0, 1 << 62, n)
        case "constant":
            return np.full(n, 7_919_191_919)
        case "sorted":
            return np.arange(n) * 3
        case "few":
            return rng.integers(0, 20, n) * 1_234_567_891_011
        case "runs":
            return np.repeat(rng.integers(0, 1 << 40, n // 100 + 1), 100)[:n]
        case "narrow":
            return rng.integers(0, 100, n)
        case "extremes":
            return rng.choice(np.array([0, 1, -1, (1 << 62) - 1, -(1 << 62)]), n)
    raise ValueError(shape)


def integers(bits: int, signed: bool = True) -> Callable[[Rng, str, int], np.ndarray]:
    dtype = np.dtype(f"{'i' if signed else 'u'}{bits // 8}")

    def make(rng: Rng, shape: str, n: int) -> np.ndarray:
        if shape == "extremes":
            bounds = np.iinfo(dtype)
            return rng.choice(np.array([bounds.min, bounds.max, 0, 1], dtype), n)
        # The low bits: a cast to a narrower integer wraps.
        return indices(rng, shape, n).astype(dtype)

    return make


def floats(bits: int) -> Callable[[Rng, str, int], np.ndarray]:
    dtype = np.dtype(f"f{bits // 8}")
    nan_with_payload = np.array([0x7FF8_0000_DEAD_BEEF if bits == 64 else 0x7FC0_BEEF], f"u{bits // 8}").view(dtype)[0]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, nan_with_payload, np.finfo(dtype).max], dtype)

    def make(rng: Rng, shape: str, n: int) -> np.ndarray:
        if shape == "extremes":
            return rng.choice(special, n)
        if shape == "random":
            return rng.standard_normal(n).astype(dtype)
        return (indices(rng, shape, n) % 100_003 / 8).astype(dtype)

    return make


def strings(rng: Rng, shape: str, n: int) -> list[str]:
    if shape == "extremes":
        few, many = rng.integers(0, 20, n).tolist(), rng.integers(0, 700, n).tolist()
        return [("", "ä🙂" * few[i], "x" * many[i])[i % 3] for i in range(n)]
    if shape == "random":
        ends = np.cumsum(rng.integers(1, 9, n)).tolist()
        chosen = [WORDS[i] for i in rng.integers(0, len(WORDS), ends[-1] if ends else 0).tolist()]
        return [" ".join(chosen[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
    return [f"value {i % 100_003}" for i in indices(rng, shape, n)]


def long_strings(rng: Rng, shape: str, n: int) -> list[str]:
    return [s * 40 + s for s in strings(rng, shape, n)]


def decimals(precision: int, scale: int) -> Callable[[Rng, str, int], list[decimal.Decimal]]:
    def make(rng: Rng, shape: str, n: int) -> list[decimal.Decimal]:
        largest = 10**precision - 1
        if shape == "extremes":
            pool = [largest, -largest, 0, 1, -1]
            unscaled = [pool[i] for i in rng.integers(0, len(pool), n)]
        else:
            unscaled = [int(i) * 1_000_003**2 % largest for i in indices(rng, shape, n)]
        # A context wide enough for all digits: the default one would round.
        context = decimal.Context(prec=50)
        return [decimal.Decimal(u).scaleb(-scale, context) for u in unscaled]

    return make


def vectors(dimension: int, items: Callable[[Rng, str, int], np.ndarray]) -> Callable[[Rng, str, int], list]:
    def make(rng: Rng, shape: str, n: int) -> list:
        return list(items(rng, shape, n * dimension).reshape(n, dimension))

    return make


def days(rng: Rng, shape: str, n: int) -> np.ndarray:
    return (indices(rng, shape, n) % 40_000 - 10_000).astype("i4")


def micros(rng: Rng, shape: str, n: int) -> np.ndarray:
    start = int(dt.datetime(1999, 1, 1, tzinfo=dt.UTC).timestamp() * 1_000_000)
    return start + indices(rng, shape, n) % (10**15)


def halves(rng: Rng, shape: str, n: int) -> np.ndarray:
    if shape not in ("random", "extremes"):
        return (indices(rng, shape, n) % 2048 / 8).astype("f2")
    # All bit patterns but those of signalling NaNs, which processors silence.
    bits = rng.integers(0, 1 << 16, n).astype("u2")
    return np.where(bits & 0x7FFF > 0x7C00, bits | 0x0200, bits).astype("u2").view("f2")


def fixed_bytes(width: int) -> Callable[[Rng, str, int], list[bytes]]:
    return lambda rng, shape, n: [
        int(i).to_bytes(8, "big", signed=True).rjust(width, b"\xa5")[-width:] for i in indices(rng, shape, n)
    ]


def every(step: int, limit: int) -> Callable[[Rng, str, int], np.ndarray]:
    """64-bit multiples of `step`, on both sides of 0 unless nothing stands below it."""
    return lambda rng, shape, n: (indices(rng, shape, n) % limit - limit // 3) * step


def times(dtype: str, per_day: int) -> Callable[[Rng, str, int], np.ndarray]:
    return lambda rng, shape, n: (indices(rng, shape, n) % per_day).astype(dtype)


def json_texts(rng: Rng, shape: str, n: int) -> list[str]:
    """Returns values in the form of Spark: keys in order, no spaces."""

    def text(i: int) -> str:
        pool = [i, -i, None, True, "", i % 1000 / 8, f'"ä\n🙂\\{i}', [], {}, [i % 7, [None, {"": {}}]], 1 << 63]
        value = {"a": pool[i % 11], "b": {"c": [pool[i % 5], pool[i % 7]], "d": i % 100_003}}
        chosen = pool[i % 13] if i % 13 < 11 else value
        return json.dumps(chosen, separators=(",", ":"), sort_keys=True, ensure_ascii=False)

    return [text(abs(int(i))) for i in indices(rng, shape, n)]


def lists(dimension: int, items: Callable) -> Callable[[Rng, str, int], list]:
    """Lists of any items, of which each eleventh is null."""

    def make(rng: Rng, shape: str, n: int) -> list:
        flat = [None if i % 11 == 10 else v for i, v in enumerate(items(rng, shape, n * dimension))]
        return [flat[i : i + dimension] for i in range(0, n * dimension, dimension)]

    return make


def booleans(rng: Rng, shape: str, n: int) -> list[bool]:
    return (indices(rng, shape, n) % 2 == 1).tolist()


#: name of the column -> its Arrow type and how to make its values
COLUMNS: dict[str, tuple[pa.DataType, Callable]] = {
    "bool": (pa.bool_(), lambda rng, shape, n: indices(rng, shape, n) % 2 == 1),
    "int8": (pa.int8(), integers(8)),
    "int16": (pa.int16(), integers(16)),
    "int32": (pa.int32(), integers(32)),
    "int64": (pa.int64(), integers(64)),
    "float": (pa.float32(), floats(32)),
    "double": (pa.float64(), floats(64)),
    "decimal9": (pa.decimal128(9, 2), decimals(9, 2)),
    "decimal18": (pa.decimal128(18, 4), decimals(18, 4)),
    "decimal38": (pa.decimal128(38, 10), decimals(38, 10)),
    "string": (pa.string(), strings),
    "long_string": (pa.string(), long_strings),
    "binary": (pa.binary(), lambda rng, shape, n: [s.encode() for s in strings(rng, shape, n)]),
    "date": (pa.date32(), days),
    "timestamp": (pa.timestamp("us", tz="UTC"), micros),
    "timestamp_ntz": (pa.timestamp("us"), micros),
    "vector4": (pa.list_(pa.float32(), 4), vectors(4, floats(32))),
    "vector100": (pa.list_(pa.float32(), 100), vectors(100, floats(32))),
    "doubles3": (pa.list_(pa.float64(), 3), vectors(3, floats(64))),
    "ints5": (pa.list_(pa.int32(), 5), vectors(5, integers(32))),
}

#: types that pylance writes and Spark has no equal of: read as the nearest that holds the values
FOREIGN: dict[str, tuple[pa.DataType, Callable]] = {
    "uint8": (pa.uint8(), integers(8, signed=False)),
    "uint16": (pa.uint16(), integers(16, signed=False)),
    "uint32": (pa.uint32(), integers(32, signed=False)),
    "uint64": (pa.uint64(), integers(64, signed=False)),
    "large_string": (pa.large_string(), strings),
    "large_binary": (pa.large_binary(), lambda rng, shape, n: [s.encode() for s in long_strings(rng, shape, n)]),
    "timestamp_s": (pa.timestamp("s", tz="UTC"), lambda rng, shape, n: micros(rng, shape, n) // 1_000_000),
    "timestamp_ms": (pa.timestamp("ms"), lambda rng, shape, n: micros(rng, shape, n) // 1_000),
    "timestamp_ns": (pa.timestamp("ns", tz="UTC"), every(1_000, 1 << 52)),
    "half": (pa.float16(), halves),
    "date64": (pa.date64(), every(86_400_000, 40_000)),
    "time_s": (pa.time32("s"), times("i4", 86_400)),
    "time_ms": (pa.time32("ms"), times("i4", 86_400_000)),
    "time_us": (pa.time64("us"), times("i8", 86_400_000_000)),
    "time_ns": (pa.time64("ns"), times("i8", 86_400_000_000_000)),
    "duration_s": (pa.duration("s"), every(1, 1 << 42)),
    "duration_ms": (pa.duration("ms"), every(1, 1 << 52)),
    "duration_us": (pa.duration("us"), every(1, 1 << 61)),
    "duration_ns": (pa.duration("ns"), every(1_000, 1 << 52)),
    "decimal256": (pa.decimal256(30, 4), decimals(30, 4)),
    "decimal256_wide": (pa.decimal256(60, 4), decimals(38, 4)),
    "fixed1": (pa.binary(1), fixed_bytes(1)),
    "fixed3": (pa.binary(3), fixed_bytes(3)),
    "fixed8": (pa.binary(8), fixed_bytes(8)),
    "fixed16": (pa.binary(16), fixed_bytes(16)),
    "fixed300": (pa.binary(300), fixed_bytes(300)),
    "null": (pa.null(), lambda rng, shape, n: [None] * n),
    "json": (pa.json_(), json_texts),
    "bools9": (pa.list_(pa.bool_(), 9), lists(9, booleans)),
    "bools1000": (pa.list_(pa.bool_(), 1000), vectors(1000, lambda rng, shape, n: indices(rng, shape, n) % 2 == 1)),
    "halves4": (pa.list_(pa.float16(), 4), vectors(4, lambda rng, shape, n: halves(rng, "few", n))),
    "bytes7": (pa.list_(pa.uint8(), 7), vectors(7, integers(8, signed=False))),
    "shorts2": (pa.list_(pa.int16(), 2), lists(2, integers(16))),
    "days3": (pa.list_(pa.date32(), 3), lists(3, lambda rng, shape, n: days(rng, shape, n).tolist())),
    "decimals2": (pa.list_(pa.decimal128(20, 2), 2), lists(2, decimals(20, 2))),
    "lists_of_lists": (pa.list_(pa.list_(pa.int32(), 2), 3), lists(3, lists(2, integers(32)))),
}

#: indices that pylance writes dictionaries with
INDICES = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]

#: columns whose values are stored once each
DICTIONARIES: dict[str, pa.DataType] = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "binary": pa.binary(),
    "large_binary": pa.large_binary(),
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "uint16": pa.uint16(),
    "int32": pa.int32(),
    "uint64": pa.uint64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "half": pa.float16(),
}


def dictionary(values: pa.DataType, index: pa.DataType, n: int, null_share: float, seed: int = 1) -> pa.Array:
    rng = np.random.default_rng([seed, n])
    count = 2 if pa.types.is_boolean(values) else 50
    is_number = pa.types.is_primitive(values)
    items = pa.array(range(count) if is_number else [f"value {i}" * 3 for i in range(count)])
    keys = rng.integers(0, count, n)
    nulls = rng.random(n) < null_share
    return pa.DictionaryArray.from_arrays(pa.array(keys, mask=nulls).cast(index), items.cast(values))


def column(kind: pa.DataType, make: Callable, rng: Rng, shape: str, n: int, null_share: float) -> pa.Array:
    values = make(rng, shape, n)
    nulls = np.ones(n, bool) if shape == "all_null" else rng.random(n) < null_share
    if isinstance(values, np.ndarray) and not pa.types.is_boolean(kind):
        # From buffers, so that NaN payloads survive.
        validity = pa.array(~nulls).buffers()[1] if nulls.any() else None
        return pa.Array.from_buffers(kind, n, [validity, pa.py_buffer(np.ascontiguousarray(values).tobytes())])
    return pa.array([None if null else value for value, null in zip(values, nulls, strict=True)], kind)


def table(
    shape: str, n: int, null_share: float, seed: int = 1, columns: dict[str, tuple[pa.DataType, Callable]] = COLUMNS
) -> pa.Table:
    """Makes a table, or returns the one that was made of these arguments before."""
    made = (shape, n, null_share, seed, *columns)
    if made not in TABLES:
        TABLES[made] = fresh_table(shape, n, null_share, seed, columns)
    return TABLES[made]


#: Tables by what they are made of: their values take seconds to make, and many tests use the same.
TABLES: dict[tuple[object, ...], pa.Table] = {}


def fresh_table(
    shape: str, n: int, null_share: float, seed: int, columns: dict[str, tuple[pa.DataType, Callable]]
) -> pa.Table:
    rng = np.random.default_rng([seed, n, SHAPES.index(shape), int(null_share * 100)])
    arrays = {name: column(kind, make, rng, shape, n, null_share) for name, (kind, make) in columns.items()}
    return pa.table(arrays)
