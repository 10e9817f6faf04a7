"""All that works in a classic session works over Spark Connect: on a local server, in a process of its own.

`./dev test --full` runs there all tests that have a session, but those marked `classic`; otherwise some.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOME = ["tests/python/test_dataset.py", "tests/python/test_doctests.py"]
IN_SPARK = ("bad_input", "bad_schemas_and_values", "changes", "procedures", "sql")
ALL = [
    *SOME,
    "tests/python/test_literals.py",
    "tests/python/test_maintenance.py",
    *(f"tests/spark/test_{name}.py" for name in IN_SPARK),
    "tests/interop",
]


def test_the_suites_pass_over_connect(full: bool) -> None:
    pytest.importorskip("grpc_status", reason="PySpark's extra 'connect' is not installed")
    chosen = ALL if full else [*SOME, "-k", "metadata or tags or taking or without_a_commit or readme"]
    env = {**os.environ, "SPARKLANCE_TEST_REMOTE": "local[2]"}
    # The matrix of types takes as long as all others, and shows nothing more of Connect.
    arguments = ["-q", "-p", "no:cacheprovider", "--deselect", "tests/interop/test_matrix.py", *chosen]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, timeout=5400
    )
    assert done.returncode == 0, done.stdout + done.stderr
