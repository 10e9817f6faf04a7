"""Updates of rows that stay in place, where that writes fewer bytes. See docs/changing-columns.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sparklance._procedures import call
from sparklance._statements import running
from sparklance.rows import Filter

if TYPE_CHECKING:
    from sparklance.dataset import LanceDataset

_BLOB, _EXTENSION = "lance-encoding:blob", "ARROW:extension:name"


def is_cheaper(dataset: LanceDataset, sql_name: str, columns: Iterable[str], where: Filter | None) -> bool:
    """Compares the stored bytes of `columns` in all fragments with a change to those of the changed rows.

    False for fields within structs and for blobs, which only changes of rows can write.
    """
    from pyspark.sql import functions as f

    names = set(columns)
    fields = {field.name: field.metadata for field in dataset.schema.fields}
    if any(name not in fields or _BLOB in fields[name] or "blob" in fields[name].get(_EXTENSION, "") for name in names):
        return False
    rows = dataset.spark.table(sql_name)
    changed = (rows if where is None else rows.where(where)).select("_fragid").groupBy("_fragid").count()
    (detail,) = call(dataset.spark, "detail", table=dataset.uri)
    pages = dataset.spark.read.format("lance").option("metadataTable", "columns_on_disk").load(detail.location)
    size, root = pages["size"], f.element_at(f.split(pages["column"], "[.]"), 1)
    stored = pages.groupBy("fragment_id").agg(
        f.sum("size").alias("all"),
        f.sum(f.when(root.isin(names), size).otherwise(0)).alias("own"),
        f.max(pages["first_row"] + pages["rows"]).alias("physical"),
    )
    both = changed.join(stored, f.col("_fragid") == f.col("fragment_id"))
    with running(dataset.spark):
        costs = both.agg(f.sum("own"), f.sum(f.col("count") * f.col("all") / f.col("physical"))).first()
    return costs is not None and costs[0] is not None and costs[0] < costs[1]
