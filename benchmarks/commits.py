"""Commits, opening and history of tables with many versions or fragments: ours and pylance's, in turns."""

import math
import shutil
from pathlib import Path

import lance
import pyarrow as pa

from benchmarks import running
from benchmarks.workers.commits import COMMAND

OURS, PYLANCE = "sparklance", "pylance"
CASES = {
    "open": "opening the latest version",
    "append": "opening, and an append",
    "behind": "an append begun 100 versions before",
    "history": "the history",
}


def many_versions(path: str) -> None:
    """5,000, of one row."""
    dataset = one_row(path)
    for i in range(4999):
        dataset.update_config({"count": str(i)})


def many_fragments(path: str) -> None:
    """100,000, which all name the same file."""
    dataset = one_row(path)
    fragments = [fragment.metadata for fragment in dataset.get_fragments()]
    lance.LanceDataset.commit(path, lance.LanceOperation.Append(fragments * 99_999), read_version=1)


def one_row(path: str) -> lance.LanceDataset:
    return lance.write_dataset(pa.table({"id": [1]}), path, mode="overwrite")


TABLES = {"5,000 versions": (many_versions, list(CASES)), "100,000 fragments": (many_fragments, ["open", "append"])}


def commits(data: Path, logs: Path, rounds: int) -> list[str]:
    """Each has a copy of each table, as appends make it grow. A round before the first warms up and is not counted."""
    commands = {OURS: running.java_worker("io.sparklance.benchmarks.CommitTimes"), PYLANCE: COMMAND}
    workers = {name: running.Worker(command, {}, logs / f"commits-{name}.log") for name, command in commands.items()}
    lines = ["commits: milliseconds of ours, of pylance's, and the ratio"]
    for title, (make, cases) in TABLES.items():
        paths = {name: data / f"commits-{name}.lance" for name in workers}
        for path in paths.values():
            shutil.rmtree(path, ignore_errors=True)
        make(str(paths[PYLANCE]))
        shutil.copytree(paths[PYLANCE], paths[OURS])
        for case in cases:
            best = dict.fromkeys(workers, math.inf)
            for turn in range(rounds + 1):
                for name, worker in workers.items():
                    seconds = worker.seconds(case, f"{name} {paths[name]}")
                    best[name] = min(best[name], seconds) if turn > 0 else math.inf
            ours, theirs = (1000 * best[name] for name in (OURS, PYLANCE))
            lines.append(f"  {title:18} {CASES[case]:36} {ours:8.2f} {theirs:8.2f}   {ours / theirs:5.2f} x")
    for worker in workers.values():
        worker.close()
    return lines
