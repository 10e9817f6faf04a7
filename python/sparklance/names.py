"""Names of tables in catalogs of directories and servers."""

import os
from typing import TYPE_CHECKING

from sparklance._identifiers import parts_of
from sparklance._paths import PathOrName
from sparklance._procedures import call
from sparklance.dataset import LanceDataset
from sparklance.errors import LanceUsageException

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register_table(spark: "SparkSession", name: str, location: PathOrName) -> LanceDataset:
    """Gives the table at a location a name in a catalog, such as `lake.eu.flights`, and opens it.

    No file of the table changes. The location is in the catalog's directory, or one that the catalog's server takes.

    >>> from sparklance import deregister_table, register_table
    >>> spark.conf.set("spark.sql.catalog.registry", "io.sparklance.spark.LanceCatalog")
    >>> spark.conf.set("spark.sql.catalog.registry.warehouse", path.removesuffix("/t.lance"))
    >>> register_table(spark, "registry.numbers", "t.lance").count_rows()
    3
    >>> deregister_table(spark, "registry.numbers").endswith("t.lance")
    True
    """
    call(spark, "register_table", in_catalog=_catalog(name), table=name, location=os.fspath(location))
    return LanceDataset(spark, name)


def deregister_table(spark: "SparkSession", name: str) -> str:
    """Removes a table's name from its catalog, and returns the location. The files stay."""
    (row,) = call(spark, "deregister_table", in_catalog=_catalog(name), table=name)
    return str(row.location)


def _catalog(name: str) -> str:
    first, *rest = parts_of(name)
    if rest:
        return first
    raise LanceUsageException(f"The name '{name}' does not begin with a catalog. Write it as in 'lake.eu.flights'.")
