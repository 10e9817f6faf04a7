"""The types of the matrix, each with a seeded maker of its values in any shape."""

import decimal
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from lance.arrow import BFloat16Type

from tests.interop.generate import COLUMNS, DICTIONARIES, FOREIGN, INDICES, Rng, column, dictionary, strings

#: What makes a column: the random numbers, the shape of the data, its rows, and the share of nulls at every level.
Maker = Callable[[Rng, str, int, float], pa.Array]

#: Of lists and maps, by shape: between how many items.
LENGTHS = {"constant": (3, 3), "few": (0, 2), "narrow": (0, 1), "long": (10, 40)}

POOL = 1100


def flat(kind: pa.DataType, make: Callable) -> Maker:
    return lambda rng, shape, n, nulls: column(kind, make, rng, shape, n, nulls)


def texts(kind: pa.DataType, make: Callable) -> Maker:
    """Values of any length; the long ones have some hundred bytes each, and one in twenty some thousand.

    Of the random ones, which take their time, there are no more than a pool that no page holds as a dictionary.
    """

    def values(rng: Rng, shape: str, n: int) -> list:
        if shape in ("random", "extremes") and n > POOL:
            pool = make(rng, shape, POOL)
            return [pool[i] for i in rng.integers(0, POOL, n)]
        if shape != "long":
            return make(rng, shape, n)
        return [value * int(k) for value, k in zip(make(rng, "random", n), lengths(rng, "long", n), strict=True)]

    return flat(kind, values)


def lengths(rng: Rng, shape: str, n: int) -> np.ndarray:
    least, most = LENGTHS.get(shape, (0, 4))
    counts = rng.integers(least, most + 1, n)
    return np.where(rng.random(n) < 0.05, counts * 8, counts) if shape in ("extremes", "long") else counts


def null_mask(rng: Rng, shape: str, n: int, nulls: float) -> np.ndarray:
    return np.ones(n, bool) if shape == "all_null" else rng.random(n) < nulls


def offsets(rng: Rng, shape: str, mask: np.ndarray) -> np.ndarray:
    """Null lists are empty."""
    return np.concatenate([[0], np.cumsum(np.where(mask, 0, lengths(rng, shape, len(mask))))])


def inside(shape: str) -> str:
    """Below levels that are null throughout there are no values; items of long lists are short."""
    return {"all_null": "random", "long": "random"}.get(shape, shape)


def lists(items: Maker, size: type[pa.Int32Array] | type[pa.Int64Array] = pa.Int32Array) -> Maker:
    kind = pa.ListArray if size is pa.Int32Array else pa.LargeListArray

    def make(rng: Rng, shape: str, n: int, nulls: float) -> pa.Array:
        mask = null_mask(rng, shape, n, nulls)
        ends = offsets(rng, shape, mask)
        values = items(rng, inside(shape), int(ends[-1]), nulls)
        index = pa.int32() if kind is pa.ListArray else pa.int64()
        return kind.from_arrays(pa.array(ends, index), values, mask=pa.array(mask))

    return make


def large_lists(items: Maker) -> Maker:
    return lists(items, pa.Int64Array)


def fixed_lists(items: Maker, size: int) -> Maker:
    def make(rng: Rng, shape: str, n: int, nulls: float) -> pa.Array:
        values = items(rng, inside(shape), n * size, nulls)
        return pa.FixedSizeListArray.from_arrays(values, size, mask=pa.array(null_mask(rng, shape, n, nulls)))

    return make


def structs(**fields: Maker) -> Maker:
    def make(rng: Rng, shape: str, n: int, nulls: float) -> pa.Array:
        arrays = [field(rng, shape, n, nulls) for field in fields.values()]
        mask = null_mask(rng, shape, n, nulls)
        if not fields:
            return pa.array([None if null else {} for null in mask], pa.struct([]))
        # Without names of its own, a field that holds no null would be marked as one that cannot.
        kinds = [pa.field(name, array.type) for name, array in zip(fields, arrays, strict=True)]
        return pa.StructArray.from_arrays(arrays, fields=kinds, mask=pa.array(mask))

    return make


