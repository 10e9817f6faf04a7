"""Bit-exact comparison of Arrow tables."""

import itertools
import struct

import numpy as np
import pyarrow as pa


def spark_type(kind: pa.DataType) -> pa.DataType:
    """The Arrow type in which Spark hands back a column that Lance stores as `kind`."""
    if pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind):
        return pa.list_(pa.field("element", spark_type(kind.value_type)))
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", tz=kind.tz)
    if pa.types.is_decimal256(kind):
        return pa.decimal128(min(kind.precision, 38), kind.scale)
    if pa.types.is_dictionary(kind):
        return spark_type(kind.value_type)
    if pa.types.is_duration(kind):
        return pa.duration("us")
    if pa.types.is_time(kind):
        return pa.int64()
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    wider = {
        pa.uint8(): pa.int16(),
        pa.uint16(): pa.int32(),
        pa.uint32(): pa.int64(),
        pa.uint64(): pa.decimal128(20, 0),
        pa.large_string(): pa.string(),
        pa.string_view(): pa.string(),
        pa.large_binary(): pa.binary(),
        pa.float16(): pa.float32(),
        pa.date64(): pa.date32(),
        pa.json_(): pa.string(),
    }
    return wider.get(kind, kind)


def is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind)


def is_word(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind)


def as_spark(array: pa.Array) -> pa.Array:
    """The values in the type that Spark has for them, exactly: pyarrow refuses casts that lose something."""
    kind = array.type
    if is_list(kind) and pa.types.is_float16(kind.value_type):
        wide = pa.FixedSizeListArray.from_arrays(as_spark(array.values), kind.list_size, mask=array.is_null())
        return wide.cast(spark_type(kind))
    if is_list(kind) and not is_word(kind.value_type):
        return array
    if pa.types.is_float16(kind):
        # By numpy, which keeps what NaNs carry.
        wide = array.fill_null(0).to_numpy(zero_copy_only=False).astype("f4")
        return pa.array(wide, mask=array.is_null().to_numpy(zero_copy_only=False))
    if pa.types.is_time32(kind):
        return array.cast(pa.int32()).cast(pa.int64())
    if isinstance(kind, pa.BaseExtensionType):
        return array.storage.cast(spark_type(kind))
    return array.cast(spark_type(kind))


def frozen(value: object) -> object:
    """A value in a form in which a NaN equals itself, and -0.0 is not 0.0."""
    match value:
        case list():
            return [frozen(item) for item in value]
        case float() | np.float16():
            return struct.pack("<d", value)
        case _:
            return value


def bits(array: pa.Array) -> list[bytes | None] | np.ndarray:
    """The values of one column in a form in which equal means the same bits: NaN payloads and signed zeros count."""
    if is_list(array.type) and not is_word(array.type.value_type):
        return frozen(array.to_pylist())
    if is_list(array.type):
        return list(rows_of(array))
    if pa.types.is_floating(array.type):
        return array.fill_null(0).to_numpy(zero_copy_only=False).view(f"u{array.type.bit_width // 8}")
    return array.to_pylist()


def row_dtype(kind: pa.DataType) -> np.dtype:
    return np.dtype(kind.value_type.to_pandas_dtype())


def rows_of(array: pa.Array):
    """Of each row: the bits of its items, then which of them are null."""
    items = np.asarray(array.values.fill_null(0).to_numpy(zero_copy_only=False), row_dtype(array.type))
    known = array.values.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_fixed_size_list(array.type):
        size = array.type.list_size
        starts = range(array.offset * size, (array.offset + len(array)) * size, size)
        spans = [(start, start + size) for start in starts]
    else:
        spans = list(itertools.pairwise(array.offsets.to_numpy()))
    valid = array.is_valid().to_pylist()
    return (
        items[a:b].tobytes() + known[a:b].tobytes() if ok else None for (a, b), ok in zip(spans, valid, strict=True)
    )


def assert_same(expected: pa.Table, actual: pa.Table) -> None:
    """Fails naming the first column and row that differ."""
    assert actual.column_names == expected.column_names
    assert actual.num_rows == expected.num_rows
    for name in expected.column_names:
        left = expected[name].combine_chunks()
        right = actual[name].combine_chunks()
        nulls = left.is_null().to_numpy(zero_copy_only=False) != right.is_null().to_numpy(zero_copy_only=False)
        assert not nulls.any(), f"{name}: row {nulls.argmax()} is null on one side only"
        left_bits, right_bits = bits(as_spark(left)), bits(as_spark(right))
        if isinstance(left_bits, np.ndarray):
            different = left_bits != right_bits
            assert not different.any(), f"{name}: row {different.argmax()} differs"
        elif left_bits != right_bits:
            row = next(i for i, pair in enumerate(zip(left_bits, right_bits, strict=True)) if pair[0] != pair[1])
            raise AssertionError(f"{name}: row {row}: {left_bits[row]!r} expected, {right_bits[row]!r} found")
