"""Random queries on tables of all file versions: `./dev soak --queries` makes many, this a few."""

import pytest
from pyspark.sql import SparkSession

from tests.soak.queries.running import run

pytestmark = pytest.mark.slow

#: Tables of 2.2 that Spark made, and of 0.1 that pylance made.
SEEDS = [3, 6]


def test_queries_answer_as_parquet_pylance_and_the_model_do(spark: SparkSession, full: bool) -> None:
    for seed in range(20) if full else SEEDS:
        report = run(spark, seed, count=50 if full else 8)
        assert not report.differences
        assert report.queries == report.same + report.errors_of_values
        assert report.same - report.empty >= report.queries / 4, "too few answers have rows"
