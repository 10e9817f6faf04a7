"""Sessions that get the jar while they run: `added_jar.py <kind> <jar> <directory> …`, each in a process of its own."""

import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

TWO_SETTINGS = {
    "spark.sql.catalog.spark_catalog": "io.sparklance.spark.LanceSessionCatalog",
    "spark.sql.catalog.lance": "io.sparklance.spark.LanceCatalog",
}


def classic(jar: str, directory: str, master: str) -> SparkSession:
    spark = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "512m")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", f"{directory}/warehouse")
        .getOrCreate()
    )
    assert spark.range(3).count() == 3
    spark.sql(f"ADD JAR '{jar}'")
    return spark


def paths(spark: SparkSession, directory: str) -> None:
    """Writes that need no catalog."""
    path = f"{directory}/t"
    for mode, rows in (("error", 1000), ("append", 2000), ("overwrite", 1000)):
        spark.range(1000).write.format("lance").mode(mode).save(path)
        assert spark.read.format("lance").load(path).count() == rows
    assert spark.read.format("lance").load(path).selectExpr("sum(id)").collect()[0][0] == 499_500


def streams(spark: SparkSession, directory: str) -> None:
    path = f"{directory}/t"
    spark.range(10).write.format("parquet").save(f"{directory}/source")
    assert stream(spark, directory, path).exception() is None
    assert spark.read.format("lance").load(path).count() == 1010


def stream(spark: SparkSession, directory: str, path: str) -> StreamingQuery:
    rows = spark.readStream.schema("id long").format("parquet").load(f"{directory}/source")
    query = (
        rows.writeStream.format("lance").option("path", path).option("checkpointLocation", f"{directory}/checkpoint")
    )
    started = query.trigger(availableNow=True).start()
    assert started.awaitTermination(300)
    return started


def statements(spark: SparkSession) -> None:
    """Statements and procedures of all kinds that write."""
    for key, value in TWO_SETTINGS.items():
        spark.conf.set(key, value)
    spark.sql("CREATE TABLE t USING lance AS SELECT id, CAST(id AS INT) AS v FROM range(100)").collect()
    spark.sql("DELETE FROM t WHERE v % 2 = 0").collect()
    assert spark.table("t").count() == 50
    spark.sql("UPDATE t SET v = -1 WHERE v % 3 = 0").collect()
    assert spark.table("t").where("v = -1").count() == 17
    spark.sql(
        "MERGE INTO t USING (SELECT id FROM range(95, 110)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = -2 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, -3)"
    ).collect()
    assert spark.table("t").where("v = -2").count() == 3
    assert spark.table("t").where("v = -3").count() == 12
    spark.sql("INSERT INTO t SELECT id, CAST(id AS INT) FROM range(5)").collect()
    assert spark.table("t").count() == 67
    spark.sql("CALL lance.system.compact(table => 't', target_rows_per_fragment => 1000)").collect()
    assert spark.sql("SELECT * FROM t.fragments").count() == 1
    spark.sql("CALL lance.system.add_columns(table => 't', columns => map('w', 'v + 1'))").collect()
    assert spark.table("t").where("w = v + 1").count() == 67
    spark.sql("CALL lance.system.update_columns(table => 't', columns => map('w', 'v + 2'))").collect()
    assert spark.table("t").where("w = v + 2").count() == 67
    spark.sql("ALTER TABLE t ALTER COLUMN v TYPE BIGINT").collect()
    assert spark.table("t").where("w = v + 2").count() == 67
    spark.sql("INSERT OVERWRITE t SELECT 1, 2, 3").collect()
    assert [tuple(map(int, row)) for row in spark.table("t").collect()] == [(1, 2, 3)]


def continuous(spark: SparkSession, directory: str) -> None:
    """Refused, with the cure."""
    path = f"{directory}/continuous"
    spark.range(0).selectExpr("current_timestamp() AS timestamp", "id AS value").write.format("lance").save(path)
    rows = spark.readStream.format("rate").load()
    query = rows.writeStream.format("lance").option("path", path).option("checkpointLocation", f"{path}.checkpoint")
    started = query.trigger(continuous="1 second").start()
    end = time.monotonic() + 120
    while started.isActive and time.monotonic() < end:
        time.sleep(0.1)
    failure = str(started.exception())
    started.stop()
    assert "was added to the running session" in failure, failure
    assert "--jars" in failure, failure


def add_jar(jar: str, directory: str, master: str) -> None:
    spark = classic(jar, directory, master)
    paths(spark, directory)
    streams(spark, directory)
    statements(spark)
    if master.startswith("local["):
        continuous(spark, directory)
    spark.stop()


def connect(jar: str, directory: str, address: str, added: str) -> None:
    """A client of Spark Connect, whose server knows nothing of the jar."""
    spark = SparkSession.builder.remote(address).getOrCreate()
    assert spark.range(3).count() == 3
    if added == "artifact":
        spark.addArtifacts(jar)
    else:
        spark.sql(f"ADD JAR '{jar}'").collect()
    paths(spark, directory)
    if added == "artifact":
        # Spark does not hand jars of ADD JAR on to the session of a streaming query.
        streams(spark, directory)
    statements(spark)
    spark.stop()


KINDS = {"add jar": add_jar, "connect": connect}

if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    KINDS[kind](*arguments)
    print(f"{kind}: fine")
