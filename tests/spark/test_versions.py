"""The same jar on the oldest and the newest Spark that we support."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from sparklance.session import jar_path

SMOKE = Path(__file__).with_name("smoke.py")


def run_smoke(python: str) -> str:
    done = subprocess.run([python, str(SMOKE), str(jar_path())], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-1]


def test_works_on_the_installed_spark() -> None:
    assert run_smoke(sys.executable).startswith("sparklance works on Spark 4.")


@pytest.mark.skipif("SPARKLANCE_TEST_FULL" not in os.environ, reason="installs another Spark: ./dev test --full")
@pytest.mark.parametrize("version", ["4.0.1"])
def test_works_on_other_sparks(tmp_path: Path, version: str) -> None:
    venv.create(tmp_path, with_pip=True)
    python = str(tmp_path / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"pyspark=={version}"], check=True)
    assert run_smoke(python) == f"sparklance works on Spark {version}"
