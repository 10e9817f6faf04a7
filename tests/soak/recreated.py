"""Threads of Spark that write to a table which io.sparklance.soak.Recreation drops and recreates.

All rows of a table have its number as their value. The statements keep values or copy them, so a row that lands in
another table than it was read from has the wrong value there. Arguments: the table, and the command of the other
process, which ends the threads.
"""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from pyspark.sql import SparkSession

import sparklance

THREADS = 2
FIRST = 1_000_000_000

# Errors of a statement whose table was dropped, or changed by others.
SAID = (
    "dropped",
    "was dropped and created again",
    "no lance table",
    "cannot be found",
    "no version",
    "was removed while it was opened",
    "conflict",
    "others deleted or changed",
    "lost to other writers",
    "may or may not have taken effect",
    "nosuchfileexception",
    "no such file",
    "directory not empty",
)


def statement(chance: random.Random, table: str, number: int) -> str:
    match chance.choice(["append", "update", "delete"]):
        case "append":
            return f"INSERT INTO {table} SELECT {number}L, max(value) FROM {table} HAVING count(*) > 0"
        case "update":
            return f"UPDATE {table} SET id = id WHERE id >= {FIRST} AND id % 2 = {number % 2}"
        case _:
            return f"DELETE FROM {table} WHERE id >= {FIRST} AND id % 5 = {number % 5}"


def write(spark: SparkSession, path: str, other: subprocess.Popen, thread: int) -> tuple[int, int]:
    """Returns the number of statements that succeeded, and of those that were refused for a dropped table."""
    chance, number, committed, dropped = random.Random(thread), FIRST + thread * FIRST, 0, 0
    while other.poll() is None:
        number += 1
        try:
            spark.sql(statement(chance, f"lance.`{path}`", number))
            committed += 1
        except Exception as e:
            text = f"{e} {getattr(e, 'java_exception', '')}".lower()
            if not any(said in text for said in SAID):
                raise
            dropped += "of a table that was dropped" in text
    return committed, dropped


if __name__ == "__main__":
    table, *command = sys.argv[1:]
    builder = (
        SparkSession.builder.master(f"local[{THREADS}]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
    )
    session = sparklance.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    with subprocess.Popen(command) as recreation, ThreadPoolExecutor(THREADS) as pool:
        writers = [pool.submit(write, session, table, recreation, thread) for thread in range(THREADS)]
        committed, dropped = map(sum, zip(*(writer.result() for writer in writers), strict=True))
    print(f"{committed} statements of Spark succeeded, {dropped} found another table", flush=True)
    session.stop()
    sys.exit(recreation.returncode)
