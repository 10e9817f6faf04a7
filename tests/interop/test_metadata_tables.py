"""Metadata tables and functions agree with pylance, `sparklance.inspect` and numpy."""

from collections import defaultdict
from functools import reduce

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparklance.inspect import encodings
from tests.interop import generate, nested, rare
from tests.products import ends


def told(spark: SparkSession, path: str, kind: str) -> DataFrame:
    return spark.read.format("lance").option("metadataTable", kind).load(path)


TABLES = {
    "random": lambda: generate.table("random", 3000, 0.1),
    "runs": lambda: generate.table("runs", 3000, 0.0),
    "few": lambda: generate.table("few", 3000, 0.3),
    "constant": lambda: generate.table("constant", 3000, 0.0),
    "nulls": lambda: generate.table("all_null", 3000, 1.0),
    "nested": lambda: nested.random_table(3, 500, 0.0, maps=False),
    "zstd": lambda: rare.compressed("zstd"),
    "lz4": lambda: rare.compressed("lz4"),
    "dictionaries": rare.dictionaries,
    "long": rare.long_values,
}


@pytest.mark.parametrize("version", ends(["2.0", "2.1", "2.2"]))
def test_encodings_are_told_as_inspect_does(spark: SparkSession, tmp: str, version: str) -> None:
    ours: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in TABLES}
    for name, make in TABLES.items():
        lance.write_dataset(make(), f"{tmp}/{name}", data_storage_version=version, max_rows_per_file=2000)
    each = [told(spark, f"{tmp}/{name}", "columns_on_disk").withColumn("name", F.lit(name)) for name in TABLES]
    for row in reduce(DataFrame.unionAll, each).orderBy("name", "fragment_id", "column_index", "page").collect():
        ours[row["name"]][row["column"]].append(row["encoding"])
    for name in TABLES:
        expected = {column: pages for column, pages in encodings(f"{tmp}/{name}").items() if pages}
        assert dict(ours[name]) == expected, name


def test_legacy_pages_have_no_encoding(spark: SparkSession, tmp: str) -> None:
    lance.write_dataset(pa.table({"a": [1, 2], "s": [{"x": "y"}, {"x": "z"}]}), f"{tmp}/t", data_storage_version="0.1")
    rows = told(spark, f"{tmp}/t", "columns_on_disk").collect()
    assert [(row["column"], row["rows"], row["encoding"]) for row in rows] == [("a", 2, None), ("s.x", 2, None)]


def test_indices_are_those_of_pylance(spark: SparkSession, tmp: str) -> None:
    values = pa.FixedSizeListArray.from_arrays(pa.array(np.random.default_rng(1).random(2048, np.float32)), 8)
    dataset = lance.write_dataset(pa.table({"id": range(256), "s": [{"v": 1}] * 256, "v": values}), f"{tmp}/t")
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_index("v", "IVF_PQ", num_partitions=1, num_sub_vectors=2)
    lance.write_dataset(pa.table({"id": range(9), "s": [{"v": 1}] * 9, "v": values[:9]}), f"{tmp}/t", mode="append")
    theirs = {index.name: index for index in lance.dataset(f"{tmp}/t").describe_indices()}
    rows = told(spark, f"{tmp}/t", "indices").collect()
    assert {row["name"] for row in rows} == set(theirs) == {"id_idx", "v_idx"}
    for row in rows:
        index = theirs[row["name"]]
        (segment,) = index.segments
        assert row["columns"] == index.field_names
        assert row["uuid"] == segment.uuid.replace("-", "")
        assert set(row["fragments"]) == set(segment.fragment_ids) == {0}
        assert row["uncovered_fragments"] == 1
    assert {row["type"] for row in rows} == {"BTree", "Vector"}


def test_versions_are_those_of_pylance(spark: SparkSession, tmp: str) -> None:
    for i in range(5):
        lance.write_dataset(pa.table({"a": [i]}), f"{tmp}/t", mode="append" if i else "create")
    dataset = lance.dataset(f"{tmp}/t")
    dataset.tags.create("third", 3)
    rows = told(spark, f"{tmp}/t", "versions").collect()
    assert [row["version"] for row in rows] == [v["version"] for v in reversed(dataset.versions())]
    assert [row["rows"] for row in rows] == [5, 4, 3, 2, 1]
    assert [row["tags"] for row in rows] == [[], [], ["third"], [], []]
    operations = [row["operation"] for row in told(spark, f"{tmp}/t", "transactions").collect()]
    assert operations == ["Append"] * 4 + ["Overwrite"]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_distances_are_those_of_numpy_and_of_a_search(spark: SparkSession, tmp: str, kind: pa.DataType) -> None:
    rng = np.random.default_rng(7)
    vectors = rng.random((300, 24)).astype(kind.to_pandas_dtype())
    items = pa.array(vectors.ravel(), kind)
    path = f"{tmp}/t"
    lance.write_dataset(pa.table({"id": range(300), "v": pa.FixedSizeListArray.from_arrays(items, 24)}), path)
    query = vectors[42]
    frame = spark.read.format("lance").load(path)
    frame.createOrReplaceTempView("vectors")
    a, q = vectors.astype(np.float64), query.astype(np.float64)
    expected = {
        "l2": ((a - q) ** 2).sum(1),
        "dot": 1 - a @ q,
        "cosine": 1 - a @ q / (np.linalg.norm(a, axis=1) * np.linalg.norm(q)),
    }
    literal = "array(" + ", ".join(f"{x!r}D" for x in q.tolist()) + ")"
    for metric, distances in expected.items():
        rows = spark.sql(f"SELECT id, lance.{metric}(v, {literal}) AS d FROM vectors ORDER BY id").collect()
        np.testing.assert_allclose([row["d"] for row in rows], distances, rtol=1e-9, atol=1e-9)
        nearest = {"column": "v", "q": query, "k": 10, "metric": metric}
        found = lance.dataset(path).to_table(columns=["id"], nearest=nearest)
        ours = {row["id"]: row["d"] for row in rows}
        theirs = dict(zip(found["id"].to_pylist(), found["_distance"].to_pylist(), strict=True))
        np.testing.assert_allclose([ours[i] for i in theirs], list(theirs.values()), rtol=1e-3, atol=1e-3)


def test_tables_of_the_session_have_them_too(spark: SparkSession, tmp: str) -> None:
    """On the newest Spark; the Scala suites run on the oldest."""
    spark.sql("DROP TABLE IF EXISTS told")
    try:
        spark.sql("CREATE TABLE told USING lance AS SELECT 1 AS a")
        for name in ("told.versions", "default.told.versions", "spark_catalog.default.told.versions"):
            assert spark.sql(f"SELECT version FROM {name}").collect()[0]["version"] == 1
        spark.sql("CALL lance.system.create_branch('told', 'exp')")
        spark.sql("INSERT INTO told.branch_exp VALUES (2)")
        assert spark.table("told.branch_exp").count() == 2
        assert spark.table("told").count() == 1
        assert spark.sql("SELECT * FROM told.files VERSION AS OF 1").count() == 1
    finally:
        spark.sql("DROP TABLE told")
