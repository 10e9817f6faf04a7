"""The queries of TPC-DS at scale 1 in one session: ours against Parquet, with sizes (`./dev bench tpcds`)."""

import math
import os
import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.peer import jars
from dev_tools import ROOT, trust

SCALE = 1
MOST_SIZE, MOST_IN_ALL, MOST_OF_ONE = 1.0, 0.75, 1.05
GENERATOR = ["duckdb==1.5.5", "duckdb-extension-tpcds==1.5.5"]
#: Spark's tests have the queries, and the types of the columns.
QUERIES = "org.apache.spark:spark-sql_2.13:jar:tests:4.0.1"


class Run(NamedTuple):
    planning: float
    seconds: float
    cpu: float


def tpcds(data: Path, logs: Path, rounds: int) -> list[str]:
    """The first round counts by itself: a query of a warehouse often runs once."""
    folder = data / "tpcds"
    generate(folder / "generated")
    [queries] = jars(logs, [QUERIES])
    with (logs / "tpcds.log").open("w") as log:
        command = [sys.executable, "-m", "benchmarks.workers.tpcds", folder, queries, str(rounds)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    sizes = [(table, int(ours), int(theirs)) for kind, table, ours, theirs in of(lines, "size")]
    runs: dict[str, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for _, query, contender, *figures in of(lines, "tpcds"):
        runs[query][contender].append(Run(*map(float, figures)))
    return [*size_lines(sizes), *query_lines(runs)]


def of(lines: list[list[str]], kind: str) -> list[list[str]]:
    return [line for line in lines if line[:1] == [kind]]


def generate(to: Path, scale: float = SCALE) -> None:
    if to.exists():
        return
    if not find_spec("duckdb_extension_tpcds"):
        trust.for_python()
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *GENERATOR], check=True, env=os.environ)
    part = to.with_suffix(".part")
    part.mkdir(parents=True, exist_ok=True)
    # A process of its own gives the generator's memory back.
    command = [sys.executable, "-m", "benchmarks.workers.tpcds_data", part, str(scale)]
    subprocess.run(command, cwd=ROOT, check=True)
    part.rename(to)


def size_lines(sizes: list[tuple[str, int, int]]) -> list[str]:
    total = ("all", sum(ours for _, ours, _ in sizes), sum(theirs for _, _, theirs in sizes))
    shown = [
        f"  {table:24} {ours:>13,} {theirs:>13,}   {ours / theirs:5.2f} x" for table, ours, theirs in [*sizes, total]
    ]
    return [f"tpcds: bytes of the tables, ours and Parquet's   target {MOST_SIZE} in all", *shown]


def query_lines(runs: dict[str, dict[str, list[Run]]]) -> list[str]:
    shown, totals = [], defaultdict(lambda: [0.0, 0.0])
    ratios = []
    for query, sides in runs.items():
        figures = {
            "best": [min(run.seconds for run in sides[side]) for side in ("lance", "parquet")],
            "CPU": [min(run.cpu for run in sides[side]) for side in ("lance", "parquet")],
            "first": [sides[side][0].seconds for side in ("lance", "parquet")],
            "planning": [min(run.planning for run in sides[side]) for side in ("lance", "parquet")],
        }
        for name, both in figures.items():
            totals[name] = [total + own for total, own in zip(totals[name], both, strict=True)]
        ours, theirs = figures["best"]
        ratios.append(ours / theirs)
        shown.append(f"  {query:6} {ours:8.3f} {theirs:8.3f}   " + told(figures))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    slower = [query for query, ratio in zip(runs, ratios, strict=True) if ratio > MOST_OF_ONE]
    return [
        f"tpcds: {len(runs)} queries at scale {SCALE}: seconds of ours and of Parquet, best, and ratios",
        *shown,
        f"  all: {told(totals)}; geometric mean {mean:.2f}   target {MOST_IN_ALL}",
        f"  above {MOST_OF_ONE}: {' '.join(slower) or 'none'}",
    ]


def told(figures: dict[str, list[float]]) -> str:
    return ", ".join(f"{name} {ours / theirs:.2f} x" for name, (ours, theirs) in figures.items())
