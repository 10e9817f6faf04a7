"""Backfills: new columns with values, and new values of existing columns. See docs/changing-columns.md.

SQL expressions go through a procedure, everything else through a DataFrame that is written with options, so both work
with Spark Connect.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from sparklance._identifiers import column, quoted
from sparklance._procedures import call
from sparklance._statements import running
from sparklance.alterations import add_null_columns, is_schema
from sparklance.changes import RETRIES
from sparklance.conditions import checked
from sparklance.errors import RetryableCommitConflictException
from sparklance.rows import Filter

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from sparklance.alterations import Schema
    from sparklance.dataset import LanceDataset

#: Names with SQL expressions or `Column`s, `Column`s with aliases, a function of Spark, or a DataFrame.
Values: TypeAlias = "Mapping[str, str | Column] | Column | Sequence[Column] | Callable[..., Column] | DataFrame"

#: The same, or a schema: columns that are to be null in all rows.
NewValues: TypeAlias = "Values | Schema"

_ADDRESS = "_rowaddr"


def add(
    dataset: LanceDataset,
    transforms: NewValues,
    read_columns: Sequence[str] | None,
    on: str | Sequence[str] | None,
    job_id: str | None,
) -> None:
    """Adds columns to a table, with values for the rows that it has."""
    if is_schema(transforms):
        if read_columns is not None or on is not None or job_id is not None:
            raise ValueError("Columns of a schema are null in all rows: leave `read_columns`, `on` and `job_id` out.")
        add_null_columns(dataset.spark, dataset.uri, transforms)
        return
    _write(dataset, "add", transforms, None, read_columns, on, job_id)


def update(
    dataset: LanceDataset,
    transforms: Values,
    where: Filter | None,
    read_columns: Sequence[str] | None,
    on: str | Sequence[str] | None,
    job_id: str | None,
) -> None:
    """Gives columns of a table other values where its rows are."""
    _write(dataset, "update", transforms, where, read_columns, on, job_id)


def _write(
    dataset: LanceDataset,
    kind: str,
    transforms: Values,
    where: Filter | None,
    read_columns: Sequence[str] | None,
    on: str | Sequence[str] | None,
    job_id: str | None,
) -> None:
    from pyspark.sql import DataFrame

    checked(where, " or leave it out")
    if isinstance(transforms, DataFrame):
        if where is not None or read_columns is not None:
            raise ValueError(
                "A DataFrame has its rows and columns: `where` and `read_columns` are for expressions. Leave them out."
            )
        _save(transforms, dataset, kind, on, job_id)
        return
    if on is not None:
        raise ValueError("`on` names the keys of a DataFrame. Leave it out: expressions need no keys.")
    if read_columns is not None and not _is_function(transforms):
        raise ValueError(
            "`read_columns` are the arguments of a function. Leave it out: expressions name their columns."
        )
    texts = _texts(transforms)
    if texts is not None and (where is None or isinstance(where, str)):
        said = {} if where is None else {"where": where}
        version = str(dataset.version)
        name = f"{kind}_columns"
        call(dataset.spark, name, table=dataset.uri, columns=texts, version=version, job_id=job_id, **said)
    else:
        _evaluate(dataset, kind, transforms, where, read_columns, job_id)


def _evaluate(
    dataset: LanceDataset,
    kind: str,
    transforms: Values,
    where: Filter | None,
    read_columns: Sequence[str] | None,
    job_id: str | None,
) -> None:
    """Writes them; if others add or move rows meanwhile, once more, for what is new: the job is the same."""
    job = job_id or uuid.uuid4().hex
    for attempt in range(1, RETRIES + 1):
        rows = dataset.to_df() if where is None else dataset.to_df().where(where)
        try:
            _save(_selected(rows, transforms, read_columns), dataset, kind, None, job)
            return
        except RetryableCommitConflictException:
            if attempt == RETRIES:
                raise
            dataset.checkout_latest()


def _selected(rows: DataFrame, transforms: Values, read_columns: Sequence[str] | None) -> DataFrame:
    from pyspark.sql import Column
    from pyspark.sql import functions as F

    if isinstance(transforms, Mapping):
        values = [(F.expr(v) if isinstance(v, str) else v).alias(name) for name, v in transforms.items()]
        return rows.select(_ADDRESS, *values)
    if isinstance(transforms, Column):
        return rows.select(_ADDRESS, transforms)
    if _is_function(transforms):
        function = cast("Callable[..., Column]", transforms)
        arguments = rows.columns if read_columns is None else read_columns
        made = rows.select(_ADDRESS, function(*[F.col(column(name)) for name in arguments]).alias("_made"))
        return made.select(_ADDRESS, "_made.*")
    return rows.select(_ADDRESS, *cast("Sequence[Column]", transforms))


def _save(
    rows: DataFrame, dataset: LanceDataset, kind: str, on: str | Sequence[str] | None, job_id: str | None
) -> None:
    options: dict[str, Any] = {"columns": kind, "columnsVersion": dataset.version}
    if on is not None:
        names = [on] if isinstance(on, str) else on
        options["columnsOn"] = ", ".join(quoted(name) if name in rows.columns else name for name in names)
    if job_id is not None:
        options["columnsJob"] = job_id
    with running(dataset.spark):
        rows.write.format("lance").mode("append").options(**options).save(dataset.uri)


def _texts(transforms: Values) -> dict[str, str] | None:
    if not isinstance(transforms, Mapping):
        return None
    texts = {name: value for name, value in transforms.items() if isinstance(value, str)}
    return texts if len(texts) == len(transforms) else None


def _is_function(value: Any) -> bool:
    return callable(value) and hasattr(value, "returnType")
