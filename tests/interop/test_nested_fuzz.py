"""Random nested columns that Spark writes, appends to without them, changes and compacts: pylance reads each table."""

import random

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from tests.interop.nested import LEAVES
from tests.interop.test_nested import assert_same

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
            return LEAVES[self.rng.integers(0, len(LEAVES))][0]
        match self.rng.choice(["struct", "struct", "list", "map"] if maps else ["struct", "list"]):
            case "struct":
                depths = [depth - 1, *self.rng.integers(0, depth, int(self.rng.integers(0, 3)))]
                return pa.struct([self.field(f"f{i}", int(d), maps) for i, d in enumerate(depths)])
            case "list":
                return pa.list_(self.field("item", depth - 1, maps, required=0.1))
            case _:
                key = pa.list_(pa.int32()) if self.rng.random() < 0.2 else pa.string()
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
            keys = (
                [[i] * i for i in range(count)] if pa.types.is_list(kind.key_type) else [f"k{i}" for i in range(count)]
            )
            return [(key, self.value(kind.item_field, level + 1)) for key in keys]
        return next(make for leaf, make in LEAVES if leaf == kind)(rng)


def table_of(seed: int, version: str) -> pa.Table:
    shapes = Shapes(seed)
    maps = version == "2.2"
    fields = [pa.field("id", pa.int64()), *(shapes.field(f"c{d}", d, maps) for d in (1, 2, 3, 4))]
    rows = int(shapes.rng.choice([1, 5, 40, 400]))
    columns = [pa.array(range(rows), pa.int64()), *(shapes.values(field, rows) for field in fields[1:])]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def check(spark: SparkSession, path: str, expected: pa.Table) -> None:
    dataset = lance.dataset(path)
    dataset.validate()
    rows = dataset.to_table().sort_by("id")
    assert_same(expected, rows)
    if not expected.num_rows:
        return
    some = [0, expected.num_rows // 2, expected.num_rows - 1]
    assert dataset.take(some).num_rows == len(some)
    middle = expected["id"].to_pylist()[some[1]]
    assert dataset.to_table(filter=f"id = {middle}").num_rows == 1


def is_readable(path: str) -> bool:
    """Whether pylance reads what it has written itself: some shapes it does not."""
    try:
        return bool(lance.dataset(path).to_table().num_rows)
    except (pa.ArrowInvalid, OSError):
        return False


def run(spark: SparkSession, folder: str, seed: int, version: str) -> None:
    written = table_of(seed, version)
    lance.write_dataset(written, f"{folder}/from.lance", data_storage_version=version)
    path = f"{folder}/to.lance"
    frame = spark.read.format("lance").load(f"{folder}/from.lance").coalesce(1)
    # Spark's DataFrames have no required columns, so a table is made of the schema first.
    lance.write_dataset(written.slice(0, 0), path, data_storage_version=version)
    frame.write.format("lance").mode("append").save(path)
    check(spark, path, written)
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
    both = pa.concat_tables([written, pa.Table.from_arrays(nulls, schema=written.schema)])
    check(spark, path, both)
    spark.sql(f"UPDATE lance.`{path}` SET id = id + 5000 WHERE id % 3 = 1").collect()
    moved = [i + 5000 if i % 3 == 1 else i for i in both["id"].to_pylist()]
    after = both.set_column(0, both.schema.field("id"), pa.array(moved, pa.int64())).sort_by("id")
    check(spark, path, after)
    LanceDataset(spark, path).optimize.compact_files(materialize_deletions_threshold=0.0)
    check(spark, path, after)
    if not is_readable(f"{folder}/from.lance"):
        return
    lance.dataset(path).delete("id % 2 = 0")
    lance.dataset(path).optimize.compact_files(materialize_deletions_threshold=0.0)
    check(spark, path, after.filter(pa.array([i % 2 == 1 for i in after["id"].to_pylist()])))


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_pylance_reads_nested_columns_after_every_change(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, full: bool, version: str
) -> None:
    for _ in range(2500 if full else 3):
        seed = random.randrange(1 << 30)
        try:
            run(spark, str(tmp_path_factory.mktemp("nested")), seed, version)
        except BaseException as e:
            e.add_note(f"version {version}, seed {seed}")
            raise
