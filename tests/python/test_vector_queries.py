"""Searches put together step by step, joins by nearest vectors, and Spark's own nearest joins."""

import math
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from sparklance import LanceDataset
from sparklance.errors import LanceUsageException
from sparklance.query import MatchQuery, PhraseQuery
from tests.products import cover

pytestmark = pytest.mark.slow

VECTOR = "transform(sequence(0, 7), d -> CAST(sin(id * (d + 1)) AS FLOAT))"
FIXED = {"v.arrow.fixed-size-list.size": "8"}
FIXED_2 = {"v.arrow.fixed-size-list.size": "2"}
QUERY = [math.cos(d) for d in range(8)]


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> LanceDataset:
    rows = spark.range(400).selectExpr("id", "id % 7 AS kind", f"{VECTOR} AS v")
    return LanceDataset.create(spark, rows, str(tmp_path_factory.mktemp("vectors") / "t"), **FIXED)


def queries(spark: SparkSession, count: int = 30) -> DataFrame:
    return spark.range(count).selectExpr("id AS q", "transform(sequence(0, 7), d -> CAST(cos(id + d) AS FLOAT)) AS v")


def nearest(table: LanceDataset, query: list[float], k: int, condition: str = "true") -> list[int]:
    wanted = f"array({', '.join(f'{x}F' for x in query)})"
    rows = table.to_df(filter=condition).selectExpr("id", f"lance.l2(v, {wanted}) AS d").orderBy("d").limit(k)
    return [row.id for row in rows.collect()]


def test_a_search_of_vectors_in_steps(table: LanceDataset) -> None:
    found = table.search(QUERY).where("kind = 3").limit(4).select(["id"]).to_list()
    assert [row["id"] for row in found] == nearest(table, QUERY, 4, "kind = 3")
    assert list(found[0]) == ["id", "_distance"]
    whole = table.search(QUERY)
    assert whole.to_df().columns == ["id", "kind", "v", "_distance"]
    assert whole.to_df().count() == 10
    assert whole.select({"double": "id * 2"}).limit(1).to_arrow()["double"].to_pylist() == [
        2 * nearest(table, QUERY, 1)[0]
    ]
    later = whole.limit(20).where("kind = 3", prefilter=False).select(["kind"]).to_pandas()
    assert 0 < len(later) < 20
    assert set(later["kind"]) == {3}
    ids = nearest(table, QUERY, 30)
    for page in (whole.offset(4), whole.limit(10).offset(20), whole.limit(10).offset(0)):
        first = page.skipped or 0
        assert [row["id"] for row in page.select(["id"]).to_list()] == ids[first : first + 10]
    with pytest.raises(ValueError, match="offset does not go with several queries"):
        table.search([QUERY, QUERY]).offset(2).to_df()
    assert whole.with_row_id().to_df().columns[-1] == "_rowid"


def test_a_search_of_vectors_has_the_parameters_of_an_index(table: LanceDataset) -> None:
    query = (
        table.search(QUERY, "v", "vector")
        .distance_type("cosine")
        .nprobes(3)
        .refine_factor(5)
        .ef(10)
        .distance_range(0.0, 0.5)
        .bypass_vector_index()
    )
    assert query.nearest == {
        "column": "v",
        "q": QUERY,
        "metric": "cosine",
        "nprobes": 3,
        "refine_factor": 5,
        "ef": 10,
        "distance_range": [0.0, 0.5],
        "use_index": False,
    }
    assert all(row["_distance"] < 0.5 for row in query.to_list())
    assert table.search(QUERY).minimum_nprobes(1).maximum_nprobes(2).limit(3).to_df().count() == 3
    # Without an index, a fast search finds nothing.
    assert table.search(QUERY).fast_search().to_list() == []
    batch = table.search([QUERY, QUERY[::-1]]).limit(2).select(["id"]).to_list()
    assert [row["query_index"] for row in batch] == [0, 0, 1, 1]


def test_a_search_of_vectors_says_what_is_wrong(table: LanceDataset, spark: SparkSession, tmp: str) -> None:
    with pytest.raises(TypeError, match="takes a vector"):
        table.search("words", query_type="vector")
    with pytest.raises(TypeError, match="takes a vector"):
        table.search(b"words")
    with pytest.raises(ValueError, match="query_type is"):
        table.search(QUERY, query_type="hybrid")
    with pytest.raises(LanceUsageException, match="has 2 items"):
        table.search([1.0, 2.0]).to_df()
    plain = LanceDataset.create(spark, spark.range(3), f"{tmp}/plain")
    with pytest.raises(LanceUsageException, match="has no column of vectors"):
        plain.search(QUERY)


