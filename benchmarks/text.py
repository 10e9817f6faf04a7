"""Full-text indices and searches, ours against pylance's: `./dev bench text`."""

import math
from collections.abc import Mapping
from pathlib import Path

from benchmarks.running import Worker
from benchmarks.workers import text as worker
from dev_tools import ROOT
from dev_tools.venv import PYTHON

CONTENDERS = ("sparklance", "pylance")
#: The most of pylance's time; of its loop over the queries of a batch; of the size of its index.
MOST_OF_BUILD, MOST_OF_QUERY, MOST_OF_BATCH, MOST_OF_SIZE = 1.2, 1.0, 1 / 3, 1.1


def text(data: Path, logs: Path, rounds: int) -> list[str]:
    """Each side works on its own copy of the texts. The best of the rounds counts; they are in turns."""
    worker.prepare(data)
    script = str(ROOT / "benchmarks" / "workers" / "text.py")
    workers = {
        name: Worker([str(PYTHON), script, name, str(data)], {}, logs / f"text-{name}.log") for name in CONTENDERS
    }
    try:
        empty = best(workers, "empty", ("sparklance",), rounds)["sparklance"]
        lines = [f"text: {worker.ROWS:,} texts; Spark's empty query takes {empty:.3f} s"]
        for case in worker.BUILDS:
            lines.append(line(case, best(workers, case, CONTENDERS, min(rounds, 3)), MOST_OF_BUILD))
            sizes = {name: workers[name].ask("size", name).get("bytes", math.nan) for name in CONTENDERS}
            lines.append(line("  its MB", {name: size / 1e6 for name, size in sizes.items()}, MOST_OF_SIZE))
        for case in worker.QUERIES:
            lines.append(line(case, best(workers, case, CONTENDERS, 2 * rounds), MOST_OF_QUERY, empty))
        batch = best(workers, "batch", CONTENDERS, min(rounds, 3))
        return [*lines, line(f"{worker.BATCH:,} queries", batch, MOST_OF_BATCH)]
    finally:
        for each in workers.values():
            each.close()


def best(workers: Mapping[str, Worker], case: str, contenders: tuple[str, ...], rounds: int) -> dict[str, float]:
    """Seconds of each contender, in turns. The round before the first warms up and is not counted."""
    seconds = dict.fromkeys(contenders, math.inf)
    for turn in range(rounds + 1):
        for name in contenders:
            took = workers[name].seconds(case, name)
            seconds[name] = took if math.isnan(took) else min(seconds[name], took if turn > 0 else math.inf)
    return seconds


def line(case: str, numbers: dict[str, float], most: float, added: float = 0.0) -> str:
    ours, theirs = numbers["sparklance"], numbers["pylance"]
    ratio = ours / (theirs + added)
    verdict = f"{ratio:5.2f} x   target {most:.2f}: {'met' if ratio <= most else 'missed'}"
    return f"  {case:28} sparklance {ours:8.3f}   pylance {theirs:8.3f}   {verdict}"
