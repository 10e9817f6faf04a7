"""The examples in the docstrings of the package run as they stand. The README runs, too."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sparklance
from tests.python import pages

ROOT = Path(__file__).parents[2]
TESTS = [
    test
    for module in pkgutil.iter_modules(sparklance.__path__, "sparklance.")
    if not module.ispkg
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module.name))
    if test.examples
]


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_docstring(test: doctest.DocTest, spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    spark.range(3).coalesce(1).write.format("lance").save(path)
    names = {name: getattr(sparklance, name) for name in sparklance.__all__}
    test.globs.update(names, spark=spark, path=path)
    assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0


@pytest.mark.classic("the README makes a classic session")
def test_the_readme_runs_as_printed(spark: SparkSession, tmp: str) -> None:
    names = pages.run("README.md", spark, tmp)
    assert set(names["ds"].branches.list()) == {"short"}
    assert (names["ds"].count_rows(), names["short"].count_rows()) == (2, 1)
