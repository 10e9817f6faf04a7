"""Searches for the nearest vectors, as pylance's scanners take them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sparklance.rows import Columns, Filter

#: Columns of a search's result that a choice of columns does not leave out.
ADDED = ("query_index", "_distance")


def search_option(
    nearest: Mapping[str, Any], filter: Filter | None, prefilter: bool, fast_search: bool
) -> dict[str, str]:
    """The read option that asks for the nearest rows.

    `nearest` has pylance's keys: `column`, `q` and, if wanted, `k`, `metric`, `distance_range` and others. A filter is
    part of it if the nearest among the rows that fulfil it are wanted.
    """
    search = {key: _plain(value) for key, value in nearest.items() if value is not None}
    if prefilter and filter is not None:
        if not isinstance(filter, str):
            raise TypeError("With prefilter=True the filter must be a condition in SQL, as text.")
        search["filter"] = filter
    if fast_search:
        search["fast_search"] = True
    return {"nearest": json.dumps(search)}


def with_distance(columns: Columns | None, found: Iterable[str]) -> Columns | None:
    """A choice of columns, with those that the search adds."""
    added = [name for name in ADDED if name in found]
    if columns is None:
        return None
    if isinstance(columns, Mapping):
        return {**columns, **{name: name for name in added if name not in columns}}
    return [*columns, *(name for name in added if name not in columns)]


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