def test_a_search_of_words_in_steps(spark: SparkSession, tmp: str) -> None:
    rows = spark.range(12).selectExpr(
        "id", "concat('red ', IF(id % 2 = 0, 'fox', 'fox fox')) AS body", "concat('blue ', id) AS title"
    )
    ds = LanceDataset.create(spark, rows, f"{tmp}/texts")
    query = ds.search("fox", fts_columns="body")
    found = query.select(["id"]).to_list()
    assert [row["id"] for row in found] == [1, 3, 5, 7, 9, 11, 0, 2, 4, 6]
    assert list(found[0]) == ["id", "_score"]
    assert [row["id"] for row in query.limit(3).offset(5).select(["id"]).to_list()] == [11, 0, 2]
    assert [row["id"] for row in query.where("id < 4").select(["id"]).to_list()] == [1, 3, 0, 2]
    assert set(query.where("id < 4", prefilter=False).limit(6).to_pandas()["id"]) == {1, 3}
    both = ds.search("fox 7", query_type="fts", fts_columns=["body", "title"]).limit(1).with_row_id()
    assert both.to_df().columns == ["id", "body", "title", "_score", "_rowid"]
    assert both.to_arrow()["id"].to_pylist() == [7]
    assert ds.search(MatchQuery("9", "title")).to_df().count() == 1
    with pytest.raises(LanceUsageException, match="index"):
        ds.search("fox").to_list()
    with pytest.raises(ValueError, match="A phrase is words in one column"):
        ds.search("red fox").phrase_query().to_df()
    with pytest.raises(TypeError, match="takes words"):
        ds.search(QUERY, query_type="fts")
    assert query.phrase_query()._search()["full_text_query"] == PhraseQuery("fox", "body")
    ds.create_scalar_index("body", "INVERTED", with_position=True)
    assert [row["id"] for row in ds.search("fox fox").phrase_query().limit(2).to_list()] == [1, 3]


def test_a_join_of_vectors_finds_what_searches_find(table: LanceDataset, spark: SparkSession) -> None:
    left = queries(spark)
    joined = table.nearest_join(left, k=3, filter="kind < 5 AND '{' = '{'")
    assert joined.columns == ["q", "v", "id", "kind", "v_right", "_distance"]
    found = {(row.q, row.id) for row in joined.select("q", "id").collect()}
    vectors = [list(row.v) for row in left.orderBy("q").collect()]
    batch = table.search(vectors).limit(3).where("kind < 5").select(["id"]).to_list()
    assert found == {(row["query_index"], row["id"]) for row in batch}
    assert len(found) == 90


def test_a_join_of_vectors_with_the_table_itself_finds_duplicates(table: LanceDataset) -> None:
    pairs = table.nearest_join(table.to_df(["id", "v"]), k=2, suffix="_other").where("id != id_other")
    assert pairs.count() == 400
    outer = table.nearest_join(table.to_df(["id", "v"]), k=1, how="left", upper_bound=-1.0)
    assert outer.where("id_right IS NULL AND _distance IS NULL").count() == 400


def nearest_by(spark: SparkSession, mode: str, rest: str = "", ranking: str = "vector_l2_distance(q.v, t.v)") -> str:
    by = "SIMILARITY" if "similarity" in ranking or "inner" in ranking else "DISTANCE"
    return f"SELECT q, t.id FROM queries q {rest} JOIN searched t {mode} NEAREST 3 BY {by} {ranking}"


def explained(spark: SparkSession, statement: str) -> str:
    return str(spark.sql(f"EXPLAIN {statement}").head()[0])


