"""Times the comparisons of the founding documents: `python -m benchmarks.workers.documents <data> <rounds> <delay>`.

Prints `documents <table> <query> <contender> <seconds> <CPU seconds> <requests>` for each run, and
`size <table> <contender> <bytes>`. With a delay, the tables are read through S3A from a store that answers late.
"""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from benchmarks.generated import WIDE
from benchmarks.store import BUCKET, SlowStore
from benchmarks.workers import cpu_seconds
from benchmarks.workers.distant import session

Query = Callable[[DataFrame], DataFrame]
# Contenders other than Parquet, with the settings of their writes. Those of file version 0.1 are written by pylance.
PLAIN: dict[str, dict[str, str]] = {"lance": {}}
SETTINGS: dict[str, dict[str, dict[str, str]]] = {
    "media": {"lance": {}, "blob": {"bytes.lance-encoding:blob": "true"}},
    "structs": {"lance": {}, "packed": {"point.lance-encoding:packed": "true"}},
}


def rows(column: str, count: int, end: int) -> Query:
    """Some rows by a key."""
    wanted = random.Random(7).sample(range(end), count)
    return lambda table: table.where(f"{column} IN ({', '.join(map(str, wanted))})")


def everything(table: DataFrame) -> DataFrame:
    return table


CASES: dict[str, dict[str, Query]] = {
    "lineitem": {
        "all": everything,
        "comment": lambda t: t.select("l_comment"),
        "integers": lambda t: t.select("l_orderkey", "l_partkey", "l_suppkey", "l_linenumber"),
        "one-order": lambda t: t.where("l_orderkey = 3000001"),
    },
    "trips": {
        "all": everything,
        "fares": lambda t: t.groupBy("payment").agg({"total": "avg", "miles": "avg"}),
        "one-hour": lambda t: t.where("pickup BETWEEN '2024-01-15 08:00:00' AND '2024-01-15 09:00:00'"),
        "long": lambda t: t.where("miles > 20"),
    },
    "pages": {
        "all": everything,
        "addresses": lambda t: t.select("url"),
        "10-pages": rows("id", 10, 40_000),
    },
    "media": {"all": everything, "captions": lambda t: t.select("id", "caption"), "5-rows": rows("id", 5, 100)},
    "structs": {"all": everything, "one-field": lambda t: t.select("point.x"), "100-rows": rows("id", 100, 2_000_000)},
    **{
        f"wide{columns}": {"all": everything, "3-columns": lambda t: t.select("c7", "c500", "c999")}
        for columns, _ in WIDE
    },
}
DISTANT: dict[str, dict[str, Query]] = {
    f"wide{columns}": {"3-columns": lambda t: t.select("c7", "c500", "c999")} for columns, _ in WIDE
}


class Spent(NamedTuple):
    seconds: float
    cpu: float


def main(data: Path, rounds: int, delay: float) -> None:
    with SlowStore(data / "documents", delay) as store:
        # Parquet's writer takes over 3 GB for 5,000 columns.
        spark = session(store, "classic", memory="8g")
        write(spark, data)
        cases, place = (DISTANT, f"s3a://{BUCKET}") if delay else (CASES, str(data / "documents"))
        # The first round warms up and is not counted.
        for turn in range(rounds + 1):
            for table, queries in cases.items():
                for query, ask in queries.items():
                    for contender in contenders(table):
                        store.forget()
                        read = spark.read.format("parquet" if contender == "parquet" else "lance")
                        read = read.option("blobHandling", "bytes")
                        spent = timed(spark, lambda: to_noop(ask(read.load(f"{place}/{table}.{contender}"))))  # noqa: B023
                        if turn > 0:
                            told = f"{spent.seconds:.3f} {spent.cpu:.2f} {store.requests}"
                            print(f"\ndocuments {table} {query} {contender} {told}", flush=True)
        spark.stop()


def contenders(table: str) -> list[str]:
    return ["parquet", *SETTINGS.get(table, PLAIN), *(["legacy"] if table == "lineitem" else [])]


def write(spark: SparkSession, data: Path) -> None:
    """Writes the tables that do not exist yet, and prints their sizes and what writing took."""
    folder = data / "documents"
    for table in CASES:
        source = data / "lineitem.parquet" if table == "lineitem" else folder / "generated" / f"{table}.parquet"
        for contender in contenders(table):
            path = folder / f"{table}.{contender}"
            if contender == "legacy":
                legacy(source, path)
            elif not path.exists():
                options = SETTINGS.get(table, PLAIN).get(contender, {})
                output = spark.read.parquet(str(source)).write.options(**options)
                name = "parquet" if contender == "parquet" else "lance"
                spent = timed(spark, lambda: output.format(name).save(str(path)))  # noqa: B023
                print(f"\ndocuments {table} write {contender} {spent.seconds:.3f} {spent.cpu:.2f} 0", flush=True)
            size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
            print(f"\nsize {table} {contender} {size}", flush=True)


def legacy(source: Path, path: Path) -> None:
    """A table of file version 0.1, which only pylance writes."""
    from benchmarks.data import to_lance

    to_lance(source, path, "legacy")


def to_noop(result: DataFrame) -> None:
    result.write.format("noop").mode("overwrite").save()


def timed(spark: SparkSession, job: Callable[[], None]) -> Spent:
    start, used = time.perf_counter(), cpu_seconds(spark)
    job()
    return Spent(time.perf_counter() - start, cpu_seconds(spark) - used)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
