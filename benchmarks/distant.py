"""Reads from a store that answers late, ours against Parquet: `./dev bench distant`.

One session for each kind of S3A's input stream, since the analytics stream keeps what it has read.
"""

import math
import subprocess
import sys
from pathlib import Path

from dev_tools import ROOT

DELAY = 0.02
STREAMS = ("classic", "analytics")
MOST = 0.5


def distant(data: Path, logs: Path, rounds: int, delay: float = DELAY) -> list[str]:
    """Lineitem is as Spark writes it in two tasks. `small` has a million of its rows in 200 files, and `columns` has
    200,000 rows of 50 integer columns, each added to the table in a file of its own.
    """
    lines = [f"distant: tables through S3A, {1000 * delay:.0f} ms a request: seconds, requests, MB"]
    with (logs / "distant.log").open("w") as log:
        for stream in STREAMS:
            command = [sys.executable, "-m", "benchmarks.workers.distant", data, stream, str(rounds), str(delay)]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True, check=True)
            measured = [line.split() for line in done.stdout.splitlines() if line.startswith("distant ")]
            lines += [f"  {stream} stream", *shown(measured)]
    return lines


def shown(measured: list[list[str]]) -> list[str]:
    """Lines of a table from those that the worker prints: `distant <case> <contender> <seconds> <requests> <MB>`."""
    best: dict[str, dict[str, tuple[float, str]]] = {}
    for _, case, contender, seconds, requests, megabytes in measured:
        known = best.setdefault(case, {}).get(contender, (math.inf, ""))
        best[case][contender] = min(known, (float(seconds), f"{requests:>6} {megabytes:>7}"))
    lines = []
    for case, contenders in best.items():
        ours, theirs = contenders["lance"], contenders["parquet"]
        ratio = ours[0] / theirs[0]
        lines.append(f"    {case:8} sparklance {ours[0]:7.2f} s {ours[1]}   parquet {theirs[0]:7.2f} s {theirs[1]}")
        lines[-1] += f"   {ratio:5.2f} x   target {MOST}: {'met' if ratio <= MOST else 'missed'}"
    return lines
