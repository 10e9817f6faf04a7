"""Processes that are killed while they write, and what is left of the table: a version as a whole or none."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import lance
import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.process

ROWS = 2000


def start(case: str, path: str) -> subprocess.Popen[bytes]:
    """The case in a process group of its own, as Spark's JVM is a child of Python's."""
    command = [sys.executable, str(Path(__file__).parent / "failures.py"), case, path]
    return subprocess.Popen(command, start_new_session=True)


def data_files(path: str) -> list[Path]:
    return list(Path(path, "data").glob("*.lance"))


def kill_when(case: subprocess.Popen[bytes], has_come: Callable[[], bool]) -> None:
    """Ends all processes of the case at once, without a chance to clean up."""
    end = time.monotonic() + 120
    while not has_come() and case.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    if case.poll() is None:
        os.killpg(case.pid, 9)
    case.wait()
    assert has_come()


@pytest.fixture
def table(spark: SparkSession, tmp: str) -> str:
    path = f"{tmp}/t.lance"
    spark.range(5).coalesce(1).write.format("lance").save(path)
    return path


MOMENTS: dict[str, Callable[[str], bool]] = {
    "before the commit": lambda path: len(list(Path(path, "_transactions").iterdir())) > 1,
    "in the commit": lambda path: len(list(Path(path, "_versions").glob("*.manifest*"))) > 1,
}


def whole(spark: SparkSession, table: str) -> lance.LanceDataset:
    """Returns what is left of the table: a version as a whole or none, to which rows can be added."""
    found = lance.dataset(table)
    found.validate()
    assert (found.version, found.count_rows()) in {(1, 5), (2, 5 + ROWS)}
    assert spark.read.format("lance").load(table).count() == found.count_rows()
    # What the dead have left is not in anybody's way.
    spark.range(3).coalesce(1).write.format("lance").mode("append").save(table)
    assert lance.dataset(table).count_rows() == found.count_rows() + 3
    return found


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_driver_that_is_killed_leaves_no_version_or_a_whole_one(spark: SparkSession, table: str, moment: str) -> None:
    """In short below, and for the moments of a commit in `KilledWriterSuite`."""
    kill_when(start("append", table), lambda: MOMENTS[moment](table))
    whole(spark, table)


def test_clean_up_removes_what_a_killed_driver_has_left(spark: SparkSession, table: str) -> None:
    kill_when(start("append", table), lambda: len(data_files(table)) > 10)
    assert len(data_files(table)) > 10
    assert whole(spark, table).version == 1
    lance.dataset(table).cleanup_old_versions(delete_unverified=True)
    assert lance.dataset(table).count_rows() == 5 + 3
    assert len(data_files(table)) == 2


@pytest.mark.cross
def test_an_executor_that_is_lost_leaves_nothing_of_its_own(spark: SparkSession, table: str) -> None:
    case = start("lost executor", table)
    assert case.wait(timeout=240) == 0
    assert Path(table + ".killed").exists()
    found = lance.dataset(table)
    found.validate()
    assert found.version == 2
    assert found.count_rows() == 5 + ROWS
    assert found.to_table(columns=["id"])["id"].to_pylist().count(1999) == 1
    kept = {file.path for fragment in found.get_fragments() for file in fragment.data_files()}
    assert {file.name for file in data_files(table)} == kept


def test_changes_whose_executors_are_lost_leave_nothing_of_their_own(spark: SparkSession, tmp: str, full: bool) -> None:
    """An UPDATE, a MERGE and a compaction, each with one of two executors killed in the middle of it."""
    path = f"{tmp}/t.lance"
    rows = spark.range(0, 1000, 1, 1).selectExpr("id", "0L AS value")
    rows.write.format("lance").options(maxRowsPerFile=100, enableStableRowIds="true").save(path)
    kinds = ["update", "merge", "compact"] if full else ["merge"]
    script = str(Path(__file__).parent / "failures.py")
    case = subprocess.run([sys.executable, script, "changes", path, *kinds], stdout=subprocess.PIPE, check=True)
    assert case.stdout.split().count(b"killed") >= min(2, len(kinds))
    found = lance.dataset(path)
    found.validate()
    held = found.to_table(columns=["id", "value", "_rowid"]).to_pylist()
    first = {i: i + 1 if full else 0 for i in range(500)}
    expected = first | {i: i + 2 for i in range(500, 1000)} | {i: i for i in range(1000, 1500)}
    assert {row["id"]: row["value"] for row in held} == expected
    assert all(row["_rowid"] == row["id"] for row in held if row["id"] < 1000)
    kept = {
        file.path
        for version in found.versions()
        for fragment in lance.dataset(path, version=version["version"]).get_fragments()
        for file in fragment.data_files()
    }
    assert {file.name for file in data_files(path)} == kept
    history = [row["transaction"] for row in spark.sql(f"CALL lance.system.history('{path}')").collect()]
    assert history == [*(["Rewrite", "ReserveFragments", "Update"] if full else []), "Update", "Overwrite"]
