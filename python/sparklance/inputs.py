"""Data of Python as DataFrames. Vectors stay vectors, which Spark's own types do not tell from lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from sparklance._identifiers import quoted

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructField, StructType

#: A DataFrame, Arrow's table, batch or reader, another object with Arrow's stream (polars), a pandas frame, or columns
#: by their names.
Data: TypeAlias = "DataFrame | pa.Table | pa.RecordBatch | pa.RecordBatchReader | pd.DataFrame | Mapping[str, Any]"

_SIZE, _HALF = "arrow.fixed-size-list.size", "arrow.float16"


def frame(spark: SparkSession | None, data: Data) -> DataFrame:
    """Returns the data as a DataFrame whose columns have the metadata that make vectors of them.

    Vectors are columns of Arrow's `fixed_size_list`, numpy arrays of two dimensions, and columns whose values are numpy
    arrays of floats, all of the same length. Without a session, the active one makes the DataFrame.
    """
    if hasattr(data, "write"):
        return cast("DataFrame", data)
    if spark is None:
        from pyspark.sql import SparkSession

        return frame(SparkSession.active(), data)
    if type(data).__module__.startswith("pandas."):
        return _of_pandas(spark, cast("pd.DataFrame", data))
    if isinstance(data, Mapping) or hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        import pyarrow as pa

        columns: Any = {name: _column(values) for name, values in data.items()} if isinstance(data, Mapping) else data
        return _of_arrow(spark, pa.table(columns))
    return spark.createDataFrame(cast("Any", data))


def spark_schema(schema: pa.Schema) -> StructType:
    """Returns Spark's types of Arrow's, with the metadata of types that Spark lacks."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType

    shown = from_arrow_schema(pa.schema([field.with_type(_plain(field.type)) for field in schema]))
    return StructType([_described(*pair) for pair in zip(schema, shown, strict=True)])


def _of_arrow(spark: SparkSession, table: pa.Table) -> DataFrame:
    import pyarrow as pa

    schema = spark_schema(table.schema)
    plain = pa.schema([field.with_type(_plain(field.type)) for field in table.schema])
    if table.num_rows == 0:
        # PySpark fails on lists without rows.
        return spark.createDataFrame([], schema)
    rows = spark.createDataFrame(_unsliced(table if plain == table.schema else table.cast(plain)))
    return rows if schema == rows.schema else rows.to(schema)


def _unsliced(table: pa.Table) -> pa.Table:
    """Returns a copy of a table that is a slice of another one: PySpark fails on slices of lists with nulls."""
    import pyarrow as pa

    if not any(chunk.offset for column in table.columns for chunk in column.chunks):
        return table
    return table.take(pa.array(range(table.num_rows), pa.int64()))


def _of_pandas(spark: SparkSession, data: pd.DataFrame) -> DataFrame:
    """Has Spark read arrays as lists, which all releases do, and gives them their types afterwards."""
    found = {place: column for place in range(data.shape[1]) if (column := _of_series(data.iloc[:, place])) is not None}
    if not found:
        return spark.createDataFrame(data)
    lists = data.copy(deep=False)
    for place, column in found.items():
        lists.isetitem(place, column.lists)
    rows = spark.createDataFrame(lists)
    for place, column in found.items():
        name = rows.columns[place]
        rows = rows.withColumn(name, rows[quoted(name)].cast(column.type)).withMetadata(name, column.metadata)
    return rows


class _Lists(NamedTuple):
    """Values of a column of a pandas frame as lists, with the type and the metadata that they have in Spark."""

    lists: list[list[float] | None]
    type: DataType
    metadata: dict[str, Any]


def _of_series(values: pd.Series[Any]) -> _Lists | None:
    """Returns a column of vectors, or of arrays of floats of any length, as lists; None for any other column."""
    import numpy as np

    if (arrow := getattr(values.dtype, "pyarrow_dtype", None)) is not None:
        if not (metadata := _of_type(arrow)):
            return None
        import pyarrow as pa

        field = spark_schema(pa.schema([pa.field("values", arrow)]))[0]
        return _Lists(pa.array(values).to_pylist(), field.dataType, metadata)
    if values.dtype != object:
        return None
    cells = [value if isinstance(value, np.ndarray) or not _is_missing(value) else None for value in values]
    arrays = [value for value in cells if value is not None]
    if not arrays or not all(isinstance(v, np.ndarray) and v.ndim == 1 and v.dtype.kind == "f" for v in arrays):
        return None
    from pyspark.sql.types import ArrayType, DoubleType, FloatType

    wide = any(array.dtype.itemsize > 4 for array in arrays)
    half = {_HALF: "true"} if all(array.dtype.itemsize == 2 for array in arrays) else {}
    size = _common_length(cells)
    return _Lists(
        [None if value is None else value.tolist() for value in cells],
        ArrayType(DoubleType() if wide else FloatType()),
        {} if size is None else {_SIZE: size, **half},
    )


