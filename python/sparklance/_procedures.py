"""Calls the stored procedures of the connector: classic or Connect, it is SQL."""

from typing import TYPE_CHECKING, Any

from sparklance._identifiers import quoted
from sparklance._literals import literal
from sparklance._statements import running
from sparklance.errors import LanceUsageException

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


def call(spark: "SparkSession", procedure: str, in_catalog: str = "lance", **arguments: Any) -> "list[Row]":
    """The result of `CALL lance.system.<procedure>(…)`. Arguments that are None are left out."""
    given = [f"{name} => {literal(value)}" for name, value in arguments.items() if value is not None]
    try:
        with running(spark):
            return spark.sql(f"CALL {quoted(in_catalog)}.system.{procedure}({', '.join(given)})").collect()
    except Exception as error:
        if any(said in str(error) for said in _UNKNOWN):
            raise LanceUsageException(_NO_JAR) from error
        raise


# What Spark says of a procedure in a catalog that it does not know: 4.0, and those since.
_UNKNOWN = ("does not support procedures", "[UNRESOLVED_ROUTINE]", "[CATALOG_NOT_FOUND]")
_NO_JAR = (
    "The Spark of this session has no sparklance jar, as it knows no catalog 'lance'. Start it with the jar: "
    "sparklance.configure() does so for a session, --jars for spark-submit and the server of Spark Connect; "
    "sparklance.session.jar_path() tells where the jar is."
)
