"""Other connectors, with the Spark that they are made for, in a folder of the cache."""

import os
import subprocess
import venv
from pathlib import Path

from dev_tools import ROOT, sbt, trust

# What it loads when it reads or writes a table by its path: Arrow first, since Spark brings an older one.
ARROW = "18.3.0"
JARS = [
    *(f"org.apache.arrow:{name}:{ARROW}" for name in ("arrow-c-data", "arrow-dataset", "arrow-format", "arrow-vector")),
    *(f"org.apache.arrow:arrow-memory-{name}:{ARROW}" for name in ("core", "netty", "netty-buffer-patch")),
    "com.google.flatbuffers:flatbuffers-java:25.2.10",
    "org.lance:lance-core:4.0.0",
    "org.lance:lance-namespace-core:0.5.2",
    "org.lance:lance-namespace-apache-client:0.5.2",
    "org.lance:lance-spark-3.5_2.12:0.4.0",
    "org.lance:lance-spark-base_2.12:0.4.0",
    "org.questdb:jar-jni:1.1.1",
]
SPARK = "3.5.9"


def prepare(folder: Path) -> tuple[Path, str]:
    """The reference's own connector: a Python that has its PySpark, and its class path."""
    # Python 3.12 and newer have no distutils, which PySpark 3.5 takes from setuptools.
    python = spark(folder, SPARK, "setuptools<81")
    return python, os.pathsep.join(map(str, jars(folder, JARS)))


def spark(folder: Path, version: str, *wanted: str) -> Path:
    """A Python that has PySpark of a version."""
    folder.mkdir(parents=True, exist_ok=True)
    home = folder / f"venv-spark-{version}"
    python = home / "bin" / "python"
    if not python.exists():
        print(f"Setting up PySpark {version}", flush=True)
        venv.create(home, with_pip=True)
        trust.for_python()
        command = [python, "-m", "pip", "install", "--quiet", f"pyspark=={version}", *wanted]
        subprocess.run(command, check=True, env=dict(os.environ))
    return python


def with_sparklance(python: Path) -> Path:
    """Returns this Python, which imports our package from this checkout by now."""
    command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--editable", ROOT]
    trust.for_python()
    subprocess.run(command, check=True, env=os.environ | {"HATCH_BUILD_NO_HOOKS": "true"})
    return python


def jars(folder: Path, coordinates: list[str]) -> list[Path]:
    found = [folder / f"{coordinate.split(':')[1]}.jar" for coordinate in coordinates]
    for coordinate, jar in zip(coordinates, found, strict=True):
        if not jar.exists():
            part = jar.with_suffix(".part")
            sbt.fetch(coordinate, part)
            part.rename(jar)
    return found
