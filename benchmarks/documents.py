"""The comparisons that the founding documents make, against Parquet in one session: `./dev bench documents`."""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchmarks.generated import generate
from dev_tools import ROOT

DELAY = 0.02


def documents(data: Path, logs: Path, rounds: int) -> list[str]:
    """File version 2.2 beside 0.1; trips, pages, media and packed structs; tables of 1,000 to 10,000 columns."""
    head = "documents: seconds, CPU seconds of the JVM, and both as multiples of Parquet's"
    return [head, *shown(measured(data, logs, rounds, 0.0))]


def wide(data: Path, logs: Path, rounds: int) -> list[str]:
    """Three columns of wide tables, by time and requests. `documents` has them on the local disk."""
    head = f"wide: three columns of wide tables, {1000 * DELAY:.0f} ms a request: seconds, CPU seconds, requests"
    return [head, *shown(measured(data, logs, rounds, DELAY), read_only=True)]


def measured(data: Path, logs: Path, rounds: int, delay: float) -> list[list[str]]:
    generate(data / "documents" / "generated")
    # A file, which has what was measured so far if the run is cut off: it takes a quarter of an hour.
    printed = logs / "documents.txt"
    with (logs / "documents.log").open("w") as log, printed.open("w") as out:
        command = [sys.executable, "-m", "benchmarks.workers.documents", data, str(rounds), str(delay)]
        subprocess.run(command, cwd=ROOT, stdout=out, stderr=log, check=True)
    lines = printed.read_text().splitlines()
    return [line.split() for line in lines if line.startswith(("documents ", "size "))]


def shown(printed: Iterable[list[str]], *, read_only: bool = False) -> list[str]:
    """Lines of a table from those that the worker prints: the best of each number."""
    best: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(dict)
    sizes: dict[str, dict[str, int]] = defaultdict(dict)
    for kind, table, *rest in printed:
        if kind == "size":
            sizes[table][rest[0]] = int(rest[1])
        else:
            query, contender, *numbers = rest
            known = best[table, query].get(contender)
            new = [float(number) for number in numbers]
            best[table, query][contender] = new if known is None else [min(p) for p in zip(known, new, strict=True)]
    lines = [] if read_only else [size(table, contenders) for table, contenders in sizes.items()]
    for (table, query), contenders in best.items():
        if not (read_only and query == "write"):
            lines.append(f"  {table} {query}")
            lines += [line(name, numbers, contenders["parquet"]) for name, numbers in contenders.items()]
    return lines


def size(table: str, contenders: dict[str, int]) -> str:
    parts = (f"{name} {count / 1e6:.1f}" for name, count in contenders.items())
    return f"  {table} MB   {'   '.join(parts)}"


def line(contender: str, numbers: list[float], parquet: list[float]) -> str:
    seconds, cpu, requests = numbers
    ratios = f"   {seconds / parquet[0]:5.2f} x   {cpu / max(parquet[1], 0.01):5.2f} x CPU"
    counted = f"   {requests:.0f} requests" if requests else ""
    return f"    {contender:8} {seconds:8.3f} s {cpu:7.2f} s{'' if contender == 'parquet' else ratios}{counted}"
