"""Choosing columns and rows of a DataFrame as pylance's scanners do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sparklance._identifiers import column, quoted
from sparklance.conditions import checked

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: Names of columns, or new names with SQL expressions or `Column`s.
Columns: TypeAlias = "Sequence[str] | Mapping[str, str | Column]"
#: A condition in SQL, or a `Column`.
Filter: TypeAlias = "str | Column"

#: As many rows are read by one task, which needs no shuffle to put them in order.
FEW_KEYS = 1000


def selected(
    frame: DataFrame, columns: Columns | None, filter: Filter | None = None, metadata: Sequence[str] = ()
) -> DataFrame:
    """Some columns of the rows that fulfil a condition, and metadata columns such as `_rowid`."""
    from pyspark.sql import functions as F

    checked(filter, " or leave it out")
    rows = frame if filter is None else frame.where(filter)
    if isinstance(columns, Mapping):
        chosen = [(F.expr(value) if isinstance(value, str) else value).alias(name) for name, value in columns.items()]
    else:
        named = map(quoted, frame.columns) if columns is None else map(column, columns)
        chosen = [F.col(name) for name in named]
    return rows.select(*chosen, *map(F.col, metadata))


def limited(frame: DataFrame, limit: int | None, offset: int | None) -> DataFrame:
    """The rows without the first ones, and no more than some number of them."""
    rest = frame.offset(offset) if offset else frame
    return rest if limit is None else rest.limit(limit)


def rows_at(frame: DataFrame, key: str, keys: Sequence[int], columns: Columns | None) -> DataFrame:
    """The rows with some keys of a metadata column, in the order of the keys, each as often as it is among them."""
    from pyspark.sql import functions as F

    order, wanted = "_order of the keys", "_wanted key"
    places = numbered(frame.sparkSession, keys, order, wanted)
    found = frame.select("*", F.col(key).alias("_found key")).where(F.col(key).isin(list(keys)))
    joined = found.join(F.broadcast(places), F.col("_found key") == F.col(wanted))
    few = len(keys) <= FEW_KEYS
    ordered = joined.coalesce(1).sortWithinPartitions(order) if few else joined.orderBy(order)
    return selected(ordered.drop(order, wanted, "_found key") if columns is None else ordered, columns)


def numbered(spark: SparkSession, keys: Sequence[int], order: str, key: str) -> DataFrame:
    """The places of keys among them. Those of a few keys are part of the plan, so that no job makes them."""
    if 0 < len(keys) <= FEW_KEYS:
        values = ", ".join(f"({place}L, {int(value)}L)" for place, value in enumerate(keys))
        return spark.sql(f"SELECT * FROM VALUES {values} AS keys({quoted(order)}, {quoted(key)})")
    return spark.createDataFrame(list(enumerate(keys)), f"{quoted(order)} BIGINT, {quoted(key)} BIGINT")
