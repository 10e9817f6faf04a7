"""Steps that add, rename, move, widen and remove columns; all of those that rows do not begin with."""

from dataclasses import replace

import pyarrow as pa

from tests.interop.sequences.content import FIRST, TYPES, Content
from tests.interop.sequences.state import State


def add(state: State, by_spark: bool) -> Content:
    """Null ones, of which Spark says the place; or, by pylance, computed from another."""
    content, name = state.content, f"added{len(state.told)}"
    kind = state.dice.choice(["number", "small", "word"])
    if by_spark:
        at = state.dice.choice([None, "FIRST", *content.columns])
        place = "" if at is None else at if at == "FIRST" else f"AFTER {at}"
        sql_type = {"number": "BIGINT", "small": "INT", "word": "STRING"}[kind]
        state.tell(f"add {name} {sql_type} {place}")
        state.table.sql(f"ALTER TABLE {state.table.name} ADD COLUMN {name} {sql_type} {place}")
        return placed(
            replace(content, columns=content.columns | {name: kind}, rows=with_value(content, name)), name, at
        )
    if state.dice.random() < 0.5:
        state.tell(f"add {name} {kind}")
        state.table.dataset().add_columns(pa.field(name, TYPES[kind]))
        return replace(content, columns=content.columns | {name: kind}, rows=with_value(content, name))
    state.tell(f"add {name} = value + id")
    state.table.dataset().add_columns({name: "value + id"})
    rows = {i: row | {name: None if row["value"] is None else row["value"] + i} for i, row in content.rows.items()}
    return replace(content, columns=content.columns | {name: "number"}, rows=rows)


def with_value(content: Content, name: str, value: object = None) -> dict:
    return {i: row | {name: value} for i, row in content.rows.items()}


def placed(content: Content, name: str, at: str | None) -> Content:
    """With a column behind another, or before all."""
    if at is None:
        return content
    others = [other for other in content.columns if other != name]
    where = 0 if at == "FIRST" else others.index(at) + 1
    names = [*others[:where], name, *others[where:]]
    return replace(content, columns={other: content.columns[other] for other in names})


def added(state: State) -> list[str]:
    return [name for name in state.content.columns if name not in FIRST]


def drop(state: State, by_spark: bool) -> Content:
    content = state.content
    if not (names := added(state)):
        return add(state, by_spark)
    name = state.dice.choice(names)
    state.tell(f"drop {name}")
    if by_spark:
        state.table.sql(f"ALTER TABLE {state.table.name} DROP COLUMN {name}")
    else:
        state.table.dataset().drop_columns([name])
    columns = {other: kind for other, kind in content.columns.items() if other != name}
    rows = {i: {other: row[other] for other in columns} for i, row in content.rows.items()}
    return replace(content, columns=columns, rows=rows)


def rename(state: State, by_spark: bool) -> Content:
    content = state.content
    if not (names := added(state)):
        return add(state, by_spark)
    old = state.dice.choice(names)
    new = f"named{len(state.told)}"
    state.tell(f"rename {old} to {new}")
    if by_spark:
        state.table.sql(f"ALTER TABLE {state.table.name} RENAME COLUMN {old} TO {new}")
    else:
        state.table.dataset().alter_columns({"path": old, "name": new})
    renamed = {name: new if name == old else name for name in content.columns}
    columns = {renamed[name]: kind for name, kind in content.columns.items()}
    rows = {i: {renamed[name]: value for name, value in row.items()} for i, row in content.rows.items()}
    return replace(content, columns=columns, rows=rows)


def move(state: State, _: bool) -> Content:
    if not (names := added(state)):
        return add(state, True)
    name = state.dice.choice(names)
    at = state.dice.choice(["FIRST", *(other for other in state.content.columns if other != name)])
    place = at if at == "FIRST" else f"AFTER {at}"
    state.tell(f"move {name} {place}")
    state.table.sql(f"ALTER TABLE {state.table.name} ALTER COLUMN {name} {place}")
    return placed(state.content, name, at)


def widen(state: State, by_spark: bool) -> Content:
    """By pylance."""
    content = state.content
    if not (names := [name for name, kind in content.columns.items() if kind == "small"]):
        return add(state, by_spark)
    name = state.dice.choice(names)
    state.tell(f"widen {name}")
    state.table.dataset().alter_columns({"path": name, "data_type": pa.int64()})
    return replace(content, columns=content.columns | {name: "number"})
