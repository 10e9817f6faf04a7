"""Scalar indices of TPC-H lineitem at scale 1, ours against pylance's: `./dev bench index`."""

import math
from collections.abc import Mapping
from pathlib import Path

from benchmarks.running import PAIR, Worker, best, pair
from benchmarks.workers.indices import BUILDS, QUERIES
from dev_tools import SetupError

# Of a search: pylance's time and that of Spark's empty query, together. Of a build: pylance's time.
MOST_OF_SEARCH, MOST_OF_BUILD = 1.0, 0.8
# Of the join without indices.
MOST_OF_JOIN = 0.2


def indices(data: Path, logs: Path, rounds: int) -> list[str]:
    """Each side builds the indices of its own copy of the table and searches them. The best of the rounds counts."""
    workers = pair("indices", data, logs)
    try:
        lines = ["index: lineitem at scale 1, builds"]
        lines += [build(name, timed(workers, name, PAIR, rounds)) for name in BUILDS]
        empty = timed(workers, "empty", PAIR[:1], rounds)["sparklance"]
        lines += [f"index: searches; Spark's empty query takes {empty:.3f} s"]
        return lines + [search(name, timed(workers, name, (*PAIR, "scan"), rounds), empty) for name in QUERIES]
    finally:
        for worker in workers.values():
            worker.close()


def timed(workers: Mapping[str, Worker], case: str, contenders: tuple[str, ...], rounds: int) -> dict[str, float]:
    """Times each contender; "scan" stands for ours without indices."""

    def seconds(name: str) -> float:
        took = workers["sparklance" if name == "scan" else name].seconds(case, name)
        if math.isnan(took) and name != "pylance":
            raise SetupError(f"{name} did not {case}: the logs say why.")
        return took

    return best(seconds, contenders, rounds)


def build(name: str, seconds: dict[str, float]) -> str:
    ours, theirs = seconds["sparklance"], seconds["pylance"]
    ratio = ours / theirs
    return f"  {name:24} sparklance {ours:8.3f}   pylance {theirs:8.3f}   {ratio:5.2f} x   {met(ratio, MOST_OF_BUILD)}"


def search(name: str, seconds: dict[str, float], empty: float) -> str:
    ours, theirs, scan = seconds["sparklance"], seconds["pylance"], seconds["scan"]
    if math.isfinite(theirs):
        ratio = ours / (theirs + empty)
        compared = f"pylance {theirs:8.3f}   {ratio:5.2f} x with the empty query   {met(ratio, MOST_OF_SEARCH)}"
    else:
        compared = f"{met(ours / scan, MOST_OF_JOIN)}"
    return f"  {name:24} sparklance {ours:8.3f}   scan {scan:8.3f}   {ours / scan:5.2f} x   {compared}"


def met(ratio: float, most: float) -> str:
    return f"target {most}: {'met' if ratio <= most else 'missed'}"
