"""Full-text indices and searches, ours against pylance's: `./dev bench text`."""

import math
from collections.abc import Mapping
from pathlib import Path

from benchmarks.running import PAIR, Worker, best, pair
from benchmarks.workers import text as worker

#: The most of pylance's time; of its loop over the queries of a batch; of the size of its index.
MOST_OF_BUILD, MOST_OF_QUERY, MOST_OF_BATCH, MOST_OF_SIZE = 1.2, 1.0, 1 / 3, 1.1


def text(data: Path, logs: Path, rounds: int) -> list[str]:
    """Each side works on its own copy of the texts. The best of the rounds counts; they are in turns."""
    worker.prepare(data)
    workers = pair("text", data, logs)
    try:
        empty = best(lambda name: workers[name].seconds("empty", name), PAIR[:1], rounds)["sparklance"]
        lines = [f"text: {worker.ROWS:,} texts; Spark's empty query takes {empty:.3f} s"]
        for case in worker.BUILDS:
            lines.append(line(case, timed(workers, case, min(rounds, 3)), MOST_OF_BUILD))
            sizes = {name: workers[name].ask("size", name).get("bytes", math.nan) for name in PAIR}
            lines.append(line("  its MB", {name: size / 1e6 for name, size in sizes.items()}, MOST_OF_SIZE))
        for case in worker.QUERIES:
            lines.append(line(case, timed(workers, case, 2 * rounds), MOST_OF_QUERY, empty))
        batch = timed(workers, "batch", min(rounds, 3))
        return [*lines, line(f"{worker.BATCH:,} queries", batch, MOST_OF_BATCH)]
    finally:
        for each in workers.values():
            each.close()


def timed(workers: Mapping[str, Worker], case: str, rounds: int) -> dict[str, float]:
    return best(lambda name: workers[name].seconds(case, name), PAIR, rounds)


def line(case: str, numbers: dict[str, float], most: float, added: float = 0.0) -> str:
    ours, theirs = numbers["sparklance"], numbers["pylance"]
    ratio = ours / (theirs + added)
    verdict = f"{ratio:5.2f} x   target {most:.2f}: {'met' if ratio <= most else 'missed'}"
    return f"  {case:28} sparklance {ours:8.3f}   pylance {theirs:8.3f}   {verdict}"
