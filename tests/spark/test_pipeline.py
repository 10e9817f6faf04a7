"""A pipeline that fails in the middle and is started again: files, a table, its change feed, a copy and Parquet."""

import json
from pathlib import Path
from typing import Any

import lance
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparklance import LanceDataset

pytestmark = pytest.mark.slow

Row = tuple[int, str]
NEW = ("insert", "update_postimage")


class Pipeline:
    """Orders come as files, and are merged by key; their changes go on to a copy, and to Parquet."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark, self.folder = spark, folder
        Path(folder, "files").mkdir()
        for name in ("orders", "copy"):
            options = "OPTIONS ('enableStableRowIds' = 'true')"
            spark.sql(f"CREATE TABLE lance.`{folder}/{name}.lance` (id BIGINT, state STRING) USING lance {options}")

    def arrive(self, number: int, rows: list[Row]) -> None:
        lines = [json.dumps({"id": key, "state": state}) for key, state in rows]
        Path(self.folder, "files", f"{number}.json").write_text("\n".join(lines))

    def ingest(self) -> None:
        files = self.spark.readStream.schema("id BIGINT, state STRING").option("maxFilesPerTrigger", 1)
        query = (
            files.json(f"{self.folder}/files")
            .writeStream.format("lance")
            .outputMode("update")
            .option("mergeKeys", "id")
            .option("checkpointLocation", f"{self.folder}/ingest")
            .trigger(availableNow=True)
            .start(f"{self.folder}/orders.lance")
        )
        query.awaitTermination()

    def follow(self, failing: int | None = None) -> None:
        """Passes changes on. The batch `failing` fails after its rows are in the copy, before they are in Parquet."""

        def apply(batch: DataFrame, number: int) -> None:
            self.merge(batch)
            if number == failing:
                raise RuntimeError("the power is gone")
            batch.write.mode("overwrite").parquet(f"{self.folder}/feed/{number}")

        feed = self.spark.readStream.format("lance").option("readChangeFeed", True).option("maxFilesPerTrigger", 1)
        query = (
            feed.load(f"{self.folder}/orders.lance")
            .writeStream.foreachBatch(apply)
            .option("checkpointLocation", f"{self.folder}/follow")
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    def merge(self, batch: DataFrame) -> None:
        order = F.struct("_commit_version", F.expr("_change_type <> 'delete'"))
        last = F.max_by(F.struct("state", "_change_type"), order).alias("last")
        changes = batch.where("_change_type <> 'update_preimage'").groupBy("id").agg(last).select("id", "last.*")
        changes.createOrReplaceTempView("pipeline_changes")
        batch.sparkSession.sql(
            f"""
            MERGE INTO lance.`{self.folder}/copy.lance` t USING pipeline_changes s ON t.id = s.id
            WHEN MATCHED AND s._change_type = 'delete' THEN DELETE
            WHEN MATCHED THEN UPDATE SET state = s.state
            WHEN NOT MATCHED AND s._change_type <> 'delete' THEN INSERT (id, state) VALUES (s.id, s.state)
            """
        )

    def rows(self, name: str) -> dict[int, str]:
        found = lance.dataset(f"{self.folder}/{name}.lance").to_table().to_pylist()
        assert len({row["id"] for row in found}) == len(found), f"{name} has a key twice"
        return {row["id"]: row["state"] for row in found}

    def of_feed(self) -> dict[int, str]:
        """The rows to which all changes in Parquet lead."""
        state: dict[int, str] = {}
        changes: list[Any] = self.spark.read.parquet(f"{self.folder}/feed/*").collect()
        changes.sort(key=lambda row: (row["_commit_version"], row["_change_type"] in NEW))
        for row in changes:
            if row["_change_type"] in NEW:
                assert row["id"] not in state
                state[row["id"]] = row["state"]
            else:
                assert state.pop(row["id"]) == row["state"]
        return state


@pytest.mark.classic("Spark does not use the jar for streams over Connect")
def test_all_changes_arrive_once_although_the_pipeline_fails(spark: SparkSession, tmp: str) -> None:
    pipeline = Pipeline(spark, tmp)
    pipeline.arrive(1, [(i, "new") for i in range(10)])
    pipeline.arrive(2, [(3, "paid"), (10, "new")])
    pipeline.ingest()
    pipeline.follow()
    orders = LanceDataset(spark, f"{tmp}/orders.lance")
    orders.delete("id = 4")
    lance.dataset(f"{tmp}/orders.lance").update({"state": "'lost'"}, where="id = 5")
    orders.optimize.compact_files()
    pipeline.arrive(3, [(3, "sent"), (4, "again"), (11, "new")])
    pipeline.ingest()
    number = len(list(Path(tmp, "follow", "commits").glob("[0-9]*")))
    with pytest.raises(Exception, match="the power is gone"):
        pipeline.follow(failing=number + 1)
    pipeline.arrive(4, [(12, "new"), (0, "paid")])
    pipeline.ingest()
    pipeline.follow()
    expected = {i: "new" for i in range(13)} | {3: "sent", 4: "again", 5: "lost", 0: "paid"}
    assert pipeline.rows("orders") == expected
    assert pipeline.rows("copy") == expected
    assert pipeline.of_feed() == expected
