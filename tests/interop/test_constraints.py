"""NOT NULL, defaults and primary keys: as pylance sees ours, and as we see pylance's."""

import lance
import pyarrow as pa
from pyspark.sql import SparkSession

KEY = "lance-schema:unenforced-primary-key"


def key_of(path: str) -> list[str]:
    return [field.name() for field in lance.dataset(path).lance_schema.unenforced_primary_key()]


def test_pylance_takes_our_primary_key_for_its_merges(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    spark.sql(
        f"CREATE TABLE lance.`{path}` (v INT, id BIGINT NOT NULL, day DATE NOT NULL) USING lance "
        f"TBLPROPERTIES ('id.{KEY}:position' = '2', 'day.{KEY}:position' = '1')"
    )
    assert key_of(path) == ["day", "id"]
    spark.sql(f"INSERT INTO lance.`{path}` VALUES (1, 1, DATE'2020-01-01'), (2, 1, DATE'2020-01-02')")
    there = lance.dataset(path).to_table()
    new = pa.table({"v": [9, 8], "id": [1, 3], "day": there["day"][:2]}, schema=there.schema)
    lance.dataset(path).merge_insert(None).when_matched_update_all().when_not_matched_insert_all().execute(new)
    assert sorted((row.id, row.v) for row in spark.read.format("lance").load(path).collect()) == [
        (1, 2),
        (1, 9),
        (3, 8),
    ]


def test_a_key_that_the_procedure_sets_is_pylances_too(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    spark.sql(f"CREATE TABLE lance.`{path}` (id BIGINT NOT NULL, v INT) USING lance")
    spark.sql(f"CALL lance.system.update_field_metadata('{path}', 'id', map('{KEY}', 'true'))")
    assert key_of(path) == ["id"]


def test_pylances_key_is_shown_and_stays(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    fields = [pa.field("id", pa.int64(), nullable=False, metadata={KEY: "true"}), pa.field("v", pa.int32())]
    lance.write_dataset(pa.table({"id": [1], "v": [1]}, schema=pa.schema(fields)), path)
    assert spark.sql(f"DESCRIBE DETAIL '{path}'").collect()[0].primary_key == ["id"]
    spark.sql(f"INSERT INTO lance.`{path}` VALUES (2, 2)")
    spark.sql(f"INSERT OVERWRITE lance.`{path}` SELECT id, v + 1 FROM lance.`{path}`")
    spark.sql(f"ALTER TABLE lance.`{path}` ADD COLUMN more INT")
    assert key_of(path) == ["id"]
    assert spark.sql(f"DESCRIBE DETAIL '{path}'").collect()[0].primary_key == ["id"]


def test_pylance_sees_the_values_of_defaults(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    spark.sql(f"CREATE TABLE lance.`{path}` (id INT NOT NULL, n INT DEFAULT 7, s STRING DEFAULT 'x') USING lance")
    spark.sql(f"INSERT INTO lance.`{path}` VALUES (1, DEFAULT, DEFAULT)")
    dataset = lance.dataset(path)
    assert dataset.to_table().to_pylist() == [{"id": 1, "n": 7, "s": "x"}]
    assert not dataset.schema.field("id").nullable
    dataset.alter_columns({"path": "n", "name": "number"})
    dataset.drop_columns(["s"])
    spark.sql(f"INSERT INTO lance.`{path}` VALUES (2, DEFAULT)")
    assert sorted(map(tuple, spark.read.format("lance").load(path).collect())) == [(1, 7), (2, 7)]
