"""A driver that copies a table by streams until nothing is left: `python -m tests.spark.stream_worker FOLDER`.

`source.lance` is appended to `copy.lance`, and merged by key into `keyed.lance`, which is compacted meanwhile; its
change feed is merged into `merged.lance`.
"""

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import sparklance


def copy(spark: SparkSession, folder: str) -> None:
    rows = spark.readStream.format("lance").option("maxFilesPerTrigger", 1).option("skipChangeCommits", True)
    query = (
        rows.load(f"{folder}/source.lance")
        .writeStream.format("lance")
        .option("checkpointLocation", f"{folder}/copy.checkpoint")
        .trigger(availableNow=True)
        .start(f"{folder}/copy.lance")
    )
    query.awaitTermination()


def upsert(spark: SparkSession, folder: str) -> None:
    rows = spark.readStream.format("lance").option("maxFilesPerTrigger", 2).option("skipChangeCommits", True)
    rows = rows.option("startingVersion", 1)
    query = (
        rows.load(f"{folder}/source.lance")
        .selectExpr("id", "id + 1 AS value")
        .writeStream.format("lance")
        .outputMode("update")
        .option("mergeKeys", "id")
        .option("compactEvery", 3)
        .option("checkpointLocation", f"{folder}/keyed.checkpoint")
        .trigger(availableNow=True)
        .start(f"{folder}/keyed.lance")
    )
    query.awaitTermination()


def merge(spark: SparkSession, folder: str) -> None:
    def apply(batch: DataFrame, number: int) -> None:
        order = F.struct("_commit_version", F.expr("_change_type <> 'delete'"))
        last = F.max_by(F.struct("value", "_change_type"), order).alias("last")
        changes = batch.where("_change_type <> 'update_preimage'").groupBy("id").agg(last).select("id", "last.*")
        changes.createOrReplaceTempView("changes")
        batch.sparkSession.sql(
            f"""
            MERGE INTO lance.`{folder}/merged.lance` t USING changes s ON t.id = s.id
            WHEN MATCHED AND s._change_type = 'delete' THEN DELETE
            WHEN MATCHED THEN UPDATE SET value = s.value
            WHEN NOT MATCHED AND s._change_type <> 'delete' THEN INSERT (id, value) VALUES (s.id, s.value)
            """
        )

    feed = spark.readStream.format("lance").option("maxFilesPerTrigger", 2).option("readChangeFeed", True)
    query = (
        feed.load(f"{folder}/source.lance")
        .writeStream.foreachBatch(apply)
        .option("checkpointLocation", f"{folder}/merge.checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()


def main(folder: str) -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "2")
    spark = sparklance.configure(builder).getOrCreate()
    print("started", flush=True)
    copy(spark, folder)
    upsert(spark, folder)
    merge(spark, folder)
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
