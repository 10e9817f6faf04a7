"""Times reads from a `SlowStore`: `python -m benchmarks.workers.distant <data> <stream> <rounds> <delay>`."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import sparklance
from benchmarks.store import BUCKET, SlowStore
from tests.stores import s3a

# The table and the query of each case.
CASES: dict[str, tuple[str, Callable[[DataFrame], DataFrame]]] = {
    "all": ("lineitem", lambda rows: rows),
    "keep98": ("lineitem", lambda rows: rows.where("l_quantity > 1")),
    "keep2": ("lineitem", lambda rows: rows.where("l_quantity = 7")),
    "key": ("lineitem", lambda rows: rows.where("l_partkey = 155190")),
    "order": ("lineitem", lambda rows: rows.orderBy("l_extendedprice").limit(10)),
    "small": ("small", lambda rows: rows),
    "columns": ("columns", lambda rows: rows),
}
COLUMNS = 50


def main(data: Path, stream: str, rounds: int, delay: float) -> None:
    folder = data / "distant"
    with SlowStore(folder, delay) as store:
        spark = session(store, stream)
        write(spark, data, folder)
        for _ in range(rounds):
            for name, (of, case) in CASES.items():
                for contender in ("lance", "parquet"):
                    store.forget()
                    start = time.perf_counter()
                    table = spark.read.format(contender).load(f"s3a://{BUCKET}/{of}.{contender}")
                    case(table).write.format("noop").mode("overwrite").save()
                    seconds = time.perf_counter() - start
                    print(
                        f"\ndistant {name} {contender} {seconds:.3f} {store.requests} {store.bytes / 1e6:.1f}",
                        flush=True,
                    )
        spark.stop()


def session(store: SlowStore, stream: str, memory: str = "3g") -> SparkSession:
    settings = s3a.settings(store.url) | {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": memory,
        "spark.hadoop.fs.s3a.input.stream.type": stream,
    }
    return sparklance.configure(SparkSession.builder.master("local[2]").config(map=settings)).getOrCreate()


def write(spark: SparkSession, data: Path, folder: Path) -> None:
    """Writes the tables that do not exist yet. The store only reads."""
    lineitem = spark.read.parquet(str(data / "lineitem.parquet"))
    numbers = spark.range(200_000).coalesce(1)
    columns = {f"c{i}": f"cast(hash(id, {i}) as int)" for i in range(1, COLUMNS)}
    wide = numbers.selectExpr("id", *[f"{value} {name}" for name, value in columns.items()])
    save(lineitem.coalesce(2), "lance", folder / "lineitem.lance")
    save(lineitem.coalesce(2), "parquet", folder / "lineitem.parquet")
    save(lineitem.limit(1_000_000).repartition(200), "lance", folder / "small.lance")
    save(lineitem.limit(1_000_000).repartition(200), "parquet", folder / "small.parquet")
    save(wide, "parquet", folder / "columns.parquet")
    if save(numbers, "lance", folder / "columns.lance"):
        for name, value in columns.items():
            sparklance.LanceDataset(spark, folder / "columns.lance").add_columns({name: value})


def save(rows: DataFrame, contender: str, path: Path) -> bool:
    """Writes a table unless it exists."""
    if path.exists():
        return False
    rows.write.format(contender).save(str(path))
    return True


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
