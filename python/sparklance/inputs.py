"""Data of Python as DataFrames. Vectors stay vectors, which Spark's own types do not tell from lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from sparklance.arrow_types import plain, spark_schema
from sparklance.errors import LanceUsageException

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

#: A DataFrame, Arrow's table, batch or reader, another object with Arrow's stream (polars), a pandas frame, or columns
#: by their names.
Data: TypeAlias = "DataFrame | pa.Table | pa.RecordBatch | pa.RecordBatchReader | pd.DataFrame | Mapping[str, Any]"


def frame(spark: SparkSession | None, data: Data) -> DataFrame:
    """Returns the data as a DataFrame whose columns have the metadata that keep types of Arrow, such as vectors.

    Vectors are columns of Arrow's `fixed_size_list`, numpy arrays of two dimensions, and columns whose values are numpy
    arrays of floats, all of the same length. Without a session, the active one makes the DataFrame.
    """
    if hasattr(data, "write"):
        return cast("DataFrame", data)
    if spark is None:
        from pyspark.sql import SparkSession

        return frame(SparkSession.active(), data)
    if _is_pandas(data):
        columns = cast("pd.DataFrame", data)
        names = [str(name) for name in columns.columns]
        return _of_arrow(spark, _table(names, [columns.iloc[:, place] for place in range(len(names))]))
    if isinstance(data, Mapping):
        return _of_arrow(spark, _table([str(name) for name in data], list(data.values())))
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        import pyarrow as pa

        return _of_arrow(spark, pa.table(cast("Any", data)))
    return spark.createDataFrame(cast("Any", data))


def _is_pandas(data: Any) -> bool:
    # pandas need not be there.
    return any(kind.__module__.startswith("pandas.") and kind.__name__ == "DataFrame" for kind in type(data).__mro__)


def _of_arrow(spark: SparkSession, given: pa.Table) -> DataFrame:
    import pyarrow as pa

    table = given
    for place, field in enumerate(given.schema):
        if "lance.bfloat16" in (_extension(field.type), _extension(getattr(field.type, "value_type", None))):
            metadata = {**(field.metadata or {}), "arrow.bfloat16": "true"}
            floats = _of_bfloat16(given.column(place))
            table = table.set_column(place, pa.field(field.name, floats.type, metadata=metadata), floats)
    _refuse_times(spark, table.schema)
    with _naming_types(table.schema):
        schema = spark_schema(table.schema)
    if table.num_rows == 0:
        # PySpark fails on lists without rows.
        return spark.createDataFrame([], schema)
    fields = [field.with_type(plain(field.type)) for field in table.schema]
    columns = [_cast(*pair) for pair in zip(table.columns, fields, strict=True)]
    rows = spark.createDataFrame(_unsliced(pa.Table.from_arrays(columns, schema=pa.schema(fields))))
    return rows if schema == rows.schema else rows.to(schema)


def _extension(arrow: pa.DataType | None) -> str | None:
    return getattr(arrow, "extension_name", None)


@contextmanager
def _naming_types(schema: pa.Schema) -> Iterator[None]:
    """Names the first column of a type that Spark lacks."""
    import pyarrow as pa
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, TypeError, ValueError) as error:
        for field in schema:
            try:
                spark_schema(pa.schema([field]))
            except (PySparkException, TypeError, ValueError):
                raise LanceUsageException(
                    f"Column '{field.name}' has the type {field.type} of Arrow, which Spark does not have. Cast it to "
                    "another type, or leave it out."
                ) from error
        raise


def _refuse_times(spark: SparkSession, schema: pa.Schema) -> None:
    """Refuses times of day where the session has no TIME."""
    times = [field.name for field in schema if "time64" in str(plain(field.type))]
    if times and spark.conf.get("spark.sql.timeType.enabled", "false") != "true":
        raise LanceUsageException(
            f"Column '{times[0]}' has times of day, which this session does not take. Set spark.sql.timeType.enabled "
            "to true (Spark 4.1 and later), or cast them to int64."
        )


def _cast(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    if column.type == field.type:
        return column
    import pyarrow as pa

    try:
        return _decoded(column).cast(field.type)
    except pa.ArrowException as error:
        raise LanceUsageException(
            f"Column '{field.name}' of type {column.type} cannot be passed to Spark as {field.type}: {error}. Change "
            "such values first, for example by rounding times to microseconds."
        ) from error


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns a column of encodings that Arrow does not cast, as polars writes categories, with plain ones."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_run_end_encoded(column.type):
        return pc.run_end_decode(column)
    if not types.is_dictionary(column.type):
        return column
    value = plain(column.type.value_type)
    chunks = [pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(value)) for chunk in column.chunks]
    return pa.chunked_array(chunks, pa.dictionary(column.type.index_type, value))


def _of_bfloat16(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Returns 16-bit floats of pylance's type, or vectors of these, with 32-bit floats."""
    import numpy as np
    import pyarrow as pa

    def floats(array: pa.Array) -> pa.Array:
        if pa.types.is_fixed_size_list(array.type):
            size = array.type.list_size
            items = floats(array.values.slice(array.offset * size, len(array) * size))
            return pa.FixedSizeListArray.from_arrays(items, size, mask=array.is_null())
        stored = array.storage
        bits = np.frombuffer(stored.buffers()[1], np.uint16)[stored.offset : stored.offset + len(stored)]
        nulls = array.is_null().to_numpy(zero_copy_only=False)
        return pa.array((bits.astype(np.uint32) << 16).view(np.float32), mask=nulls)

    chunks = [floats(chunk) for chunk in column.chunks]
    empty = pa.list_(pa.float32(), column.type.list_size) if hasattr(column.type, "list_size") else pa.float32()
    return pa.chunked_array(chunks, chunks[0].type if chunks else empty)


