"""Searches for texts: rows and scores are those of pylance, for each kind of query, with and without an index."""

import json
import math
import random
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest
from lance import query as theirs
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from sparklance import query as ours
from sparklance.errors import LanceUsageException
from tests.interop import plans

TEXTS = sorted((Path(lance.__file__).parent).glob("**/*.py"))


def words() -> list[str]:
    """Words of real prose: comments and docstrings of a package."""
    text = " ".join(path.read_text() for path in TEXTS[:12])
    return [word for word in text.split() if word.isalpha()][:20_000]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table with an index on `body`, rows appended later, deleted ones and nulls; `title` has no index."""
    rng = random.Random(3)
    vocabulary = words()

    def table(first: int, count: int) -> pa.Table:
        def text(least: int, most: int) -> str | None:
            start = rng.randrange(len(vocabulary) - most)
            return None if rng.random() < 0.03 else " ".join(vocabulary[start : start + rng.randint(least, most)])

        ids = list(range(first, first + count))
        bodies, titles = [text(4, 40) for _ in ids], [text(1, 6) for _ in ids]
        tags = [[t for t in (text(1, 2), text(1, 2)) if t] for _ in ids]
        return pa.table({"id": ids, "body": bodies, "title": titles, "tags": tags})

    uri = str(tmp_path_factory.mktemp("texts") / "t.lance")
    dataset = lance.write_dataset(table(0, 900), uri, max_rows_per_file=300)
    dataset.create_scalar_index("body", "INVERTED", with_position=True)
    dataset.create_scalar_index("tags", "INVERTED")
    dataset = lance.write_dataset(table(900, 120), uri, mode="append")
    dataset.delete("id % 13 = 5")
    return uri


def some(rng: random.Random, least: int = 1, most: int = 3) -> str:
    vocabulary = words()
    start = rng.randrange(len(vocabulary) - most)
    return " ".join(vocabulary[start : start + rng.randint(least, most)])


def kinds(rng: random.Random, module: Any) -> list[Any]:
    """A query of each kind, of either module."""
    AND, MUST = module.FullTextOperator.AND, module.Occur.MUST
    match = module.MatchQuery(some(rng), "body")
    return [
        match,
        module.MatchQuery(some(rng, 2), "body", operator=AND, boost=2.5),
        module.MatchQuery(some(rng, 1, 2), "body", fuzziness=1, max_expansions=9, prefix_length=2),
        module.PhraseQuery(some(rng, 2), "body"),
        module.PhraseQuery(some(rng, 2), "body", slop=2),
        module.BoostQuery(match, module.MatchQuery(some(rng), "body"), negative_boost=0.3),
        module.MultiMatchQuery(some(rng), ["body", "tags"], boosts=[1.0, 3.0]),
        module.BooleanQuery(
            [
                (MUST, match),
                (module.Occur.SHOULD, module.MatchQuery(some(rng), "tags")),
                (module.Occur.MUST_NOT, module.MatchQuery(some(rng, 1, 1), "body")),
            ]
        ),
        match & module.MatchQuery(some(rng), "body"),
        match | module.MatchQuery(some(rng), "tags"),
        module.MatchQuery(some(rng), "title"),
        module.PhraseQuery(some(rng, 2), "title"),
    ]


def assert_same(found: Any, expected: pa.Table) -> None:
    rows = [(row["id"], row["_score"]) for row in found.select("id", "_score").collect()]
    scores = dict(zip(expected["id"].to_pylist(), expected["_score"].to_pylist(), strict=True))
    assert len(rows) == len(scores)
    for (_, score), other in zip(rows, sorted(scores.values(), reverse=True), strict=True):
        assert math.isclose(score, other, rel_tol=1e-5, abs_tol=1e-5)
    last = min(scores.values(), default=0.0)
    for row, score in rows:
        # Rows with the score of the last one may be others.
        assert math.isclose(scores.get(row, last), score, rel_tol=1e-5, abs_tol=1e-5)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_kind_of_query(spark: SparkSession, path: str, seed: int) -> None:
    table, dataset = LanceDataset(spark, path), lance.dataset(path)
    pairs = zip(kinds(random.Random(seed), ours), kinds(random.Random(seed), theirs), strict=True)
    for number, (query, other) in enumerate(pairs):
        limit = [None, 7, 50][number % 3]
        assert_same(
            table.to_df(full_text_query=query, limit=limit), dataset.to_table(full_text_query=other, limit=limit)
        )


def test_scores_once_the_index_covers_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """An index still counts in the statistics when all texts have changed in place."""
    uri = str(tmp_path / "t.lance")
    bodies = [" ".join(words()[i : i + 5]) for i in range(40)]
    lance.write_dataset(pa.table({"id": range(40), "body": bodies}), uri).create_scalar_index("body", "INVERTED")
    dataset = LanceDataset(spark, uri)
    dataset.update_columns({"body": "concat(body, ' changed')"}, where="id < 20")
    query = "changed " + bodies[30]
    found = dataset.to_df(full_text_query=ours.MatchQuery(query, "body"))
    assert_same(found, lance.dataset(uri).to_table(full_text_query=theirs.MatchQuery(query, "body")))


def test_words_columns_filters_and_fast_search(spark: SparkSession, path: str) -> None:
    table, dataset = LanceDataset(spark, path), lance.dataset(path)
    rng = random.Random(5)
    for more in (
        {},
        {"filter": "id < 400", "prefilter": True},
        {"filter": "id < 400"},
        {"fast_search": True},
        {"columns": ["id"], "filter": "id > 850", "prefilter": True, "fast_search": True},
    ):
        text = some(rng, 2)
        for query in (text, {"query": text, "columns": ["body"]}, {"query": text, "columns": ["tags"]}):
            mine = table.to_df(full_text_query=query, limit=20, **more)
            assert_same(mine, dataset.to_table(full_text_query=query, limit=20, **more))


def test_a_batch_has_the_rows_of_each_query(spark: SparkSession, path: str) -> None:
    table, rng = LanceDataset(spark, path), random.Random(8)
    queries: list[Any] = [some(rng) for _ in range(4)] + [ours.PhraseQuery(some(rng, 2), "body")]
    found = table.to_df(["id"], full_text_query=queries, limit=5)
    assert found.columns == ["id", "query_index", "_score"]
    rows = found.collect()
    for number, query in enumerate(queries):
        alone = table.to_df(["id"], full_text_query=query, limit=5).collect()
        assert [(r.id, r._score) for r in rows if r.query_index == number] == [(r.id, r._score) for r in alone]


def test_arguments_that_do_not_fit(spark: SparkSession, path: str) -> None:
    table = LanceDataset(spark, path)
    with pytest.raises(LanceUsageException, match="does not have the positions"):
        table.to_df(full_text_query=ours.PhraseQuery("any words", "tags")).collect()
    with pytest.raises(LanceUsageException, match="has no texts"):
        table.to_df(full_text_query=ours.MatchQuery("x", "id"))
    with pytest.raises(LanceUsageException, match="no clause that rows must or should match"):
        table.to_df(full_text_query=ours.BooleanQuery([(ours.Occur.MUST_NOT, ours.MatchQuery("x", "body"))])).collect()
    with pytest.raises(ValueError, match="two searches"):
        table.to_df(full_text_query="x", nearest={"column": "v", "q": [1]})
    with pytest.raises(ValueError, match="several queries"):
        table.to_df(full_text_query=["x", "y"], offset=2)
    with pytest.raises(ValueError, match="belong to a search"):
        table.to_df(prefilter=True)
    with pytest.raises(ValueError, match="1 boosts for 2 columns"):
        ours.MultiMatchQuery("x", ["a", "b"], boosts=[1.0])
    with pytest.raises(TypeError, match="is words, or a query"):
        table.to_df(full_text_query=7)  # type: ignore[arg-type]


def test_predicates_use_the_index(spark: SparkSession, path: str) -> None:
    word = some(random.Random(11), 1, 1)
    for condition in (f"lance_match(body, '{word}')", f"lance_match_phrase(body, '{word}')"):
        frame = spark.sql(f"SELECT id FROM lance.`{path}` WHERE {condition}")
        expected = spark.read.format("lance").option("useScalarIndex", "false").load(path).where(condition)
        assert {row.id for row in frame.collect()} == {row.id for row in expected.collect()}
        assert "rows at" in plans.physical(frame)
        assert "rows at" not in plans.physical(expected)


def test_queries_without_words_and_odd_quotes(spark: SparkSession, path: str) -> None:
    table, dataset = LanceDataset(spark, path), lance.dataset(path)
    word = some(random.Random(13), 1, 1)
    for text in ("", "   ", "the of and", '"', '"the', f'"{word}', f"{word} \\'", "?!", "\u0000", "the the"):
        for query in (ours.MatchQuery(text, "body"), ours.PhraseQuery(text, "body")):
            other = getattr(theirs, type(query).__name__)(text, "body")
            assert_same(table.to_df(full_text_query=query, limit=5), dataset.to_table(full_text_query=other, limit=5))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fuzziness": -1}, "'fuzziness' is -1"),
        ({"fuzziness": 1.5}, "'fuzziness' is 1.5"),
        ({"max_expansions": -2}, "'max_expansions' is -2"),
        ({"prefix_length": "x"}, "'prefix_length' is"),
        ({"boost": "high"}, "'boost' is"),
        ({"operator": "XOR"}, "operator 'xor'"),
    ],
)
def test_settings_out_of_range(spark: SparkSession, path: str, settings: dict[str, Any], message: str) -> None:
    query = {"match": {"column": "body", "terms": "x", **settings}}
    with pytest.raises(LanceUsageException, match=message):
        spark.read.format("lance").option("fullTextQuery", json.dumps({"query": query})).load(path).collect()


def test_fuzziness_greater_than_the_word(spark: SparkSession, path: str) -> None:
    table, dataset = LanceDataset(spark, path), lance.dataset(path)
    for fuzziness in (2, 9, 1_000):
        query = ours.MatchQuery("ab", "tags", fuzziness=fuzziness)
        assert table.to_df(full_text_query=query, limit=5, fast_search=True).count() == 5
    exact = table.to_df(full_text_query=ours.MatchQuery("ab", "body", fuzziness=1), limit=5)
    assert_same(exact, dataset.to_table(full_text_query=theirs.MatchQuery("ab", "body", fuzziness=1), limit=5))
