"""The expected content of a table, and the source of its rows."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

Row = dict[str, Any]

WORDS = [f"word{i}" for i in range(12)]

#: The Arrow type of each kind of column.
TYPES: dict[str, pa.DataType] = {
    "number": pa.int64(),
    "small": pa.int32(),
    "word": pa.string(),
    "text": pa.string(),
    "vector": pa.list_(pa.float32(), 4),
    "numbers": pa.list_(pa.int32()),
    "point": pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())]),
}

#: The columns that tables begin with. The id identifies a row.
FIRST = {
    "id": "number",
    "value": "number",
    "word": "word",
    "text": "text",
    "vector": "vector",
    "numbers": "numbers",
    "point": "point",
}


@dataclass(frozen=True)
class Content:
    """A version of a table.

    lineage: with stable row ids, the id of each row and the versions that made and changed it
    """

    columns: dict[str, str] = field(default_factory=lambda: dict(FIRST))
    rows: dict[int, Row] = field(default_factory=dict)
    lineage: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    def having(self, rows: dict[int, Row]) -> "Content":
        return replace(self, rows=rows)

    def mapped(self, chosen: Callable[[Row], bool], change: Callable[[Row], Row]) -> "Content":
        return self.having({i: row | change(row) if chosen(row) else row for i, row in self.rows.items()})

    def without(self, chosen: Callable[[Row], bool]) -> "Content":
        return self.having({i: row for i, row in self.rows.items() if not chosen(row)})


class Values:
    """Random ones. Files of version 2.0 hold no null structs."""

    def __init__(self, dice: random.Random, null_structs: bool) -> None:
        self.dice, self.null_structs = dice, null_structs
        self.next = 0

    def fresh(self, count: int) -> list[int]:
        self.next += count
        return list(range(self.next - count, self.next))

    def row(self, i: int, columns: dict[str, str]) -> Row:
        return {name: self.of(kind) for name, kind in columns.items()} | {"id": i}

    def of(self, kind: str) -> object:
        dice = self.dice
        if kind != "vector" and dice.random() < 0.15 and (kind != "point" or self.null_structs):
            return None
        match kind:
            case "number" | "small":
                return dice.randint(-100, 1000)
            case "word":
                return dice.choice(WORDS)
            case "text":
                return " ".join(dice.choices(WORDS, k=dice.randint(0, 6)))
            case "vector":
                return [dice.randint(0, 99) / 4 for _ in range(4)]
            case "numbers":
                return [dice.choice([None, 1, 2, 3]) for _ in range(dice.randint(0, 4))]
            case _:
                return {"x": dice.choice([None, 5, 6]), "y": dice.choice([None, "left", "right"])}


def arrow(rows: list[Row], columns: dict[str, str]) -> pa.Table:
    schema = pa.schema([pa.field(name, TYPES[kind]) for name, kind in columns.items()])
    return pa.Table.from_pylist(rows, schema)
