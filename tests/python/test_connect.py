"""All that works in a classic session works over Spark Connect: on a local server, in a process of its own.

`./dev test --full` runs there all tests that have a session, but those marked `classic`; otherwise some.
"""

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from sparklance.session import jar_path
from tests import connect

ROOT = Path(__file__).parents[2]
SOME = [
    *(f"tests/python/test_{name}.py" for name in ("dataset", "doctests", "errors", "vector_queries")),
    "tests/interop/test_shared_catalogs.py",
]
IN_SPARK = ("bad_input", "bad_schemas_and_values", "changes", "procedures", "sql")
ALL = [
    *SOME,
    "tests/python/test_inputs.py",
    "tests/python/test_literals.py",
    "tests/python/test_maintenance.py",
    *(f"tests/spark/test_{name}.py" for name in IN_SPARK),
    "tests/interop",
]


SETTINGS = {"driver_memory": "2g", "ui_enabled": "false", "sql_shuffle_partitions": "2", "sql_session_timeZone": "UTC"}


@pytest.mark.process
def test_the_suites_pass_over_connect(full: bool, tmp_path: Path) -> None:
    pytest.importorskip("grpc_status", reason="PySpark's extra 'connect' is not installed")
    chosen = (
        ALL
        if full
        else [
            *SOME,
            "-k",
            "metadata or tags or taking or without_a_commit or readme or (errors and one_line) or branches_of_both",
        ]
    )
    # The matrix of types takes as long as all others, and shows nothing more of Connect.
    arguments = ["-q", "-p", "no:cacheprovider", "--deselect", "tests/interop/test_matrix.py", *chosen]
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    settings = {**SETTINGS, "sql_warehouse_dir": str(tmp_path / "warehouse")}
    with connect.server(submit, str(jar_path()), tmp_path, os.environ, **settings) as address:
        env = {**os.environ, "SPARKLANCE_TEST_REMOTE": address}
        command = [sys.executable, "-m", "pytest", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=5400)
    assert done.returncode == 0, done.stdout + done.stderr
