"""The tutorial and the how-to guides run as they stand."""

import pytest
from pyspark.sql import SparkSession

import sparklance
from tests.python import pages

pytestmark = pytest.mark.slow

GUIDES = sorted(path.name for path in (pages.ROOT / "docs" / "how-to").glob("*.md"))
#: Guides whose code needs services that this test does not start; `tests/stores` tests what they say.
ELSEWHERE = {"use-s3.md"}


def prepare(guide: str, spark: SparkSession, folder: str) -> dict[str, object]:
    """Makes what a guide takes for granted, and returns the names that it uses."""
    events = spark.range(1, 21).selectExpr("id", "id * 2 AS value")
    match guide:
        case "add-embeddings.md":
            texts = spark.createDataFrame([(1, "one two"), (2, "three")], "id BIGINT, body STRING")
            texts.write.format("lance").save(f"{folder}/docs.lance")
            return {}
        case "share-with-pylance.md":
            return {"df": spark.range(5)}
        case _:
            events.write.format("lance").save(f"{folder}/events.lance")
            return {"df": events}


@pytest.mark.classic("pages make their own session or functions")
def test_the_tutorial_runs_as_printed(spark: SparkSession, tmp: str) -> None:
    names = pages.run("docs/tutorial.md", spark, tmp)
    assert names["ds"].count_rows() == 4


@pytest.mark.classic("Spark does not use the jar for streams over Connect")
def test_the_page_on_streams_runs_as_printed(spark: SparkSession, tmp: str) -> None:
    pages.run("docs/streaming.md", spark, tmp)


@pytest.mark.classic("pages make their own session or functions")
@pytest.mark.parametrize("guide", [name for name in GUIDES if name not in ELSEWHERE])
def test_a_guide_runs_as_printed(guide: str, spark: SparkSession, tmp: str) -> None:
    names = prepare(guide, spark, tmp)
    after = pages.run(f"docs/how-to/{guide}", spark, tmp, **names)
    check(guide, spark, tmp, after)


def check(guide: str, spark: SparkSession, folder: str, after: dict[str, object]) -> None:
    """Looks at what the guide has made."""
    match guide:
        case "add-embeddings.md":
            rows = spark.read.format("lance").load(f"{folder}/docs.lance").orderBy("id").collect()
            assert [row.embedding for row in rows] == [[7.0, 1.0, 0.0, 1.0], [5.0, 0.0, 0.0, 1.0]]
        case "share-with-pylance.md":
            assert spark.read.format("lance").load(f"{folder}/shared.lance").count() == 4
        case "write-from-many-jobs.md":
            table = sparklance.LanceDataset(spark, f"{folder}/events.lance")
            assert table.count_rows() == 80
        case "keep-tables-small.md":
            table = sparklance.LanceDataset(spark, f"{folder}/events.lance")
            assert table.config()["lance.auto_cleanup.interval"] == "20"
            assert table.count_rows() == 40
        case "publish-with-tags.md":
            assert spark.read.format("lance").load(f"{folder}/events.lance").count() == 20
        case _:
            raise AssertionError(f"say here what {guide} must have made")