def test_nearest_joins_rank_nan_as_spark_does(spark: SparkSession, tmp: str, full: bool) -> None:
    if tuple(map(int, spark.version.split(".")[:2])) < (4, 2):
        pytest.skip("Spark has such joins from 4.2 on")
    nan, inf = math.nan, math.inf
    of_table: list[list[float | None] | None] = [[1, 0], [0, 1], [nan, 0], None, [0, 0], [nan, nan], [inf, 0]]
    of_table += [[-inf, 0], [1, None], [1, 1], [3e38, 3e38]]
    for name, vectors in (("docs", of_table), ("asked", [[1, 0], [nan, 0], None, [0, 0], [inf, 0], [1, None]])):
        rows = [(i, v and [x if x is None else float(x) for x in v]) for i, v in enumerate(vectors)]
        spark.createDataFrame(rows, "id INT, v ARRAY<FLOAT>").coalesce(1).createOrReplaceTempView(f"{name}_rows")
        LanceDataset.create(spark, spark.table(f"{name}_rows"), f"{tmp}/{name}", **FIXED_2)
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} USING lance OPTIONS (path '{tmp}/{name}')")
    rankings = ("DISTANCE vector_l2_distance", "SIMILARITY vector_cosine_similarity", "SIMILARITY vector_inner_product")
    axes: list[tuple[Any, ...]] = [rankings, ("", "LEFT"), (2, 9), (3, 20)]
    cells = cover(len(axes) if full else 2, list(map(len, axes)))
    for cell in cells:
        by, kind, few, k = (axis[place] for axis, place in zip(axes, cell, strict=True))
        left = f"(SELECT * FROM asked WHERE id < {few}) a"

        def ranked(right: str, *, by: str = by, kind: str = kind, left: str = left, k: int = k) -> tuple[str, list]:
            ranking = f"{by.split()[1]}(a.v, d.v)"
            join = f"{left} {kind} JOIN {right} d EXACT NEAREST {k} BY {by.split()[0]} {ranking}"
            statement = f"SELECT a.id, CAST({ranking} AS STRING) AS r, {'d.id' if k == 20 else 1} FROM {join}"
            return explained(spark, statement), sorted(map(str, spark.sql(statement).collect()))

        plan, found = ranked("docs")
        other, expected = ranked("docs_rows")
        assert "VectorJoin" in plan
        assert "VectorJoin" not in other
        assert found == expected, (by, kind, few, k)


def test_nearest_joins_of_spark_search_vectors(table: LanceDataset, spark: SparkSession, tmp: str) -> None:
    if tuple(map(int, spark.version.split(".")[:2])) < (4, 2):
        pytest.skip("Spark has such joins from 4.2 on")
    indexed = LanceDataset.create(spark, table.to_df(), f"{tmp}/indexed", **FIXED)
    indexed.create_index("v", "IVF_FLAT", num_partitions=4)
    queries(spark).createOrReplaceTempView("queries")
    spark.sql(f"CREATE TEMPORARY VIEW searched USING lance OPTIONS (path '{indexed.uri}')")
    # A subquery is no plain table, so Spark compares all pairs.
    plain = nearest_by(spark, "EXACT").replace("searched t", "(SELECT id + 0 AS id, v FROM searched) t")
    assert "VectorJoin" not in explained(spark, plain)
    expected = set(map(tuple, spark.sql(plain).collect()))
    assert len(expected) == 90
    exact = nearest_by(spark, "EXACT")
    assert "exact" in explained(spark, exact).split("VectorJoin")[1]
    assert set(map(tuple, spark.sql(exact).collect())) == expected
    approximate = nearest_by(spark, "APPROX")
    assert "index v_idx of 1 segment" in explained(spark, approximate).split("VectorJoin")[1]
    assert len(set(map(tuple, spark.sql(approximate).collect())) & expected) > 80
    for ranking in ("vector_cosine_similarity(q.v, t.v)", "vector_inner_product(t.v, q.v)"):
        ours = nearest_by(spark, "EXACT", ranking=ranking)
        theirs = ours.replace("searched t", "(SELECT id + 0 AS id, v FROM searched) t")
        assert "VectorJoin" in explained(spark, ours)
        assert set(map(tuple, spark.sql(ours).collect())) == set(map(tuple, spark.sql(theirs).collect()))
    outer = nearest_by(spark, "EXACT", "LEFT").replace(
        "queries q", "(SELECT q, IF(q = 5, NULL, v) AS v FROM queries) q"
    )
    assert Row(q=5, id=None) in spark.sql(outer).collect()
    other = nearest_by(spark, "APPROX", ranking="abs(q.q - t.id)")
    assert "VectorJoin" not in explained(spark, other)
    spark.sql("DROP VIEW searched")
