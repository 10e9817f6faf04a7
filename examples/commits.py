"""Many writers, one commit: tasks of an import write files, and one process commits all of them, or none.

Run it with `python examples/commits.py` where sparklance is installed.
"""

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

import sparklance
from sparklance import LanceDataset, LanceOperation, write_fragments


def main(folder: Path) -> None:
    builder = SparkSession.builder.appName("commits").config("spark.ui.showConsoleProgress", "false")
    spark = sparklance.configure(builder).getOrCreate()
    path = str(folder / "readings.lance")
    spark.range(1000).selectExpr("id", "id % 24 AS hour").write.format("lance").save(path)
    table = LanceDataset(spark, path)

    # Each call could be a job of its own, on another machine. Nobody sees its rows yet.
    parts = [
        write_fragments(spark.range(first, first + 500).selectExpr("id", "id % 24 AS hour"), path)
        for first in (1000, 1500)
    ]
    print(f"files of {len(parts)} writers are ready, readers see {table.count_rows():,} rows")

    append = LanceOperation.Append(parts[0] + parts[1])
    table = LanceDataset.commit(spark, path, append, read_version=table.version, commit_message="import of today")
    print(f"version {table.version} has {table.count_rows():,} rows: {table.read_transaction().commit_message}")

    # An operation that does not fit what others committed since its version is refused, and changes nothing.
    doomed = [fragment.id for fragment in table.fragments]
    behind = table.version
    table.update({"hour": "0"}, "id = 1")
    try:
        LanceDataset.commit(spark, path, LanceOperation.Delete([], doomed), read_version=behind)
    except sparklance.errors.CommitConflictException as e:
        print(f"refused: {type(e).__name__}")
    print(f"still {LanceDataset(spark, path).count_rows():,} rows")
    spark.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
