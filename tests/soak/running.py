"""Runs all workers on a new table, and holds what they did against the model."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import lance
import pyarrow as pa

from tests.soak import model
from tests.soak.by_pylance import SCHEMA
from tests.soak.race import LOST
from tests.soak.worker import COUNTERS


@dataclass(frozen=True)
class Outcome:
    """Outcome: versions in all; commits and lost attempts of each worker."""

    versions: int
    seconds: float
    commits: dict[int, int]
    lost: dict[int, int]
    rows: dict[int, model.Rows]


def create(path: str, stable: bool) -> None:
    """Has the rows in which all count up."""
    rows = pa.table({"id": COUNTERS, "value": [0] * len(COUNTERS)}, SCHEMA)
    lance.write_dataset(rows, path, enable_stable_row_ids=stable, data_storage_version="2.2")


def python_process(kind: str, path: str, logs: Path, commits: int, workers: int, *numbers: int) -> subprocess.Popen:
    arguments = [path, str(logs), str(commits), str(workers), *map(str, numbers)]
    return subprocess.Popen([sys.executable, "-m", f"tests.soak.{kind}", *arguments])


def java_process(java: list[str], path: str, logs: Path, commits: int, workers: int, *numbers: int) -> subprocess.Popen:
    """`java`: the command with its class path."""
    arguments = ["commit", path, str(logs), str(commits), str(workers), *map(str, numbers)]
    return subprocess.Popen([*java, "io.sparklance.soak.SoakMain", *arguments])


def finished(processes: list[subprocess.Popen], logs: Path) -> None:
    """Waits for all; the first that fails ends the others."""
    running = list(processes)
    while running:
        time.sleep(0.05)
        failed = [process for process in running if process.poll()]
        if failed:
            (logs / "failed").touch()
            for process in running:
                process.kill()
            raise AssertionError(f"{failed[0].args[-8:]} failed, see above")
        running = [process for process in running if process.poll() is None]


def outcome(path: str, logs: Path, started: float) -> Outcome:
    """Checks all versions, and the last one by pylance's validate()."""
    seconds = time.monotonic() - started
    said = model.told(logs)
    rows = model.check(path, [change for each in said.values() for change in each])
    dataset = lance.dataset(path)
    dataset.validate()
    lost = {worker: sum(kind == LOST for kind, _ in each) for worker, each in sorted(said.items())}
    commits = {worker: len(said[worker]) - lost[worker] for worker in lost}
    return Outcome(dataset.version, seconds, commits, lost, rows)


def check_ours(java: list[str], path: str, rows: dict[int, model.Rows]) -> None:
    """Our reader finds the same in every version."""
    command = [*java, "io.sparklance.soak.SoakMain", "tell", path]
    lines = subprocess.run(command, env=os.environ, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    found = {version: tuple(sums) for version, *sums in (map(int, line.split()) for line in lines)}
    assert found == {version: model.sums(each) for version, each in rows.items()}
