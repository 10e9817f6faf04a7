"""Runs queries under settings that change how Spark evaluates them."""

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import lance
from pyspark.sql import SparkSession

from tests.soak.queries.judges import answer, difference
from tests.soak.queries.plain import plain
from tests.soak.queries.shapes import Queries
from tests.soak.queries.world import World, build

#: Queries on one set of tables.
EACH = 50

SETTINGS = {
    "spark.sql.ansi.enabled": ["true", "false"],
    "spark.sql.codegen.wholeStage": ["true", "false"],
    "spark.sql.codegen.factoryMode": ["FALLBACK", "NO_CODEGEN"],
    "spark.sql.adaptive.enabled": ["true", "false"],
    "spark.sql.session.timeZone": ["UTC", "America/Los_Angeles", "Asia/Kolkata", "Europe/Berlin"],
    "spark.sql.optimizer.runtime.bloomFilter.enabled": ["true", "false"],
    "spark.sql.autoBroadcastJoinThreshold": ["10485760", "-1"],
}
ALWAYS = {
    # Makes runtime filters worthwhile for tables as small as these.
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "0",
    # Parquet's pushed filter loses timestamps from 1582-10-05 to 1582-10-14, which the Julian calendar lacks.
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "false",
}


@dataclass
class Report:
    """The outcome of queries.

    empty: how many of those that are the same have no rows
    differences: in words, with the command that runs the query again
    tell: takes each difference as soon as it is found
    """

    tell: Callable[[str], None] = print
    queries: int = 0
    same: int = 0
    empty: int = 0
    errors_of_values: int = 0
    by_version: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    def differ(self, words: str) -> None:
        self.differences.append(words)
        self.tell(words)

    def lines(self) -> list[str]:
        counts = ", ".join(f"{version}: {count}" for version, count in sorted(self.by_version.items()))
        return [
            f"{self.queries} queries ({counts})",
            f"{self.same} the same ({self.empty} without rows), {self.errors_of_values} errors of values, "
            f"{len(self.differences)} different",
        ]


@contextmanager
def configured(spark: SparkSession, settings: dict[str, str]) -> Iterator[None]:
    before = {key: spark.conf.get(key, None) for key in settings}
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, old in before.items():
            spark.conf.unset(key) if old is None else spark.conf.set(key, old)


def run(spark: SparkSession, seed: int, count: int, only: int | None = None) -> Report:
    """Runs `count` queries, or the one with the number `only` on the first tables."""
    report = Report()
    for part in range(-(-count // EACH)):
        numbers = range(min(EACH, count - part * EACH)) if only is None else [only]
        with tempfile.TemporaryDirectory(prefix="sparklance-queries-") as folder, configured(spark, ALWAYS):
            try:
                world = build(spark, Path(folder), seed + part)
            except Exception as e:
                report.differ(f"./dev soak --queries 1 --seed {seed + part} cannot make the tables: {str(e)[:1000]}")
                continue
            for number in numbers:
                one(spark, world, seed + part, number, report)
    return report


def one(spark: SparkSession, world: World, seed: int, number: int, report: Report) -> None:
    dice = random.Random(f"query {seed} {number}")
    settings = {key: dice.choice(values) for key, values in SETTINGS.items()}
    report.queries += 1
    report.by_version[world.version] = report.by_version.get(world.version, 0) + 1
    with configured(spark, settings):
        try:
            judge = filtered if dice.random() < 0.1 else compared
            found = judge(spark, world, dice, report)
        except Exception as e:
            found = str(e)[:1000]
    if found:
        told = "; ".join(f"{key.split('.', 2)[2]} = {value}" for key, value in settings.items())
        report.differ(f"./dev soak --queries 1 --seed {seed} --only {number}\n  {world.told}\n  {told}\n  {found}")


def compared(spark: SparkSession, world: World, dice: random.Random, report: Report) -> str | None:
    """Compares what Spark answers from Lance and from Parquet."""
    query = Queries(dice, world.names).next()
    ours, theirs = answer(spark, query.on("")), answer(spark, query.on("_parquet"))
    if found := difference(ours, theirs):
        return f"{query.on('')}\n  {found}"
    if ours.rows is None or theirs.rows is None:
        report.errors_of_values += 1
    else:
        report.same += 1
        report.empty += not theirs.rows
    return None


def filtered(spark: SparkSession, world: World, dice: random.Random, report: Report) -> str | None:
    """Compares what Spark and pylance find, and what a model says."""
    condition = plain(dice, dice.randint(0, 3))
    ours = sorted(row.id for row in spark.sql(f"SELECT id FROM t WHERE {condition.sql}").collect())
    theirs = sorted(lance.dataset(world.path).to_table(columns=["id"], filter=condition.sql)["id"].to_pylist())
    expected = sorted(row["id"] for row in world.plain_rows if condition.holds(row))
    if ours == theirs == expected:
        report.same += 1
        report.empty += not expected
        return None
    return f"{condition.sql}: {ours} in Spark, {theirs} in pylance, {expected} by the model"
