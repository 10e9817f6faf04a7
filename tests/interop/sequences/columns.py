"""Steps that add, fill, rename, move, widen and remove columns."""

from dataclasses import replace

import pyarrow as pa

from tests.interop.sequences import rows
from tests.interop.sequences.conditions import assignment, condition
from tests.interop.sequences.content import FIRST, TYPES, Content
from tests.interop.sequences.state import State

SQL_TYPES = {"number": "BIGINT", "small": "INT", "word": "STRING"}


def add(state: State, by_spark: bool) -> Content:
    how = state.dice.choice([add_null, add_default, add_computed] if by_spark else [add_null, add_computed])
    return how(state, f"added{len(state.told)}", by_spark)


def add_null(state: State, name: str, by_spark: bool) -> Content:
    """A column at a given position."""
    kind = state.dice.choice(list(SQL_TYPES))
    if not by_spark:
        state.tell(f"add {name} {kind}")
        state.table.dataset().add_columns(pa.field(name, TYPES[kind]))
        return with_value(state.content, name, kind)
    at = state.dice.choice([None, "FIRST", *state.content.columns])
    place = "" if at is None else at if at == "FIRST" else f"AFTER {at}"
    state.tell(f"add {name} {SQL_TYPES[kind]} {place}")
    state.table.sql(f"ALTER TABLE {state.table.name} ADD COLUMN {name} {SQL_TYPES[kind]} {place}")
    return placed(with_value(state.content, name, kind), name, at)


def add_default(state: State, name: str, _: bool) -> Content:
    kind, value = state.dice.choice([("number", 5), ("small", -1), ("word", "word3")])
    state.tell(f"add {name} {SQL_TYPES[kind]} DEFAULT {value!r}")
    state.table.sql(f"ALTER TABLE {state.table.name} ADD COLUMN {name} {SQL_TYPES[kind]} DEFAULT {value!r}")
    return with_value(state.content, name, kind, value)


def add_computed(state: State, name: str, by_spark: bool) -> Content:
    content = state.content
    state.tell(f"add {name} = value + id")
    if by_spark:
        state.table.sql(f"CALL lance.system.add_columns('{state.table.path}', map('{name}', 'value + id'))")
    else:
        state.table.dataset().add_columns({name: "value + id"})
    totals = {i: None if row["value"] is None else row["value"] + i for i, row in content.rows.items()}
    filled = {i: row | {name: totals[i]} for i, row in content.rows.items()}
    return replace(content, columns=content.columns | {name: "number"}, rows=filled)


def change(state: State, by_spark: bool) -> Content:
    """Spark updates a column in place; otherwise rows are rewritten."""
    if not by_spark:
        return rows.update(state, by_spark)
    chosen, value = condition(state.dice, state.content), assignment(state.dice)
    state.tell(f"change {value.column} to {value.sql} where {chosen.sql}")
    state.table.sql(
        f"CALL lance.system.update_columns(table => '{state.table.path}', "
        f'columns => map("{value.column}", "{value.sql}"), where => "{chosen.sql}")'
    )
    return state.content.mapped(chosen.holds, lambda row: {value.column: value.value(row)})


def with_value(content: Content, name: str, kind: str, value: object = None) -> Content:
    return replace(
        content,
        columns=content.columns | {name: kind},
        rows={i: row | {name: value} for i, row in content.rows.items()},
    )


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
    left = {i: {other: row[other] for other in columns} for i, row in content.rows.items()}
    return replace(content, columns=columns, rows=left)


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
    same = {i: {renamed[name]: value for name, value in row.items()} for i, row in content.rows.items()}
    return replace(content, columns=columns, rows=same)


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
    content = state.content
    if not (names := [name for name, kind in content.columns.items() if kind == "small"]):
        return add(state, by_spark)
    name = state.dice.choice(names)
    state.tell(f"widen {name}")
    if by_spark:
        state.table.sql(f"ALTER TABLE {state.table.name} ALTER COLUMN {name} TYPE BIGINT")
    else:
        state.table.dataset().alter_columns({"path": name, "data_type": pa.int64()})
    return replace(content, columns=content.columns | {name: "number"})
