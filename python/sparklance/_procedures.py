"""Calls the stored procedures of the connector: classic or Connect, it is SQL."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparklance.errors import lance_errors

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


def call(spark: "SparkSession", procedure: str, **arguments: Any) -> "list[Row]":
    """The result of `CALL lance.system.<procedure>(…)`. Arguments that are None are left out."""
    given = {name: _literal(value) for name, value in arguments.items() if value is not None}
    named = ", ".join(f"{name} => :{name}" for name in given)
    with lance_errors():
        return spark.sql(f"CALL lance.system.{procedure}({named})", args=given).collect()


def _literal(value: Any) -> Any:
    """A dictionary as a map, whose values may be NULL; other values as they are."""
    if not isinstance(value, Mapping):
        return value
    from pyspark.sql import functions as F

    return F.create_map(*[F.lit(part) for entry in value.items() for part in entry])
