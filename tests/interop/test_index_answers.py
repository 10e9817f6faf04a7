"""Random predicates on tables with indices of pylance find the same rows with indices and without."""

import random

import pytest
from pyspark.sql import SparkSession

from tests.interop.indices.running import build, compare


@pytest.mark.parametrize("part", range(4))
def test_random_predicates(spark: SparkSession, tmp: str, full: bool, part: int) -> None:
    for number in range(250 if full else 1):
        seed = random.randrange(1 << 30)
        compare(spark, build(f"{tmp}/{part}_{number}.lance", seed), count=20)
