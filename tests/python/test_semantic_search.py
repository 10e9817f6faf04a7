"""The example of a search by meaning, and its notebook."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Examples lie beside each other, not in a package."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield
    sys.modules.pop("semantic_search", None)


@pytest.mark.classic
@pytest.mark.usefixtures("importable")
def test_the_example_finds_texts_and_twins(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import semantic_search

    semantic_search.main(spark, tmp_path)
    shown = capsys.readouterr().out
    question, filtered, twins = shown.split("\n-- ")[1:4]
    assert "tempfile." in question or "mkdir" in question
    assert all(line.strip().startswith(("name", "os.", "shutil.")) for line in filtered.splitlines()[1:] if line)
    pairs = [line.split("|")[1:3] for line in twins.splitlines() if line.startswith("|")][1:]
    assert len(pairs) == 5
    assert all(a.strip() != b.strip() for a, b in pairs)
    assert (tmp_path / "semantic_search.svg").read_text().count("<circle") > 1000


@pytest.mark.classic
@pytest.mark.usefixtures("importable", "spark")
def test_the_notebook_runs() -> None:
    cells = json.loads((EXAMPLES / "semantic_search.ipynb").read_text())["cells"]
    scope: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)
    assert len(scope["found"]) == 5  # type: ignore[arg-type]
    assert scope["twins"].count() > 0  # type: ignore[attr-defined]
