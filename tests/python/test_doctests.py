"""The examples in the docstrings of the package run as they stand, and so does the README's."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sparklance

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


def test_readme(spark: SparkSession, tmp: str) -> None:
    text = (ROOT / "README.md").read_text()
    (example,) = re.findall(r"```python\n((?:(?!```).)*LanceDataset\(.*?)```", text, re.DOTALL)
    path = f"{tmp}/flights.lance"
    flights = [("UA", "IAH", 1400.0), ("AA", "MIA", 1089.0), ("B6", "BQN", 1576.0)]
    spark.createDataFrame(flights, "carrier STRING, dest STRING, distance DOUBLE").write.format("lance").save(path)
    exec(example.replace("/data/flights.lance", path), {"spark": spark, "sparklance": sparklance})
    assert set(sparklance.LanceDataset(spark, path).branches.list()) == {"cheaper"}
