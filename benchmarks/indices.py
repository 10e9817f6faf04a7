"""Scalar indices of TPC-H lineitem at scale 1, ours against pylance's: `./dev bench index`."""

import math
from collections.abc import Mapping
from pathlib import Path

from benchmarks.running import Worker
from benchmarks.workers.indices import BUILDS, QUERIES
from dev_tools import ROOT, SetupError
from dev_tools.venv import PYTHON

# Of a search: pylance's time and that of Spark's empty query, together. Of a build: pylance's time.
MOST_OF_SEARCH, MOST_OF_BUILD = 1.0, 0.8
# Of the join without indices.
MOST_OF_JOIN = 0.2
CONTENDERS = ("sparklance", "pylance")


def indices(data: Path, logs: Path, rounds: int) -> list[str]:
    """Each side builds the indices of its own copy of the table and searches them. The best of the rounds counts."""
    script = str(ROOT / "benchmarks" / "workers" / "indices.py")
    workers = {
        name: Worker([str(PYTHON), script, name, str(data)], {}, logs / f"index-{name}.log") for name in CONTENDERS
    }
    try:
        lines = ["index: lineitem at scale 1, builds"]
        lines += [build(name, best(workers, name, CONTENDERS, rounds)) for name in BUILDS]
        empty = best(workers, "empty", ("sparklance",), rounds)["sparklance"]
        lines += [f"index: searches; Spark's empty query takes {empty:.3f} s"]
        return lines + [search(name, best(workers, name, CONTENDERS, rounds, bare=True), empty) for name in QUERIES]
    finally:
        for worker in workers.values():
            worker.close()


def best(
    workers: Mapping[str, Worker], case: str, contenders: tuple[str, ...], rounds: int, *, bare: bool = False
) -> dict[str, float]:
    """Seconds of each contender, in turns. The round before the first warms up and is not counted.

    With `bare`, "scan" stands for ours without indices.
    """
    names = (*contenders, "scan") if bare else contenders
    seconds = dict.fromkeys(names, math.inf)
    for turn in range(rounds + 1):
        for name in names:
            took = workers["sparklance" if name == "scan" else name].seconds(case, name)
            if math.isnan(took) and name != "pylance":
                raise SetupError(f"{name} did not {case}: the logs say why.")
            seconds[name] = min(seconds[name], took) if turn > 0 else math.inf
    return seconds


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
