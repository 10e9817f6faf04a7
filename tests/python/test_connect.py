"""`LanceDataset` works over Spark Connect: on a local server, in a process of its own.

`./dev test --full` runs all of its tests there, otherwise some.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_the_suite_of_the_dataset_passes_over_connect(full: bool) -> None:
    pytest.importorskip("grpc_status", reason="PySpark's extra 'connect' is not installed")
    files = [str(HERE / name) for name in ("test_dataset.py", "test_doctests.py")]
    env = {**os.environ, "SPARKLANCE_TEST_REMOTE": "local[2]"}
    arguments = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files]
    if not full:
        arguments += ["-k", "metadata or tags or taking or without_a_commit or readme"]
    done = subprocess.run(arguments, cwd=HERE.parents[1], env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