def full_structs(**fields: Maker) -> Maker:
    """Structs that are never null themselves: file version 2.0 has no others."""

    def make(rng: Rng, shape: str, n: int, nulls: float) -> pa.Array:
        arrays = [field(rng, shape, n, nulls) for field in fields.values()]
        kinds = [pa.field(name, array.type) for name, array in zip(fields, arrays, strict=True)]
        return pa.StructArray.from_arrays(arrays, fields=kinds)

    return make


def maps(keys: Maker, values: Maker) -> Maker:
    """Keys are as different as their maker makes them: none is null, but some occur twice."""

    def make(rng: Rng, shape: str, n: int, nulls: float) -> pa.Array:
        mask = null_mask(rng, shape, n, nulls)
        ends = offsets(rng, shape, mask)
        arrays = [maker(rng, inside(shape), int(ends[-1]), share) for maker, share in ((keys, 0.0), (values, nulls))]
        return pa.MapArray.from_arrays(pa.array(ends, pa.int32()), *arrays, mask=pa.array(mask))

    return make


def bfloat16(rng: Rng, shape: str, n: int, nulls: float) -> pa.Array:
    values = FLAT["float"](rng, shape, n, nulls)
    bits = np.frombuffer(values.buffers()[1], "u4")[:n]
    # The upper half of a float, but for NaNs that this would make infinite or silence.
    halves = np.where(np.isnan(bits.view("f4")), 0x7FC0, bits >> 16).astype("<u2")
    mask = values.is_null().to_numpy(zero_copy_only=False)
    storage = pa.array([half.tobytes() for half in halves], pa.binary(2), mask=mask)
    return pa.ExtensionArray.from_storage(BFloat16Type(), storage)


def dictionaries(values: pa.DataType, index: pa.DataType) -> Maker:
    def make(rng: Rng, shape: str, n: int, nulls: float) -> pa.Array:
        return dictionary(values, index, n, 1.0 if shape == "all_null" else nulls, seed=int(rng.integers(1 << 30)))

    return make


def extension(kind: pa.BaseExtensionType, storage: Maker) -> Maker:
    return lambda rng, shape, n, nulls: pa.ExtensionArray.from_storage(kind, storage(rng, shape, n, nulls))


def zoned(zone: str) -> Maker:
    return flat(pa.timestamp("us", zone), COLUMNS["timestamp"][1])


TEXTS = {"string", "binary", "large_string", "large_binary", "json"}
#: Those of generate.py that others of the matrix stand for, at less cost.
LEFT_OUT = {"long_string", "bools1000"}
FLAT: dict[str, Maker] = {
    name: (texts if name in TEXTS else flat)(kind, make)
    for name, (kind, make) in (COLUMNS | FOREIGN).items()
    if name not in LEFT_OUT
}
INT, TEXT, FLOAT = FLAT["int32"], FLAT["string"], FLAT["float"]

PACKED = {"lance-encoding:packed": "true"}


def packed_items(make: Maker) -> Maker:
    def packed(rng: Rng, shape: str, n: int, nulls: float) -> pa.Array:
        array = make(rng, shape, n, nulls)
        return array.cast(pa.list_(array.type.value_field.with_metadata(PACKED)))

    return packed


