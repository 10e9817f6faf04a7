"""Methods of the package show in Spark's UI with the user's line, and end when the user interrupts them."""

import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparklance import LanceDataset, LanceOperation, write_fragments
from tests.products import only

pytestmark = pytest.mark.classic("Spark Connect's client names and interrupts statements itself")

#: That of notebooks, and the one that PySpark sets in plain Python.
HANDLERS = {"notebook": signal.default_int_handler, "plain": None}


def made(spark: SparkSession, path: str, fragments: int = 3) -> LanceDataset:
    for i in range(fragments):
        spark.range(10 * i, 10 * i + 10).coalesce(1).write.format("lance").mode("append").save(path)
    return LanceDataset(spark, path)


def descriptions(spark: SparkSession) -> dict[int, str]:
    """The statements in Spark's SQL tab, by their ids, oldest first. Spark forgets the oldest of a thousand."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    shown = spark._jsparkSession.sharedState().statusStore().executionsList()
    statements = [shown.apply(i) for i in range(shown.size())]
    return {statement.executionId(): statement.description() for statement in statements}


def test_spark_s_ui_shows_the_method_and_the_user_s_line(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    made(spark, path)
    methods: dict[str, Callable[[LanceDataset], Any]] = {
        "LanceDataset": lambda ds: LanceDataset(spark, path),
        "Snapshot.count_rows": lambda ds: ds.count_rows(),
        "Snapshot.to_arrow": lambda ds: ds.to_arrow(),
        "LanceDataset.insert": lambda ds: ds.insert(spark.range(30, 32)),
        "LanceDataset.delete": lambda ds: ds.delete("id = 31"),
        "LanceDataset.update": lambda ds: ds.update({"id": "id + 100"}, where="id = 30", rewrite="cheaper"),
        "MergeInsertBuilder.execute": lambda ds: (
            ds.merge_insert("id").when_not_matched_insert_all().execute(spark.range(200, 201))
        ),
        "LanceDataset.add_columns": lambda ds: ds.add_columns({"a": "id + 1", "b": F.col("id") + 2}),
        "LanceDataset.create_scalar_index": lambda ds: ds.create_scalar_index("id", "BTREE"),
        "DatasetOptimizer.compact_files": lambda ds: ds.optimize.compact_files(),
        "LanceDataset.versions": lambda ds: ds.versions(),
        "Tags.create": lambda ds: ds.tags.create("v"),
        "write_fragments": lambda ds: write_fragments(ds.to_df().limit(1), path),
        "LanceDataset.commit": lambda ds: LanceDataset.commit(
            spark, path, LanceOperation.UpdateConfig(LanceOperation.UpdateMap({"owner": "me"})), ds.version
        ),
    }
    for name, method in methods.items():
        ds, before = LanceDataset(spark, path), descriptions(spark)
        method(ds)
        found = [text for number, text in descriptions(spark).items() if number > max(before)]
        assert found
        assert [text for text in found if not re.fullmatch(rf"{re.escape(name)} at {__file__}:\d+", text)] == []
    ds.to_df().collect()
    assert list(descriptions(spark).values())[-1].startswith("collect at ")


@contextmanager
def interrupted_when(is_time: Callable[[], bool], handler: str) -> Iterator[None]:
    """Sends Ctrl-C once, when it is time, or after a minute at most."""

    def wait() -> None:
        for _ in range(3000):
            if is_time():
                break
            time.sleep(0.02)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    if (another := HANDLERS[handler]) is not None:
        signal.signal(signal.SIGINT, another)
    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    try:
        yield
    finally:
        waiting.join()
        signal.signal(signal.SIGINT, before)


def active(spark: SparkSession) -> set[int]:
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return set(spark.sparkContext.statusTracker().getActiveJobsIds())


@contextmanager
def busy(spark: SparkSession, folder: str) -> Iterator[None]:
    """Lets no further task begin, by a job that must not be cancelled."""
    go, failures = Path(folder) / "go", []

    def wait(_: int) -> None:
        while not go.exists():
            time.sleep(0.02)

    def run() -> None:
        try:
            spark.sparkContext.parallelize(range(2), 2).foreach(wait)
        except Exception as e:
            failures.append(e)

    thread = threading.Thread(target=run)
    thread.start()
    while not active(spark):
        time.sleep(0.02)
    try:
        yield
    finally:
        go.touch()
        thread.join()
    assert failures == []


@pytest.mark.parametrize("handler", only(list(HANDLERS), 0))
def test_an_interrupt_cancels_the_jobs_of_a_method_and_no_others(spark: SparkSession, tmp: str, handler: str) -> None:
    path = f"{tmp}/t.lance"
    ds = made(spark, path)
    files = {file for file in Path(path).rglob("*") if file.is_file()}
    with busy(spark, tmp):
        others = active(spark)
        for method in (
            lambda: ds.optimize.compact_files(),
            lambda: ds.create_scalar_index("id", "BTREE"),
            lambda: ds.insert(spark.range(3)),
            lambda: ds.update({"id": "id + 1"}),
        ):
            with interrupted_when(lambda: bool(active(spark) - others), handler), pytest.raises(KeyboardInterrupt):
                method()
    assert active(spark) == set()
    assert LanceDataset(spark, path).version == ds.version
    assert {file for file in Path(path).rglob("*") if file.is_file()} == files
    ds.create_scalar_index("id", "BTREE")
    ds.optimize.compact_files()
    assert (ds.count_rows(), len(ds.fragments)) == (30, 1)


@pytest.mark.parametrize("handler", only(list(HANDLERS), 1))
def test_an_interrupted_backfill_goes_on(spark: SparkSession, tmp: str, handler: str) -> None:
    path, calls, go = f"{tmp}/t.lance", Path(tmp) / "calls", Path(tmp) / "go"
    calls.mkdir()

    @F.udf("long")
    def slow(number):  # type: ignore[no-untyped-def] # PySpark warns of hints that are not those of pandas
        with (calls / str(number)).open("a") as call:
            call.write("x")
        while number == 29 and not go.exists():
            time.sleep(0.02)
        return number + 1

    ds = made(spark, path)
    # A task for each fragment.
    settings = {"spark.sql.files.minPartitionNum": 3, "spark.sql.files.openCostInBytes": 0}
    for key, value in settings.items():
        spark.conf.set(key, value)
    finished = Path(path) / "_sparklance" / "slow"
    is_time = lambda: (calls / "29").exists() and finished.exists() and len(list(finished.iterdir())) >= 1  # noqa: E731
    try:
        with interrupted_when(is_time, handler), pytest.raises(KeyboardInterrupt):
            ds.add_columns({"next": slow("id")}, job_id="slow")
        assert (active(spark), LanceDataset(spark, path).version) == (set(), ds.version)
        go.touch()
        ds.add_columns({"next": slow("id")}, job_id="slow")
    finally:
        for key in settings:
            spark.conf.unset(key)
    assert ds.count_rows("next = id + 1") == 30
    again = {int(file.name) for file in calls.iterdir() if len(file.read_text()) > 1}
    assert len(again) <= 20


@pytest.mark.parametrize("handler", only(list(HANDLERS), 1))
def test_an_interrupt_of_sql_ends_its_jobs(spark: SparkSession, tmp: str, handler: str) -> None:
    path, started, go = f"{tmp}/t.lance", Path(tmp) / "started", Path(tmp) / "go"

    def wait(number):  # type: ignore[no-untyped-def] # PySpark warns of hints that are not those of pandas
        started.touch()
        while not go.exists():
            time.sleep(0.02)
        return number

    ds = made(spark, path)
    spark.udf.register("waiting", wait, "long")
    statement = f"CALL lance.system.add_columns('{path}', map('next', 'waiting(id)'))"
    with interrupted_when(started.exists, handler), pytest.raises(KeyboardInterrupt):
        spark.sql(statement)
    for _ in range(500):
        # py4j has closed the connection, and sometimes refuses the next one.
        with suppress(Py4JNetworkError):
            if not active(spark):
                break
        time.sleep(0.02)
    go.touch()
    spark.sql("DROP TEMPORARY FUNCTION waiting")
    assert (active(spark), LanceDataset(spark, path).version) == (set(), ds.version)
