"""Runs the Python of `.venv`, on the Java found, shielded from another Spark that the user may have set up."""

import os
import subprocess
import sys

from dev_tools import ROOT, java


def python(*arguments: str) -> int:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=python_environment()).returncode


def python_environment() -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if k not in ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS")}
    return env | {"JAVA_HOME": str(java.for_spark()), "PYSPARK_PYTHON": sys.executable}
