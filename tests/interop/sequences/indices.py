"""Indices that either side makes: whatever the other does to the table, both must find by them what is there."""

import random
from collections.abc import Callable

import numpy as np

from tests.interop.sequences.content import WORDS, Content, Row
from tests.interop.sequences.state import State
from tests.interop.sequences.table import Table


def make(state: State, by_spark: bool) -> Content:
    """Indices that do not exist yet, or no longer. Only pylance makes those of texts and vectors."""
    state.tell("index")
    dataset = state.table.dataset()
    there = {index.name for index in dataset.describe_indices()}
    for column, kind in (("value", "BTREE"), ("word", "BITMAP"), ("text", "INVERTED")):
        if f"{column}_idx" in there:
            continue
        if by_spark and kind != "INVERTED":
            state.table.sql(f"CALL lance.system.create_index('{state.table.path}', '{column}', '{kind}')")
        else:
            state.table.dataset().create_scalar_index(column, kind)
    if "vector_idx" not in there and state.content.rows:
        state.table.dataset().create_index("vector", "IVF_FLAT", num_partitions=2)
    return state.content


def optimize(state: State, by_spark: bool) -> Content:
    merged = state.dice.choice([0, 1, 5])
    state.tell(f"optimize indices, {merged} merged")
    if by_spark:
        state.table.sql(f"CALL lance.system.optimize_indices('{state.table.path}', num_indices_to_merge => {merged})")
    else:
        state.table.dataset().optimize.optimize_indices()
    return state.content


def check(table: Table, content: Content, dice: random.Random) -> None:
    rows = list(content.rows.values())
    limit, word = dice.randint(-120, 500), dice.choice(WORDS)
    check_spark(table, rows, limit, word)
    found = ids(table, filter=f"value < {limit}")
    assert found == chosen(rows, lambda row: row["value"] is not None and row["value"] < limit), "by the B-tree"
    some = dice.choice([row["value"] for row in rows] or [None])
    if some is not None:
        assert ids(table, filter=f"value = {some}") == chosen(rows, lambda row: row["value"] == some), "by the B-tree"
    assert ids(table, filter=f"word = '{word}'") == chosen(rows, lambda row: row["word"] == word), "by the bitmap"
    nulls = ids(table, filter="value IS NULL OR word IS NULL")
    assert nulls == chosen(rows, lambda row: row["value"] is None or row["word"] is None)
    if any(index.name == "text_idx" for index in table.dataset().describe_indices()):
        texts = ids(table, full_text_query=word, limit=10_000)
        assert texts == chosen(rows, lambda row: word in (row["text"] or "").split()), f"texts with {word}"
    if rows:
        query = [dice.randint(0, 99) / 4 for _ in range(4)]
        near = {"column": "vector", "q": np.array(query, "f4"), "k": 5, "nprobes": 2}
        distances = table.dataset().to_table(columns=["_distance"], nearest=near)["_distance"].to_pylist()
        vectors = np.array([row["vector"] for row in rows])
        assert distances == sorted(((vectors - query) ** 2).sum(axis=1).tolist())[:5], f"nearest to {query}"


def check_spark(table: Table, rows: list[Row], limit: int, word: str) -> None:
    """Filters, counts, extremes and first rows in Spark."""
    conditions: dict[str, Callable[[Row], bool]] = {
        f"value < {limit}": lambda row: row["value"] is not None and row["value"] < limit,
        f"value = {limit} OR word = '{word}'": lambda row: row["value"] == limit or row["word"] == word,
        "value IS NULL": lambda row: row["value"] is None,
    }
    for condition, holds in conditions.items():
        found = sorted(row.id for row in table.sql(f"SELECT id FROM {table.name} WHERE {condition}"))
        assert found == chosen(rows, holds), f"{condition} in Spark"
        count = table.sql(f"SELECT count(*) AS n FROM {table.name} WHERE {condition}")[0].n
        assert count == len(found), f"count of {condition} in Spark"
    values = sorted(row["value"] for row in rows if row["value"] is not None)
    ends = table.sql(f"SELECT min(value) AS least, max(value) AS most FROM {table.name}")[0]
    assert tuple(ends) == ((values[0], values[-1]) if values else (None, None)), "ends in Spark"
    first = table.sql(f"SELECT value FROM {table.name} ORDER BY value DESC NULLS LAST LIMIT 5")
    expected = [*reversed(values), *[None] * (len(rows) - len(values))][:5]
    assert [row.value for row in first] == expected, "first rows in Spark"


def ids(table: Table, **scan: object) -> list[int]:
    columns = ["id", "_score"] if "full_text_query" in scan else ["id"]
    return sorted(table.dataset().to_table(columns=columns, **scan)["id"].to_pylist())


def chosen(rows: list[Row], holds: Callable[[Row], bool]) -> list[int]:
    return sorted(row["id"] for row in rows if holds(row))
