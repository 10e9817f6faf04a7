"""Vector searches, joins and builds of indices, ours against pylance's: `./dev bench search`."""

import math
from collections.abc import Mapping
from pathlib import Path

from benchmarks.running import PAIR, Worker, best, pair
from benchmarks.workers import search as worker

#: Case → the most of pylance's time.
BUILDS = {"build IVF_PQ": 1.0}
MOST_OF_FLAT, MOST_OF_EXPRESSION, MOST_OF_QUERY, MOST_OF_JOIN = 0.7, 0.1, 1.0, 1 / 3


def search(data: Path, logs: Path, rounds: int) -> list[str]:
    """Each side works on its own copy of the vectors. The best of the rounds counts; they are in turns."""
    for name in worker.SETS:
        worker.prepare(data, name)
    workers = pair("search", data, logs)
    try:
        empty = timed(workers, "empty", ("sparklance x",), rounds)["sparklance x"]
        lines = [f"search: Spark's empty query takes {empty:.3f} s"]
        return lines + [line for name in worker.SETS for line in of_set(workers, name, rounds, empty)]
    finally:
        for each in workers.values():
            each.close()


def of_set(workers: Mapping[str, Worker], name: str, rounds: int, empty: float) -> list[str]:
    rows, dimension, _ = worker.SETS[name]
    ours, theirs, expression = (f"{system} {name}" for system in (*PAIR, "expression"))
    lines = [f"search: {rows:,} vectors of {dimension} floats"]

    def line(case: str, times: dict[str, float], most: float, added: float = 0.0) -> str:
        ratio = times[ours] / (times[theirs] + added)
        return f"  {case:28} sparklance {times[ours]:8.3f}   pylance {times[theirs]:8.3f}   {told(ratio, most)}"

    times = timed(workers, "exact", (ours, theirs, expression), rounds)
    against = times[ours] / times[expression]
    lines += [line("exact, one query", times, MOST_OF_FLAT)]
    lines += [f"  {'':28} Spark's expression {times[expression]:8.3f}   {told(against, MOST_OF_EXPRESSION)}"]
    lines += [line(f"exact join of {worker.FEW:,}", timed(workers, "exact join", (ours, theirs), rounds), MOST_OF_JOIN)]
    for case, most in BUILDS.items():
        lines += [line(case, timed(workers, case, (ours, theirs), min(rounds, 2), warm=False), most)]
    found = {each: workers[each.split()[0]].ask("recall", each).get("recall", math.nan) for each in (ours, theirs)}
    lines += [f"  {'recall@10':28} sparklance {found[ours]:8.4f}   pylance {found[theirs]:8.4f}"]
    lines += [
        line("one query by IVF_PQ", timed(workers, "one query", (ours, theirs), 2 * rounds), MOST_OF_QUERY, empty)
    ]
    joins = timed(workers, "join", (ours, theirs), min(rounds, 2))
    return [*lines, line(f"join of {worker.QUERIES:,} by IVF_PQ", joins, MOST_OF_JOIN)]


def timed(
    workers: Mapping[str, Worker], case: str, contenders: tuple[str, ...], rounds: int, *, warm: bool = True
) -> dict[str, float]:
    def seconds(name: str) -> float:
        system = name.split()[0]
        return workers["sparklance" if system == "expression" else system].seconds(case, name)

    return best(seconds, contenders, rounds, warm=warm)


def told(ratio: float, most: float) -> str:
    return f"{ratio:5.2f} x   target {most:.2f}: {'met' if ratio <= most else 'missed'}"
