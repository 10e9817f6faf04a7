"""Indices: building, listing and dropping them. See docs/indices.md and docs/vector-search.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from sparklance._identifiers import quoted
from sparklance._procedures import call
from sparklance._statements import running
from sparklance.errors import LanceUsageException

if TYPE_CHECKING:
    from sparklance.dataset import LanceDataset


class IndexConfig(Protocol):
    """A kind of index with its settings: `lance.indices.IndexConfig` of pylance, or any object like it."""

    index_type: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class IndexSegmentDescription:
    """A part of an index, built at one time. `fragment_ids` is None if the coverage is not recorded."""

    uuid: str
    dataset_version_at_last_update: int
    fragment_ids: frozenset[int] | None
    index_version: int | None
    created_at: datetime | None
    size_bytes: int | None


@dataclass(frozen=True)
class IndexDescription:
    """An index of a version, with its segments. `details` has the settings of its kind."""

    name: str
    index_type: str
    field_names: list[str]
    num_rows_indexed: int
    total_size_bytes: int | None
    segments: list[IndexSegmentDescription]
    details: dict[str, Any]


def create(
    dataset: LanceDataset,
    column: str,
    index_type: str | IndexConfig,
    name: str | None,
    replace: bool,
    train: bool,
    fragment_ids: Sequence[int] | None,
    settings: Mapping[str, Any],
) -> None:
    """Builds an index by a Spark job."""
    kind = index_type if isinstance(index_type, str) else index_type.index_type
    given = {} if isinstance(index_type, str) else dict(index_type.parameters or {})
    options = {key: _text(value) for key, value in {**given, **settings}.items()}
    call(
        dataset.spark,
        "create_index",
        table=dataset.uri,
        column=column,
        type=kind,
        name=name,
        replace=replace,
        train=train,
        fragment_ids=None if fragment_ids is None else list(fragment_ids),
        options=options or None,
    )


def _text(value: Any) -> str:
    """A setting as text: lists and None as JSON."""
    if isinstance(value, Enum):
        value = value.value
    return json.dumps(value) if value is None or isinstance(value, list | tuple) else str(value)


def describe(dataset: LanceDataset) -> list[IndexDescription]:
    """The indices of the dataset's version."""
    arguments = {"table": dataset.uri, "version": str(dataset.version)}
    segments = call(dataset.spark, "index_segments", **arguments)
    return [
        IndexDescription(
            row.name,
            row.type,
            list(row.columns),
            row.indexed_rows,
            row["size"],
            [_segment(segment) for segment in segments if segment.name == row.name],
            _settings(dataset, row.name),
        )
        for row in call(dataset.spark, "indices", **arguments)
    ]


def _settings(dataset: LanceDataset, name: str) -> dict[str, Any]:
    """The settings of an index. Texts that are JSON become its values."""
    (row,) = call(dataset.spark, "describe_index", table=dataset.uri, name=name, version=str(dataset.version))
    return {key: _value(text) for key, text in row.settings.items()}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def statistics(dataset: LanceDataset, name: str) -> dict[str, Any]:
    """Counts of what an index covers, by pylance's names."""
    rows = call(dataset.spark, "indices", table=dataset.uri, version=str(dataset.version))
    found = [row for row in rows if row.name == name]
    if not found:
        raise LanceUsageException(f"The table has no index '{name}'. Its indices are {[row.name for row in rows]}.")
    (row,) = found
    counts = {
        "index_type": row.type,
        "name": row.name,
        "num_indices": row.segments,
        "num_segments": row.segments,
        "num_indexed_fragments": row.indexed_fragments,
        "num_indexed_rows": row.indexed_rows,
        "num_unindexed_fragments": row.unindexed_fragments,
        "num_unindexed_rows": row.unindexed_rows,
    }
    if row.type not in ("Vector", "Inverted"):
        return counts
    segments = call(dataset.spark, "index_partitions", table=dataset.uri, name=name, version=str(dataset.version))
    if row.type == "Inverted":
        params = _settings(dataset, name)
        texts = [_texts(segment, params) for segment in segments]
        return {**counts, "indices": texts, "segments": texts}
    models = [_model(segment) for segment in segments]
    return {**counts, "index_type": models[0]["index_type"] if models else "Vector", "indices": models}


def numbers(values: Any) -> str | None:
    """The numbers of an array of numpy or Arrow, or of lists, as JSON."""
    if values is None:
        return None
    if hasattr(values, "to_pylist"):
        values = values.to_pylist()
    elif hasattr(values, "tolist"):
        values = values.tolist()
    return json.dumps(values)


def recall(dataset: LanceDataset, name: str, queries: Any, k: int, sample: int, nearest: Mapping[str, Any]) -> float:
    """The share of the nearest rows that searches by an index find."""
    rows = call(dataset.spark, "indices", table=dataset.uri, version=str(dataset.version))
    found = [row for row in rows if row.name == name]
    if not found:
        raise LanceUsageException(f"The table has no index '{name}'. Its indices are {[row.name for row in rows]}.")
    (column,) = found[0].columns
    metric = statistics(dataset, name)["indices"][0]["metric_type"]
    asked = _sampled(dataset, column, sample) if queries is None else json.loads(numbers(queries) or "[]")
    if not asked:
        return 1.0
    base = {"column": column, "q": asked, "k": k, "metric": metric}
    exact = _found(dataset, {**base, "use_index": False})
    ours = _found(dataset, {**base, **nearest})
    wanted = sum(len(ids) for ids in exact.values())
    return sum(len(ids & ours.get(query, set())) for query, ids in exact.items()) / wanted if wanted else 1.0


def _sampled(dataset: LanceDataset, column: str, count: int) -> list[list[float]]:
    found = dataset.to_df([column])
    rows = found.where(found[quoted(found.columns[0])].isNotNull()).sample(1.0, 42)
    total = max(1, dataset.count_rows())
    with running(dataset.spark):
        some = rows.sample(min(1.0, 2 * count / total), 42).limit(count).collect()
    # A row may have no vector in its list.
    return [list(row[0]) for row in some if row[0]]


def _found(dataset: LanceDataset, nearest: Mapping[str, Any]) -> dict[int, set[int]]:
    with running(dataset.spark):
        rows = dataset.to_df(["_rowaddr"], nearest=nearest).collect()
    found: dict[int, set[int]] = {}
    for row in rows:
        found.setdefault(row["query_index"], set()).add(row["_rowaddr"])
    return found


def _model(row: Any) -> dict[str, Any]:
    """A segment of a vector index, by pylance's names."""
    return {
        "index_type": row.type,
        "uuid": row.uuid,
        "metric_type": row.metric,
        "num_partitions": len(row.partitions),
        "partitions": [{"size": size} for size in row.partitions],
        "loss": row.loss,
    }


def _texts(segment: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """A segment of a full-text index, by pylance's names, and the number of its partitions."""
    return {
        "params": {key: value for key, value in params.items() if key != "format_version"},
        "num_tokens": sum(segment.tokens),
        "num_docs": sum(segment.partitions),
        "num_partitions": len(segment.partitions),
    }


def _segment(row: Any) -> IndexSegmentDescription:
    return IndexSegmentDescription(
        row.uuid,
        row.built_at_version,
        None if row.fragments is None else frozenset(row.fragments),
        row.index_version,
        row.created_at,
        row["size"],
    )
