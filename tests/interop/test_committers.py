"""Processes of pylance and threads of ours change one table at the same time; what each did is held against the end."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.test_row_changes import Table

Change = dict[str, list[int]]
LEAST = 3
SCHEMA = pa.schema([("id", pa.int64()), ("value", pa.int64())])

# What a commit that lost says; anything else is a failure.
LOST = ("conflict", "concurrent", "preempted", "too many", "others deleted or changed")


def by_pylance(path: str, own: list[int], kind: str, fresh: list[int]) -> Change:
    dataset = lance.dataset(path)
    chosen = ", ".join(map(str, own))
    match kind:
        case "append":
            lance.write_dataset(pa.table({"id": fresh, "value": [0] * len(fresh)}, SCHEMA), dataset, mode="append")
            return {"append": fresh}
        case "delete":
            dataset.delete(f"id in ({chosen})")
        case "update":
            dataset.update({"value": "value + 1"}, where=f"id in ({chosen})")
        case "compact":
            dataset.optimize.compact_files(target_rows_per_fragment=200)
            return {}
    return {kind: own}


def by_us(spark: SparkSession, path: str, own: list[int], kind: str, fresh: list[int]) -> Change:
    table = Table(spark, path)
    dataset = lance.dataset(path, version=table.dataset.version())
    if kind == "append":
        rows = pa.table({"id": fresh, "value": [0] * len(fresh)}, SCHEMA)
        (written,) = lance.fragment.write_fragments(rows, path, mode="append")
        table.update([], written.files[0], len(fresh), [])
        return {"append": fresh}
    chosen = f"id in ({', '.join(map(str, own))})"
    found = dataset.to_table(filter=chosen, with_row_id=True, with_row_address=True).to_pydict()
    if kind == "update":
        rows = pa.table({"id": found["id"], "value": [value + 1 for value in found["value"]]}, SCHEMA)
        (written,) = lance.fragment.write_fragments(rows, path, mode="append")
        ids = found["_rowid"] if dataset.has_stable_row_ids else []
        table.update(found["_rowaddr"], written.files[0], len(own), ids)
    else:
        kind = "delete"
        table.delete(*found["_rowaddr"])
    return {kind: own}


def changes(work: Callable[[list[int], str, list[int]], Change], number: int, seconds: float) -> Iterator[Change]:
    """Changes rows of its own, which others never touch, until the time is over and some changes are made.

    A side that loses the races of a busy time makes its least once the others have stopped.
    """
    chance, own, count, made = random.Random(number), [], 0, 0
    end = time.monotonic() + seconds
    while time.monotonic() < end or made < LEAST:
        kind = chance.choice(["append", "append", "delete", "update", "update", "compact"])
        fresh = [number * 1_000_000 + count + i for i in range(5)]
        count += 5
        chosen = chance.sample(own, min(len(own), 3))
        try:
            done = work(chosen, kind if chosen else "append", fresh)
        except Exception as e:
            if not any(word in str(e).lower() for word in LOST):
                raise
            continue
        own = [i for i in own + done.get("append", []) if i not in done.get("delete", [])]
        made += 1
        yield done


@pytest.mark.parametrize("stable", [False, True])
def test_no_row_is_lost_doubled_or_back_from_the_dead(
    spark: SparkSession, tmp_path: Path, full: bool, stable: bool
) -> None:
    path, seconds = str(tmp_path / "t.lance"), 60 if full else 10
    lance.write_dataset(SCHEMA.empty_table(), path, enable_stable_row_ids=stable, data_storage_version="2.2")
    command = [sys.executable, "-m", "tests.interop.test_committers", path, str(seconds)]
    processes = [subprocess.Popen([*command, str(i)], stdout=subprocess.PIPE, text=True) for i in (1, 2)]

    def ours(number: int) -> list[Change]:
        return list(changes(lambda own, kind, fresh: by_us(spark, path, own, kind, fresh), number, seconds))

    with ThreadPoolExecutor(2) as pool:
        logs = list(pool.map(ours, [3, 4]))
    told = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    logs += [[json.loads(line) for line in text.splitlines()] for text in told]
    assert all(len(log) >= LEAST for log in logs), [len(log) for log in logs]
    expected: dict[int, int] = {}
    for done in (change for log in logs for change in log):
        expected.update(dict.fromkeys(done.get("append", []), 0))
        for i in done.get("update", []):
            expected[i] += 1
        for i in done.get("delete", []):
            del expected[i]
    dataset = lance.dataset(path)
    dataset.validate()
    rows = dataset.to_table().to_pydict()
    assert dict(zip(rows["id"], rows["value"], strict=True)) == expected
    assert len(rows["id"]) == len(expected) == spark.read.format("lance").load(path).count()
    for version in range(1, dataset.version + 1, 7):
        ids = lance.dataset(path, version=version).to_table(columns=["id"])["id"].to_pylist()
        assert len(ids) == len(set(ids)), f"a row is doubled in version {version}"


if __name__ == "__main__":
    place, duration, worker = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    for made in changes(lambda own, kind, fresh: by_pylance(place, own, kind, fresh), worker, duration):
        print(json.dumps(made), flush=True)
