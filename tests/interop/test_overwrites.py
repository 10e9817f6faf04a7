"""pylance reads tables after partial overwrites and after schema merging."""

import lance
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import col


def ids(path: str) -> list[int]:
    return sorted(lance.dataset(path).to_table(columns=["id"])["id"].to_pylist())


def test_rows_that_fulfil_a_condition_are_replaced(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"id": pa.array(range(20_000), pa.uint32())}), path, max_rows_per_file=8_000)
    lance.dataset(path).delete("id = 3")
    rows = spark.range(50, 60).toDF("id")
    rows.writeTo(f"lance.`{path}`").overwrite((col("id") >= 5) & (col("id") < 17_000))
    found = lance.dataset(path)
    found.validate()
    assert ids(path) == [0, 1, 2, 4, *range(50, 60), *range(17_000, 20_000)]
    deletions = [f.metadata.deletion_file.file_type for f in found.get_fragments() if f.num_deletions]
    assert sorted(str(kind) for kind in deletions) == ["array", "bitmap"]
    assert type(found.read_transaction(3).operation).__name__ == "Update"

    found.delete("id = 53")
    found.optimize.compact_files()
    spark.sql(f"INSERT INTO lance.`{path}` REPLACE WHERE id > 50 AND id < 17000 SELECT 57L")
    assert ids(path) == [0, 1, 2, 4, 50, 57, *range(17_000, 20_000)]
    lance.dataset(path).validate()


def test_new_columns_come_with_the_rows(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"id": [1, 2], "s": [{"a": 1}, {"a": 2}]}), path)
    lance.dataset(path).add_columns({"twice": "id * 2"})
    lance.dataset(path).drop_columns(["twice"])
    rows = spark.sql("SELECT 'x' AS more, 3L AS id, named_struct('a', 3L, 'b', 2.5D) AS s")
    rows.write.format("lance").mode("append").option("mergeSchema", True).save(path)
    found = lance.dataset(path)
    found.validate()
    assert found.to_table().to_pylist() == [
        {"id": 1, "s": {"a": 1, "b": None}, "more": None},
        {"id": 2, "s": {"a": 2, "b": None}, "more": None},
        {"id": 3, "s": {"a": 3, "b": 2.5}, "more": "x"},
    ]
    assert type(found.read_transaction(found.version).operation).__name__ == "Merge"
    lance.write_dataset(pa.table({"id": [4], "more": ["y"]}), path, mode="append")
    assert spark.read.format("lance").load(path).where("more = 'y'").count() == 1
