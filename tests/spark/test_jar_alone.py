"""The jar alone, on the installed Spark: `./dev test --spark 4.0` runs this, and all tests, on another one."""

import subprocess
import sys
from pathlib import Path

import pytest

from sparklance.session import jar_path

pytestmark = pytest.mark.process

SMOKE = Path(__file__).with_name("smoke.py")


def test_works_without_the_python_package() -> None:
    done = subprocess.run([sys.executable, str(SMOKE), str(jar_path())], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("sparklance works on Spark 4.")
