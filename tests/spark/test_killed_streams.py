"""Streams whose driver is killed at random moments: each row arrives once.

`./dev test --full` kills 200 times, and SPARKLANCE_TEST_KILLS as often as it says.
"""

import os
import random
import signal
import subprocess
import sys
import time
from datetime import timedelta
from typing import Any

import lance
import pyarrow as pa
import pytest

from dev_tools import ROOT, rings
from dev_tools.rings import Ring

KILLS = int(os.environ.get("SPARKLANCE_TEST_KILLS", "200" if rings.chosen() == Ring.FULL else "1"))
KEYED = 40
WORKER = [sys.executable, "-m", "tests.spark.stream_worker"]


class Source:
    """A table that grows and changes, with all rows that were ever appended."""

    def __init__(self, path: str, chance: random.Random) -> None:
        self.path, self.chance, self.appended = path, chance, 0
        self.write(5, enable_stable_row_ids=True)

    def write(self, count: int, **options: Any) -> None:
        ids = list(range(self.appended, self.appended + count))
        self.appended += count
        rows = pa.table({"id": pa.array(ids, pa.int64()), "value": pa.array([0] * count, pa.int64())})
        lance.write_dataset(rows, self.path, **options)

    def change(self) -> None:
        table = lance.dataset(self.path)
        some = self.chance.randrange(self.appended)
        match self.chance.randrange(6):
            case 0 | 1 | 2:
                self.write(self.chance.randrange(1, 5), mode="append")
            case 3:
                table.update({"value": "value + 1"}, where=f"id = {some}")
            case 4:
                table.delete(f"id = {some}")
            case _:
                table.optimize.compact_files()


def run(folder: str, until: int | None = None) -> bool:
    """Runs the worker, and kills it once it has made some files. Returns whether it came to its end."""
    # In a session of its own, so that the JVM is killed together with Python.
    with subprocess.Popen(
        [*WORKER, folder], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as worker:
        assert worker.stdout is not None
        assert "started" in worker.stdout.readline()
        before, end = files(folder), time.monotonic() + 600
        while worker.poll() is None and time.monotonic() < end:
            if until is not None and files(folder) - before >= until:
                break
            time.sleep(0.01)
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
        return worker.wait() == 0


def files(folder: str) -> int:
    return sum(len(names) for _, _, names in os.walk(folder))


@pytest.mark.process
@pytest.mark.classic("Spark does not use the jar for streams over Connect")
def test_each_row_arrives_once_although_the_driver_is_killed(tmp: str) -> None:
    chance = random.Random(KILLS)
    source = Source(f"{tmp}/source.lance", chance)
    empty = pa.schema([("id", pa.int64()), ("value", pa.int64())]).empty_table()
    for name in ("copy", "merged"):
        lance.write_dataset(empty, f"{tmp}/{name}.lance")
    # Rows with known keys are replaced, others added.
    known = pa.table({"id": pa.array(range(KEYED), pa.int64()), "value": pa.array([-1] * KEYED, pa.int64())})
    lance.write_dataset(known, f"{tmp}/keyed.lance", enable_stable_row_ids=True)
    kills = 0
    while kills < KILLS:
        for _ in range(chance.randrange(1, 5)):
            source.change()
        target = lance.dataset(f"{tmp}/{chance.choice(['copy', 'merged', 'keyed'])}.lance")
        if chance.randrange(2):
            target.optimize.compact_files()
        target.cleanup_old_versions(older_than=timedelta(0))
        kills += not run(tmp, until=chance.randrange(1, 60))
    assert run(tmp), "the last run fails"
    ids = lance.dataset(f"{tmp}/copy.lance").to_table()["id"].to_pylist()
    assert len(ids) == len(set(ids)), "rows were copied twice"
    keyed = lance.dataset(f"{tmp}/keyed.lance").to_table().to_pylist()
    found = {row["id"]: row["value"] for row in keyed}
    assert len(found) == len(keyed), "keys are there twice"
    appended = range(source.appended)
    assert found == {i: -1 for i in range(KEYED)} | {i: i + 1 for i in appended}, "rows were not merged"
    live = lance.dataset(source.path).to_table()["id"].to_pylist()
    assert set(live) <= set(ids), "rows were not copied"
    merged = lance.dataset(f"{tmp}/merged.lance").to_table().to_pylist()
    expected = lance.dataset(source.path).to_table().to_pylist()
    assert sorted(merged, key=lambda row: row["id"]) == sorted(expected, key=lambda row: row["id"])
