"""Tables that Spark makes of each of its own types: what pylance reads of them, and Spark again."""

import datetime as dt

import lance
import numpy as np
import pyarrow as pa
import pytest
from lance.arrow import BFloat16Type
from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import IntegerType, StructField, StructType

from tests.interop.generate import halves
from tests.interop.test_write import validated

pytestmark = pytest.mark.slow

BOTH = ["2.1", "2.2"]


def saved(frame: DataFrame, path: str, **options: str) -> lance.LanceDataset:
    frame.coalesce(1).write.format("lance").options(**options).save(path)
    return validated(path)


def read(spark: SparkSession, path: str) -> DataFrame:
    return spark.read.format("lance").load(path)


@pytest.mark.parametrize("version", BOTH)
def test_intervals_of_years_are_months(spark: SparkSession, tmp: str, version: str) -> None:
    frame = spark.sql(
        "SELECT INTERVAL '3-2' YEAR TO MONTH AS a, INTERVAL '-7' MONTH AS b, array(INTERVAL '2' YEAR, NULL) AS l,"
        " named_struct('x', INTERVAL '1' MONTH) AS s, CAST(NULL AS INTERVAL YEAR) AS n"
    )
    table = saved(frame, f"{tmp}/t.lance", dataStorageVersion=version).to_table()
    assert table.to_pylist() == [{"a": 38, "b": -7, "l": [24, None], "s": {"x": 1}, "n": None}]
    assert table.schema.field("a").type == pa.int32()
    shown = read(spark, f"{tmp}/t.lance")
    assert shown.dtypes == frame.dtypes
    texts = ["CAST(a AS STRING)", "CAST(b AS STRING)", "CAST(l AS STRING)", "CAST(s AS STRING)", "CAST(n AS STRING)"]
    assert shown.selectExpr(*texts).collect() == frame.selectExpr(*texts).collect()
    assert shown.where("a = INTERVAL '3-2' YEAR TO MONTH AND b < INTERVAL '0' MONTH").count() == 1
    frame.write.format("lance").mode("append").save(f"{tmp}/t.lance")
    assert validated(f"{tmp}/t.lance").to_table()["b"].to_pylist() == [-7, -7]


def test_intervals_of_days_keep_their_fields(spark: SparkSession, tmp: str) -> None:
    frame = spark.sql("SELECT INTERVAL '-3' DAY AS d, INTERVAL '01:02' HOUR TO MINUTE AS m, INTERVAL '1.5' SECOND AS s")
    table = saved(frame, f"{tmp}/t.lance").to_table()
    assert table.schema.types == [pa.duration("us")] * 3
    assert table.to_pylist() == [
        {"d": dt.timedelta(days=-3), "m": dt.timedelta(minutes=62), "s": dt.timedelta(seconds=1.5)}
    ]
    shown = read(spark, f"{tmp}/t.lance")
    assert shown.dtypes == frame.dtypes
    assert shown.collect() == frame.collect()
    frame.write.format("lance").mode("append").save(f"{tmp}/t.lance")


@pytest.mark.parametrize("version", BOTH)
def test_vectors_of_ml_are_themselves_again(spark: SparkSession, tmp: str, version: str) -> None:
    rows = [(0, Vectors.dense([1.0, -2.5])), (1, Vectors.sparse(9, {3: 1.0, 7: 2.0})), (2, None)]
    frame = spark.createDataFrame(rows, StructType([StructField("id", IntegerType()), StructField("v", VectorUDT())]))
    table = saved(frame, f"{tmp}/t.lance", dataStorageVersion=version).to_table().sort_by("id")
    assert table["v"].to_pylist() == [
        {"type": 1, "size": None, "indices": None, "values": [1.0, -2.5]},
        {"type": 0, "size": 9, "indices": [3, 7], "values": [1.0, 2.0]},
        None,
    ]
    shown = read(spark, f"{tmp}/t.lance")
    assert isinstance(shown.schema["v"].dataType, VectorUDT)
    assert [r.v for r in shown.orderBy("id").collect()] == [v for _, v in rows]
    shown.write.format("lance").mode("append").save(f"{tmp}/t.lance")
    assert [r.v for r in read(spark, f"{tmp}/t.lance").where("id = 1").collect()] == [rows[1][1]] * 2


def test_void_columns_are_null(spark: SparkSession, tmp: str) -> None:
    frame = spark.sql("SELECT 1 AS id, NULL AS n, array(NULL) AS l")
    table = saved(frame, f"{tmp}/t.lance").to_table()
    assert table.schema.field("n").type == pa.null()
    assert table.to_pylist() == [{"id": 1, "n": None, "l": [None]}]
    assert read(spark, f"{tmp}/t.lance").dtypes == frame.dtypes


