"""Searches for vectors and texts, as pylance's scanners take them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sparklance._identifiers import quoted
from sparklance.conditions import checked
from sparklance.rows import Columns, Filter
from sparklance.search.query import FullTextQuery

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Columns of a search's result that a choice of columns does not leave out.
ADDED = ("query_index", "_distance", "_score", "_relevance_score")

#: A full-text query: words, several of them for a batch, a query, or the parameters of option `fullTextQuery`.
TextSearch = str | Sequence[str | FullTextQuery] | Mapping[str, Any] | FullTextQuery


def search_option(
    nearest: Mapping[str, Any], filter: Filter | None, prefilter: bool, fast_search: bool
) -> dict[str, str]:
    """The read option that asks for the nearest rows.

    `nearest` has pylance's keys: `column`, `q` and, if wanted, `k`, `metric`, `distance_range` and others. A filter is
    part of it if the nearest among the rows that fulfil it are wanted.
    """
    search = {**_nearest(nearest), **_condition(filter if prefilter else None)}
    if fast_search:
        search["fast_search"] = True
    return {"nearest": json.dumps(search)}


def text_option(
    query: TextSearch, filter: Filter | None, prefilter: bool, fast_search: bool, limit: int | None
) -> dict[str, str]:
    """The read option that asks for rows whose texts match best."""
    search = {**_text(query), **_condition(filter if prefilter else None)}
    if limit is not None:
        search["limit"] = limit
    if fast_search:
        search["fast_search"] = True
    return {"fullTextQuery": json.dumps(search)}


def hybrid_option(
    nearest: Mapping[str, Any], query: TextSearch, filter: Filter | None, fast_search: bool, **fusion: Any
) -> dict[str, str]:
    """The read option that asks for the best rows of two searches."""
    parts: dict[str, dict[str, Any]] = {"nearest": _nearest(nearest), "fullTextQuery": _text(query)}
    if fast_search:
        for part in parts.values():
            part["fast_search"] = True
    given = {key: value for key, value in fusion.items() if value is not None}
    return {"hybridSearch": json.dumps({**parts, **given, **_condition(filter)})}


def with_added(columns: Columns | None, found: Iterable[str]) -> Columns | None:
    """A choice of columns, with those that the search adds."""
    added = [name for name in ADDED if name in found]
    if columns is None:
        return None
    if isinstance(columns, Mapping):
        return {**columns, **{name: name for name in added if name not in columns}}
    return [*columns, *(name for name in added if name not in columns)]


def fuse(
    searches: Sequence[DataFrame],
    on: str | Sequence[str] = "_rowid",
    limit: int = 10,
    *,
    rrf_k: float = 60.0,
    weights: Sequence[float] | None = None,
) -> DataFrame:
    """Makes one result of several searches, by reciprocal rank fusion.

    A row's `_relevance_score` is the sum of weight / (rank + `rrf_k`) over the searches that found it, with ranks from
    0. `on` names the columns that identify a row in each DataFrame. Each has `_distance`, `_score` or
    `_relevance_score`, by which its rows are ranked; other columns are taken from the first search that found the row.

    >>> from sparklance.search import fuse
    >>> near = spark.createDataFrame([(1, 0.5), (2, 0.7)], "id INT, _distance FLOAT")
    >>> texts = spark.createDataFrame([(2, 3.1), (3, 1.2)], "id INT, _score FLOAT")
    >>> tuple(row.id for row in fuse([near, texts], on="id").collect())
    (2, 1, 3)
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    keys = [on] if isinstance(on, str) else list(on)
    shares = [1.0] * len(searches) if weights is None else list(weights)
    if not searches or len(shares) != len(searches):
        raise ValueError(f"{len(searches)} searches cannot be fused with {len(shares)} weights. Give one for each.")
    part, total = "__sparklance_part", "_relevance_score"
    names = list(dict.fromkeys(name for found in searches for name in found.columns if name not in (*keys, total)))
    ranked: DataFrame | None = None
    for number, (found, share) in enumerate(zip(searches, shares, strict=True)):
        rank = F.row_number().over(Window.orderBy(_order(found), *keys)) - 1
        scored = found.withColumn(part, F.lit(share) / (rank + F.lit(rrf_k))).drop(total)
        others = [F.col(quoted(n)).alias(f"{n}@{number}") for n in scored.columns if n not in keys]
        renamed = scored.select(*keys, *others)
        ranked = renamed if ranked is None else ranked.join(renamed, keys, "full_outer")
    assert ranked is not None

    def first(name: str) -> Any:
        holders = [f"{name}@{i}" for i, found in enumerate(searches) if name in found.columns]
        return F.coalesce(*(F.col(quoted(holder)) for holder in holders)).alias(name)

    sums = [F.coalesce(F.col(quoted(f"{part}@{number}")), F.lit(0.0)) for number in range(len(searches))]
    relevance = sum(sums[1:], sums[0]).cast("float").alias(total)
    return ranked.select(*keys, *(first(name) for name in names), relevance).orderBy(F.desc(total), *keys).limit(limit)


def _order(found: DataFrame) -> Any:
    from pyspark.sql import functions as F

    for name, order in {"_relevance_score": F.desc, "_distance": F.asc, "_score": F.desc}.items():
        if name in found.columns:
            return order(name)
    raise ValueError(
        f"A DataFrame with the columns {', '.join(found.columns)} is not the result of a search. "
        "Give one with _distance, _score or _relevance_score."
    )


def _nearest(nearest: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _plain(value) for key, value in nearest.items() if value is not None}


def is_batch(query: TextSearch) -> bool:
    """Whether there are several queries."""
    given = query.get("query") if isinstance(query, Mapping) else query
    return isinstance(given, Sequence) and not isinstance(given, str)


def _text(query: TextSearch) -> dict[str, Any]:
    if isinstance(query, Mapping):
        return {key: _query(value) if key == "query" else value for key, value in query.items() if value is not None}
    return {"query": _query(query)}


def _query(query: Any) -> Any:
    if isinstance(query, FullTextQuery):
        return query.to_dict()
    if isinstance(query, str | Mapping):
        return query
    if isinstance(query, Sequence):
        return [_query(one) for one in query]
    raise TypeError(f"A full-text query is words, or a query of sparklance.query, not {query!r}.")


def _condition(filter: Filter | None) -> dict[str, str]:
    if filter is None:
        return {}
    if not isinstance(filter, str):
        raise TypeError("A filter that says among which rows to search must be a condition in SQL, as text.")
    checked(filter, " or leave it out")
    return {"filter": filter}


def _plain(value: Any) -> Any:
    """Numbers and lists of them, from arrays of numpy, Arrow and others; JSON has no names for infinities."""
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if hasattr(value, "to_pylist"):
        return _plain(value.to_pylist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    return value.as_py() if hasattr(value, "as_py") else value
