"""Scans use the scalar indices of pylance: which, for which rows, and when not."""

import math
import shutil
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from lance.indices import IndexConfig
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from sparklance import LanceDataset
from tests.interop.plans import physical

ROWS = 1000


def write(path: str, stable: bool = False, first: int = 0, mode: str = "create") -> lance.LanceDataset:
    ids = range(first, first + ROWS)
    table = pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "v": pa.array([None if i % 10 == 3 else i * 37 % 101 for i in ids], pa.int32()),
            "c": pa.array([None if i % 9 == 0 else ("red", "green", "blue")[i % 3] + str(i % 7) for i in ids]),
        }
    )
    return lance.write_dataset(table, path, max_rows_per_file=250, mode=mode, enable_stable_row_ids=stable)


def read(spark: SparkSession, path: str, condition: str, **options: object) -> DataFrame:
    return spark.read.format("lance").options(**options).load(path).where(condition)


def ids(frame: DataFrame) -> list[int]:
    return sorted(row["id"] for row in frame.select("id").collect())


def found(spark: SparkSession, path: str, condition: str, uses: str | None) -> list[int]:
    """Ids of the rows that pass, which a scan without indices finds, too."""
    return found_each(spark, path, {condition: uses})[condition]


def found_each(spark: SparkSession, path: str, uses: dict[str, str | None]) -> dict[str, list[int]]:
    """Ids of the rows that pass each condition. One scan without indices tests all of them."""
    plain = spark.read.format("lance").option("useScalarIndex", False).load(path)
    passes = [f"coalesce({condition}, false) AS c{n}" for n, condition in enumerate(uses)]
    rows = plain.selectExpr("id", *passes).collect()
    answers: dict[str, list[int]] = {}
    for n, (condition, index) in enumerate(uses.items()):
        frame = read(spark, path, condition)
        plan = physical(frame)
        assert (index or "indices [") in plan if index else "indices [" not in plan, plan
        answers[condition] = ids(frame)
        assert answers[condition] == sorted(row.id for row in rows if row[f"c{n}"]), condition
    return answers


