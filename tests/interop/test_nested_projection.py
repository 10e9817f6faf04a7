"""Random parts of random nested columns, in any order, under filters, over several files, compared with pylance."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from tests.interop.nested import random_type, random_value

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Path:
    """A way into a row: as SQL, and as a function of the row."""

    sql: str
    kind: pa.DataType
    of: Callable[[dict], object]

    def then(self, sql: str, kind: pa.DataType, step: Callable[[object], object]) -> "Path":
        """A step further; from null it leads to null."""
        return Path(sql, kind, lambda row: None if (here := self.of(row)) is None else step(here))


def field_of(path: Path, field: pa.Field) -> Path:
    return path.then(f"{path.sql}.{field.name}", field.type, lambda struct: struct[field.name])


def fields_of_items(path: Path, field: pa.Field) -> Path:
    return path.then(
        f"{path.sql}.{field.name}",
        pa.list_(field.type),
        lambda items: [None if item is None else item[field.name] for item in items],
    )


def item_of(path: Path, at: int) -> Path:
    kind = path.kind.value_type
    return path.then(f"get({path.sql}, {at})", kind, lambda items: items[at] if at < len(items) else None)


def value_of(path: Path, key: str) -> Path:
    return path.then(f"{path.sql}['{key}']", path.kind.item_type, lambda entries: dict(entries).get(key))


def keys_of(path: Path) -> Path:
    return path.then(f"map_keys({path.sql})", pa.list_(pa.string()), lambda entries: [key for key, _ in entries])


def is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind)


def longer(rng: random.Random, path: Path) -> Path | None:
    """A random step further into nested values; None at leaves."""
    kind = path.kind
    if pa.types.is_struct(kind):
        return field_of(path, rng.choice(list(kind)))
    if pa.types.is_map(kind):
        return rng.choice([value_of(path, "k0"), value_of(path, "k1"), keys_of(path)])
    if not is_list(kind):
        return None
    steps = [item_of(path, rng.randrange(3))]
    if pa.types.is_struct(kind.value_type):
        steps += [fields_of_items(path, field) for field in kind.value_type]
    return rng.choice(steps)


def random_path(rng: random.Random, column: pa.Field) -> Path:
    path = Path(column.name, column.type, lambda row: row[column.name])
    while (further := longer(rng, path)) is not None and rng.random() < 0.9:
        path = further
    return path


def plain(value: object) -> object:
    """Maps as pylance gives them: lists of pairs, which both give."""
    match value:
        case dict():
            return {name: plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
    return value


def rows_of(frame: DataFrame) -> list[list]:
    return [[plain(value) for value in row.values()] for row in frame.toArrow().to_pylist()]


def check(frame: DataFrame, rows: list[dict], rng: random.Random, schema: pa.Schema) -> None:
    """Several random parts at once, of all rows and of those that a random part lets through."""
    for _ in range(3):
        paths = [random_path(rng, rng.choice(list(schema))) for _ in range(rng.randrange(1, 5))]
        condition = random_path(rng, rng.choice(list(schema)))
        columns = [f"{path.sql} AS p{i}" for i, path in enumerate(paths)]

        def values(row: dict, paths: list[Path] = paths) -> list:
            return [plain(path.of(row)) for path in paths]

        assert rows_of(frame.selectExpr(*columns)) == [values(row) for row in rows], columns
        kept = [values(row) for row in rows if condition.of(row) is not None]
        chosen = frame.where(f"{condition.sql} IS NOT NULL").selectExpr(*columns)
        assert rows_of(chosen) == kept, (columns, condition.sql)


SEEDS = range(4)


def random_struct_table(seed: int, maps: bool, null_share: float) -> pa.Table:
    rng = np.random.default_rng([seed, 77])
    kinds = [pa.struct({"x": random_type(rng, 2, maps), "y": random_type(rng, 1, maps), "z": pa.int32()})]
    kinds += [pa.list_(pa.struct({"u": random_type(rng, 1, maps), "v": random_type(rng, 0, maps), "w": pa.string()}))]
    kinds += [random_type(rng, 3, maps)]
    rows = 300
    columns = [pa.array([random_value(rng, kind, null_share, 3) for _ in range(rows)], kind) for kind in kinds]
    return pa.table(columns, names=["s", "l", "r"])


def halves(table: pa.Table) -> list[pa.Table]:
    """Two parts in buffers of their own: where pylance itself cuts structs that are null, it fails."""
    middle = table.num_rows * 4 // 7
    parts = table.slice(0, middle), table.slice(middle)
    return [pa.Table.from_pylist(part.to_pylist(), schema=table.schema) for part in parts]


def write(table: pa.Table, path: str, version: str) -> lance.LanceDataset:
    """Writes the table as two fragments."""
    for mode, part in zip(("create", "append"), halves(table), strict=True):
        lance.write_dataset(part, path, mode=mode, data_storage_version=version)
    return lance.dataset(path)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("version", "null_share"), [("2.0", 0.0), ("2.1", 0.2), ("2.2", 0.2)])
def test_random_parts_are_those_of_pylance(
    spark: SparkSession, tmp: str, seed: int, version: str, null_share: float
) -> None:
    path = f"{tmp}/t.lance"
    table = random_struct_table(seed, version == "2.2", null_share)
    rows = write(table, path, version).to_table().to_pylist()
    check(spark.read.format("lance").load(path), rows, random.Random(seed), table.schema)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_parts_of_structs_whose_fields_stand_in_several_files(spark: SparkSession, tmp: str, seed: int) -> None:
    """Fields added later, one without values, one of another type since, one renamed, one gone; some rows deleted."""
    path = f"{tmp}/t.lance"
    dataset, rng = write(random_struct_table(seed, True, 0.2), path, "2.2"), np.random.default_rng([seed, 78])
    more = pa.struct({"later": random_type(rng, 2, True), "doomed": pa.int32()})
    values = pa.array([random_value(rng, more, 0.2, 3) for _ in range(300)], more)
    dataset.add_columns(pa.concat_tables(halves(pa.table({"s": values}))).to_reader())
    dataset.add_columns(pa.schema([pa.field("s", pa.struct({"empty": pa.list_(pa.string())}))]))
    dataset.alter_columns({"path": "s.z", "data_type": pa.int64()}, {"path": "s.y", "name": "renamed"})
    dataset.drop_columns(["s.doomed"])
    dataset.delete("s.z % 5 = 1")
    dataset = lance.dataset(path)
    assert len(dataset.get_fragments()[0].data_files()) > 2
    rows = dataset.to_table().to_pylist()
    check(spark.read.format("lance").load(path), rows, random.Random(seed), dataset.schema)


def test_filters_on_nested_fields_are_those_of_pylance(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    rng = np.random.default_rng(9)
    kind = pa.struct({"n": pa.int32(), "inner": pa.struct({"t": pa.string(), "x": pa.float64()}), "b": pa.bool_()})
    values = pa.array([random_value(rng, kind, 0.2, 3) for _ in range(2000)], kind)
    write(pa.table({"id": range(2000), "s": values}), path, "2.2")
    frame = spark.read.format("lance").load(path)
    for condition in (
        "s.n > 100",
        "s.n BETWEEN -50 AND 50 OR s.b",
        "s.inner.t = ''",
        "s.inner.t LIKE 'the%' AND s.inner.x < 0",
        "NOT s.b",
        "s.inner IS NULL",
        "s.inner.x IS NOT NULL AND id % 2 = 0",
        "s.n IN (1, 2, 3, 500)",
    ):
        expected = lance.dataset(path).to_table(["id"], filter=condition)["id"].to_pylist()
        assert frame.where(condition).toArrow()["id"].to_pylist() == expected, condition


def test_three_of_ten_thousand_columns_of_pylance(spark: SparkSession, tmp: str) -> None:
    """Compares values; WideTableSuite counts the bytes read."""
    path = f"{tmp}/t.lance"
    names = [f"c{i}" for i in range(10_000)]
    rows = np.arange(30_000).reshape(3, 10_000)
    lance.write_dataset(pa.table([pa.array(rows[:, i]) for i in range(10_000)], names), path)
    frame = spark.read.format("lance").load(path).select("c9999", "c0", "c5000")
    assert [tuple(row) for row in frame.collect()] == [(i + 9999, i, i + 5000) for i in (0, 10_000, 20_000)]
