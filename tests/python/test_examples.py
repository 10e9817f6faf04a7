"""The examples run as they stand."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_quickstart_shows_that_spark_and_pylance_agree() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "quickstart.py")], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning:" not in done.stderr
    assert "version 2 has 336,776 rows" in done.stdout
    assert "pylance sees version 3 with 328,521 rows" in done.stdout
