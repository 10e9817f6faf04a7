"""Indices that either side makes: whatever the other does to the table, both must find by them what is there."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.interop.sequences.content import WORDS, Content, Row
from tests.interop.sequences.state import State
from tests.interop.sequences.table import Table

#: By name, the column and type of each.
KINDS = {
    "value_idx": ("value", "BTREE"),
    "word_idx": ("word", "BITMAP"),
    "numbers_idx": ("numbers", "LABEL_LIST"),
    "id_idx": ("id", "ZONEMAP"),
    "id_bloom": ("id", "BLOOMFILTER"),
    "text_grams": ("text", "NGRAM"),
    "text_idx": ("text", "INVERTED"),
}


@dataclass(frozen=True)
class Sought:
    """A condition in Spark's words and in pylance's, and the rows that it holds for."""

    spark: str
    pylance: str
    holds: Callable[[Row], bool]


def make(state: State, by_spark: bool) -> Content:
    """Indices that do not exist yet, or no longer. Only pylance makes that of vectors."""
    state.tell("index")
    there = names(state.table)
    for name, (column, kind) in KINDS.items():
        if name in there:
            continue
        if by_spark:
            state.table.sql(
                f"CALL lance.system.create_index('{state.table.path}', '{column}', '{kind}', name => '{name}')"
            )
        else:
            state.table.dataset().create_scalar_index(column, kind, name=name)
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


def drop(state: State, by_spark: bool) -> Content:
    there = sorted(names(state.table) & KINDS.keys())
    if not there:
        return make(state, by_spark)
    name = state.dice.choice(there)
    state.tell(f"drop index {name}")
    if by_spark:
        state.table.sql(f"DROP INDEX {name} ON {state.table.name}")
    else:
        state.table.dataset().drop_index(name)
    return state.content


def names(table: Table) -> set[str]:
    return {index.name for index in table.dataset().describe_indices()}


def sought(dice: random.Random, rows: list[Row]) -> list[Sought]:
    """Conditions that each of the indices can answer."""
    limit, word, part = dice.randint(-120, 500), dice.choice(WORDS), dice.randint(1, 3)
    some = dice.choice([row["value"] for row in rows if row["value"] is not None] or [0])
    first = dice.choice([row["id"] for row in rows] or [0])
    return [
        same(f"value < {limit}", lambda row: row["value"] is not None and row["value"] < limit),
        same(f"value = {some} OR word = '{word}'", lambda row: row["value"] == some or row["word"] == word),
        same("value IS NULL OR word IS NULL", lambda row: row["value"] is None or row["word"] is None),
        same(
            f"value IN ({some}, {limit}) AND NOT (word = '{word}')",
            lambda row: row["value"] in (some, limit) and row["word"] not in (word, None),
        ),
        same(f"id = {first}", lambda row: row["id"] == first),
        same(f"id >= {first} AND id < {first + 40}", lambda row: first <= row["id"] < first + 40),
        Sought(
            f"array_contains(numbers, {part})",
            f"array_has(numbers, {part})",
            lambda row: part in (row["numbers"] or []),
        ),
        Sought(f"text LIKE '%{word}%'", f"contains(text, '{word}')", lambda row: word in (row["text"] or "")),
    ]


def same(sql: str, holds: Callable[[Row], bool]) -> Sought:
    return Sought(sql, sql, holds)


def check(table: Table, content: Content, dice: random.Random) -> None:
    """By indices and without, Spark and pylance find the same."""
    rows = list(content.rows.values())
    conditions = sought(dice, rows)
    check_spark(table, rows, conditions)
    for condition in conditions:
        for by_index in (True, False):
            found = ids(table, filter=condition.pylance, use_scalar_index=by_index)
            assert found == chosen(rows, condition), f"{condition.pylance} in pylance, by index {by_index}"
    check_texts(table, rows, dice.choice(WORDS))
    check_vectors(table, rows, dice)


def check_spark(table: Table, rows: list[Row], conditions: list[Sought]) -> None:
    """Rows, counts, ends and first rows."""
    asked = [(condition, by_index) for condition in conditions for by_index in (True, False)]
    queries = [
        f"SELECT {n} AS n, id FROM {table.name} WITH (useScalarIndex = {str(by_index).lower()}) WHERE {condition.spark}"
        for n, (condition, by_index) in enumerate(asked)
    ]
    found: dict[int, list[int]] = {}
    for row in table.sql(" UNION ALL ".join(queries)):
        found.setdefault(row.n, []).append(row.id)
    for n, (condition, by_index) in enumerate(asked):
        expected = chosen(rows, condition)
        assert sorted(found.get(n, [])) == expected, f"{condition.spark} in Spark, by index {by_index}"
    counts = ", ".join(
        f"(SELECT count(*) FROM {table.name} WHERE {each.spark}) AS c{n}" for n, each in enumerate(conditions)
    )
    (counted,) = table.sql(f"SELECT {counts}")
    assert list(counted) == [len(chosen(rows, condition)) for condition in conditions], "counts in Spark"
    values = sorted(row["value"] for row in rows if row["value"] is not None)
    ends = table.sql(f"SELECT min(value) AS least, max(value) AS most FROM {table.name}")[0]
    assert tuple(ends) == ((values[0], values[-1]) if values else (None, None)), "ends in Spark"
    first = table.sql(f"SELECT value FROM {table.name} ORDER BY value DESC NULLS LAST LIMIT 5")
    last = [*reversed(values), *[None] * (len(rows) - len(values))][:5]
    assert [row.value for row in first] == last, "first rows in Spark"


def check_texts(table: Table, rows: list[Row], word: str) -> None:
    if "text_idx" not in names(table):
        return
    expected = sorted(row["id"] for row in rows if word in (row["text"] or "").split())
    theirs = table.dataset().to_table(columns=["id", "_score"], full_text_query=word, limit=10_000)
    assert sorted(theirs["id"].to_pylist()) == expected, f"texts with {word} in pylance"
    ours = table.sql(f"SELECT id, _score FROM lance_fts('{table.path}', 'text', '{word}', k => 10000)")
    assert sorted(row.id for row in ours) == expected, f"texts with {word} in Spark"
    scores = dict(zip(theirs["id"].to_pylist(), theirs["_score"].to_pylist(), strict=True))
    for row in ours:
        assert math.isclose(row._score, scores[row.id], rel_tol=1e-5), f"score of {word} in row {row.id}"


def check_vectors(table: Table, rows: list[Row], dice: random.Random) -> None:
    if not rows:
        return
    query = [dice.randint(0, 99) / 4 for _ in range(4)]
    vectors = np.array([row["vector"] for row in rows])
    expected = sorted(((vectors - query) ** 2).sum(axis=1).tolist())[:5]
    values = ", ".join(map(str, query))
    search = f"lance_vector_search('{table.path}', 'vector', array({values}), k => 5, nprobes => 2)"
    ours = table.sql(f"SELECT _distance FROM {search} ORDER BY _distance")
    assert [row[0] for row in ours] == expected, f"nearest to {query} in Spark"
    # pylance 14.0.2 finds too few rows of tables with stable row ids, after it or Spark compacted away deleted rows.
    if not table.stable:
        near = {"column": "vector", "q": np.array(query, "f4"), "k": 5, "nprobes": 2}
        theirs = table.dataset().to_table(columns=["_distance"], nearest=near)["_distance"].to_pylist()
        assert theirs == expected, f"nearest to {query} in pylance"


def ids(table: Table, **scan: object) -> list[int]:
    return sorted(table.dataset().to_table(columns=["id"], **scan)["id"].to_pylist())


def chosen(rows: list[Row], condition: Sought) -> list[int]:
    return sorted(row["id"] for row in rows if condition.holds(row))
