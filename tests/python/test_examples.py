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


def test_hybrid_search_finds_texts_by_words_and_vectors(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "hybrid_search.py"), str(tmp_path)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Texts with the words 'compress file'" in done.stdout
    assert "*Compress*" in done.stdout or "*compress" in done.stdout
    alike = done.stdout.split("-- Texts that are alike the one of GzipFile")[1].split("-- Both")[0]
    assert "GzipFile" in alike
    both = done.stdout.split("-- Both")[1].split("texts|")[0]
    assert "_relevance_score" in both
    assert "|gzip" not in both
