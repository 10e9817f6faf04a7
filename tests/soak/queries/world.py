"""The tables that queries are about: one of a file version, with all that may have happened to it, and a neighbour."""

import random
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import lance
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from tests.soak.queries.content import COLUMNS, DDL, Row, Values, arrow

#: Columns that files of a version cannot hold, or lose.
MISSING = {"0.1": {"m", "items"}, "2.0": {"m"}, "2.1": {"m"}, "2.2": set()}


@dataclass(frozen=True)
class World:
    """names: the columns of the table
    rows: what pylance reads of it
    told: how it was made, in words
    """

    version: str
    path: str
    names: list[str]
    rows: pa.Table
    told: str

    @cached_property
    def plain_rows(self) -> list[Row]:
        return self.rows.select(["id", "grp", "i", "small", "big", "s", "flag"]).to_pylist()


def build(spark: SparkSession, folder: Path, seed: int) -> World:
    """Views `t` and `u` of Lance tables, and `t_parquet` and `u_parquet` of what pylance reads of them."""
    dice = random.Random(f"world {seed}")
    version = dice.choice(["0.1", "2.0", "2.1", "2.2", "2.2"])
    by_spark = version != "0.1" and dice.random() < 0.5
    names = [name for name in COLUMNS if name not in MISSING[version]]
    values = Values(dice, dice.choice([0.0, 0.1, 0.4]), null_structs=version in ("2.1", "2.2"))
    path = str(folder / "t.lance")
    for part, size in enumerate(dice.choices([1, 40, 200, 500], k=dice.randint(1, 4))):
        first = part * 1000
        table = arrow([values.row(first + i, names) for i in range(size)], names)
        write(spark, table, path, version, by_spark and (part == 0 or dice.random() < 0.5), create=part == 0)
    told = [f"{version}, made by {'Spark' if by_spark else 'pylance'}"]
    told += [change(spark, path, dice) for _ in range(dice.randint(0, 3))]
    rows = shown(spark, "t", path, folder, by_spark)
    neighbour(spark, folder, dice, version)
    return World(version, path, rows.column_names, rows, "; ".join(told))


def write(spark: SparkSession, table: pa.Table, path: str, version: str, by_spark: bool, create: bool) -> None:
    if not by_spark:
        lance.write_dataset(table, path, mode="create" if create else "append", data_storage_version=version)
        return
    if create:
        columns = ddl(table.column_names)
        spark.sql(f"CREATE TABLE lance.`{path}` ({columns}) OPTIONS (dataStorageVersion = '{version}')")
    spark.createDataFrame(table).createOrReplaceTempView("given")
    spark.sql(f"INSERT INTO lance.`{path}` SELECT * FROM given")


def ddl(names: list[str]) -> str:
    return ", ".join(f"{name} {DDL[name]}" for name in names)


def change(spark: SparkSession, path: str, dice: random.Random) -> str:
    """Deletes rows, or adds the column `late`, by Spark or pylance."""
    dataset = lance.dataset(path)
    by_spark = dice.random() < 0.5
    old = dataset.data_storage_version == "0.1"
    if dice.random() < 0.5 and "late" not in dataset.schema.names:
        if old or not by_spark:
            dataset.add_columns({"late": "grp * 2"})
        else:
            default = dice.choice(["", "DEFAULT 7"])
            spark.sql(f"ALTER TABLE lance.`{path}` ADD COLUMN late INT {default}")
        return "late added"
    condition = dice.choice(
        ["id % 3 = 1", "grp = 2", "id < 20", "i > 50 OR flag", f"id % 1000 = {dice.randint(0, 39)}"]
    )
    if by_spark:
        spark.sql(f"DELETE FROM lance.`{path}` WHERE {condition}")
    else:
        dataset.delete(condition)
    return f"deleted {condition}"


def neighbour(spark: SparkSession, folder: Path, dice: random.Random, version: str) -> None:
    """A small table to join with."""
    keys = dice.sample(range(0, 3000), 40)
    table = pa.table(
        {
            "k": pa.array([*keys, None], pa.int64()),
            "g": pa.array([*(dice.randint(0, 9) for _ in keys), None], pa.int32()),
            "label": pa.array([*(dice.choice(["a", "ab", "no", "x y"]) for _ in keys), None], pa.string()),
            "since": pa.array([*(dice.choice([0, 18262, 18270, -1]) for _ in keys), None], pa.int32()).cast(
                pa.date32()
            ),
        }
    )
    path = str(folder / "u.lance")
    lance.write_dataset(table, path, data_storage_version=version)
    shown(spark, "u", path, folder, by_spark=False)


def shown(spark: SparkSession, name: str, path: str, folder: Path, by_spark: bool) -> pa.Table:
    """Registers a table, and its rows as Parquet; a CHAR column is one in both, or in none."""
    rows = lance.dataset(path).to_table()
    file = str(folder / f"{name}.parquet")
    Path(file).mkdir()
    pq.write_table(rows, f"{file}/part.parquet", row_group_size=100)
    spark.read.format("lance").load(path).createOrReplaceTempView(name)
    spark.sql(f"DROP TABLE IF EXISTS spark_catalog.default.{name}_copy")
    if by_spark:
        copy = f"spark_catalog.default.{name}_copy"
        spark.sql(f"CREATE TABLE {copy} ({ddl(rows.column_names)}) USING parquet LOCATION '{file}'")
        spark.table(f"lance.`{path}`").createOrReplaceTempView(name)
        spark.table(copy).createOrReplaceTempView(f"{name}_parquet")
    else:
        spark.read.parquet(file).createOrReplaceTempView(f"{name}_parquet")
    return rows
