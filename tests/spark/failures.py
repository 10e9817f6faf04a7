"""Program of test_failures.py in a process of its own, to be killed in some way: `failures.py <case> <path> …`."""

import os
import signal
import sys
import threading
import time
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


def executors(spark: SparkSession) -> list[int]:
    """The processes that the session has started to run tasks."""
    jvm = spark.sparkContext._gateway.jvm.java.lang.ProcessHandle.current()
    children = jvm.children().iterator()
    found = []
    while children.hasNext():
        pid = int(children.next().pid())
        if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes():
            found.append(pid)
    return found


def losing_an_executor(spark: SparkSession, path: str, statement: str) -> None:
    """Runs a statement, and kills an executor once there are some files of it."""
    before, done = len(list(Path(path, "data").iterdir())), threading.Event()
    while len(pids := executors(spark)) < 2:
        time.sleep(0.1)

    def kill() -> None:
        while len(list(Path(path, "data").iterdir())) < before + 5 and not done.is_set():
            time.sleep(0.002)
        if not done.is_set():
            os.kill(pids[0], signal.SIGKILL)
            print("killed", flush=True)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        spark.sql(statement).collect()
    finally:
        done.set()
        killer.join()


def change_with_lost_executors(path: str, kinds: list[str]) -> None:
    """Changes of 1,000 rows in small fragments, each of which takes a while."""
    spark = session("local-cluster[2,1,512]", "1g")
    for option, value in (("maxRowsPerFile", 20), ("splitRows", 100)):
        spark.conf.set(f"spark.datasource.lance.{option}", value)
    spark.udf.register("slowly", lambda number: time.sleep(0.002) or number, "long")
    table = f"lance.`{path}`"
    statements = {
        "update": f"UPDATE {table} SET value = slowly(id) + 1",
        "merge": f"MERGE INTO {table} t USING (SELECT id FROM range(500, 1500)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET value = slowly(t.id) + 2 "
        "WHEN NOT MATCHED THEN INSERT (id, value) VALUES (s.id, slowly(s.id))",
        "compact": f"CALL lance.system.compact(table => '{path}', target_rows_per_fragment => 40)",
    }
    for kind in kinds:
        losing_an_executor(spark, path, statements[kind])


if __name__ == "__main__":
    case, where, *kinds = sys.argv[1:]
    if case == "append":
        append(session("local[2]", "1g"), where)
    elif case == "lost executor":
        append_with_a_lost_executor(where)
    elif case == "changes":
        change_with_lost_executors(where, kinds)
