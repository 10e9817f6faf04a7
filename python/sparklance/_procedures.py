"""Calls the stored procedures of the connector: classic or Connect, it is SQL."""

from typing import TYPE_CHECKING, Any

from sparklance._literals import literal
from sparklance.errors import lance_errors

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


def call(spark: "SparkSession", procedure: str, **arguments: Any) -> "list[Row]":
    """The result of `CALL lance.system.<procedure>(…)`. Arguments that are None are left out."""
    given = [f"{name} => {literal(value)}" for name, value in arguments.items() if value is not None]
    with lance_errors():
        return spark.sql(f"CALL lance.system.{procedure}({', '.join(given)})").collect()
