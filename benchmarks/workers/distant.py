"""Times reads from a `SlowStore`: `python -m benchmarks.workers.distant <data> <stream> <rounds> <delay>`."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import sparklance
from benchmarks.store import BUCKET, SlowStore
from tests.stores import s3a

CASES: dict[str, Callable[[DataFrame], DataFrame]] = {
    "all": lambda rows: rows,
    "keep98": lambda rows: rows.where("l_quantity > 1"),
    "keep2": lambda rows: rows.where("l_quantity = 7"),
    "key": lambda rows: rows.where("l_partkey = 155190"),
    "order": lambda rows: rows.orderBy("l_extendedprice").limit(10),
}


def main(data: Path, stream: str, rounds: int, delay: float) -> None:
    folder = data / "distant"
    with SlowStore(folder, delay) as store:
        spark = session(store, stream)
        write(spark, data, folder)
        for _ in range(rounds):
            for name, case in CASES.items():
                for contender in ("lance", "parquet"):
                    store.forget()
                    start = time.perf_counter()
                    table = spark.read.format(contender).load(f"s3a://{BUCKET}/lineitem.{contender}")
                    case(table).write.format("noop").mode("overwrite").save()
                    seconds = time.perf_counter() - start
                    print(
                        f"\ndistant {name} {contender} {seconds:.3f} {store.requests} {store.bytes / 1e6:.1f}",
                        flush=True,
                    )
        spark.stop()


def session(store: SlowStore, stream: str) -> SparkSession:
    settings = s3a.settings(store.url) | {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.hadoop.fs.s3a.input.stream.type": stream,
    }
    return sparklance.configure(SparkSession.builder.master("local[2]").config(map=settings)).getOrCreate()


def write(spark: SparkSession, data: Path, folder: Path) -> None:
    """Writes both copies that do not exist yet. The store only reads."""
    rows = spark.read.parquet(str(data / "lineitem.parquet")).coalesce(2)
    for contender in ("lance", "parquet"):
        path = folder / f"lineitem.{contender}"
        if not path.exists():
            rows.write.format(contender).save(str(path))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
