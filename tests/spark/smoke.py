"""One walk through all entry points, as a program of its own so that any Spark can run it: `python smoke.py JAR`."""

import sys
import tempfile
from pathlib import Path

import pyspark
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession


def main(jar: str, folder: str) -> None:
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", jar)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    path = f"{folder}/t.lance"
    spark.range(10).selectExpr("id", "cast(id AS string) AS name").write.format("lance").save(path)
    spark.range(10, 15).selectExpr("id", "null AS name").write.format("lance").mode("append").save(path)
    read = spark.read.format("lance").load(path)
    assert read.count() == 15
    assert [row.id for row in read.where("name IS NULL").orderBy("id").collect()] == [10, 11, 12, 13, 14]
    assert spark.read.format("lance").option("version", 1).load(path).count() == 10

    spark.sql("CREATE TABLE t (a INT NOT NULL, b STRING, c DECIMAL(10, 2)) USING lance")
    spark.sql("INSERT INTO t VALUES (1, 'x', 1.5), (2, NULL, NULL)")
    spark.sql("INSERT OVERWRITE t SELECT 3, 'y', 2.25")
    assert [tuple(map(str, row)) for row in spark.table("t").collect()] == [("3", "y", "2.25")]
    assert spark.sql("SELECT count(*) FROM t VERSION AS OF 2").head()[0] == 2
    spark.sql(f"CREATE TABLE u USING lance LOCATION '{folder}/u.lance' AS SELECT * FROM lance.`{path}`")
    assert spark.table("u").count() == 15
    spark.sql("CREATE TABLE other USING parquet AS SELECT 1 AS one")
    assert spark.table("other").collect() == [(1,)]
    spark.sql("DROP TABLE t")
    spark.sql("DROP TABLE u")
    assert not spark.catalog.tableExists("t")
    assert Path(folder, "u.lance").exists()
    assert condition(spark, f"SELECT * FROM lance.`{folder}/nothing`") == "LANCE_TABLE_NOT_FOUND"
    assert condition(spark, f"DESCRIBE HISTORY lance.`{folder}/nothing`") == "LANCE_TABLE_NOT_FOUND"
    spark.stop()
    print(f"sparklance works on Spark {pyspark.__version__}")


def condition(spark: SparkSession, statement: str) -> str | None:
    try:
        spark.sql(statement).collect()
    except AnalysisException as error:
        return error.getCondition()
    raise AssertionError(f"not refused: {statement}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(sys.argv[1], scratch)
