"""Times streams and change feeds: ours and Delta's, each in a JVM of its own, of one Spark.

Runs as a script, with the Python of that Spark.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.workers import serve
from benchmarks.workers.changes import RANDOM, session

COMMITS = 1000
KEYS = ["l_orderkey", "l_linenumber"]
FORMATS = {"sparklance": "lance", "delta": "delta"}


class System:
    """The tables of one format. Its first version is number `first`."""

    def __init__(self, spark: SparkSession, system: str, source: Path, folder: Path) -> None:
        self.spark, self.format, self.source = spark, FORMATS[system], source
        self.backlog_table, self.feed_table = folder / f"backlog.{self.format}", folder / f"feed.{self.format}"
        self.versions = folder / "versions.lance"
        self.first = 1 if self.format == "lance" else 0

    def make_backlog(self) -> None:
        for _ in range(COMMITS + 1):
            rows = self.spark.range(1).coalesce(1)
            rows.write.format(self.format).mode("append").save(str(self.backlog_table))

    def make_feed(self) -> None:
        rows = self.spark.read.parquet(str(self.source)).write.format(self.format)
        options = {"enableStableRowIds": "true"} if self.format == "lance" else {"delta.enableChangeDataFeed": "true"}
        rows.options(**options).save(str(self.feed_table))
        name = f"{self.format}.`{self.feed_table}`"
        self.spark.sql(f"UPDATE {name} SET l_quantity = l_quantity + 1 WHERE {RANDOM}")

    def backlog(self) -> None:
        """Follows the commits into a sink that forgets the rows."""
        rows = self.spark.readStream.format(self.format).option("startingVersion", self.first + 1)
        with tempfile.TemporaryDirectory() as checkpoint:
            query = (
                rows.load(str(self.backlog_table))
                .writeStream.format("noop")
                .option("checkpointLocation", checkpoint)
                .trigger(availableNow=True)
                .start()
            )
            query.awaitTermination()
            read = sum(progress["numInputRows"] for progress in query.recentProgress)
        assert read == COMMITS, f"{read} rows"

    def feed(self) -> None:
        feed = self.spark.read.format(self.format).option("readChangeFeed", True)
        forget(feed.option("startingVersion", self.first + 1).load(str(self.feed_table)))

    def join(self) -> None:
        """Compares the two snapshots."""
        before, after = (
            self.spark.read.format(self.format).option("version", self.first + i).load(str(self.feed_table))
            for i in range(2)
        )
        others = [name for name in before.columns if name not in KEYS]
        both = before.alias("a").join(after.alias("b"), KEYS, "full_outer")
        same = " AND ".join(f"a.{name} <=> b.{name}" for name in others)
        forget(both.where(f"NOT ({same})"))

    def idle(self) -> dict[str, float]:
        """The median of triggers after the stream has come to the end."""
        self.spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "0")
        rows = self.spark.readStream.format("lance").option("startingVersion", "latest").load(str(self.versions))
        with tempfile.TemporaryDirectory() as checkpoint:
            query = rows.writeStream.format("noop").option("checkpointLocation", checkpoint).start()
            time.sleep(15)
            took = [progress["durationMs"]["triggerExecution"] for progress in query.recentProgress[-50:]]
            query.stop()
        return {"millis": statistics.median(took)}


def forget(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def cpu_seconds(process: int) -> float:
    """CPU time of a process in user and system mode."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(system: str, source: Path, folder: Path) -> None:
    spark = session(system, folder)
    spark.sparkContext.setLogLevel("ERROR")
    tables = System(spark, system, source, folder)

    def job(case: str, contender: str) -> Callable[[], object]:
        if case == "make_backlog" and tables.backlog_table.exists():
            return lambda: None
        if case == "make_feed" and tables.feed_table.exists():
            return lambda: None
        work: Callable[[], dict[str, float] | None] = getattr(tables, "join" if contender.endswith(" join") else case)
        return lambda: with_cpu(work)

    def with_cpu(work: Callable[[], dict[str, float] | None]) -> dict[str, float]:
        process = spark.sparkContext._gateway.proc.pid
        before = cpu_seconds(process)
        found = work() or {}
        return {**found, "cpu": cpu_seconds(process) - before}

    serve(job)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
