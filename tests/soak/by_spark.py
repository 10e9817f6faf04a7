"""Workers that are threads of one Spark, with SQL.

Arguments: the table, the logs, the commits of each, how many workers there are, the numbers of these.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark.sql import SparkSession

import sparklance
from tests.soak.by_pylance import among
from tests.soak.race import Race
from tests.soak.worker import TARGET_ROWS, work


class SparkTable:
    def __init__(self, spark: SparkSession, path: str) -> None:
        self.spark, self.path, self.name = spark, path, f"lance.`{path}`"

    def append(self, ids: list[int]) -> None:
        rows = ", ".join(f"({i}L, 0L)" for i in ids)
        self.spark.sql(f"INSERT INTO {self.name} VALUES {rows}")

    def delete(self, ids: list[int]) -> None:
        self.spark.sql(f"DELETE FROM {self.name} WHERE {among(ids)}")

    def update(self, ids: list[int]) -> None:
        self.spark.sql(f"UPDATE {self.name} SET value = value + 1 WHERE {among(ids)}")

    def compact(self) -> bool:
        options = f"table => '{self.path}', target_rows_per_fragment => {TARGET_ROWS}"
        (done,) = self.spark.sql(f"CALL lance.system.compact({options})").collect()
        return bool(done.fragments_removed)


def run(spark: SparkSession, path: str, races: list[Race]) -> None:
    with ThreadPoolExecutor(len(races)) as pool:
        for done in [pool.submit(work, SparkTable(spark, path), race) for race in races]:
            done.result()


if __name__ == "__main__":
    table, logs, commits, workers, *numbers = sys.argv[1:]
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
    )
    session = sparklance.configure(builder).getOrCreate()
    # Spark reports lost statements as errors of their write, too.
    session.sparkContext.setLogLevel("FATAL")
    run(session, table, [Race(Path(logs), int(n), int(workers), int(commits)) for n in numbers])
    session.stop()
