"""Searches of a table that answers late, by Spark's SQL against pylance: `./dev bench distant-search`.

Both read the same files, through one store, in turns. Each case has a process of its own on each side, so its first
search is the first of a session.
"""

import math
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.running import PAIR, Worker
from benchmarks.store import SlowStore
from benchmarks.workers import distant_search as worker
from dev_tools import ROOT

DELAY = 0.02
CASES = ("vector", "refined", "filtered", "text", "key", "keys", "count")
#: Of pylance's time: a first search, and a later one; of its throughput: a batch.
MOST_FIRST, MOST_WARM, LEAST_BATCH = 1.2, 1.5, 3.0


def distant_search(data: Path, logs: Path, rounds: int, delay: float = DELAY, rows: int = worker.ROWS) -> list[str]:
    """A query of an empty local table is added to pylance's time, the first of a session to that of a first search;
    to a warm one also the request for the version.
    """
    import lance
    import pyarrow as pa

    folder = data / "distant-search"
    folder.mkdir(parents=True, exist_ok=True)
    worker.prepare(folder / "searched.lance", rows)
    empty = data / "empty.lance"
    lance.write_dataset(pa.table({"id": pa.array([], pa.int64())}), empty, mode="overwrite")
    lines = [f"distant-search: {rows:,} rows through S3A, {1000 * delay:.0f} ms a request: seconds, requests, MB"]
    with SlowStore(folder, delay) as store:

        def started() -> dict[str, Worker]:
            script = str(ROOT / "benchmarks" / "workers" / "distant_search.py")
            command = [sys.executable, script]
            return {
                name: Worker([*command, name, store.url, str(empty)], {}, logs / f"distant-search-{name}.log")
                for name in PAIR
            }

        workers = started()
        first_empty, *later = [workers["sparklance"].seconds("empty", "sparklance 0") for _ in range(rounds + 3)]
        lines += [f"  a query of an empty table: first {first_empty:.3f} s, later {min(later):.3f} s"]
        lines += batch_lines(workers, store)
        closed(workers)
        for case in CASES:
            workers = started()
            runs = {name: [run(workers[name], store, case, name, turn) for turn in range(rounds + 1)] for name in PAIR}
            closed(workers)
            lines += case_lines(case, runs, first_empty, min(later) + delay)
    return lines


def run(worker: Worker, store: SlowStore, case: str, system: str, turn: int) -> tuple[float, int, float]:
    """Seconds, requests and megabytes."""
    store.forget()
    seconds = worker.seconds(case, f"{system} {turn}")
    return seconds, store.requests, store.bytes / 1e6


def case_lines(
    case: str, runs: Mapping[str, list[tuple[float, int, float]]], first_empty: float, later_empty: float
) -> list[str]:
    lines = []
    for kind, most, added, chosen in (
        ("first", MOST_FIRST, first_empty, slice(0, 1)),
        ("warm", MOST_WARM, later_empty, slice(1, None)),
    ):
        ours, theirs = (min(runs[name][chosen]) for name in PAIR)
        allowed = added + theirs[0] * (1 if case == "count" else most)
        shown = "   ".join(shown_run(*named) for named in zip(PAIR, (ours, theirs), strict=True))
        met = "met" if ours[0] <= allowed else "missed"
        lines.append(f"  {case:9} {kind:6} {shown}   target {allowed:6.3f} s: {met}")
    return lines


def batch_lines(workers: Mapping[str, Worker], store: SlowStore) -> list[str]:
    """The second run of each counts, with other queries."""
    found = {name: [run(workers[name], store, "batch", name, 1000 * turn) for turn in (1, 2)][1] for name in PAIR}
    (ours, *_), (theirs, *_) = found.values()
    shown = "   ".join(shown_run(name, runs) for name, runs in found.items())
    ratio = theirs / ours if ours else math.nan
    met = "met" if ratio >= LEAST_BATCH else "missed"
    return [f"  {worker.MANY:,} queries    {shown}   {ratio:.2f} x pylance's throughput, target {LEAST_BATCH}: {met}"]


def shown_run(system: str, figures: tuple[float, int, float]) -> str:
    seconds, requests, megabytes = figures
    return f"{system} {seconds:6.3f} s {requests:5} {megabytes:7.2f}"


def closed(workers: Mapping[str, Worker]) -> None:
    for each in workers.values():
        each.close()
