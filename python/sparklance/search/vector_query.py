"""Searches that are put together step by step, with the names of LanceDB, and joins by nearest vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from sparklance._literals import literal
from sparklance.errors import LanceUsageException, lance_errors
from sparklance.search.row_query import RowQuery

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sparklance.snapshot import Snapshot

Metric = Literal["l2", "cosine", "dot", "hamming"]
#: Number of rows that a search returns without a limit.
DEFAULT_K = 10
_ITEMS = ("halffloat", "float", "double", "int8", "uint8", "lance.bfloat16")


@dataclass(frozen=True, kw_only=True)
class VectorQuery(RowQuery):
    """A search for the rows whose vectors are nearest to a query.

    The rows have the chosen columns and `_distance`. Rows of a batch of queries begin with `query_index`.
    """

    nearest: Mapping[str, Any]

    def _with(self, **nearest: Any) -> VectorQuery:
        return replace(self, nearest={**self.nearest, **nearest})

    def limit(self, limit: int) -> VectorQuery:
        return self._with(k=limit)

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

    def _search(self) -> Mapping[str, Any]:
        skipped = self.skipped or 0
        return {
            "nearest": {**self.nearest, "k": self.nearest.get("k", DEFAULT_K) + skipped} if skipped else self.nearest
        }


def vector_query(dataset: Snapshot, query: Any, column: str | None) -> VectorQuery:
    """A search for a vector, or for several."""
    if query is None or isinstance(query, bytes):
        raise TypeError(f"search takes a vector of numbers, several, or words, not {query!r}.")
    return VectorQuery(dataset=dataset, nearest={"column": column or vector_column(dataset), "q": query})


def vector_column(dataset: Snapshot) -> str:
    """The only column of vectors."""
    fields = [field for field in dataset.lance_schema if field.parent_id < 0]
    names = [str(field.name) for field in fields if _has_vectors(field.logical_type)]
    if len(names) == 1:
        return names[0]
    found = f"has the columns of vectors {', '.join(names)}" if names else "has no column of vectors"
    cure = "Name the column to search." if names else _cure(dataset)
    raise LanceUsageException(f"{dataset!r} {found}. {cure}")


def _cure(dataset: Snapshot) -> str:
    """Tells how a column of lists becomes one of vectors."""
    parents = {
        field.id: field for field in dataset.lance_schema if field.parent_id < 0 and field.logical_type == "list"
    }
    items = [field for field in dataset.lance_schema if field.parent_id in parents and field.logical_type in _ITEMS]
    if not items:
        return "Give a column of numbers a fixed length when it is written (docs/vector-search.md)."
    name, item = parents[items[0].parent_id].name, items[0].logical_type
    change = f'{{"path": "{name}", "data_type": "fixed_size_list:{item}:<length>"}}'
    return (
        f"Column {name!r} has lists of {item}, which may differ in length. If all have the same, run "
        f"alter_columns({change}), which makes vectors of them in place (docs/vector-search.md)."
    )


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
