"""Kinds of hosts, each in a process of its own: python tests/spark/hosts.py <kind> <jar> <directory>."""

import sys
from collections.abc import Callable

from pyspark.sql import SparkSession


def builder(jar: str, directory: str) -> SparkSession.Builder:
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", jar)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.warehouse.dir", f"{directory}/warehouse")
        .config("spark.sql.shuffle.partitions", "2")
    )


def hive(jar: str, directory: str) -> None:
    """Hive's metastore, in a Derby of its own."""
    spark = (
        builder(jar, directory)
        .config(
            "spark.hadoop.javax.jdo.option.ConnectionURL", f"jdbc:derby:;databaseName={directory}/metastore;create=true"
        )
        .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={directory}")
        .enableHiveSupport()
        .getOrCreate()
    )
    tables(spark, directory)
    spark.sql("CREATE TABLE plain STORED AS PARQUET AS SELECT 1 AS a")
    spark.sql("INSERT INTO plain VALUES (2)")
    spark.sql("ALTER TABLE plain ADD COLUMNS (b INT)")
    assert spark.table("plain").count() == 2
    spark.sql("CREATE TABLE rows_of_text (a INT) USING hive")
    assert spark.table("rows_of_text").count() == 0
    spark.sql("CREATE DATABASE elsewhere LOCATION '" + directory + "/place'")
    spark.sql("CREATE TABLE elsewhere.t USING lance AS SELECT 1 AS a")
    assert spark.sql("DESCRIBE DETAIL elsewhere.t").collect()[0].location.endswith("/place/t")
    spark.sql("DROP DATABASE elsewhere CASCADE")
    spark.stop()


def bare(jar: str, directory: str) -> None:
    """Spark loads no extension, as the jar names none; two settings do what it would do."""
    spark = (
        builder(jar, directory)
        .config("spark.sql.catalog.spark_catalog", "io.sparklance.spark.LanceSessionCatalog")
        .config("spark.sql.catalog.lance", "io.sparklance.spark.LanceCatalog")
        .getOrCreate()
    )
    tables(spark, directory)
    spark.sql("CREATE TABLE t USING lance AS SELECT 1 AS a")
    refused(lambda: spark.sql("OPTIMIZE t"), "PARSE_SYNTAX_ERROR")
    assert spark.sql("CALL lance.system.compact('t')").count() == 1
    assert spark.sql("CALL spark_catalog.system.detail('t')").collect()[0].rows == 1
    spark.stop()


def tables(spark: SparkSession, directory: str) -> None:
    """Uses the session catalog."""
    spark.sql("CREATE TABLE m (id INT, n STRING DEFAULT 'x') USING lance COMMENT 'mine' TBLPROPERTIES (k = 'v')")
    spark.sql("INSERT INTO m VALUES (1, 'a'), (2, DEFAULT)")
    spark.sql("ALTER TABLE m ADD COLUMN more INT")
    spark.sql("ALTER TABLE m SET TBLPROPERTIES (l = 'w', 'lance.auto_cleanup.interval' = '9')")
    spark.sql("ALTER TABLE m RENAME TO renamed")
    assert sorted(map(tuple, spark.table("renamed").collect())) == [(1, "a", None), (2, "x", None)]
    shown = spark.sql("SHOW CREATE TABLE renamed").collect()[0][0]
    assert all(text in shown for text in ("mine", "'k' = 'v'", "'l' = 'w'", "more INT")), shown
    spark.sql("CREATE OR REPLACE TABLE renamed USING lance AS SELECT id FROM renamed")
    assert spark.table("renamed").columns == ["id"]
    assert spark.sql("SELECT * FROM renamed VERSION AS OF 2").columns == ["id", "n"]
    spark.sql("TRUNCATE TABLE renamed")
    spark.sql("DROP TABLE renamed")
    spark.sql(f"CREATE TABLE e (id INT) USING lance LOCATION '{directory}/e'")
    spark.sql("INSERT INTO e VALUES (1)")
    spark.sql("CREATE VIEW seen AS SELECT id + 1 AS next FROM e")
    assert spark.table("seen").collect()[0].next == 2
    spark.sql("DROP VIEW seen")
    spark.sql("DROP TABLE e PURGE")
    assert spark.read.format("lance").load(f"{directory}/e").count() == 1


def refused(action: Callable[[], object], why: str) -> None:
    try:
        action()
    except Exception as error:
        if why not in str(error):
            raise
    else:
        raise AssertionError("it was not refused")


KINDS = {"hive": hive, "bare": bare}

if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    KINDS[kind](*arguments)
    print(f"{kind}: fine")
