"""The pages of format coverage name what the code knows: no more, no less. records/formats.md names the tests."""

import re

import pytest

from dev_tools import ROOT

NAMES = ("docs/format-coverage.md", "docs/format-coverage-encodings.md", "docs/format-coverage-types.md")
PAGES = "".join((ROOT / name).read_text() for name in NAMES)
RECORD = (ROOT / "records/formats.md").read_text()
JVM = ROOT / "jvm"
MAIN = "src/main/scala/io/sparklance"


def section(title: str, text: str = PAGES) -> str:
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_cells(title: str, text: str = PAGES) -> list[str]:
    """Returns the names in backticks in the first column of a section's tables."""
    rows = [line.split("|")[1] for line in section(title, text).splitlines() if line.startswith("|")]
    return [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]


def oneof(proto: str, message: str) -> set[str]:
    text = (ROOT / "protos" / proto).read_text()
    body = text.split(f"\nmessage {message} {{")[1].split("\n}")[0].split("oneof ")[1]
    return set(re.findall(r"^\s+\w+ (\w+) = \d+;", body, re.MULTILINE))


def test_lists_every_compression() -> None:
    assert first_cells("Compressions") == list(dict.fromkeys(first_cells("Compressions")))
    assert set(first_cells("Compressions")) == oneof("encodings_v2_1.proto", "CompressiveEncoding")


def test_lists_every_page_layout() -> None:
    assert set(first_cells("Page layouts")) == oneof("encodings_v2_1.proto", "PageLayout")


def test_lists_every_array_encoding_of_2_0() -> None:
    assert set(first_cells("Arrays of version 2.0")) == oneof("encodings_v2_0.proto", "ArrayEncoding")


def test_lists_every_type() -> None:
    source = (JVM / "format" / MAIN / "schema/LogicalType.scala").read_text()
    cases = re.findall(r"case (?:object|class) (\w+)[^\n]* extends LogicalType", source)
    assert sorted(first_cells("Types")) == sorted(cases)


def test_lists_every_kind_of_index() -> None:
    sources = JVM / "search" / MAIN
    kinds = ("index/IndexKind.scala", "index/vector/build/VectorIndexKind.scala")
    names = {name for kind in kinds for name in re.findall(r'IndexKind\("([A-Z_]+)"', (sources / kind).read_text())}
    assert sorted(first_cells("Indices")) == sorted(names | {"INVERTED"})


def test_lists_every_feature_flag_by_its_name() -> None:
    source = (JVM / "table" / MAIN / "table/FeatureFlags.scala").read_text()
    names = re.findall(r'"([^"]+)"', source.split("names: Vector[String] = Vector(")[1].split(")\n")[0])
    listed = {int(bit): name for bit, name in re.findall(r"\bbit (\d+), ([^|;]+?)(?:;| \|)", section("Tables"))}
    assert listed == dict(enumerate(names))


def test_lists_every_file_version_as_the_code_supports_it() -> None:
    source = (JVM / "format" / MAIN / "data/FileVersion.scala").read_text()
    supported = {f"{major}.{minor}" for major, minor in re.findall(r"extends FileVersion\((\d), (\d)\)", source)}
    rows = re.findall(r"^\| (\d\.\d)[^|]*\| (✅|❌)", section("File versions"), re.MULTILINE)
    assert {version for version, read in rows if read == "✅"} == supported


@pytest.mark.parametrize("title", ["Page layouts", "Compressions", "Indices"])
def test_each_name_has_its_tests_in_the_record(title: str) -> None:
    assert set(first_cells(title, RECORD)) == set(first_cells(title))


@pytest.mark.parametrize("suite", sorted(set(re.findall(r"`(\w+Suite)`", RECORD))))
def test_the_suites_it_names_exist(suite: str) -> None:
    assert list(JVM.glob(f"*/src/test/scala/**/{suite}.scala"))


def test_the_golden_bytes_it_names_exist() -> None:
    lists = [JVM / "format/src/test/resources" / name for name in ("golden-pages.txt", "golden-arrays.txt")]
    pages = {line.split()[0] for path in lists for line in path.read_text().splitlines()}
    files = {path.stem for path in (ROOT / "tests/golden").glob("*.lance")}
    tables = {path.name for path in (JVM / "table/src/test/resources/golden/table").iterdir()}
    tables |= {path.name for path in (ROOT / "tests/golden/tables").iterdir()}
    cells = [cell for line in RECORD.splitlines() if line.startswith("|") for cell in line.split("|")]
    named = {
        name.split(" ")[0]
        for cell in cells
        for names in re.findall(r"\*(\w[^*`]*)\*", cell)
        for name in names.split(", ")
    }
    assert named
    assert named <= pages | files | tables
