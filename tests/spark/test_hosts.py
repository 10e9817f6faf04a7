"""Session catalogs of hosts: Hive's metastore, and a Spark that loads no extension."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sparklance.session import jar_path

pytestmark = pytest.mark.process

HOSTS = Path(__file__).with_name("hosts.py")
EXTENSION = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"


def run(kind: str, jar: Path, directory: Path) -> None:
    command = [sys.executable, str(HOSTS), kind, str(jar), str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=directory)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{kind}: fine"


@pytest.mark.long
def test_a_hive_metastore(tmp_path: Path) -> None:
    run("hive", jar_path(), tmp_path)


def test_two_settings_stand_for_the_extension(tmp_path: Path) -> None:
    bare = tmp_path / "bare.jar"
    with zipfile.ZipFile(jar_path()) as whole, zipfile.ZipFile(bare, "w") as part:
        for entry in whole.infolist():
            if entry.filename != EXTENSION:
                part.writestr(entry, whole.read(entry))
        assert EXTENSION in whole.namelist()
    run("bare", bare, tmp_path)
