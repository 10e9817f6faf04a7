"""Times the 22 queries of TPC-H: `python -m benchmarks.workers.tpch <data> <rounds> <contender> <contender>`.

Contenders are `lance`, `parquet`, `indexed`, copies of our tables that have indices, and `bare`: the same without
their use. Prints `tpch <query> <contender> <seconds> <CPU seconds>` for each run. The answers must be the same.
"""

import os
import shutil
import sys
import time
from pathlib import Path

from pyspark.sql import Row, SparkSession

import sparklance
from benchmarks.workers import cpu_seconds

QUERIES = Path(__file__).parents[1] / "queries"
TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
# Contender → where its tables are, and the options of reads.
PLACES = {"lance": "lance", "parquet": "parquet", "indexed": "indexed", "bare": "indexed"}
OPTIONS = {"bare": {"useScalarIndex": "false"}}
INDICES = {
    "customer": {"c_custkey": "BTREE", "c_mktsegment": "BITMAP", "c_nationkey": "BITMAP"},
    "lineitem": {
        "l_orderkey": "BTREE",
        "l_partkey": "BTREE",
        "l_suppkey": "BTREE",
        "l_shipdate": "BTREE",
        "l_shipmode": "BITMAP",
        "l_returnflag": "BITMAP",
    },
    "nation": {"n_nationkey": "BTREE", "n_name": "BTREE"},
    "orders": {"o_orderkey": "BTREE", "o_custkey": "BTREE", "o_orderdate": "BTREE", "o_orderstatus": "BITMAP"},
    "part": {"p_partkey": "BTREE", "p_brand": "BITMAP", "p_container": "BITMAP", "p_size": "BITMAP"},
    "partsupp": {"ps_partkey": "BTREE", "ps_suppkey": "BTREE"},
    "region": {"r_name": "BTREE"},
    "supplier": {"s_suppkey": "BTREE", "s_nationkey": "BITMAP"},
}


def main(data: Path, rounds: int, contenders: list[str]) -> None:
    settings = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "6g"}
    builder = SparkSession.builder.master("local[2]").config(map=settings)
    spark = sparklance.configure(builder).config("spark.sql.shuffle.partitions", "4").getOrCreate()
    for contender in contenders:
        write(spark, data, PLACES[contender])
    for query in sorted(QUERIES.glob("q*.sql")):
        # The first round warms up and is not counted.
        for turn in range(rounds + 1):
            answers = []
            for contender in contenders:
                seconds, cpu, rows = run(spark, data, contender, query.read_text())
                answers.append(rows)
                if turn > 0:
                    print(f"\ntpch {query.stem} {contender} {seconds:.3f} {cpu:.2f}", flush=True)
            if answers[0] != answers[1]:
                raise AssertionError(f"{query.stem}: the answers differ")
    spark.stop()


def write(spark: SparkSession, data: Path, place: str) -> None:
    """Writes the tables that do not exist yet. Indexed ones are copies of hard links."""
    for table in TABLES:
        path = data / f"{table}.{place}"
        if path.exists():
            continue
        if place == "indexed":
            write(spark, data, "lance")
            shutil.copytree(data / f"{table}.lance", path, copy_function=os.link)
            for column, kind in INDICES[table].items():
                sparklance.LanceDataset(spark, path).create_scalar_index(column, kind)
        else:
            spark.read.parquet(str(data / "generated" / f"{table}.parquet")).write.format(place).save(str(path))


def run(spark: SparkSession, data: Path, contender: str, query: str) -> tuple[float, float, list[Row]]:
    """Seconds, CPU seconds of the JVM, and the answer."""
    place = PLACES[contender]
    for table in TABLES:
        reader = spark.read.format("parquet" if place == "parquet" else "lance")
        reader.options(**OPTIONS.get(contender, {})).load(str(data / f"{table}.{place}")).createOrReplaceTempView(table)
    start, used = time.perf_counter(), cpu_seconds(spark)
    rows = spark.sql(query).collect()
    return time.perf_counter() - start, cpu_seconds(spark) - used, rows


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
