"""Random nested columns that Spark writes, appends to without them, changes and compacts: pylance reads each table."""

import datetime
import decimal
import random
from collections.abc import Callable, Iterator
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from tests.interop.nested import LEAVES, Rng
from tests.interop.nested_changes import Changes
from tests.interop.test_nested import assert_same

pytestmark = pytest.mark.slow

MORE_LEAVES: list[tuple[pa.DataType, Callable[[Rng], object]]] = [
    *LEAVES,
    (pa.list_(pa.int64(), 2), lambda rng: [int(x) for x in rng.integers(-9, 9, 2)]),
    (pa.decimal128(20, 3), lambda rng: decimal.Decimal(int(rng.integers(-(10**9), 10**9))).scaleb(-3)),
    (pa.date32(), lambda rng: datetime.date(1970, 1, 1) + datetime.timedelta(int(rng.integers(-9999, 9999)))),
]

#: Keys of maps, each from its number in the map.
KEYS: list[tuple[pa.DataType, Callable[[int], object]]] = [
    (pa.string(), lambda i: f"k{i}"),
    (pa.int32(), lambda i: i),
    (pa.list_(pa.int32()), lambda i: [i] * i),
    (pa.struct([("a", pa.int32()), ("b", pa.string())]), lambda i: {"a": i, "b": "same"}),
]

#: Shares of nulls and of empty lists at every level: none, some, and nothing else.
SHARES = [0.0, 0.0, 0.1, 0.5, 1.0]


class Shapes:
    """Random types, and values of them. Fields and items may be required."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def field(self, name: str, depth: int, maps: bool, required: float = 0.2) -> pa.Field:
        return pa.field(name, self.type(depth, maps), nullable=self.rng.random() >= required)

    def type(self, depth: int, maps: bool) -> pa.DataType:
        if depth == 0:
            return MORE_LEAVES[self.rng.integers(0, len(MORE_LEAVES))][0]
        match self.rng.choice(["struct", "struct", "list", "map"] if maps else ["struct", "list"]):
            case "struct":
                depths = [depth - 1, *self.rng.integers(0, depth, int(self.rng.integers(0, 3)))]
                return pa.struct([self.field(f"f{i}", int(d), maps) for i, d in enumerate(depths)])
            case "list":
                return pa.list_(self.field("item", depth - 1, maps, required=0.1))
            case _:
                key = KEYS[int(self.rng.choice(4, p=[0.55, 0.15, 0.15, 0.15]))][0]
                return pa.map_(key, self.field("value", depth - 1, maps))

    def values(self, field: pa.Field, rows: int) -> pa.Array:
        self.shares: dict[int, tuple[float, float]] = {}
        return pa.array([self.value(field, 0) for _ in range(rows)], field.type)

    def value(self, field: pa.Field, level: int) -> object:
        rng, kind = self.rng, field.type
        null, empty = self.shares.setdefault(level, (float(rng.choice(SHARES)), float(rng.choice(SHARES))))
        if field.nullable and rng.random() < null:
            return None
        if pa.types.is_struct(kind):
            return {inner.name: self.value(inner, level + 1) for inner in kind}
        count = 0 if rng.random() < empty else int(rng.integers(0, 4))
        if pa.types.is_list(kind):
            return [self.value(kind.value_field, level + 1) for _ in range(count)]
        if pa.types.is_map(kind):
            key = next(make for of, make in KEYS if of == kind.key_type)
            return [(key(i), self.value(kind.item_field, level + 1)) for i in range(count)]
        return next(make for leaf, make in MORE_LEAVES if leaf == kind)(rng)


def table_of(seed: int, version: str) -> pa.Table:
    shapes = Shapes(seed)
    maps = version == "2.2"
    fields = [pa.field("id", pa.int64()), *(shapes.field(f"c{d}", d, maps) for d in (1, 2, 3, 4))]
    rows = int(shapes.rng.choice([1, 5, 40, 400]))
    columns = [pa.array(range(rows), pa.int64()), *(shapes.values(field, rows) for field in fields[1:])]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def leaves(field: pa.Field, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Returns paths of numbers and texts within structs."""
    if pa.types.is_struct(field.type):
        for inner in field.type:
            yield from leaves(inner, (*path, field.name))
    elif field.type in (pa.int32(), pa.int64(), pa.string()):
        yield *path, field.name


