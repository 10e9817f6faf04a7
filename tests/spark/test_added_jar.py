"""A jar that is added to a running session writes all rows, wherever its classes are loaded."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest

from sparklance.session import jar_path
from tests import connect
from tests.products import only

pytestmark = pytest.mark.process

PROGRAM = Path(__file__).with_name("added_jar.py")
#: With its executor in another process.
CLUSTER = "local-cluster[1,1,512]"


def run(kind: str, *arguments: str, cwd: Path) -> None:
    command = [sys.executable, str(PROGRAM), kind, str(jar_path()), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{kind}: fine"
    assert "ClassNotFoundException" not in done.stderr


def bin_folder() -> Path:
    return Path(pyspark.__file__).parent / "bin"


@pytest.mark.parametrize("master", only(["local[2]", CLUSTER], 1))
def test_add_jar_in_classic_spark(tmp_path: Path, master: str) -> None:
    run("add jar", str(tmp_path), master, cwd=tmp_path)


@pytest.mark.parametrize("added", only(["artifact", "add jar"], 0))
@pytest.mark.parametrize("master", only(["local[2]", CLUSTER], 0))
def test_a_jar_from_a_connect_client(tmp_path: Path, master: str, added: str) -> None:
    nothing = tmp_path / "nothing.jar"
    with zipfile.ZipFile(nothing, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    submit = bin_folder() / "spark-submit"
    settings = {"executor_memory": "512m", "sql_warehouse_dir": f"{tmp_path}/warehouse"}
    settings |= {"ui_enabled": "false", "sql_shuffle_partitions": "2"}
    with connect.server(submit, str(nothing), tmp_path, os.environ, master=master, **settings) as address:
        run("connect", str(tmp_path), address, added, cwd=tmp_path)


@pytest.mark.long
def test_the_spark_shell_needs_the_jar_when_it_starts(tmp_path: Path) -> None:
    typed = f"""
spark.sql("ADD JAR '{jar_path()}'")
spark.range(15).write.format("lance").save("{tmp_path}/t")
"""
    command = [str(bin_folder() / "spark-shell"), "--master", "local[2]"]
    done = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=600, cwd=tmp_path)
    assert "[DATA_SOURCE_NOT_FOUND] Failed to find the data source: lance" in done.stdout, done.stdout + done.stderr
    assert not (tmp_path / "t").exists()
