"""Indices that earlier releases of pylance built are used or left alone, by rules, and never answer wrongly."""

import shutil
from pathlib import Path

import lance
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from tests.interop.plans import scans

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parents[1] / "golden" / "old_indices"
TABLES = ["0.20.0", "0.35.0", "1.0.1", "4.0.0", "4.0.0_stable"]
CONDITIONS = {
    "v": ["v = 5", "v = 0", "v IN (3, 7, 500)", "v > 97", "v IS NULL", "v BETWEEN 40 AND 42", "NOT (v < 99)"],
    "c": ["c = 'red3'", "c IN ('red3', 'blue5')", "c IS NULL", "c > 'red5'"],
    "l": ["array_contains(l, 'a5')", "arrays_overlap(l, array('a7', 'a15'))", "array_contains(l, 'none')"],
    "t": ["t LIKE '%quick%'", "contains(t, 'fox 36')"],
    "z": ["z = 40", "z BETWEEN 10 AND 12", "z IS NULL", "z < 3 OR z > 105"],
    "b": ["b = 'key007'", "b IN ('key000', 'key149')", "b IS NULL"],
}

# Columns whose indices are not used: B-trees without nulls, and zone maps of another form.
IGNORED = {"0.20.0": {"v"}, "0.35.0": {"z"}}

# Columns without an index.
ABSENT = {"0.20.0": {"t", "z", "b"}, "0.35.0": {"b"}}


def ask(spark: SparkSession, path: str, conditions: list[str]) -> dict[str, tuple[list[int], bool]]:
    """Returns by condition the rows that a scan finds, and whether it uses an index. One query for all."""
    spark.read.format("lance").load(path).createOrReplaceTempView("old_indices")
    parts = [f"SELECT {i} AS k, id FROM old_indices WHERE {condition}" for i, condition in enumerate(conditions)]
    query = spark.sql(" UNION ALL ".join(parts))
    found: list[list[int]] = [[] for _ in conditions]
    for row in query.collect():
        found[row["k"]].append(row["id"])
    uses = ["indices [" in scan for scan in scans(query)]
    return dict(zip(conditions, zip(map(sorted, found), uses, strict=True), strict=True))


def check(spark: SparkSession, path: str, unused: set[str]) -> dict[str, list[int]]:
    """Returns the rows of each condition, which are those that Spark finds when it looks at all rows."""
    every = [condition for conditions in CONDITIONS.values() for condition in conditions]
    flags = [f"({condition}) AS c{i}" for i, condition in enumerate(every)]
    rows = spark.read.format("lance").load(path).selectExpr("id", *flags).collect()
    expected = {c: sorted(row["id"] for row in rows if row[f"c{i}"]) for i, c in enumerate(every)}
    answers = ask(spark, path, every)
    for condition, (found, _) in answers.items():
        assert found == expected[condition], condition
    for column, conditions in CONDITIONS.items():
        uses = [answers[condition][1] for condition in conditions]
        assert any(uses) == (column not in unused), f"{column}: {uses}"
    return expected


@pytest.mark.parametrize("name", TABLES)
def test_indices_of_old_releases(spark: SparkSession, name: str) -> None:
    check(spark, str(GOLDEN / name), IGNORED.get(name, set()) | ABSENT.get(name, set()))


@pytest.mark.parametrize("name", TABLES)
def test_indices_of_old_releases_are_brought_up_to_date(spark: SparkSession, tmp: str, name: str) -> None:
    path = f"{tmp}/{name}"
    shutil.copytree(GOLDEN / name, path)
    dataset = LanceDataset(spark, path)
    dataset.optimize.optimize_indices()
    for index in dataset.describe_indices():
        assert dataset.index_statistics(index.name)["num_unindexed_rows"] == 0
    expected = check(spark, path, ABSENT.get(name, set()))
    theirs = lance.dataset(path)
    for condition in ("v = 5", "v IS NULL", "c = 'red3'", "z = 40", "b = 'key007'"):
        assert theirs.count_rows(condition) == len(expected[condition]), condition
