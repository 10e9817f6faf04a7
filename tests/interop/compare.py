"""Bit-exact comparison of Arrow tables: what Lance stores against what Spark, or another release, makes of it."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: Flat types that Spark shows as wider ones.
WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
    pa.date64(): pa.date32(),
}


def spark_type(kind: pa.DataType) -> pa.DataType:
    """The Arrow type in which Spark hands back a flat column that Lance stores as `kind`."""
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", tz=kind.tz)
    if pa.types.is_decimal(kind):
        return pa.decimal128(min(kind.precision - min(kind.scale, 0), 38), max(kind.scale, 0))
    if pa.types.is_duration(kind):
        return pa.duration("us")
    if pa.types.is_time(kind):
        return pa.int64()
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    return WIDER.get(kind, kind)


def is_list(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list))


def wide_floats(bits: np.ndarray, nulls: np.ndarray) -> pa.Array:
    return pa.array(bits.view("f4"), mask=nulls)


def as_spark(array: pa.Array) -> pa.Array:
    """Flat values in the type that Spark has for them, exactly: pyarrow refuses casts that lose something."""
    kind, nulls = array.type, array.is_null().to_numpy(zero_copy_only=False)
    if getattr(kind, "extension_name", "") == "lance.bfloat16":
        halves = np.frombuffer(b"".join(value or b"\0\0" for value in array.storage.to_pylist()), "<u2")
        return wide_floats(halves.astype("u4") << 16, nulls)
    if isinstance(kind, pa.BaseExtensionType):
        return as_spark(array.storage)
    if pa.types.is_float16(kind):
        # By numpy, which keeps what NaNs carry.
        return wide_floats(array.fill_null(0).to_numpy(zero_copy_only=False).astype("f4").view("u4"), nulls)
    if pa.types.is_time32(kind):
        return array.cast(pa.int32()).cast(pa.int64())
    return array.cast(spark_type(kind))


def words(array: pa.Array) -> np.ndarray:
    """The bits of fixed-width values, 0 for nulls: NaN payloads and signed zeros count."""
    kind = array.type
    if pa.types.is_temporal(kind):
        array = array.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    return array.fill_null(0).to_numpy(zero_copy_only=False).view(f"u{kind.bit_width // 8}")


def has_words(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)


def differ(expected: pa.Array, actual: pa.Array) -> np.ndarray:
    """Compares two flat arrays with equal nulls value by value: whether they differ."""
    if has_words(expected.type):
        return words(expected) != words(actual)
    return pc.fill_null(pc.not_equal(expected, actual), False).to_numpy(zero_copy_only=False)


def without_zone(kind: pa.DataType) -> pa.DataType:
    """Spark has one type for the timestamps of all zones."""
    return pa.timestamp(kind.unit, "UTC") if pa.types.is_timestamp(kind) and kind.tz else kind


def flat_difference(expected: pa.Array, actual: pa.Array, place: str) -> str | None:
    if pa.types.is_null(expected.type):
        return None
    expected, actual = as_spark(expected), as_spark(actual)
    if without_zone(expected.type) != without_zone(actual.type):
        return f"{place}: {expected.type} expected, {actual.type} found"
    different = differ(expected, actual)
    if not different.any():
        return None
    row = int(different.argmax())
    return f"{place}: row {row}: {expected[row].as_py()!r} expected, {actual[row].as_py()!r} found"


def lengths(array: pa.Array) -> np.ndarray:
    """Lengths of lists and maps; 0 for nulls."""
    if pa.types.is_fixed_size_list(array.type):
        sizes = np.full(len(array), array.type.list_size)
    else:
        sizes = np.diff(array.offsets.to_numpy())
    return np.where(array.is_null().to_numpy(zero_copy_only=False), 0, sizes)


def parts(array: pa.Array) -> list[tuple[str, pa.Array]]:
    """The arrays just below a nested one, without what null structs and lists hide."""
    kind = array.type
    if pa.types.is_struct(kind):
        return [(f".{field.name}", part) for field, part in zip(kind, array.flatten(), strict=True)]
    if pa.types.is_map(kind):
        array = array.filter(array.is_valid())
        inside = slice(array.offsets[0].as_py(), array.offsets[-1].as_py()) if len(array) else slice(0, 0)
        return [(".key", array.keys[inside]), (".value", array.items[inside])]
    return [("[]", array.flatten())]


def plain(array: pa.Array) -> pa.Array:
    """A nested array without the wrapping of dictionaries and extensions."""
    if pa.types.is_dictionary(array.type):
        return array.dictionary_decode()
    if isinstance(array.type, pa.BaseExtensionType) and pa.types.is_nested(array.type.storage_type):
        return array.storage
    return array


def difference(expected: pa.Array, actual: pa.Array, place: str) -> str | None:
    """The first value that differs, in words."""
    expected, actual = plain(expected), plain(actual)
    nulls = expected.is_null().to_numpy(zero_copy_only=False) != actual.is_null().to_numpy(zero_copy_only=False)
    if nulls.any():
        return f"{place}: row {nulls.argmax()} is null on one side only"
    kind = expected.type
    if not (pa.types.is_struct(kind) or pa.types.is_map(kind) or is_list(kind)):
        return flat_difference(expected, actual, place)
    if not pa.types.is_struct(kind):
        different = lengths(expected) != lengths(actual)
        if different.any():
            return f"{place}: row {different.argmax()} differs in length"
    left, right = parts(expected), parts(actual)
    if [name for name, _ in left] != [name for name, _ in right]:
        return f"{place}: {kind} expected, {actual.type} found"
    found = (difference(a, b, place + name) for (name, a), (_, b) in zip(left, right, strict=True))
    return next(filter(None, found), None)


def whole(column: pa.ChunkedArray) -> pa.Array:
    """All chunks in one. pyarrow takes halves for integers when it puts their dictionaries together."""
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)
    return column.combine_chunks()


def column_difference(expected: pa.Table, actual: pa.Table, name: str) -> str | None:
    left, right = expected[name], actual[name]
    if len(left) != len(right):
        return f"{name}: {len(left)} rows expected, {len(right)} found"
    return difference(whole(left), whole(right), name) if len(left) else None


def assert_same(expected: pa.Table, actual: pa.Table) -> None:
    """Fails naming the first column and row that differ."""
    assert actual.column_names == expected.column_names
    assert actual.num_rows == expected.num_rows
    for name in expected.column_names:
        found = column_difference(expected, actual, name)
        assert found is None, found
