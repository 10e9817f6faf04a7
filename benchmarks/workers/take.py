"""Times random access through Spark, and by pylance itself: `python -m benchmarks.workers.take <data> <delay>`.

{"case": "lineitem 100 20", "contender": "ds.take"}  →  @ {"seconds": 0.41, "requests": 30.0}
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import lance
from pyspark.sql import SparkSession

import sparklance
from benchmarks.store import BUCKET, SlowStore
from benchmarks.workers.distant import session

TAKES = 10
# The id and the row count of each fragment.
Fragments = list[tuple[int, int]]


def main(data: Path, delay: float) -> None:
    with SlowStore(data, delay) as store:
        spark = session(store, "classic")
        for line in sys.stdin:
            request = json.loads(line)
            table, rows, millis = request["case"].split()
            local = lance.dataset(str(data / f"{table}-2.2.lance"))
            place = f"s3a://{BUCKET}" if int(millis) else str(data)
            take = taking(spark, f"{place}/{table}-2.2.lance", local, request["contender"])
            counts = [(fragment.fragment_id, fragment.count_rows()) for fragment in local.get_fragments()]
            answer = timed(take, [chosen(counts, int(rows)) for _ in range(TAKES)], store)
            print(f"\n@ {json.dumps(answer)}", flush=True)
        spark.stop()


def chosen(counts: Fragments, rows: int) -> list[int]:
    """Random row addresses."""
    return [(fragment << 32) + random.randrange(count) for fragment, count in random.choices(counts, k=rows)]


def taking(spark: SparkSession, path: str, local: lance.LanceDataset, contender: str) -> Callable[[list[int]], object]:
    """A function of row addresses, which those of fragments of equal size turn into positions."""
    largest = max(fragment.count_rows() for fragment in local.get_fragments())

    def positions(addresses: list[int]) -> list[int]:
        return [(address >> 32) * largest + (address & 0xFFFFFFFF) for address in addresses]

    def found(addresses: list[int]) -> object:
        condition = f"_rowid IN ({', '.join(map(str, addresses))})"
        return spark.read.format("lance").load(path).where(condition).collect()

    if contender == "pylance":
        return lambda addresses: local.take(positions(addresses))
    if contender.startswith("_rowid"):
        return found
    dataset = sparklance.LanceDataset(spark, path)
    return lambda addresses: dataset.take(positions(addresses)).collect()


def timed(take: Callable[[list[int]], object], all_rows: list[list[int]], store: SlowStore) -> dict[str, float]:
    """The median, and the mean of the requests, unless they are those of the local disk."""
    store.forget()
    seconds = []
    for rows in all_rows:
        start = time.perf_counter()
        take(rows)
        seconds.append(time.perf_counter() - start)
    answer = {"seconds": statistics.median(seconds)}
    return answer | {"requests": store.requests / len(all_rows)} if store.requests else answer


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
