"""The 22 queries of TPC-H at scale 1, ours against Parquet in one session: `./dev bench tpch`."""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from dev_tools import ROOT

SCALE = 1
MOST_IN_ALL, MOST_OF_ONE = 0.75, 1.05


def tpch(data: Path, logs: Path, rounds: int) -> list[str]:
    """Both copies of each table are as Spark writes them."""
    folder = data / "tpch"
    generated = folder / "generated"
    if not generated.exists():
        generated.mkdir(parents=True)
        generator = Path(sys.executable).with_name("tpchgen-cli")
        subprocess.run([generator, "parquet", "-s", str(SCALE), f"--output-dir={generated}"], check=True)
    with (logs / "tpch.log").open("w") as log:
        command = [sys.executable, "-m", "benchmarks.workers.tpch", folder, str(rounds)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True, check=True)
    return [f"tpch: 22 queries at scale {SCALE}, seconds", *shown(done.stdout.splitlines())]


def shown(printed: list[str]) -> list[str]:
    """Lines of a table from those that the worker prints."""
    times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _, query, contender, seconds in (line.split() for line in printed if line.startswith("tpch ")):
        times[query][contender].append(float(seconds))
    best = {query: (min(both["lance"]), min(both["parquet"])) for query, both in times.items()}
    lines = [line(query, *both, MOST_OF_ONE) for query, both in best.items()]
    return [*lines, line("all", *(sum(side) for side in zip(*best.values(), strict=True)), MOST_IN_ALL)]


def line(name: str, ours: float, theirs: float, most: float) -> str:
    ratio = ours / theirs
    verdict = "met" if ratio <= most else "missed"
    return f"  {name:4} sparklance {ours:8.3f}   parquet {theirs:8.3f}   {ratio:5.2f} x   target {most}: {verdict}"
