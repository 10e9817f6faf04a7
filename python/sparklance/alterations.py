"""Changes of columns that write no values but those of a column which gets another type: docs/changing-columns.md."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from sparklance._procedures import call
from sparklance.arrow_types import lance_name, spark_schema

if TYPE_CHECKING:
    from typing import NotRequired

    import pyarrow as pa
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DataType, StructField, StructType
    from typing_extensions import TypeIs

    class AlterColumn(TypedDict):
        """A change of a column, given by its path: name, nullability, type."""

        path: str
        name: NotRequired[str]
        nullable: NotRequired[bool]
        data_type: NotRequired[pa.DataType | DataType | str]


#: Columns without values; for pylance it is one of Arrow.
Schema: TypeAlias = "StructType | StructField | Sequence[StructField] | pa.Schema"

_KEYS = ("path", "name", "nullable", "data_type")

_SPARK = {
    "boolean": "bool",
    "tinyint": "int8",
    "smallint": "int16",
    "int": "int32",
    "bigint": "int64",
    "date": "date32:day",
    "timestamp": "timestamp:us:UTC",
    "timestamp_ntz": "timestamp:us:-",
}


def is_schema(columns: object) -> "TypeIs[Schema]":
    """Whether they are columns without values."""
    from pyspark.sql.types import StructField, StructType

    match columns:
        case StructType() | StructField():
            return True
        case [*fields]:
            return bool(fields) and all(isinstance(field, StructField) for field in fields)
    return _is_arrow(columns)


def _is_arrow(columns: object) -> bool:
    # Arrow need not be there.
    return type(columns).__module__.startswith("pyarrow") and type(columns).__name__ == "Schema"


def add_null_columns(spark: "SparkSession", table: str, columns: "Schema") -> None:
    """Adds columns that are null in all rows, and writes no data."""
    call(spark, "add_null_columns", table=table, schema=_schema(columns).json())


def alter_columns(spark: "SparkSession", table: str, alterations: "Sequence[AlterColumn]") -> None:
    """Changes columns, all in one version."""
    call(spark, "alter_columns", table=table, alterations=json.dumps([_alteration(one) for one in alterations]))


def drop_columns(spark: "SparkSession", table: str, columns: Sequence[str]) -> None:
    """Takes columns, or fields in them, away."""
    call(spark, "drop_columns", table=table, columns=list(columns))


def _schema(columns: Any) -> "StructType":
    from pyspark.sql.types import StructField, StructType

    match columns:
        case StructType():
            return columns
        case StructField():
            return StructType([columns])
        case [*fields]:
            return StructType(fields)
    return spark_schema(columns)


def _alteration(one: Mapping[str, Any]) -> dict[str, Any]:
    unknown = [key for key in one if key not in _KEYS]
    if unknown or "path" not in one:
        raise ValueError(
            f"{dict(one)!r} is not a change of a column: it needs 'path', and may have {', '.join(_KEYS[1:])}."
        )
    return {**one, "data_type": _type_name(one["data_type"])} if one.get("data_type") is not None else dict(one)


def _type_name(data_type: Any) -> str:
    """Lance's name of a type of Spark's or Arrow's; texts are such names, or those that Spark has in SQL."""
    from pyspark.sql.types import DataType, DecimalType

    if isinstance(data_type, DecimalType):
        return f"decimal:128:{data_type.precision}:{data_type.scale}"
    if isinstance(data_type, DataType):
        return _SPARK.get(data_type.simpleString(), data_type.simpleString())
    if isinstance(data_type, str):
        return _SPARK.get(data_type.lower(), data_type)
    return lance_name(data_type)
