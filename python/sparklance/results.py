"""Rows of DataFrames as Arrow's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType


def arrow_table(rows: DataFrame) -> pa.Table:
    """Returns the rows as a table of Arrow.

    PySpark's `toArrow` fails on a NULL of a struct that has a NOT NULL field, so such fields are nullable in the table.
    """
    from pyspark.sql.types import StructField, StructType

    fields = [StructField(f.name, _loosened(f.dataType, f.nullable), f.nullable, f.metadata) for f in rows.schema]
    schema = StructType(fields)
    return (rows if schema == rows.schema else rows.to(schema)).toArrow()


def _loosened(data_type: DataType, nullable: bool) -> DataType:
    """Returns the type with nullable fields wherever the struct around them may be NULL."""
    from pyspark.sql.types import ArrayType, MapType, StructField, StructType

    match data_type:
        case StructType():
            return StructType(
                [
                    StructField(
                        f.name, _loosened(f.dataType, nullable or f.nullable), nullable or f.nullable, f.metadata
                    )
                    for f in data_type
                ]
            )
        case ArrayType():
            return ArrayType(_loosened(data_type.elementType, data_type.containsNull), data_type.containsNull)
        case MapType():
            value = _loosened(data_type.valueType, data_type.valueContainsNull)
            return MapType(data_type.keyType, value, data_type.valueContainsNull)
    return data_type
