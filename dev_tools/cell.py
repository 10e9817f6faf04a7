"""A cell of the matrix of releases that we are tested on: one Spark and one Java, by default those we develop with."""

import importlib.util
import os
from pathlib import Path

from dev_tools import SetupError, java, venv

# The Java releases that each Spark runs on; docs/compatibility.md has what was run.
MATRIX = {"4.0": (17, 21), "4.1": (17, 21), "4.2": (17, 21, 25), "4.3": (17, 21, 25)}


def check(spark: str | None, version: int | None) -> None:
    """Refuses cells that cannot work."""
    if spark is not None and spark not in MATRIX:
        raise SetupError(f"Spark {spark} is none that the jar is for. Choose one of {', '.join(MATRIX)}.")
    fitting = {name: javas for name, javas in MATRIX.items() if spark in (None, name)}
    if version is not None and not any(version in javas for javas in fitting.values()):
        known = "; ".join(f"Spark {name} on Java {', '.join(map(str, javas))}" for name, javas in fitting.items())
        raise SetupError(f"There is no cell for Java {version}. There are: {known}.")


def choose_java(version: int) -> None:
    """All that is started from now on, to run tests, runs on this Java."""
    os.environ[java.RUNTIME_VARIABLE] = str(java.of_version(version))


def scala_options() -> list[str]:
    """Options of sbt, for which see `build.sbt`: classes are compiled as always, and run on that Spark and Java."""
    options = []
    if home := os.environ.get(java.RUNTIME_VARIABLE):
        options.append(f"-Dtest.java.home={home}")
    if venv.SPARK:
        options.append(f"-Dtest.spark.jars={spark_jars()}")
    return options


def spark_jars() -> Path:
    """The jars of the installed PySpark, which are all of that Spark's release."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise SetupError("PySpark is not installed, which brings the jars of Spark. Run './dev clean' and try again.")
    return Path(spec.origin).with_name("jars")