def _unsliced(table: pa.Table) -> pa.Table:
    """Returns a copy of a table that is a slice of another one: PySpark fails on slices of lists with nulls."""
    import pyarrow as pa

    if not any(chunk.offset for column in table.columns for chunk in column.chunks):
        return table
    return table.take(pa.array(range(table.num_rows), pa.int64()))


def _table(names: list[str], columns: list[Any]) -> pa.Table:
    import pyarrow as pa

    arrays = []
    for name, values in zip(names, columns, strict=True):
        try:
            arrays.append(_column(values))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise LanceUsageException(
                f"Column '{name}' cannot be read: {error}. Give a list or array of values of one type, such as an "
                "array of pyarrow."
            ) from error
    sizes = {name: len(array) for name, array in zip(names, arrays, strict=True)}
    if len(set(sizes.values())) > 1:
        raise LanceUsageException(f"Columns must have the same number of values; these have {sizes}.")
    return pa.Table.from_arrays(arrays, names=names)


def _column(values: Any) -> Any:
    """Returns a column's values for Arrow; an array of more than one dimension as vectors."""
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise TypeError(f"it is a single value of type {type(values).__name__}")
    dtype = getattr(values, "dtype", None)
    if type(dtype).__name__ == "SparseDtype":
        return _column(values.sparse.to_dense())
    if not hasattr(values, "iloc") and hasattr(values, "__array__"):
        return _of_numpy(values)
    vectors = _arrays(values) if str(dtype) == "object" or isinstance(values, list | tuple) else None
    return pa.array(values, from_pandas=hasattr(values, "iloc")) if vectors is None else vectors


def _of_numpy(values: Any) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    array = values if isinstance(values, np.ndarray) and not isinstance(values, np.matrix) else np.asarray(values)
    if array.dtype == object and array.ndim == 1:
        vectors = _arrays(array)
        return pa.array(array) if vectors is None else vectors
    if array.dtype.names and array.ndim == 1:
        return pa.StructArray.from_arrays([_of_numpy(array[name]) for name in array.dtype.names], array.dtype.names)
    if array.ndim == 0:
        raise TypeError("it is an array without a dimension")
    made = pa.array(array.reshape(-1).astype(array.dtype.newbyteorder("="), copy=False))
    for size in reversed(array.shape[1:]):
        made = pa.FixedSizeListArray.from_arrays(made, size)
    return made


def _arrays(values: Any) -> pa.Array | None:
    """Returns values that are all numpy arrays of floats, or missing, as lists; as vectors if all have one length."""
    import numpy as np
    import pyarrow as pa

    cells = [value if isinstance(value, np.ndarray) or not _is_missing(value) else None for value in values]
    arrays = [value for value in cells if value is not None]
    if not arrays or not all(isinstance(v, np.ndarray) and v.ndim == 1 and v.dtype.kind == "f" for v in arrays):
        return None
    item = np.result_type(*{array.dtype.newbyteorder("=") for array in arrays})
    sizes = {len(array) for array in arrays}
    size = sizes.pop() if len(sizes) == 1 and 0 not in sizes else -1
    same = [None if cell is None else cell.astype(item, copy=False) for cell in cells]
    return pa.array(same, pa.list_(pa.from_numpy_dtype(item), size))


def _is_missing(value: Any) -> bool:
    """Whether a cell of a pandas frame has no value; pandas also writes NaN for that."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )
