"""All pages with code run as they stand, each in a session and a database of its own."""

import contextlib
import re
from collections.abc import Iterator

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import sparklance
from tests.python import pages

pytestmark = pytest.mark.slow

#: Pages that other tests run, with what they need.
ELSEWHERE = {"README.md": "test_doctests", "docs/shared-catalogs.md": "test_shared_catalogs"}
PAGES = [page for page in pages.with_blocks() if page not in ELSEWHERE]


def test_the_methods_of_pylance_that_are_missing_are_listed() -> None:
    cells = re.findall(r"^\| (`.*?) \| .+ \|$", (pages.ROOT / "docs/pylance-methods.md").read_text(), re.MULTILINE)
    listed = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    missing = set(dir(lance.LanceDataset)) - set(dir(sparklance.LanceDataset))
    assert sorted(listed) == sorted(name for name in missing if name[0] != "_")


def prepare(page: str, spark: SparkSession, folder: str) -> dict[str, object]:
    """Makes what a page takes for granted, and returns the names that it uses."""
    events = spark.range(1, 21).selectExpr("id", "id * 2 AS value")
    match page.removeprefix("docs/").removeprefix("how-to/"):
        case "add-embeddings.md":
            texts = spark.createDataFrame([(1, "one two"), (2, "three")], "id BIGINT, body STRING")
            texts.write.format("lance").save(f"{folder}/docs.lance")
            return {}
        case "build-an-index.md" | "search-vectors.md" | "search-text.md":
            body = "if(id % 100 = 7, 'a red fox', if(id % 10 = 3, 'the red sky', 'the blue sky')) AS body"
            lang = "if(id % 5 = 0, 'de', 'en') AS lang"
            vector = "transform(array(1, 2, 3, 4), i -> float(sin(i * (id + 1)))) AS embedding"
            docs = spark.range(300).selectExpr("id", body, lang, vector).write.format("lance")
            docs.option("embedding.arrow.fixed-size-list.size", 4).save(f"{folder}/docs.lance")
            return {}
        case "move-from-pylance.md":
            spark.range(300).selectExpr("id", "'the blue sky' AS body").write.format("lance").save(
                f"{folder}/docs.lance"
            )
            return {}
        case "move-from-delta.md" | "move-from-parquet.md":
            days = events.selectExpr("*", "date_add(DATE '2026-11-01', int(id % 3)) AS day")
            days.write.partitionBy("day").parquet(f"{folder}/events.parquet")
            # Stands for Delta Lake's table: the tests have no jar of Delta Lake.
            spark.read.parquet(f"{folder}/events.parquet").write.saveAsTable("events")
            set_lake(spark, folder)
            return {}
        case "run-on-a-cluster.md":
            set_lake(spark, folder)
            return {}
        case "share-with-pylance.md":
            return {"df": spark.range(5)}
        case "write-from-many-jobs.md" | "keep-tables-small.md" | "publish-with-tags.md" | "read-a-stream.md":
            events.write.format("lance").save(f"{folder}/events.lance")
            return {"df": events}
        case "inspect.md":
            lance.write_dataset(pa.table({"id": [1, 2, 3]}), f"{folder}/people.lance").delete("id = 2")
            return {}
        case _:
            return {}


def set_lake(spark: SparkSession, folder: str) -> None:
    """Sets the catalog that a page has in a file of settings."""
    spark.conf.set("spark.sql.catalog.lake", "io.sparklance.spark.LanceCatalog")
    spark.conf.set("spark.sql.catalog.lake.warehouse", f"{folder}/lake")


@contextlib.contextmanager
def session(spark: SparkSession, page: str) -> Iterator[SparkSession]:
    """A session whose catalogs, settings and current database are the page's own."""
    own = spark.newSession()
    database = "page_" + re.sub(r"\W", "_", page)
    own.sql(f"CREATE DATABASE {database}")
    own.sql(f"USE {database}")
    try:
        yield own
    finally:
        own.sql(f"DROP DATABASE {database} CASCADE")


@pytest.mark.classic("pages make their own session or functions, and streams over Connect lack the jar")
@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_as_printed(page: str, spark: SparkSession, tmp: str) -> None:
    with session(spark, page) as own:
        names = prepare(page, own, tmp)
        check(page, own, tmp, pages.run(page, own, tmp, **names))


def test_every_block_runs_or_is_skipped_with_a_reason() -> None:
    heads = {page: [block.head for block in pages.blocks(page)] for page in pages.with_blocks()}
    for page, found in heads.items():
        assert 2 * len(found) == (pages.ROOT / page).read_text().count("```"), f"{page} has a block that is not found"
    stale = [(page, head) for page, of in pages.SKIPPED.items() for head in of if head not in heads[page]]
    assert stale == []
    assert pages.SINCE.keys() <= {head for found in heads.values() for head in found}


def test_statements_end_at_semicolons_outside_of_texts_and_comments() -> None:
    assert pages.statements("A ';' \";\" `;`; -- a; b\nB 'it\\';'\n;\n") == ["A ';' \";\" `;`", "B 'it\\';'"]


def check(page: str, spark: SparkSession, folder: str, after: dict[str, object]) -> None:
    """Looks at what a page has made."""
    match page.removeprefix("docs/").removeprefix("how-to/"):
        case "tutorial.md":
            assert sparklance.LanceDataset(spark, f"{folder}/products.lance").count_rows() == 4
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
        case "build-an-index.md":
            names = {index.name for index in sparklance.LanceDataset(spark, f"{folder}/docs.lance").describe_indices()}
            assert names == {"by_id", "near", "words", "lang_idx"}
        case "move-from-delta.md":
            assert spark.table("lake.events").count() == 20
        case "move-from-parquet.md":
            rows = spark.table("lake.events").where("id IN (1, 3, 7)").orderBy("id").collect()
            assert [(row.id, row.value, row.double) for row in rows] == [(1, 3, 6), (3, 6, 12)]
        case "move-from-pylance.md":
            assert spark.read.format("lance").load(f"{folder}/docs.lance").where("words = 3").count() == 299
        case "read-a-stream.md":
            totals = spark.read.format("lance").load(f"{folder}/totals.lance").orderBy("odd").collect()
            assert [row.total for row in totals] == [220, 200]
        case "read-changes.md":
            rows = spark.read.format("lance").load(f"{folder}/copy.lance").orderBy("id").collect()
            assert [(row.id, row.state) for row in rows] == [(1, "paid"), (3, "new")]
        case "publish-with-tags.md":
            assert spark.read.format("lance").load(f"{folder}/events.lance").count() == 20
        case "changing-rows.md":
            assert {row.id: row.carrier for row in spark.table("flights").collect()} == {3: "UA", 4: "DL"}
        case "erasure.md":
            left = {row.person_id for row in spark.read.format("lance").load(f"{folder}/people").collect()}
            assert left == set(range(100)) - {17, 42, 43}
        case _:
            assert after
