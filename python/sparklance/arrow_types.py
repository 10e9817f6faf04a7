"""Types of Arrow as types of Spark, with the metadata that make Lance's types of these (docs/options.md)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import DataType, StructField, StructType

_SIZE, _TYPE, _HALF = "arrow.fixed-size-list.size", "arrow.type", "arrow.float16"
_NAME, _MORE = "ARROW:extension:name", "ARROW:extension:metadata"

#: Lance's names of types that have others in Arrow
_NAMES = {"bool": "bool", "date32[day]": "date32:day", "date64[ms]": "date64:ms"}


def spark_schema(schema: pa.Schema) -> StructType:
    """Returns Spark's types of Arrow's, with the metadata of types that Spark lacks."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    shown = from_arrow_schema(pa.schema([field.with_type(plain(field.type)) for field in schema]))
    return StructType([_described(*pair) for pair in zip(schema, shown, strict=True)])


def lance_name(arrow: pa.DataType) -> str:
    """Returns Lance's name of a flat type, or of vectors of one."""
    import pyarrow.types as types

    if types.is_decimal(arrow):
        return f"decimal:{arrow.bit_width}:{arrow.precision}:{arrow.scale}"
    if types.is_timestamp(arrow):
        return f"timestamp:{arrow.unit}:{arrow.tz or '-'}"
    if types.is_time(arrow):
        return f"time{arrow.bit_width}:{arrow.unit}"
    if types.is_duration(arrow):
        return f"duration:{arrow.unit}"
    if types.is_fixed_size_binary(arrow):
        return f"fixed_size_binary:{arrow.byte_width}"
    if types.is_fixed_size_list(arrow):
        return f"fixed_size_list:{lance_name(arrow.value_type)}:{arrow.list_size}"
    return _NAMES.get(str(arrow), str(arrow))


def plain(arrow: pa.DataType) -> pa.DataType:
    """Returns the type in which all releases of PySpark take the values; those that it lacks are as they are."""
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(arrow, pa.BaseExtensionType):
        return plain(arrow.storage_type)
    if types.is_dictionary(arrow) or types.is_run_end_encoded(arrow):
        return plain(arrow.value_type)
    if types.is_fixed_size_list(arrow) or types.is_list(arrow):
        return pa.list_(arrow.value_field.with_type(plain(arrow.value_type)))
    if types.is_large_list(arrow):
        return pa.large_list(arrow.value_field.with_type(plain(arrow.value_type)))
    if types.is_struct(arrow):
        return pa.struct([field.with_type(plain(field.type)) for field in arrow])
    if types.is_map(arrow):
        key, item = arrow.key_field, arrow.item_field
        return pa.map_(key.with_type(plain(key.type)), item.with_type(plain(item.type)), arrow.keys_sorted)
    return _flat(arrow)


def _flat(arrow: pa.DataType) -> pa.DataType:
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_timestamp(arrow):
        return pa.timestamp("us", arrow.tz)
    if types.is_duration(arrow):
        return pa.duration("us")
    if types.is_time(arrow):
        return pa.time64("ns")
    if types.is_decimal(arrow) and arrow.bit_width != 128 and 0 <= arrow.scale <= 38:
        return pa.decimal128(min(38, arrow.precision), arrow.scale)
    if types.is_fixed_size_binary(arrow):
        return pa.binary()
    others = {
        "halffloat": pa.float32(),
        "uint8": pa.int16(),
        "uint16": pa.int32(),
        "uint32": pa.int64(),
        "uint64": pa.decimal128(20, 0),
        "date64[ms]": pa.date32(),
        "string_view": pa.string(),
        "binary_view": pa.binary(),
    }
    return others.get(str(arrow), arrow)


def _described(arrow: pa.Field, shown: StructField) -> StructField:
    from pyspark.sql.types import StructField

    own = {key.decode(): value.decode() for key, value in (arrow.metadata or {}).items()}
    metadata = {**own, **(shown.metadata or {}), **_of_type(arrow.type)}
    return StructField(shown.name, _nested(arrow.type, shown.dataType), shown.nullable, metadata)


def _nested(arrow: pa.DataType, shown: DataType) -> DataType:
    """Returns Spark's type with metadata at the fields of its structs."""
    import pyarrow as pa
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(arrow, pa.BaseExtensionType):
        return _nested(arrow.storage_type, shown)
    match shown:
        case StructType():
            return StructType([_described(*pair) for pair in zip(arrow, shown, strict=True)])
        case ArrayType():
            return ArrayType(_nested(arrow.value_type, shown.elementType), shown.containsNull)
        case MapType():
            key, value = _nested(arrow.key_type, shown.keyType), _nested(arrow.item_type, shown.valueType)
            return MapType(key, value, shown.valueContainsNull)
    return shown


def _of_type(arrow: pa.DataType, path: str = "") -> dict[str, Any]:
    """Returns the metadata that make Lance's type of Spark's; parts of lists and maps are named by their path."""
    import pyarrow as pa
    import pyarrow.types as types

    if isinstance(arrow, pa.BaseExtensionType):
        said = {path + _NAME: arrow.extension_name, path + _MORE: _extension_metadata(arrow)}
        return said if arrow.extension_name == "arrow.json" else {**said, **_of_type(arrow.storage_type, path)}
    if types.is_float16(arrow):
        return {path + _HALF: "true"}
    if types.is_fixed_size_list(arrow) and _is_of_one_width(arrow.value_type):
        item = arrow.value_type
        # The settings of floats are those of their vector.
        inside = _of_type(item, path if types.is_float16(item) else f"{path}item.")
        return {path + _SIZE: arrow.list_size, **inside}
    if isinstance(plain(arrow), pa.ListType | pa.LargeListType):
        return _of_type(arrow.value_type, f"{path}item.")
    if types.is_map(arrow):
        return {**_of_type(arrow.key_type, f"{path}key."), **_of_type(arrow.item_type, f"{path}value.")}
    return {path + _TYPE: lance_name(arrow)} if _is_narrower(arrow) else {}


def _is_narrower(arrow: pa.DataType) -> bool:
    """Whether Spark stands for the type, and would store it as another one."""
    import pyarrow.types as types

    if types.is_timestamp(arrow):
        return bool(arrow.unit != "us" or arrow.tz not in (None, "UTC"))
    if types.is_decimal(arrow):
        return bool(arrow.bit_width == 256)
    if types.is_duration(arrow):
        return bool(arrow.unit != "us")
    others = types.is_unsigned_integer, types.is_date64, types.is_fixed_size_binary
    return any(holds(arrow) for holds in others) or types.is_large_string(arrow) or types.is_large_binary(arrow)


def _is_of_one_width(arrow: pa.DataType) -> bool:
    """Whether Lance has fixed-size lists of such items; others stay lists."""
    import pyarrow.types as types

    if types.is_fixed_size_list(arrow):
        return _is_of_one_width(arrow.value_type)
    flat = types.is_boolean, types.is_integer, types.is_floating, types.is_decimal, types.is_temporal
    return any(holds(arrow) for holds in flat)


def _extension_metadata(arrow: pa.BaseExtensionType) -> str:
    if own := getattr(arrow, "__arrow_ext_serialize__", None):
        return str(own().decode())
    said = {key: getattr(arrow, key, None) for key in ("shape", "dim_names", "permutation")}
    given = {key: list(value) for key, value in said.items() if value is not None}
    return json.dumps(given) if given else ""