def test_char_and_varchar_keep_their_lengths(spark: SparkSession, tmp: str) -> None:
    spark.sql(f"CREATE TABLE texts (c CHAR(3), v VARCHAR(4)) USING lance LOCATION '{tmp}/t.lance'")
    try:
        spark.sql("INSERT INTO texts VALUES ('a', 'bcde'), (NULL, '')")
        dataset = validated(f"{tmp}/t.lance")
        assert dataset.to_table().to_pylist() == [{"c": "a  ", "v": "bcde"}, {"c": None, "v": ""}]
        types = {row.col_name: row.data_type for row in spark.sql("DESCRIBE texts").collect()}
        assert (types["c"], types["v"]) == ("char(3)", "varchar(4)")
        for path in ("texts", f"lance.`{tmp}/t.lance`"):
            with pytest.raises(Exception, match="EXCEED_LIMIT_LENGTH"):
                spark.sql(f"INSERT INTO {path} VALUES ('a', 'abcde')")
    finally:
        spark.sql("DROP TABLE texts")


def test_variants_are_refused_with_a_reason(spark: SparkSession, tmp: str) -> None:
    frame = spark.sql("SELECT parse_json('[1]') AS v")
    with pytest.raises(Exception, match=r"column 'v' of type variant: write to_json"):
        frame.write.format("lance").save(f"{tmp}/t.lance")


def vectors(spark: SparkSession, items: np.ndarray) -> DataFrame:
    """A column of lists of floats, of which some are null."""
    rows = [(i, None if i % 7 == 3 else [float(x) for x in row]) for i, row in enumerate(items)]
    return spark.createDataFrame(rows, "id INT, v ARRAY<FLOAT>").orderBy("id")


@pytest.mark.parametrize("version", BOTH)
@pytest.mark.parametrize(("option", "kind"), [("arrow.float16", pa.float16()), ("arrow.bfloat16", BFloat16Type())])
def test_vectors_of_halves(spark: SparkSession, tmp: str, version: str, option: str, kind: pa.DataType) -> None:
    rng = np.random.default_rng(5)
    for dimension in (4, 300):
        path = f"{tmp}/{dimension}.lance"
        items = halves(rng, "few", 100 * dimension).reshape(100, dimension).astype("f4")
        if option == "arrow.bfloat16":
            items = np.trunc(items)
        frame = vectors(spark, items)
        options = {"v.arrow.fixed-size-list.size": str(dimension), f"v.{option}": "true"}
        dataset = saved(frame, path, dataStorageVersion=version, **options)
        assert dataset.schema.field("v").type.value_type == kind
        shown = read(spark, path)
        assert shown.orderBy("id").collect() == frame.collect()
        if option == "arrow.float16":
            assert dataset.to_table()["v"].to_pylist() == [r.v for r in frame.collect()]
        shown.coalesce(1).write.format("lance").option("dataStorageVersion", version).save(f"{path}.copy")
        assert lance.dataset(f"{path}.copy").schema == dataset.schema
        assert lance.dataset(f"{path}.copy").to_table() == dataset.to_table()


@pytest.mark.parametrize("version", BOTH)
def test_fixed_size_lists_anywhere(spark: SparkSession, tmp: str, version: str) -> None:
    frame = spark.sql(
        "SELECT id, IF(id % 5 = 1, NULL, named_struct('v', array(id, -id))) AS s,"
        " transform(sequence(1, id % 4), i -> IF(i = 2, NULL, array(CAST(i AS FLOAT), 0F, 1F))) AS l,"
        " array(array(id > 3, true), array(false, NULL)) AS m FROM range(20)"
    )
    sizes = {"s.v": 2, "l.item": 3, "m": 2, "m.item": 2}
    options = {f"{column}.arrow.fixed-size-list.size": str(size) for column, size in sizes.items()}
    dataset = saved(frame, f"{tmp}/t.lance", dataStorageVersion=version, **options)
    kinds = {field.name: field.type for field in dataset.schema}
    assert kinds["s"].field("v").type == pa.list_(pa.int64(), 2)
    assert kinds["l"].value_type == pa.list_(pa.float32(), 3)
    assert kinds["m"] == pa.list_(pa.list_(pa.bool_(), 2), 2)
    assert dataset.to_table().to_pylist() == [r.asDict(recursive=True) for r in frame.collect()]
    shown = read(spark, f"{tmp}/t.lance")
    assert shown.orderBy("id").collect() == frame.collect()
    saved(shown, f"{tmp}/copy.lance", dataStorageVersion=version)
    assert lance.dataset(f"{tmp}/copy.lance").schema == dataset.schema