@pytest.mark.parametrize("stable", [False, True])
def test_filters(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    dataset = write(path, stable)
    dataset.create_scalar_index("v", "BTREE", name="tree")
    dataset.create_scalar_index("c", "BITMAP", name="bits")
    dataset.delete("id % 4 = 1")
    write(path, first=ROWS, mode="append")
    tree, bits = "tree (BTREE, segments: 1)", "bits (BITMAP, segments: 1)"
    numbers = ("v = 5", "v <=> 5", "v IN (3, 7, 500)", "v BETWEEN 4 AND 6", "v IS NULL", "v > 97", "NOT (v < 99)")
    texts = ("c = 'red3'", "c LIKE 'gr%4'", "c IN ('red3', 'blue5')", "c IS NULL", "c > 'red5'")
    uses: dict[str, str | None] = dict.fromkeys(numbers, tree) | dict.fromkeys(texts, bits)
    uses |= {"v = 5 AND id > 100": tree, "c = 'red3' AND v > 50": bits, "v = 5 OR c = 'red3'": f"{tree}, {bits}"}
    answers = found_each(spark, path, uses | {"v = 1000000": tree, "v = 5 OR id = 3": None})
    assert answers.pop("v = 1000000") == []
    assert all(answers.values()), answers
    assert "4 fragments without an index" in physical(read(spark, path, "v = 5"))


@pytest.mark.parametrize("kind", ["BTREE", "BITMAP"])
@pytest.mark.parametrize("stable", [False, True])
def test_segments_answer_for_their_own_fragments(spark: SparkSession, tmp: str, stable: bool, kind: str) -> None:
    """A segment keeps the entries of rewritten fragments, which another segment covers (pylance is wrong there)."""
    path = f"{tmp}/t.lance"
    dataset = write(path, stable)
    dataset.create_scalar_index("v", kind, name="i")
    if stable:
        dataset.update({"v": "v + 1"}, where="id < 300")
    else:
        LanceDataset(spark, path).update_columns({"v": "v + 1"}, where="id < 250")
    lance.dataset(path).optimize.optimize_indices(num_indices_to_merge=0)
    conditions = ("v = 7", "v = 8", "v = 44", "v > 95", "v IS NULL")
    assert all(found_each(spark, path, dict.fromkeys(conditions, f"i ({kind}, segments: 2)")).values())


@pytest.mark.parametrize("stable", [False, True])
def test_counts(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    dataset = write(path, stable)
    dataset.create_scalar_index("v", "BTREE", name="tree")
    dataset.create_scalar_index("c", "BITMAP", name="bits")
    dataset.delete("id % 4 = 1")
    dataset = lance.dataset(path)

    def count(condition: str, **options: object) -> tuple[int, str]:
        frame = read(spark, path, condition, **options).groupBy().count()
        return frame.collect()[0][0], physical(frame)

    for condition in ("v = 5", "c = 'red3'", "v = 5 OR c = 'red3'", "v IS NULL", "v = 1000000"):
        rows, plan = count(condition)
        assert rows == dataset.count_rows(condition), condition
        assert "counted by the index" in plan, condition
        assert count(condition, useScalarIndex=False)[0] == rows
    write(path, first=ROWS, mode="append")
    for condition in ("v = 5", "c = 'red3'", "v = 1000000", "v = 5 AND id > 100"):
        rows, plan = count(condition)
        assert rows == lance.dataset(path).count_rows(condition), condition
        assert "counted by" not in plan, condition
        assert ("4 fragments by the index" in plan) == ("id" not in condition), plan
        assert count(condition, useScalarIndex=False)[0] == rows


def test_runtime_filters(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    write(path).create_scalar_index("id", "BTREE")
    spark.range(3).selectExpr("id * 100 AS k", "id AS n").createOrReplaceTempView("few")
    spark.read.format("lance").load(path).createOrReplaceTempView("many")
    rows = spark.sql("SELECT m.id FROM many m JOIN few f ON m.id = f.k WHERE f.n > 0").collect()
    assert sorted(row["id"] for row in rows) == [100, 200]


def test_rows_of_many_fragments_share_tasks(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    table = pa.table({"id": range(2000), "v": [i % 20 for i in range(2000)], "text": ["x" * 100] * 2000})
    lance.write_dataset(table, path, max_rows_per_file=20).create_scalar_index("v", "BTREE")
    frame = read(spark, path, "v = 3", localResultBytes=0)
    assert ids(frame) == list(range(3, 2000, 20))
    assert frame.rdd.getNumPartitions() <= 8


def test_changes_use_indices(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    write(path).create_scalar_index("v", "BTREE")
    before = ids(read(spark, path, "v = 5"))
    spark.sql(f"DELETE FROM lance.`{path}` WHERE v = 5 AND id < 500")
    assert ids(read(spark, path, "v = 5")) == [i for i in before if i >= 500]
    spark.sql(f"UPDATE lance.`{path}` SET v = 5 WHERE v = 6")
    assert ids(read(spark, path, "v = 6")) == []
    assert lance.dataset(path).count_rows("v = 5") == len(ids(read(spark, path, "v = 5")))


def test_options(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    write(path).create_scalar_index("v", "BTREE")
    assert "indices [v_idx" in physical(read(spark, path, "v = 5"))
    for off in ({"useScalarIndex": False}, {"pushDownFilters": False}):
        assert "indices" not in physical(read(spark, path, "v = 5", **off))
    spark.conf.set("spark.datasource.lance.useScalarIndex", "false")
    try:
        assert "indices" not in physical(read(spark, path, "v = 5"))
    finally:
        spark.conf.unset("spark.datasource.lance.useScalarIndex")
    with pytest.raises(
        PySparkException, match="Option 'brokenIndices' cannot be 'ignore': it must be one of fail, scan"
    ):
        read(spark, path, "v = 5", brokenIndices="ignore").collect()


@pytest.mark.parametrize("kind", ["BTREE", "BITMAP"])
@pytest.mark.parametrize("damage", ["missing", "cut", "zeroes"])
def test_damaged_files(spark: SparkSession, tmp: str, kind: str, damage: str) -> None:
    path = f"{tmp}/t.lance"
    write(path).create_scalar_index("v", kind, name="broken")
    for directory in Path(f"{path}/_indices").iterdir():
        for file in directory.iterdir():
            content = file.read_bytes()
            if damage == "zeroes":
                file.write_bytes(content[:-300] + bytes(260) + content[-40:])
            elif damage == "cut":
                file.write_bytes(content[: len(content) // 2])
        if damage == "missing":
            shutil.rmtree(directory)
    with pytest.raises(PySparkException, match=r"the index 'broken' cannot be read: .*brokenIndices"):
        read(spark, path, "v = 5").collect()
    assert ids(read(spark, path, "v = 5", brokenIndices="scan")) == ids(
        read(spark, path, "v = 5", useScalarIndex=False)
    )


def test_unknown_versions_are_not_used(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = write(path)
    dataset.create_scalar_index("c", "INVERTED")
    assert found(spark, path, "c = 'red3'", None)


@pytest.mark.parametrize("stable", [False, True])
def test_lists(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    labels = [None if i % 8 == 0 else [] if i % 8 == 1 else [f"a{i % 100}", None, f"b{i % 7}"] for i in range(1000)]
    table = pa.table({"id": range(1000), "l": labels})
    dataset = lance.write_dataset(table, path, max_rows_per_file=250, enable_stable_row_ids=stable)
    dataset.create_scalar_index("l", "LABEL_LIST", name="labels")
    lance.write_dataset(table.slice(0, 100), path, mode="append")
    uses = "labels (LABEL_LIST, segments: 1)"
    assert len(found(spark, path, "array_contains(l, 'a5')", uses)) == 6
    assert found(spark, path, "array_contains(l, 'a5') AND array_contains(l, 'b3') AND id > 7", uses)
    assert found(spark, path, "arrays_overlap(l, array('a5', 'a7', NULL))", uses)
    assert found(spark, path, "array_contains(l, 'none')", uses) == []
    for condition in ("NOT array_contains(l, 'a5')", "array_contains(l, 'a5') OR id = 3", "l IS NULL"):
        found(spark, path, condition, None)
    view = spark.read.format("lance").load(path).where("array_contains(l, 'a5')")
    assert view.count() == 6
    assert view.union(spark.read.format("lance").load(path)).count() == 1106


def test_zones_and_texts(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    words = [
        None if i % 50 == 0 else f"text {i % 37} about the {'quick' if i % 90 == 7 else 'slow'} fox"
        for i in range(2000)
    ]
    table = pa.table(
        {"id": range(2000), "v": [i // 3 for i in range(2000)], "w": [i * 7919 % 2003 for i in range(2000)], "s": words}
    )
    # Zeroes of both signs are equal, and have different bytes.
    zeroes = {150: 0.0, 750: -0.0, 1350: -0.0, 1950: 0.0}
    doubles = [zeroes.get(i, i + 0.5) for i in range(2000)]
    table = table.append_column("d", pa.array(doubles))
    table = table.append_column("n", pa.array([math.nan if i % 400 == 7 else i / 3 for i in range(2000)]))
    dataset = lance.write_dataset(table, path, max_rows_per_file=500)
    dataset.create_scalar_index("v", IndexConfig("zonemap", {"rows_per_zone": 50}), name="zones")
    dataset.create_scalar_index(
        "w", IndexConfig("bloomfilter", {"number_of_items": 50, "probability": 0.001}), name="bloom"
    )
    dataset.create_scalar_index("n", IndexConfig("zonemap", {"rows_per_zone": 50}), name="nans")
    dataset.create_scalar_index("d", IndexConfig("bloomfilter", {"number_of_items": 4}), name="doubles")
    dataset.create_scalar_index("s", "NGRAM", name="grams")
    lance.write_dataset(table.slice(0, 100), path, mode="append")
    zones, bloom, grams = (
        "zones (ZONEMAP, segments: 1)",
        "bloom (BLOOMFILTER, segments: 1)",
        "grams (NGRAM, segments: 1)",
    )
    for condition in ("v = 100", "v BETWEEN 100 AND 103", "v IN (4, 600)", "v < 3 OR v > 660"):
        assert found(spark, path, condition, zones), condition
    # NaN is greater than all other numbers, and a zone's greatest value may not say that it has one.
    for condition, count in (("n > 660D", 25), ("n >= double('NaN')", 6)):
        assert len(found(spark, path, condition, "nans (ZONEMAP, segments: 1)")) == count, condition
    for condition in ("w = 100", "w IN (5, 6)", "w = 5 OR w = 7"):
        assert found(spark, path, condition, bloom), condition
    for condition in ("d = 0.0D", "d IN (-0.0D, 150.5D)"):
        assert found(spark, path, condition, "doubles (BLOOMFILTER, segments: 1)") == sorted(zeroes), condition
    for condition in (
        "s LIKE '%QUICK%'",
        "s LIKE '%quick%'",
        "contains(s, 'the quick')",
        "s LIKE 'text 5%' AND s LIKE '%quick%'",
    ):
        found(spark, path, condition, grams)
    assert found(spark, path, "s LIKE '%quick%'", grams)
    for condition in ("w > 5", "w <> 5", "s LIKE '%ck%'", "s NOT LIKE '%quick%'", "s > 'text 3'"):
        found(spark, path, condition, None)
