"""Searches that are put together step by step, with the names of LanceDB, and joins by nearest vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from sparklance._literals import literal
from sparklance.errors import LanceUsageException, lance_errors

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from sparklance.snapshot import Snapshot

Metric = Literal["l2", "cosine", "dot", "hamming"]
_ITEMS = ("halffloat", "float", "double", "int8", "uint8", "lance.bfloat16")


@dataclass(frozen=True)
class VectorQuery:
    """A search for the rows whose vectors are nearest to a query. Each method returns a changed copy.

    The rows have the chosen columns and `_distance`. Rows of a batch of queries begin with `query_index`.
    """

    dataset: Snapshot
    nearest: Mapping[str, Any]
    columns: Sequence[str] | Mapping[str, str] | None = None
    condition: str | None = None
    prefilter: bool = True
    fast: bool = False
    skipped: int | None = None
    row_id: bool = field(default=False)

    def _with(self, **nearest: Any) -> VectorQuery:
        return replace(self, nearest={**self.nearest, **nearest})

    def limit(self, limit: int) -> VectorQuery:
        """The number of rows, at most; 10 if it is not set."""
        return self._with(k=limit)

    def offset(self, offset: int) -> VectorQuery:
        """Leaves out the first rows: of those that `limit` counts, as many as are left are returned."""
        return replace(self, skipped=offset)

    def where(self, where: str, prefilter: bool = True) -> VectorQuery:
        """A condition in SQL. Without `prefilter` it applies to the nearest rows of the whole table."""
        return replace(self, condition=where, prefilter=prefilter)

    def select(self, columns: Sequence[str] | Mapping[str, str]) -> VectorQuery:
        """Names of columns, or new names with expressions in SQL."""
        return replace(self, columns=columns)

    def distance_type(self, distance_type: Metric) -> VectorQuery:
        """The metric, if not that of the column's index."""
        return self._with(metric=distance_type)

    metric = distance_type

    def distance_range(self, lower_bound: float | None = None, upper_bound: float | None = None) -> VectorQuery:
        """Distances to return, from the lower bound to below the upper one."""
        return self._with(distance_range=[lower_bound, upper_bound])

    def nprobes(self, nprobes: int) -> VectorQuery:
        """The number of partitions of the index to search."""
        return self._with(nprobes=nprobes)

    def minimum_nprobes(self, minimum_nprobes: int) -> VectorQuery:
        """The number of partitions to search in any case."""
        return self._with(minimum_nprobes=minimum_nprobes)

    def maximum_nprobes(self, maximum_nprobes: int) -> VectorQuery:
        """The number of partitions to search, if fewer have not enough rows."""
        return self._with(maximum_nprobes=maximum_nprobes)

    def refine_factor(self, refine_factor: int) -> VectorQuery:
        """The index finds `refine_factor` times as many rows, and their exact distances decide."""
        return self._with(refine_factor=refine_factor)

    def ef(self, ef: int) -> VectorQuery:
        """The number of candidates in the search of a graph (HNSW)."""
        return self._with(ef=ef)

    def bypass_vector_index(self) -> VectorQuery:
        """Compares the query with all rows."""
        return self._with(use_index=False)

    def fast_search(self) -> VectorQuery:
        """Leaves out the rows that the index does not cover."""
        return replace(self, fast=True)

    def with_row_id(self, with_row_id: bool = True) -> VectorQuery:
        """Whether `_rowid` is one of the columns."""
        return replace(self, row_id=with_row_id)

    def to_df(self) -> DataFrame:
        """The rows as a DataFrame, by query, then the nearest first."""
        return self.dataset.to_df(
            self.columns,
            self.condition,
            offset=self.skipped,
            with_row_id=self.row_id,
            nearest=self.nearest,
            prefilter=self.prefilter and self.condition is not None,
            fast_search=self.fast,
        )

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table, here in the driver."""
        with lance_errors():
            return self.to_df().toArrow()

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame, here in the driver."""
        return self.to_arrow().to_pandas()

    def to_list(self) -> list[dict[str, Any]]:
        """The rows as dicts, here in the driver."""
        return list(self.to_arrow().to_pylist())


def vector_query(dataset: Snapshot, query: Any, column: str | None, query_type: str) -> VectorQuery:
    """A search for a vector, or for several."""
    if query_type not in ("auto", "vector"):
        raise ValueError(f"query_type is 'auto' or 'vector', not {query_type!r}.")
    if query is None or isinstance(query, str | bytes):
        raise TypeError(
            f"search takes a vector of numbers, or several, not {query!r}. Give words to to_df(full_text_query=…)."
        )
    return VectorQuery(dataset, {"column": column or vector_column(dataset), "q": query})


def vector_column(dataset: Snapshot) -> str:
    """The only column of vectors."""
    names = [field.name for field in dataset.lance_schema if field.parent_id < 0 and _has_vectors(field.logical_type)]
    if len(names) == 1:
        return str(names[0])
    found = f"has the columns of vectors {', '.join(names)}" if names else "has no column of vectors"
    raise LanceUsageException(f"{dataset!r} {found}. Name the column to search.")


def _has_vectors(logical_type: str) -> bool:
    kind, _, rest = logical_type.partition(":")
    return kind == "fixed_size_list" and rest.rpartition(":")[0] in _ITEMS


def nearest_join(
    dataset: Snapshot, queries: DataFrame, column: str | None, how: str, arguments: Mapping[str, Any]
) -> DataFrame:
    """The rows of a DataFrame, each with the nearest rows of a table."""
    given = {
        "right": dataset.uri,
        "column": column or vector_column(dataset),
        "join_type": how,
        "version": dataset.version,
        **{key: value for key, value in arguments.items() if value is not None},
    }
    # Braces belong to the format of the statement, which names the DataFrame.
    named = (
        ", ".join(f"{key} => {literal(value)}" for key, value in given.items()).replace("{", "{{").replace("}", "}}")
    )
    with lance_errors():
        return dataset.spark.sql(
            f"SELECT * FROM lance_vector_join(left => TABLE({{queries}}), {named})", queries=queries
        )
