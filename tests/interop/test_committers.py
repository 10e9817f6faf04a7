"""Processes of pylance and threads of Spark change one table at the same time. `./dev soak` is the long form."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.soak import by_spark, model
from tests.soak.race import Race
from tests.soak.running import create, finished, outcome, python_process

pytestmark = pytest.mark.slow

PYLANCE, SPARK = (0, 1), (2, 3)
WORKERS = len([*PYLANCE, *SPARK])


@pytest.mark.parametrize("stable", [False, True])
def test_no_row_is_lost_doubled_or_back_from_the_dead(
    spark: SparkSession, tmp_path: Path, full: bool, stable: bool
) -> None:
    path, logs, each = str(tmp_path / "t.lance"), tmp_path / "logs", 100 if full else 6
    logs.mkdir()
    create(path, stable)
    started = time.monotonic()
    processes = [python_process("by_pylance", path, logs, each, WORKERS, number) for number in PYLANCE]
    with ThreadPoolExecutor(1) as pool:
        ours = pool.submit(by_spark.run, spark, path, [Race(logs, number, WORKERS, each) for number in SPARK])
        try:
            finished(processes, logs)
        finally:
            ours.result()
    done = outcome(path, logs, started)
    assert done.commits == dict.fromkeys((*PYLANCE, *SPARK), each)
    for version in range(1, done.versions + 1, 9):
        found = spark.read.format("lance").option("version", version).load(path).collect()
        assert dict(map(tuple, found)) == done.rows[version], f"Spark reads other rows of version {version}"


def test_the_model_sees_what_it_is_for() -> None:
    before = {1: 0, 2: 5}
    assert model.difference(before, before, 2) is None
    assert model.difference(before, {1: 0, 2: 6}, 2) == ("update", frozenset([2]))
    assert model.difference(before, {2: 5}, 2) == ("delete", frozenset([1]))
    assert model.difference(before, {**before, 3: 0}, 2) == ("append", frozenset([3]))
    for after in ({1: 0, 2: 7}, {1: 0, 2: 4}, {1: 0, 3: 0}, {**before, 3: 1}):
        with pytest.raises(AssertionError, match="version 2"):
            model.difference(before, after, 2)
