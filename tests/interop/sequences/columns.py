"""Steps that add, rename and remove columns; all of those that rows do not begin with."""

from dataclasses import replace

import pyarrow as pa

from tests.interop.sequences.content import FIRST, Content
from tests.interop.sequences.state import State


def add(state: State, _: bool) -> Content:
    """Computed from another, or null."""
    content, name = state.content, f"added{len(state.told)}"
    expression = state.dice.choice(["value + id", "id", None])
    state.tell(f"add {name} = {expression}")
    if expression is None:
        state.table.dataset().add_columns(pa.field(name, pa.int64()))
    else:
        state.table.dataset().add_columns({name: expression})
    rows = {}
    for i, row in content.rows.items():
        value = {"id": i, None: None}.get(expression, None if row["value"] is None else row["value"] + i)
        rows[i] = row | {name: value}
    return replace(content, columns=content.columns | {name: "number"}, rows=rows)


def drop(state: State, _: bool) -> Content:
    content = state.content
    if not (added := [name for name in content.columns if name not in FIRST]):
        return add(state, _)
    name = state.dice.choice(added)
    state.tell(f"drop {name}")
    state.table.dataset().drop_columns([name])
    columns = {other: kind for other, kind in content.columns.items() if other != name}
    rows = {i: {other: row[other] for other in columns} for i, row in content.rows.items()}
    return replace(content, columns=columns, rows=rows)


def rename(state: State, _: bool) -> Content:
    content = state.content
    if not (added := [name for name in content.columns if name not in FIRST]):
        return add(state, _)
    old = state.dice.choice(added)
    new = f"named{len(state.told)}"
    state.tell(f"rename {old} to {new}")
    state.table.dataset().alter_columns({"path": old, "name": new})
    names = {name: new if name == old else name for name in content.columns}
    columns = {names[name]: kind for name, kind in content.columns.items()}
    rows = {i: {names[name]: value for name, value in row.items()} for i, row in content.rows.items()}
    return replace(content, columns=columns, rows=rows)
