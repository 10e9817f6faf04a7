"""Random changes of tables with nested columns by Spark, and the rows that they leave."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

Rng = np.random.Generator

#: Steps from a column inwards: names of fields, "element" for lists, "value" for maps.
Path = tuple[str, ...]


def structs(kind: pa.DataType, path: Path = ()) -> Iterator[tuple[Path, pa.StructType]]:
    """Returns all structs within a type, and itself. Keys of maps stay as they are."""
    if pa.types.is_struct(kind):
        yield path, kind
        for field in kind:
            yield from structs(field.type, (*path, field.name))
    elif pa.types.is_list(kind):
        yield from structs(kind.value_type, (*path, "element"))
    elif pa.types.is_map(kind):
        yield from structs(kind.item_type, (*path, "value"))


def retyped(field: pa.Field, path: Path, change: Callable[[list[pa.Field]], list[pa.Field]]) -> pa.Field:
    kind = field.type
    if pa.types.is_list(kind):
        return field.with_type(pa.list_(retyped(kind.value_field, path[1:], change)))
    if pa.types.is_map(kind):
        return field.with_type(pa.map_(kind.key_field, retyped(kind.item_field, path[1:], change)))
    if not path:
        return field.with_type(pa.struct(change(list(kind))))
    return field.with_type(pa.struct([retyped(f, path[1:], change) if f.name == path[0] else f for f in kind]))


def revalued(value: Any, path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        if value and isinstance(value[0], tuple):
            return [(key, revalued(inner, path[1:], change)) for key, inner in value]
        return [revalued(inner, path[1:], change) for inner in value]
    if not path:
        return change(value)
    return {name: revalued(v, path[1:], change) if name == path[0] else v for name, v in value.items()}


class Changes:
    """Changes the table at a path, and says what its rows are then."""

    def __init__(self, spark: SparkSession, path: str, source: str, seed: int) -> None:
        self.spark, self.path, self.source = spark, path, source
        self.rng = np.random.default_rng(seed)
        self.names = 0
        self.merged = 0

    def any(self, rows: pa.Table) -> tuple[str, pa.Table]:
        """Makes one of the changes. Returns its name, and the rows."""
        changes = [
            self.update,
            self.merge,
            self.add_column,
            self.add_field,
            self.drop_field,
            self.rename_field,
            self.widen,
        ]
        change = changes[int(self.rng.integers(0, len(changes)))]
        return change.__name__, change(rows)

    def sql(self, statement: str) -> None:
        self.spark.sql(statement.replace("TARGET", f"lance.`{self.path}`")).collect()

    def update(self, rows: pa.Table) -> pa.Table:
        """Makes a column null where it may be."""
        names = [field.name for field in rows.schema if field.nullable and field.name != "id"]
        if not names:
            return rows
        name = str(self.rng.choice(names))
        self.sql(f"UPDATE TARGET SET {name} = NULL WHERE id % 2 = 0")
        ids, values = rows["id"].to_pylist(), rows[name].to_pylist()
        return replaced(
            rows, rows.schema.field(name), [None if i % 2 == 0 else v for i, v in zip(ids, values, strict=True)]
        )

    def merge(self, rows: pa.Table) -> pa.Table:
        """Replaces some rows, and adds others."""
        with pa.memory_map(f"{self.source}.arrow") as file:
            source = pa.ipc.open_file(file).read_all()
        if source.schema != rows.schema:
            return rows
        self.merged += 1
        far = source.num_rows // 2 + 10_000 * self.merged * int(self.rng.integers(0, 2))
        others = ", ".join(name for name in rows.column_names if name != "id")
        self.sql(
            f"MERGE INTO TARGET AS t USING (SELECT id + {far} AS id, {others} FROM lance.`{self.source}`) AS s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
        moved = replaced(source, source.schema.field("id"), [i + far for i in source["id"].to_pylist()])
        ids = set(moved["id"].to_pylist())
        kept = rows.filter(pa.array([i not in ids for i in rows["id"].to_pylist()], pa.bool_()))
        return pa.concat_tables([kept, moved])

    def add_column(self, rows: pa.Table) -> pa.Table:
        """Adds a column, and fills a part of it."""
        name = self.new("n")
        kind = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))])
        self.sql(f"ALTER TABLE TARGET ADD COLUMN {name} STRUCT<a: INT, b: ARRAY<STRING>>")
        values = [None] * rows.num_rows
        if self.rng.random() < 0.5:
            self.sql(
                f"UPDATE TARGET SET {name} = named_struct('a', CAST(id AS INT), 'b', array('x', NULL)) WHERE id % 4 = 1"
            )
            values = [{"a": i, "b": ["x", None]} if i % 4 == 1 else None for i in rows["id"].to_pylist()]
        return rows.append_column(pa.field(name, kind), pa.array(values, kind))

    def add_field(self, rows: pa.Table) -> pa.Table:
        found = self.struct(rows, lambda path, _: "value" not in path)
        if found is None:
            return rows
        column, path, _ = found
        name = self.new("g")
        self.sql(f"ALTER TABLE TARGET ADD COLUMN {'.'.join((column, *path, name))} INT")
        return altered(
            rows, column, path, lambda all: [*all, pa.field(name, pa.int32())], lambda value: {**value, name: None}
        )

    def drop_field(self, rows: pa.Table) -> pa.Table:
        found = self.struct(rows, lambda _, kind: kind.num_fields > 1)
        if found is None:
            return rows
        column, path, kind = found
        name = kind[int(self.rng.integers(0, kind.num_fields))].name
        drop = f"ALTER TABLE TARGET DROP COLUMN {'.'.join((column, *path, name))}"
        try:
            self.sql(drop)
        except Exception as e:
            if "have no values in some files" not in str(e):
                raise
            self.sql(f"UPDATE TARGET SET {column} = {column}")
            self.sql(drop)
        return altered(
            rows,
            column,
            path,
            lambda all: [field for field in all if field.name != name],
            lambda value: {key: v for key, v in value.items() if key != name},
        )

    def rename_field(self, rows: pa.Table) -> pa.Table:
        found = self.struct(rows, lambda *_: True)
        if found is None:
            return rows
        column, path, kind = found
        name, to = kind[int(self.rng.integers(0, kind.num_fields))].name, self.new("r")
        self.sql(f"ALTER TABLE TARGET RENAME COLUMN {'.'.join((column, *path, name))} TO {to}")
        return altered(
            rows,
            column,
            path,
            lambda all: [field.with_name(to) if field.name == name else field for field in all],
            lambda value: {to if key == name else key: v for key, v in value.items()},
        )

    def widen(self, rows: pa.Table) -> pa.Table:
        def narrow(kind: pa.StructType) -> list[str]:
            return [field.name for field in kind if field.type in (pa.int8(), pa.int32())]

        found = self.struct(rows, lambda path, kind: "value" not in path and bool(narrow(kind)))
        if found is None:
            return rows
        column, path, kind = found
        name = str(self.rng.choice(narrow(kind)))
        self.sql(f"ALTER TABLE TARGET ALTER COLUMN {'.'.join((column, *path, name))} TYPE BIGINT")
        return altered(
            rows,
            column,
            path,
            lambda all: [field.with_type(pa.int64()) if field.name == name else field for field in all],
            lambda value: value,
        )

    def struct(
        self, rows: pa.Table, fits: Callable[[Path, pa.StructType], bool]
    ) -> tuple[str, Path, pa.StructType] | None:
        """Chooses a struct of the table."""
        all_of = [
            (field.name, path, kind) for field in rows.schema for path, kind in structs(field.type) if fits(path, kind)
        ]
        return all_of[int(self.rng.integers(0, len(all_of)))] if all_of else None

    def new(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"


def replaced(rows: pa.Table, field: pa.Field, values: list[Any]) -> pa.Table:
    at = rows.schema.get_field_index(field.name)
    return rows.set_column(at, field, pa.array(values, field.type))


def altered(
    rows: pa.Table,
    column: str,
    path: Path,
    fields: Callable[[list[pa.Field]], list[pa.Field]],
    values: Callable[[dict[str, Any]], dict[str, Any]],
) -> pa.Table:
    field = retyped(rows.schema.field(column), path, fields)
    return replaced(rows, field, [revalued(value, path, values) for value in rows[column].to_pylist()])