def test_table_properties_and_clauses_say_what_columns_are(spark: SparkSession, tmp: str) -> None:
    size = "'v.arrow.fixed-size-list.size' = '2', 'v.arrow.float16' = 'true', 'x.lance-encoding:compression' = 'zstd'"
    for place, clause in (("a", "TBLPROPERTIES"), ("b", "OPTIONS")):
        path = f"{tmp}/{place}.lance"
        spark.sql(f"CREATE TABLE lance.`{path}` (x INT, v ARRAY<FLOAT>) USING lance {clause} ({size})")
        spark.sql(f"INSERT INTO lance.`{path}` VALUES (1, array(1.5F, 2F))")
        dataset = validated(path)
        assert dataset.schema.field("v").type == pa.list_(pa.float16(), 2)
        assert dataset.schema.field("x").metadata == {b"lance-encoding:compression": b"zstd"}
        assert dataset.to_table().to_pylist() == [{"x": 1, "v": [1.5, 2.0]}]
    spark.sql(
        f"CREATE TABLE sized USING lance LOCATION '{tmp}/c.lance' TBLPROPERTIES ({size}) AS SELECT 1 x, array(2F, 3F) v"
    )
    spark.sql("DROP TABLE sized")
    assert lance.dataset(f"{tmp}/c.lance").schema.field("v").type == pa.list_(pa.float16(), 2)


def test_settings_of_columns_that_there_are_not(spark: SparkSession, tmp: str) -> None:
    writer = spark.range(1).write.format("lance").option("vec.arrow.fixed-size-list.size", 3)
    with pytest.raises(Exception, match="for a column that does not exist; the columns are id"):
        writer.save(f"{tmp}/t.lance")
    with pytest.raises(Exception, match=r"'id\.arrow\.float16' is for writing"):
        _ = spark.read.format("lance").option("id.arrow.float16", "true").load(f"{tmp}/t.lance").schema
    spark.range(1).write.format("lance").save(f"{tmp}/t.lance")
    with pytest.raises(
        Exception, match=r"'id\.arrow\.float16' cannot be 'true': it is for a FLOAT or a vector of FLOAT"
    ):
        spark.range(1).write.format("lance").option("id.arrow.float16", "true").mode("append").save(f"{tmp}/t.lance")
    assert lance.dataset(f"{tmp}/t.lance").count_rows() == 1


def test_json_columns_by_a_table_property(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    spark.sql(
        f"CREATE TABLE lance.`{path}` (id INT, d STRING) TBLPROPERTIES ('d.ARROW:extension:name' = 'lance.json')"
    ).collect()
    spark.sql(f"""INSERT INTO lance.`{path}` VALUES (1, '{{"a": [1, null]}}'), (2, NULL)""").collect()
    with pytest.raises(Exception, match="JSON"):
        spark.sql(f"INSERT INTO lance.`{path}` VALUES (3, '{{bad')").collect()
    dataset = validated(path)
    assert dataset.schema.field("d").type == pa.json_()
    assert dataset.to_table().sort_by("id").to_pylist() == [{"id": 1, "d": '{"a":[1,null]}'}, {"id": 2, "d": None}]
    assert dataset.to_table(filter="json_get_int(d, 'b') IS NULL").num_rows == 2
    with pytest.raises(Exception, match=r"Did you mean 'ARROW:extension:name'"):
        spark.sql(f"CREATE TABLE lance.`{tmp}/u` (d STRING) TBLPROPERTIES ('d.ARROW:extensions:name' = 'lance.json')")


def test_hints_for_encoders_are_kept_wherever_they_are(spark: SparkSession, tmp: str) -> None:
    hint = {b"lance-encoding:compression": b"zstd"}
    schema = pa.schema(
        [
            pa.field("i", pa.int32(), metadata=hint),
            pa.field("l", pa.list_(pa.field("item", pa.string(), metadata=hint))),
            pa.field("s", pa.struct([pa.field("x", pa.int64(), metadata=hint)]), metadata={b"owner": b"me"}),
            pa.field("m", pa.map_(pa.string(), pa.field("value", pa.binary(), metadata=hint))),
        ]
    )
    rows = [{"i": 1, "l": ["a", None], "s": {"x": 2}, "m": [("k", b"v")]}]
    lance.write_dataset(pa.Table.from_pylist(rows, schema), f"{tmp}/t.lance")
    before = lance.dataset(f"{tmp}/t.lance").schema
    copy = saved(read(spark, f"{tmp}/t.lance"), f"{tmp}/copy.lance")
    assert copy.schema.equals(before, check_metadata=True)
    assert copy.to_table().to_pylist() == rows
