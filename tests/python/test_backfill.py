"""Columns with values as Python adds and updates them."""

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparklance import LanceDataset
from sparklance.errors import LanceUsageException

pytestmark = pytest.mark.slow


def dataset(spark: SparkSession, path: str, fragments: int = 3) -> LanceDataset:
    for i in range(fragments):
        rows = (
            spark.range(10 * i, 10 * i + 10).coalesce(1).selectExpr("id", "id / 2 AS price", "concat('w', id) AS word")
        )
        rows.write.format("lance").mode("append").save(path)
    return LanceDataset(spark, path)


def test_columns_are_added_by_texts_and_columns(spark: SparkSession, tmp: str) -> None:
    ds = dataset(spark, f"{tmp}/t.lance")
    ds.add_columns({"total": "price * 2", "long": "length(word) > 2"})
    assert (ds.version, [f.name for f in ds.lance_schema][3:]) == (4, ["total", "long"])
    ds.add_columns({"a": F.col("id") + 1, "b": "id + 2"})
    ds.add_columns([(F.col("id") + 3).alias("c"), F.lit("x").alias("d")])
    ds.add_columns((F.col("id") + 4).alias("e"))
    assert ds.version == 7
    wrong = "total <> id OR long <> (id > 9) OR a <> id + 1 OR b <> id + 2 OR c <> id + 3 OR d <> 'x' OR e <> id + 4"
    assert ds.count_rows() == 30
    assert ds.count_rows(wrong) == 0
    assert ds.to_df().na.drop().count() == 30
    ds.validate()


# PySpark 4.3 says so of any function with type hints that are not of pandas.
@pytest.mark.filterwarnings("ignore:Cannot infer the eval type:UserWarning")
def test_functions_of_spark_make_columns(spark: SparkSession, tmp: str) -> None:
    @F.pandas_udf("double")
    def doubled(values: pd.Series) -> pd.Series:
        return values * 2

    @F.udf("size INT, first STRING")
    def parts(word: str) -> tuple[int, str]:
        return len(word), word[0]

    @F.udf("array<float>")
    def embed(number: int) -> list[float]:
        return [number, 0.5, 1.0, 2.0]

    ds = dataset(spark, f"{tmp}/t.lance")
    size = {"arrow.fixed-size-list.size": 4}
    ds.add_columns({"p2": doubled("price"), "vector": embed("id").alias("v", metadata=size)})
    ds.add_columns(parts, read_columns=["word"])
    assert ds.count_rows("p2 <> id OR size <> length(word) OR first <> 'w' OR vector[0] <> id") == 0
    assert [f.logical_type for f in ds.lance_schema if f.name == "vector"] == ["fixed_size_list:float:4"]
    ds.update_columns({"p2": doubled("p2")}, where=F.col("id") >= 15)
    assert ds.count_rows("p2 = 2 * id AND id >= 15 OR p2 = id AND id < 15") == 30


def test_columns_come_from_dataframes(spark: SparkSession, tmp: str) -> None:
    ds = dataset(spark, f"{tmp}/t.lance")
    ds.add_columns(ds.to_df().select("_rowaddr", (F.col("price") * 4).alias("p4")))
    ds.add_columns(ds.to_df().select("_rowid", F.col("id").alias("copy")).repartition(5))
    words = spark.createDataFrame([(i, f"n{i}") for i in range(0, 40, 2)], "id LONG, name STRING")
    ds.add_columns(words, on="id")
    ds.update_columns(spark.createDataFrame([(1, "odd")], "id LONG, name STRING"), on=["id"])
    assert ds.count_rows("p4 <> id * 2 OR copy <> id") == 0
    assert ds.count_rows("name = concat('n', id) AND id % 2 = 0") == 15
    assert ds.take([1], columns=["name"]).first()[0] == "odd"
    assert ds.count_rows("name IS NULL") == 14


def test_what_makes_no_sense_is_refused(spark: SparkSession, tmp: str) -> None:
    ds = dataset(spark, f"{tmp}/t.lance")
    with pytest.raises(LanceUsageException, match="not deterministic"):
        ds.add_columns({"r": F.rand()})
    with pytest.raises(LanceUsageException, match="a column 'price' already"):
        ds.add_columns({"price": "id"})
    keyed = spark.createDataFrame([(1, "one")], "id LONG, name STRING")
    for change in (ds.add_columns, ds.update_columns):
        with pytest.raises(LanceUsageException, match=r"columns of the table \(id\), by on="):
            change(keyed)
    with pytest.raises(LanceUsageException, match=r"they have name\. Name its keys, by on="):
        ds.add_columns(keyed.drop("id"))
    with pytest.raises(LanceUsageException, match="no column 'prize'"):
        ds.update_columns({"prize": "id"})
    with pytest.raises(LanceUsageException, match="row 0 of fragment 1"):
        ds.add_columns(ds.to_df().where("id <> 10").select("_rowaddr", F.lit(1).alias("one")))
    with pytest.raises(ValueError, match="keys of a DataFrame"):
        ds.add_columns({"a": "id"}, on="id")
    with pytest.raises(ValueError, match="arguments of a function"):
        ds.add_columns({"a": "id"}, read_columns=["id"])
    assert ds.latest_version == 3
