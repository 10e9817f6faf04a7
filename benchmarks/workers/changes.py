"""Times changes of rows and columns of lineitem: ours, Delta's and Iceberg's, each in a JVM of its own, of one Spark.

Runs as a script, with the Python of that Spark.
"""

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.workers import serve

# About 1 % of the rows, in all places of all files.
RANDOM = "pmod(xxhash64(l_orderkey, l_linenumber), 100) = 7"
NEW, VALUE = "l_taxed", "cast(l_extendedprice * (1 + l_tax) as float)"


class System(ABC):
    """One table of one format."""

    def __init__(self, spark: SparkSession, folder: Path, style: str) -> None:
        self.spark, self.path, self.style = spark, folder / f"{type(self).__name__.lower()}{style}", style

    @abstractmethod
    def make(self, source: Path) -> None: ...

    @abstractmethod
    def restore(self) -> None:
        """The table is what `make` made of it, without copying anything."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    def delete(self) -> None:
        self.spark.sql(f"DELETE FROM {self.name} WHERE {RANDOM}")

    def add(self) -> None:
        """Its own way to give a new column its values: by rewriting."""
        self.spark.sql(f"ALTER TABLE {self.name} ADD COLUMN {NEW} FLOAT")
        self.spark.sql(f"UPDATE {self.name} SET {NEW} = {VALUE}")


class Sparklance(System):
    @property
    def name(self) -> str:
        return f"lance.`{self.path}`"

    def make(self, source: Path) -> None:
        self.spark.read.parquet(str(source)).write.format("lance").save(str(self.path))

    def restore(self) -> None:
        self.spark.sql(f"CALL lance.system.restore(table => '{self.path}', version => 1)")

    def add(self) -> None:
        from sparklance import LanceDataset

        LanceDataset(self.spark, str(self.path)).add_columns({NEW: VALUE})


class Delta(System):
    """By default it rewrites files; with the style `_vectors` it marks rows as deleted."""

    @property
    def name(self) -> str:
        return f"delta.`{self.path}`"

    def make(self, source: Path) -> None:
        self.spark.conf.set(
            "spark.databricks.delta.properties.defaults.enableDeletionVectors", str(self.style == "_vectors").lower()
        )
        self.spark.read.parquet(str(source)).write.format("delta").save(str(self.path))

    def restore(self) -> None:
        self.spark.sql(f"RESTORE TABLE {self.name} TO VERSION AS OF 0")


class Iceberg(System):
    """By default it rewrites files; with the style `_merge` it writes position deletes."""

    @property
    def name(self) -> str:
        return f"iceberg.bench.`{self.path.name}`"

    def make(self, source: Path) -> None:
        self.spark.sql("CREATE NAMESPACE IF NOT EXISTS iceberg.bench")
        writer = self.spark.read.parquet(str(source)).writeTo(self.name)
        if self.style:
            for change in ("delete", "update", "merge"):
                writer = writer.tableProperty(f"write.{change}.mode", "merge-on-read")
        writer.create()

    def restore(self) -> None:
        first = self.spark.sql(f"SELECT snapshot_id FROM {self.name}.snapshots ORDER BY committed_at").first()
        assert first
        self.spark.sql(f"CALL iceberg.system.rollback_to_snapshot('bench.{self.path.name}', {first[0]})")
        if NEW in self.spark.table(self.name).columns:
            self.spark.sql(f"ALTER TABLE {self.name} DROP COLUMN {NEW}")


SYSTEMS: dict[str, type[System]] = {"sparklance": Sparklance, "delta": Delta, "iceberg": Iceberg}
SETTINGS = {
    "sparklance": {},
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    },
    "iceberg": {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.iceberg": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.iceberg.type": "hadoop",
    },
}


def session(system: str, folder: Path) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", os.environ.get("BENCH_HEAP", "4g"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.jars", os.environ["BENCH_JARS"])
        .config("spark.sql.catalog.iceberg.warehouse", str(folder))
    )
    for key, value in SETTINGS[system].items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def main(system: str, source: Path, folder: Path) -> None:
    spark = session(system, folder)
    spark.sparkContext.setLogLevel("ERROR")

    def job(case: str, contender: str) -> Callable[[], object]:
        kind, _, style = contender.partition(" ")
        place = folder / "bench" if kind == "iceberg" else folder
        table = SYSTEMS[kind](spark, place, f"_{style}" if style else "")
        if case == "make":
            return lambda: table.path.exists() or table.make(source)
        return getattr(table, case)  # type: ignore[no-any-return]

    serve(job)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