NESTED: dict[str, Maker] = {
    "struct": structs(a=INT, b=TEXT, c=FLAT["double"]),
    "packed_struct": structs(a=INT, b=FLAT["double"]),
    "packed_struct_of_texts": structs(a=INT, b=TEXT),
    "full_packed_struct": full_structs(a=FLAT["int8"], b=FLAT["int64"]),
    "list_of_packed_structs": packed_items(lists(full_structs(a=INT, b=FLOAT))),
    "full_struct": full_structs(a=INT, b=TEXT, c=full_structs(d=FLAT["double"], e=lists(FLAT["int64"]))),
    "struct_of_one": structs(a=FLAT["bool"]),
    "struct_of_nothing": structs(),
    "struct_of_structs": structs(a=structs(b=INT, c=structs(d=TEXT)), e=FLAT["decimal18"]),
    "struct_of_lists": structs(a=lists(INT), b=lists(TEXT), c=FLAT["vector4"]),
    "struct_of_maps": structs(a=maps(TEXT, INT)),
    "struct_of_foreign": structs(a=FLAT["uint64"], b=FLAT["half"], c=FLAT["time_ns"], d=FLAT["fixed3"], e=FLAT["json"]),
    **{f"list_of_{name}": lists(FLAT[name]) for name in ("bool", "int8", "int64", "float", "string", "binary")},
    **{f"list_of_{name}": lists(FLAT[name]) for name in ("decimal38", "date", "timestamp_ns", "uint64", "fixed3")},
    "list_of_half": lists(FLAT["half"]),
    "list_of_null": lists(FLAT["null"]),
    "list_of_vectors": lists(FLAT["vector4"]),
    "list_of_long_vectors": lists(FLAT["vector100"]),
    "list_of_lists": lists(lists(INT)),
    "list_of_lists_of_lists": lists(lists(lists(TEXT))),
    "list_of_structs": lists(structs(a=INT, b=TEXT)),
    "list_of_full_structs": lists(full_structs(a=INT, b=lists(TEXT))),
    "list_of_structs_of_lists": lists(structs(a=lists(structs(b=INT)), c=TEXT)),
    "list_of_maps": lists(maps(TEXT, INT)),
    "list_of_dictionary": lists(dictionaries(pa.string(), pa.int8())),
    "large_list_of_int32": large_lists(INT),
    "large_list_of_string": large_lists(TEXT),
    "large_list_of_structs": large_lists(structs(a=FLAT["large_string"], b=FLAT["uint16"])),
    "map_string_int32": maps(TEXT, INT),
    "map_int32_string": maps(INT, TEXT),
    "map_of_structs": maps(TEXT, structs(a=INT, b=lists(FLOAT))),
    "map_of_lists": maps(FLAT["int64"], lists(TEXT)),
    "map_of_maps": maps(TEXT, maps(TEXT, FLAT["double"])),
    "fixed_list_of_bools": fixed_lists(FLAT["bool"], 100),
    "fixed_list_of_structs": fixed_lists(structs(a=INT, b=FLAT["double"]), 2),
    "fixed_list_of_strings": fixed_lists(TEXT, 2),
    "fixed_list_of_lists": fixed_lists(lists(INT), 2),
}

#: Types of Arrow that are others with a name, and those that Lance has no equal of.
NAMED: dict[str, Maker] = {
    "bfloat16": bfloat16,
    "bfloat16_vectors": fixed_lists(bfloat16, 4),
    "uuid": extension(pa.uuid(), FLAT["fixed16"]),
    "bool8": extension(pa.bool8(), FLAT["int8"]),
    "opaque": extension(pa.opaque(pa.binary(), "thing", "nobody"), FLAT["binary"]),
    "tensor": extension(pa.fixed_shape_tensor(pa.float32(), [2, 2]), fixed_lists(FLOAT, 4)),
    "string_view": texts(pa.string_view(), strings),
    "binary_view": texts(pa.binary_view(), COLUMNS["binary"][1]),
    "decimal_negative_scale": flat(
        pa.decimal128(9, -2), lambda rng, shape, n: [decimal.Decimal(int(i)) * 100 for i in rng.integers(0, 999, n)]
    ),
    "interval": flat(
        pa.month_day_nano_interval(), lambda rng, shape, n: [(1, int(i), 5) for i in rng.integers(0, 9, n)]
    ),
    "list_view": lambda rng, shape, n, nulls: pa.array([[i] for i in range(n)], pa.list_view(pa.int64())),
    "union": lambda rng, shape, n, nulls: pa.UnionArray.from_sparse(
        pa.array(np.arange(n) % 2, pa.int8()), [INT(rng, shape, n, nulls), TEXT(rng, shape, n, nulls)]
    ),
    "run_end_encoded": lambda *how: pa.RunEndEncodedArray.from_arrays(
        pa.array(np.arange(1, how[2] + 1), pa.int32()), INT(*how)
    ),
}

TYPES: dict[str, Maker] = (
    FLAT
    | {"timestamp_berlin": zoned("Europe/Berlin"), "timestamp_offset": zoned("+01:30")}
    | {f"dictionary_{index}": dictionaries(pa.string(), index) for index in INDICES}
    | {f"dictionary_of_{name}": dictionaries(kind, pa.int16()) for name, kind in DICTIONARIES.items()}
    | NESTED
    | NAMED
)

#: What the schema says of columns of some types.
METADATA = {name: PACKED for name in ("packed_struct", "packed_struct_of_texts", "full_packed_struct")}
