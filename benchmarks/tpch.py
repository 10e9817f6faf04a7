"""The 22 queries of TPC-H at scale 1 in one session: ours against Parquet (`./dev bench tpch`), and with indices
against without (`./dev bench tpch-indices`)."""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from dev_tools import ROOT

SCALE = 1
MOST_IN_ALL, MOST_OF_ONE = 0.75, 1.05
# With indices, of the time without.
MOST_INDEXED = 1.03
# Seconds, CPU seconds.
Times = tuple[float, float]


def tpch(data: Path, logs: Path, rounds: int) -> list[str]:
    """Both copies of each table are as Spark writes them."""
    return compared(data, logs, rounds, ("lance", "parquet"), MOST_OF_ONE, MOST_IN_ALL)


def indexed(data: Path, logs: Path, rounds: int) -> list[str]:
    """Tables with B-trees and bitmaps on keys, dates and columns with few values."""
    return compared(data, logs, rounds, ("indexed", "bare"), MOST_INDEXED, MOST_INDEXED)


def compared(
    data: Path, logs: Path, rounds: int, contenders: tuple[str, str], most: float, most_in_all: float
) -> list[str]:
    folder = data / "tpch"
    generated = folder / "generated"
    if not generated.exists():
        generated.mkdir(parents=True)
        generator = Path(sys.executable).with_name("tpchgen-cli")
        subprocess.run([generator, "parquet", "-s", str(SCALE), f"--output-dir={generated}"], check=True)
    with (logs / "tpch.log").open("w") as log:
        command = [sys.executable, "-m", "benchmarks.workers.tpch", folder, str(rounds), *contenders]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True, check=True)
    ours, theirs = contenders
    times: dict[str, dict[str, list[Times]]] = defaultdict(lambda: defaultdict(list))
    for _, query, contender, seconds, cpu in (x.split() for x in done.stdout.splitlines() if x.startswith("tpch ")):
        times[query][contender].append((float(seconds), float(cpu)))
    best = {query: (least(both[ours]), least(both[theirs])) for query, both in times.items()}
    lines = [line(query, contenders, both, most) for query, both in best.items()]
    total = [(sum(t[0] for t in side), sum(t[1] for t in side)) for side in zip(*best.values(), strict=True)]
    head = f"tpch: 22 queries at scale {SCALE}: seconds, CPU seconds of the JVM"
    return [head, *lines, line("all", contenders, (total[0], total[1]), most_in_all)]


def least(times: list[Times]) -> Times:
    """The best of each, by itself."""
    return min(t[0] for t in times), min(t[1] for t in times)


def line(name: str, contenders: tuple[str, str], both: tuple[Times, Times], most: float) -> str:
    ours, theirs = both
    ratio = ours[0] / theirs[0]
    verdict = "met" if ratio <= most else "missed"
    sides = "   ".join(f"{who} {t[0]:8.3f} {t[1]:6.2f}" for who, t in zip(contenders, both, strict=True))
    return f"  {name:4} {sides}   {ratio:5.2f} x, CPU {ours[1] / theirs[1]:5.2f} x   target {most}: {verdict}"
