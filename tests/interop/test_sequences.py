"""Random sequences of changes by Spark and pylance: after each, both see what the table must hold, in all versions."""

import random

import pytest
from pyspark.sql import SparkSession

from tests.interop.sequences.running import TABLES, run
from tests.interop.sequences.table import Table

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("version", "stable"), TABLES)
def test_all_versions_hold_what_they_must(
    spark: SparkSession, tmp: str, full: bool, version: str, stable: bool
) -> None:
    seeds = [*range(40), random.randrange(1 << 30)] if full else [random.randrange(1 << 30)]
    for seed in seeds:
        run(Table(spark, f"{tmp}/{seed}.lance", version, stable), seed, length=20 if full else 5)


def test_pylance_finds_by_its_indices_what_is_there(spark: SparkSession, tmp: str, full: bool) -> None:
    for seed in range(80) if full else [random.randrange(1 << 30)]:
        version, stable = ("2.2", "2.1")[seed % 2], seed % 4 < 2
        table = Table(spark, f"{tmp}/{seed}.lance", version, stable)
        run(table, seed, length=20 if full else 5, indexed=True)