def inner(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = None if value is None else value[name]
    return value


def check(path: str, expected: pa.Table) -> None:
    """Lets pylance read, take and search."""
    dataset = lance.dataset(path)
    dataset.validate()
    stored = dataset.to_table()
    expected = expected.sort_by("id")
    assert_same(expected, stored.sort_by("id"))
    if not expected.num_rows:
        return
    some = sorted({0, expected.num_rows // 3, expected.num_rows - 1})
    assert_same(stored.take(some), dataset.take(some))
    name = expected.column_names[-1]
    assert_same(stored.select([name]), dataset.to_table(columns=[name], batch_size=7))
    for found in [path for field in expected.schema for path in leaves(field)][:3]:
        values = [inner(row, found[1:]) for row in expected[found[0]].to_pylist()]
        value = next((v for v in values if v is not None), None)
        literal = "0" if value is None else f"'{value}'" if isinstance(value, str) else str(value)
        for condition, count in (
            (f"{'.'.join(found)} IS NULL", values.count(None)),
            (f"{'.'.join(found)} = {literal}", 0 if value is None else values.count(value)),
        ):
            if isinstance(value, str) or value is not None or "NULL" in condition:
                assert dataset.to_table(columns=["id"], filter=condition).num_rows == count, condition


def is_readable(path: str) -> bool:
    """Whether pylance reads what it has written itself: some shapes it does not."""
    try:
        return bool(lance.dataset(path).to_table().num_rows)
    except (pa.ArrowInvalid, OSError):
        return False


def run(spark: SparkSession, folder: str, seed: int, version: str) -> pa.Table:
    """Writes and changes a table `to.lance`. Returns its rows."""
    written, source, path = table_of(seed, version), f"{folder}/from.lance", f"{folder}/to.lance"
    lance.write_dataset(written, source, data_storage_version=version)
    with pa.ipc.new_file(f"{source}.arrow", written.schema) as out:
        out.write_table(written)
    frame = spark.read.format("lance").load(source).coalesce(1)
    # Spark's DataFrames have no required columns, so a table is made of the schema first.
    lance.write_dataset(written.slice(0, 0), path, data_storage_version=version)
    frame.write.format("lance").mode("append").save(path)
    check(path, written)
    optional = [field.name for field in written.schema if field.nullable]
    rest = [name for name in written.column_names if name != "id" and name not in optional]
    fewer = frame.selectExpr("id + 1000 AS id", *rest)
    fewer.write.format("lance").mode("append").option("mergeSchema", "true").save(path)
    nulls = [
        pa.array([i + 1000 for i in written["id"].to_pylist()], pa.int64())
        if name == "id"
        else (written[name] if name in rest else pa.nulls(written.num_rows, written.schema.field(name).type))
        for name in written.column_names
    ]
    rows = pa.concat_tables([written, pa.Table.from_arrays(nulls, schema=written.schema)])
    check(path, rows)
    changes, steps = Changes(spark, path, source, seed), []
    for _ in range(3):
        step, rows = changes.any(rows)
        steps.append(step)
        try:
            check(path, rows)
            if changes.rng.random() < 0.3:
                steps.append("compact")
                LanceDataset(spark, path).optimize.compact_files(materialize_deletions_threshold=0.0)
                check(path, rows)
        except BaseException as e:
            e.add_note(f"after {steps}")
            raise
    LanceDataset(spark, path).optimize.compact_files(materialize_deletions_threshold=0.0)
    check(path, rows)
    lance.dataset(path).delete("id % 2 = 0")
    rows = rows.filter(pa.array([i % 2 == 1 for i in rows["id"].to_pylist()], pa.bool_()))
    own = f"{folder}/own.lance"
    lance.write_dataset(lance.dataset(path).to_table(), own, data_storage_version=version)
    if not is_readable(own):
        return rows
    lance.dataset(path).optimize.compact_files(materialize_deletions_threshold=0.0)
    check(path, rows)
    return rows


@pytest.fixture
def interpreted(spark: SparkSession) -> Iterator[SparkSession]:
    """Every table has other columns, so that compiling their plans takes half of the time."""
    settings = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    for key, value in settings.items():
        spark.conf.set(key, value)
    yield spark
    for key in settings:
        spark.conf.unset(key)


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_pylance_reads_nested_columns_after_every_change(
    interpreted: SparkSession, tmp_path_factory: pytest.TempPathFactory, full: bool, version: str
) -> None:
    for _ in range(2500 if full else 3):
        seed = random.randrange(1 << 30)
        try:
            run(interpreted, str(tmp_path_factory.mktemp("nested")), seed, version)
        except BaseException as e:
            e.add_note(f"version {version}, seed {seed}")
            raise
