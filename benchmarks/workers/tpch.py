"""Times the 22 queries of TPC-H on our tables and on Parquet: `python -m benchmarks.workers.tpch <data> <rounds>`.

Prints `tpch <query> <contender> <seconds>` for each run. The answers must be the same.
"""

import sys
import time
from pathlib import Path

from pyspark.sql import Row, SparkSession

import sparklance

QUERIES = Path(__file__).parents[1] / "queries"
TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
CONTENDERS = ("lance", "parquet")


def main(data: Path, rounds: int) -> None:
    settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "6g"}
    builder = SparkSession.builder.master("local[2]").config(map=settings)
    spark = sparklance.configure(builder).config("spark.sql.shuffle.partitions", "4").getOrCreate()
    for contender in CONTENDERS:
        write(spark, data, contender)
    for query in sorted(QUERIES.glob("q*.sql")):
        # The first round warms up and is not counted.
        for turn in range(rounds + 1):
            answers = []
            for contender in CONTENDERS:
                seconds, rows = run(spark, data, contender, query.read_text())
                answers.append(rows)
                if turn > 0:
                    print(f"\ntpch {query.stem} {contender} {seconds:.3f}", flush=True)
            if answers[0] != answers[1]:
                raise AssertionError(f"{query.stem}: the answers differ")
    spark.stop()


def write(spark: SparkSession, data: Path, contender: str) -> None:
    """Writes the tables that do not exist yet."""
    for table in TABLES:
        path = data / f"{table}.{contender}"
        if not path.exists():
            spark.read.parquet(str(data / "generated" / f"{table}.parquet")).write.format(contender).save(str(path))


def run(spark: SparkSession, data: Path, contender: str, query: str) -> tuple[float, list[Row]]:
    for table in TABLES:
        spark.read.format(contender).load(str(data / f"{table}.{contender}")).createOrReplaceTempView(table)
    start = time.perf_counter()
    rows = spark.sql(query).collect()
    return time.perf_counter() - start, rows


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
