"""What test_failures.py runs in a process of its own, to be killed in some way: `failures.py <case> <path>`."""

import os
import signal
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

import sparklance


def session(master: str, memory: str) -> SparkSession:
    builder = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", memory)
        .config("spark.executor.memory", "512m")
        .config("spark.sql.shuffle.partitions", "2")
    )
    return sparklance.configure(builder).getOrCreate()


def append(spark: SparkSession, path: str) -> None:
    """Many small files, so that there is time to be killed."""
    rows = spark.range(0, 2000, 1, 4)
    rows.write.format("lance").mode("append").option("maxRowsPerFile", 20).save(path)


def append_with_a_lost_executor(path: str) -> None:
    """One of two executors ends without a word, in the middle of a task that has finished some files."""
    spark = session("local-cluster[2,1,512]", "1g")
    killed = Path(path + ".killed")

    def dying(number: int) -> int:
        if number == 1900 and not killed.exists():
            killed.touch()
            # The worker's parent is the daemon, whose parent is the executor.
            stat = Path(f"/proc/{os.getppid()}/stat").read_text()
            os.kill(int(stat.rsplit(")", 1)[1].split()[1]), signal.SIGKILL)
        return number

    rows = spark.range(0, 2000, 1, 4).select(udf(dying, "long")("id").alias("id"))
    rows.write.format("lance").mode("append").option("maxRowsPerFile", 20).save(path)


if __name__ == "__main__":
    case, where = sys.argv[1:]
    if case == "append":
        append(session("local[2]", "1g"), where)
    elif case == "lost executor":
        append_with_a_lost_executor(where)
