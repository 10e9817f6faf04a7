"""The conformance matrix, and the page that it keeps true: records/interop.md."""

import re
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from dev_tools import ROOT
from tests.interop.matrix.by_release import write
from tests.interop.matrix.releases import RELEASES, written_by
from tests.interop.matrix.report import Results, head, marks, page
from tests.interop.matrix.tables import OLDER, SHORT, SIZES, Size, short_tables, table, type_of
from tests.interop.matrix.types import TYPES
from tests.interop.matrix.verdicts import Case, Outcome, judge
from tests.products import ends

pytestmark = pytest.mark.slow

PAGE = ROOT / "records/interop.md"
VERSIONS = ["2.0", "2.1", "2.2"]


def by_current(
    spark: SparkSession, folder: Path, version: str, sizes: dict[str, Size], tables: dict[str, pa.Table] | None = None
) -> dict:
    outcomes: dict[tuple[str, str], Outcome] = {}
    for name, size in sizes.items():
        made = tables[name] if tables else table(size)
        path = str(folder / f"{name} {version}.lance")
        case = Case(made, path, write(made, path, version, size.page_bytes), pa.table({}))
        outcomes |= {(name, column): outcome for column, outcome in judge(spark, case).items()}
    return outcomes


def by_older(spark: SparkSession, folder: Path, release: str, version: str) -> dict:
    folder.mkdir()
    tables = {name: (size, table(size)) for name, size in OLDER.items()}
    cases = written_by(release, version, tables, folder)
    return {(name, column): o for name, case in cases.items() for column, o in judge(spark, case).items()}


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_spark_reads_what_the_current_release_writes(spark: SparkSession, tmp_path: Path, version: str) -> None:
    """Compares each type with the page: whatever else is found is wrong, or news for the page."""
    rows = {cells[0].strip(" `"): cells[1:] for cells in tables_of_types()}
    at = VERSIONS.index(version)
    found = by_current(spark, tmp_path, version, SHORT, short_tables())
    for name in TYPES:
        here = marks(outcome for (_, column), outcome in found.items() if type_of(column) == name)
        told = rows[name][at].split()
        assert set(here.split()) <= set(told), f"{name} in {version} is {here}, on the page {told}"


def tables_of_types() -> list[list[str]]:
    section = PAGE.read_text().split("\n## Types\n")[1].split("\n## ")[0]
    return [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]


def test_the_page_names_all_types_and_the_current_release() -> None:
    assert [cells[0].strip(" `") for cells in tables_of_types()] == list(TYPES)
    compared = re.findall(r"^\| (\d[\d.]+) \| (\d\.\d)", PAGE.read_text(), re.MULTILINE)
    assert compared[-len(VERSIONS) :] == [(lance.__version__, version) for version in VERSIONS]


def test_the_page_begins_as_the_report_writes_it() -> None:
    assert PAGE.read_text().startswith(f"{head(lance.__version__)}\n## Releases\n")


@pytest.mark.long
def test_writes_the_page_from_all_releases(spark: SparkSession, tmp_path: Path) -> None:
    results: Results = {}
    for release, (stable, unstable) in RELEASES.items():
        for version in (*stable, *unstable):
            results[release, version] = by_older(spark, tmp_path / f"{release} {version}", release, version)
    for version in VERSIONS:
        results[lance.__version__, version] = by_current(spark, tmp_path, version, SIZES)
    before, now = PAGE.read_text(), page(lance.__version__, results)
    PAGE.write_text(now)
    assert now == before, "records/interop.md was not up to date and is now: look at the difference and commit it"