def _is_missing(value: Any) -> bool:
    """Whether a cell of a pandas frame has no value; pandas also writes NaN for that."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _common_length(values: Any) -> int | None:
    """Returns the length of values that are all numpy arrays of floats of one length, or None; some may be missing."""
    import numpy as np

    sizes = set()
    for value in values:
        if isinstance(value, np.ndarray):
            if value.ndim != 1 or value.dtype.kind != "f":
                return None
            sizes.add(len(value))
        elif value is not None:
            return None
        if len(sizes) > 1:
            return None
    return max(sizes, default=0) or None


def _column(values: Any) -> Any:
    """Returns a column's values for Arrow; an array of more than one dimension as vectors."""
    import pyarrow as pa

    shape = getattr(values, "shape", ())
    if len(shape) > 1:
        made = pa.array(values.reshape(-1))
        for size in reversed(shape[1:]):
            made = pa.FixedSizeListArray.from_arrays(made, size)
        return made
    size = _common_length(values) if str(getattr(values, "dtype", "")) == "object" else None
    if size is None:
        return values
    return pa.array(values, pa.list_(pa.from_numpy_dtype(next(v for v in values if v is not None).dtype), size))


def _described(arrow: pa.Field, shown: StructField) -> StructField:
    from pyspark.sql.types import StructField

    own = {key.decode(): value.decode() for key, value in (arrow.metadata or {}).items()}
    metadata = {**own, **(shown.metadata or {}), **_of_type(arrow.type)}
    return StructField(shown.name, _nested(arrow.type, shown.dataType), shown.nullable, metadata)


def _nested(arrow: pa.DataType, shown: DataType) -> DataType:
    """Returns Spark's type with metadata at the fields of its structs."""
    from pyspark.sql.types import ArrayType, MapType, StructType

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
    import pyarrow.types as types

    if types.is_float16(arrow):
        return {path + _HALF: "true"}
    if types.is_fixed_size_list(arrow) and _is_of_one_width(arrow.value_type):
        item = arrow.value_type
        # The settings of floats are those of their vector.
        inside = _of_type(item, path if types.is_float16(item) else f"{path}item.")
        return {path + _SIZE: arrow.list_size, **inside}
    if types.is_list(arrow) or types.is_large_list(arrow) or types.is_fixed_size_list(arrow):
        return _of_type(arrow.value_type, f"{path}item.")
    if types.is_map(arrow):
        return {**_of_type(arrow.key_type, f"{path}key."), **_of_type(arrow.item_type, f"{path}value.")}
    return {}


def _is_of_one_width(arrow: pa.DataType) -> bool:
    """Whether Lance has fixed-size lists of such items; others stay lists."""
    import pyarrow.types as types

    if types.is_fixed_size_list(arrow):
        return _is_of_one_width(arrow.value_type)
    flat = types.is_boolean, types.is_integer, types.is_floating, types.is_decimal, types.is_temporal
    return any(holds(arrow) for holds in flat)


def _plain(arrow: pa.DataType) -> pa.DataType:
    """Returns the type with lists for fixed-size lists, and floats for half floats: not all releases read these."""
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_float16(arrow):
        return pa.float32()
    if types.is_fixed_size_list(arrow) or types.is_list(arrow):
        return pa.list_(arrow.value_field.with_type(_plain(arrow.value_type)))
    if types.is_large_list(arrow):
        return pa.large_list(arrow.value_field.with_type(_plain(arrow.value_type)))
    if types.is_struct(arrow):
        return pa.struct([field.with_type(_plain(field.type)) for field in arrow])
    if types.is_map(arrow):
        return pa.map_(arrow.key_field, arrow.item_field.with_type(_plain(arrow.item_type)), arrow.keys_sorted)
    return arrow
