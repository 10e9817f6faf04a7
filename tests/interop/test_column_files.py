"""Column files: written by groups, and merged by compaction, as pylance reads them."""

from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.compaction import compact

pytestmark = pytest.mark.slow


def files(path: str) -> list[list[list[int]]]:
    """The fields of each file of each fragment."""
    return [[file.fields for file in fragment.metadata.files] for fragment in lance.dataset(path).get_fragments()]


def sorted_rows(path: str) -> pa.Table:
    return lance.dataset(path).to_table().sort_by("id")


def made(rows: int) -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "name": [f"name {i % 97}" if i % 11 else None for i in range(rows)],
            "image": [rng.bytes(int(n)) for n in rng.integers(0, 3000, rows)],
            "pair": [{"a": i, "b": [f"x{j}" for j in range(i % 4)]} for i in range(rows)],
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(rng.random(rows * 8, dtype="f4")), 8),
        }
    )


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_pylance_reads_and_changes_groups_of_columns(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    table = made(500)
    frame = spark.createDataFrame(table).coalesce(1)
    options = {"columnGroups": "image; vector, name", "dataStorageVersion": version, "maxRowsPerFile": 200}
    frame.write.format("lance").options(**options).save(path)
    dataset = lance.dataset(path)
    dataset.validate()
    assert [len(fragment) for fragment in files(path)] == [3, 3, 3]
    assert dataset.to_table(columns=["image"]).equals(table.select(["image"]))
    assert (
        dataset.to_table(columns=["pair", "id", "name"]).to_pylist() == table.select(["pair", "id", "name"]).to_pylist()
    )
    dataset.update({"name": "'new'"}, where="id % 7 = 1")
    dataset.delete("id % 5 = 2")
    dataset.add_columns({"twice": "id * 2"})
    ours = spark.read.format("lance").load(path).orderBy("id").drop("vector").toArrow()
    assert ours.to_pylist() == sorted_rows(path).drop_columns(["vector"]).to_pylist()
    spark.createDataFrame(table.slice(0, 9)).selectExpr("*", "1L AS twice").write.format("lance").mode(
        "append"
    ).options(columnGroups="IMAGE").save(path)
    before = sorted_rows(path)
    dataset = lance.dataset(path)
    dataset.validate()
    dataset.optimize.compact_files()
    assert sorted_rows(path).equals(before)


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_merged_files_are_pylances(spark: SparkSession, tmp: str, version: str, stable: bool) -> None:
    """Files of pylance and ours, with deleted rows, indices and dropped columns."""
    path = f"{tmp}/t.lance"
    dataset = lance.write_dataset(
        made(900), path, max_rows_per_file=300, data_storage_version=version, enable_stable_row_ids=stable
    )
    for i in range(4):
        dataset.add_columns({f"c{i}": f"id * {i}"})
    spark.sql(f"CALL lance.system.add_columns('{path}', map('words', 'split(name, \" \")', 'half', 'id / 2'))")
    spark.sql(f"CALL lance.system.update_columns('{path}', map('c1', 'c1 + 1'), where => 'id < 100')")
    dataset = lance.dataset(path)
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_scalar_index("c3", "BITMAP")
    dataset.drop_columns(["c2"])
    dataset.delete("id % 10 = 4")
    columns = [*lance.dataset(path).schema.names, "_rowid", "_rowaddr"]
    columns += ["_row_created_at_version", "_row_last_updated_at_version"] if stable else []
    before = lance.dataset(path).to_table(columns=columns)
    indices = [(i["name"], i["fragment_ids"]) for i in lance.dataset(path).list_indices()]
    found = compact(spark, path, max_files_per_fragment=2, target_rows_per_fragment=300)
    assert (found.fragments_removed, found.fragments_added) == (0, 0)
    assert found.files_added == 3
    assert found.files_removed > 9
    dataset = lance.dataset(path)
    dataset.validate()
    assert [len(fragment) for fragment in files(path)] == [1, 1, 1]
    assert dataset.to_table(columns=columns).equals(before)
    assert [(i["name"], i["fragment_ids"]) for i in dataset.list_indices()] == indices
    for query in ("id = 123", "id IN (4, 5, 600)", "c3 = 30", "c3 < 0", "c1 = 51 AND id > 20"):
        with_index = dataset.to_table(filter=query)
        assert "ScalarIndexQuery" in dataset.scanner(filter=query).explain_plan(), query
        assert with_index.equals(dataset.to_table(filter=query, use_scalar_index=False)), query
    assert dataset.take([0, 500]).equals(dataset.to_table().take([0, 500]))
    dataset.update({"name": "'later'"}, where="id = 7")
    assert spark.read.format("lance").load(path).where("name = 'later'").count() == 1


def test_a_group_stays_apart_in_a_compaction(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(made(100), path, data_storage_version="2.2")
    for i in range(3):
        lance.dataset(path).add_columns({f"c{i}": f"id * {i}"})
    lance.write_dataset(lance.dataset(path).to_table(), path, mode="append")
    before = sorted_rows(path)
    compact(spark, path, column_groups="'image'")
    ids = {field.name(): field.id() for field in lance.dataset(path).lance_schema.fields()}
    (fragment,) = files(path)
    assert len(fragment) == 2
    assert fragment[1] == [ids["image"]]
    assert sorted_rows(path).equals(before)


def test_groups_are_checked(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    frame = spark.range(3).selectExpr("id", "id AS image")
    for groups, named in (
        ("imag", "Did you mean 'image'"),
        ("image; id, IMAGE", "column 'image' is named twice"),
        ("image;", "names of columns with commas between them"),
    ):
        with pytest.raises(Exception, match=named):
            frame.write.format("lance").option("columnGroups", groups).save(path)
        assert not Path(path).exists()
    frame.write.format("lance").option("columnGroups", "image; id").save(path)
    assert files(path)[0] == [[1], [0]]
    with pytest.raises(Exception, match="a backfill writes one file for each fragment"):
        frame.selectExpr("id", "1 AS x").write.format("lance").mode("append").options(
            columns="add", columnsOn="id", columnGroups="x"
        ).save(path)
    with pytest.raises(Exception, match="Argument 'column_groups' cannot be 'id,'"):
        compact(spark, path, column_groups="'id,'")


def test_a_property_of_the_table_counts_for_every_write(spark: SparkSession, tmp: str) -> None:
    spark.sql(
        f"CREATE TABLE grouped (id BIGINT, image BINARY) USING lance LOCATION '{tmp}/t.lance' "
        "TBLPROPERTIES ('lance.write.columnGroups' = 'image')"
    )
    try:
        spark.sql("INSERT INTO grouped VALUES (1, X'01'), (2, X'02')")
        spark.sql("UPDATE grouped SET image = X'0303' WHERE id = 2")
        assert {len(fragment) for fragment in files(f"{tmp}/t.lance")} == {2}
        assert sorted_rows(f"{tmp}/t.lance").to_pylist() == [{"id": 1, "image": b"\1"}, {"id": 2, "image": b"\3\3"}]
    finally:
        spark.sql("DROP TABLE grouped")
