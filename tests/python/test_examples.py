"""The examples run as they stand: in a process of their own, or in the session of the tests."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], spark: SparkSession, full: bool) -> "Run":
    return Run(monkeypatch, capfd, alone=full)


class Run:
    """Runs an example and returns what it prints: with `alone`, in a process of its own, as users do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], alone: bool) -> None:
        self._monkeypatch, self._capfd, self._alone = monkeypatch, capfd, alone

    def __call__(self, name: str, *arguments: str) -> str:
        program = str(EXAMPLES / name)
        if self._alone:
            done = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, timeout=600)
            assert done.returncode == 0, done.stdout + done.stderr
            assert "Warning:" not in done.stderr
            return done.stdout
        # The session belongs to the other tests.
        self._monkeypatch.setattr(SparkSession, "stop", lambda session: None)
        self._monkeypatch.setattr(sys, "argv", [program, *arguments])
        self._monkeypatch.syspath_prepend(str(EXAMPLES))
        runpy.run_path(program, run_name="__main__")
        return self._capfd.readouterr().out


@pytest.mark.classic("the examples make a classic session")
def test_quickstart_shows_that_spark_and_pylance_agree(run: Run) -> None:
    shown = run("quickstart.py")
    assert "version 2 has 336,776 rows" in shown
    assert "pylance sees version 3 with 328,521 rows" in shown


@pytest.mark.classic("the examples make a classic session")
def test_hybrid_search_finds_texts_by_words_and_vectors(run: Run, tmp_path: Path) -> None:
    shown = run("hybrid_search.py", str(tmp_path))
    assert "Texts with the words 'compress file'" in shown
    assert "*Compress*" in shown or "*compress" in shown
    alike = shown.split("-- Texts that are alike the one of GzipFile")[1].split("-- Both")[0]
    assert "GzipFile" in alike
    both = shown.split("-- Both")[1].split("texts|")[0]
    assert "_relevance_score" in both
    assert "|gzip" not in both


@pytest.mark.classic("the examples make a classic session")
def test_commits_adds_the_rows_of_two_writers_at_once(run: Run) -> None:
    shown = run("commits.py")
    assert "readers see 1,000 rows" in shown
    assert "version 2 has 2,000 rows: import of today" in shown
    assert "refused: RetryableCommitConflictException\nstill 2,000 rows" in shown


@pytest.mark.classic("the examples make a classic session")
def test_restore_takes_a_delete_back(run: Run) -> None:
    shown = run("restore.py")
    assert "lost 250 rows of state 2\nlost 250 rows of state 3\nversion 4 has 750 rows" in shown
    assert shown.endswith("1 WRITE\n2 DELETE\n3 RESTORE\n4 DELETE\n")


@pytest.mark.classic("the examples make a classic session")
def test_schema_evolution_fills_new_columns_of_old_rows(run: Run) -> None:
    shown = run("schema_evolution.py")
    assert "2 rows have no currency" in shown
    assert "1 lamp 30 USD 4\n2 desk 200 USD 4\n3 chair 80 EUR 5" in shown
    assert "version 1 still has struct<id:bigint,name:string,cents:int>" in shown
