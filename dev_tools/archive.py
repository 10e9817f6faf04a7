"""An archive of the classes that Spark loads: with it, a JVM of a test starts in two thirds of the processor time.

Its classes are parsed and verified already. A JVM with another class path starts without it.
"""

import os
import subprocess
import sys
from pathlib import Path

from dev_tools import java, venv
from dev_tools.processes import python_environment

# Queries that load what most tests need of Spark.
PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.range(100).selectExpr("id", "CAST(id AS STRING) AS text").createOrReplaceTempView("t")
query = "SELECT a.text, count(*), max(b.id) FROM t AS a JOIN t AS b ON a.id = b.id WHERE a.id > 3 GROUP BY a.text"
spark.sql(query + " ORDER BY 2").collect()
spark.createDataFrame([(1, "a")], "id BIGINT, text STRING").toPandas()
spark.stop()
# The JVM writes the archive at its end. Its processor time counts once it is waited for.
gateway = spark.sparkContext._gateway
gateway.shutdown()
gateway.proc.stdin.close()
gateway.proc.wait()
"""


def file() -> Path:
    """Returns where the archive is for the Java that tests run on and the packages that are installed."""
    version, _ = java.described(str(java.runtime() / "bin" / "java"))
    return venv.HOME / f"classes-{version}-{venv.digest()[:12]}.jsa"


def make() -> None:
    """Makes it if it is absent. Tests also pass without it, so it may fail."""
    archive = file()
    if archive.exists():
        return
    for outdated in archive.parent.glob("*.jsa"):
        outdated.unlink()
    part = archive.with_suffix(f".{os.getpid()}")
    options = quick(f"-XX:ArchiveClassesAtExit={part}")
    subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=python_environment() | {"JDK_JAVA_OPTIONS": options},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    if part.exists():
        part.rename(archive)


def options() -> str:
    """Returns options for JVMs that run short queries. C2 and collector threads take half of their processor time."""
    return quick(*([f"-XX:SharedArchiveFile={file()}"] if file().exists() else []))


def quick(*others: str) -> str:
    # Without the warnings, which go to the standard output, that a class or an archive is left out.
    silent = ["-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off"]
    return " ".join(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *java.ROOM, *silent, *others])
