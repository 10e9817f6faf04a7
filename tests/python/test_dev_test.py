"""`./dev test`: which tests run, in which ring, and what is printed of their times."""

import os
import sys
from pathlib import Path

import pytest

from dev_tools import ROOT, SetupError, modules, results, rings, selection, testing
from dev_tools.aside import Aside
from dev_tools.parts import Part, Parts, slowest
from dev_tools.results import Result
from dev_tools.rings import Ring
from dev_tools.selection import Selection


def test_each_ring_has_the_tests_of_the_ones_before_it():
    fast, everyday, full = (set(rings.left_out(ring)) for ring in Ring)
    assert fast > everyday > full == set()
    build = (ROOT / "build.sbt").read_text()
    tags = {"slow": "org.scalatest.tags.Slow"}
    assert all(f'"{tags.get(marker, marker)}"' in build for marker in rings.LEFT_OUT)


def test_the_markers_of_rings_are_those_of_pytest(pytestconfig: pytest.Config):
    known = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert known >= set(rings.LEFT_OUT)


@pytest.mark.parametrize("text", ["", "2", "0/5", "6/5", "a/5", "1/b", "-1/2"])
def test_a_part_that_does_not_exist_is_refused(text):
    with pytest.raises(ValueError, match="such as 2/5"):
        rings.parsed_part(text)


def test_each_module_is_in_one_part():
    modules = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("tests/**/test_*.py")]
    counts = [sum(rings.is_in_part(name, number, 5) for number in range(1, 6)) for name in modules]
    assert set(counts) == {1}
    assert all(any(rings.is_in_part(name, number, 5) for name in modules) for number in range(1, 6))


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("FlatSuite", Selection(sbt=("format/testOnly *.FlatSuite",))),
        ("FlatSuite::a name", Selection(sbt=('format/testOnly *.FlatSuite -- -t "a name"',))),
        (
            "jvm/format/src/test/scala/io/sparklance/encoding/physical/FlatSuite.scala",
            Selection(sbt=("format/testOnly *.FlatSuite",)),
        ),
        ("DescribeTable", Selection(sbt=("suites/testOnly *.DescribeTable",))),
        ("tests/python/test_dev.py", Selection(pytest=("tests/python/test_dev.py",))),
        ("tests/python/test_dev.py::test_a", Selection(pytest=("tests/python/test_dev.py::test_a",))),
        ("-k", None),
        ("README.md", None),
        ("Nothing", None),
    ],
)
def test_a_path_or_class_finds_its_side(argument, expected):
    assert selection.named(argument) == expected


def test_a_suite_that_does_not_exist_is_an_error():
    with pytest.raises(SetupError, match="No Scala suite has the name FlutSuite"):
        selection.named("FlutSuite")


def test_arguments_of_pytest_leave_the_scala_side_out():
    options, tests = testing.parsed(["-k", "rows"])
    assert tests == Selection(pytest=("tests", "-k", "rows"))
    assert options.ring == Ring.EVERYDAY


def test_one_test_runs_whatever_its_ring():
    options, tests = testing.parsed(["tests/python/test_dev.py::test_a"])
    assert (options.ring, tests.sbt) == (Ring.FULL, ())
    assert testing.parsed(["tests/python/test_dev.py"])[0].ring == Ring.EVERYDAY


def test_a_whole_run_checks_formats_and_the_full_one_compiles_benchmarks():
    (_, fast), (_, everyday), (_, full) = map(testing.parsed, (["--fast"], [], ["--full"]))
    assert fast.sbt == ("all scalafmtCheckAll scalafmtSbtCheck core/test spark/test",)
    assert everyday.sbt == ("all scalafmtCheckAll scalafmtSbtCheck test",)
    assert full.sbt == ("all scalafmtCheckAll scalafmtSbtCheck benchmarks/Jmh/compile test",)
    assert fast.pytest == everyday.pytest == full.pytest == ("tests",)


def test_another_spark_runs_everything_but_the_checks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(testing.cell, "scala_options", lambda: [])
    options, tests = testing.parsed(["--full", "--spark", "4.0"])
    assert (options.is_whole, options.is_checked) == (True, False)
    assert tests.sbt == ("all test",)
    assert not testing.parsed(["--full", "--part", "1/2"])[0].is_whole


TABLE = """
    Row("data", ""),
    Row("schema", "data", protobuf),
    Row(
      "dataset.scan",
      "schema " +
        "io",
      spark
    ),
    Row("io", "", hadoop),
"""


def test_a_change_reaches_all_packages_above_it():
    table = selection.import_table(TABLE)
    assert table == {"data": set(), "schema": {"data"}, "dataset.scan": {"schema", "io"}, "io": set()}
    assert selection.reach({"data"}, table) == {"data", "schema", "dataset.scan"}
    assert selection.reach({"io"}, table) == {"io", "dataset.scan"}
    assert selection.reach(set(), table) == set()


def test_modules_are_those_of_the_build():
    assert modules.below("spark") == ["catalog", "dataset", "format", "search", "spark", "table"]
    assert modules.above({"search"}) == {"search", "core", "spark", "suites", "benchmarks"}
    folders = {path.relative_to(ROOT / "jvm").parts[0] for path in ROOT.glob("jvm/*/src")}
    assert folders <= modules.graph().keys()


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("search/src/main/scala/io/sparklance/index/text/Bm25.scala", {"search", "spark", "suites"}),
        ("catalog/src/main/scala/io/sparklance/namespace/TableDirectory.scala", {"catalog", "spark", "suites"}),
        ("table/src/main/scala/io/sparklance/rest/RestClient.scala", {"table", "catalog", "spark", "suites"}),
        ("search/src/main/java/org/A.java", {"search", "spark", "suites"}),
        ("dataset/src/test/scala/io/sparklance/testkit/FileFixtures.scala", {"dataset", "search", "catalog"}),
        ("format/src/test/scala/io/sparklance/encoding/physical/FlatSuite.scala", {"format"}),
    ],
)
def test_a_change_reaches_suites_of_its_module_and_those_above(file, expected):
    assert {selection.module_of(suite) for suite in selection.reached_suites({f"jvm/{file}"})} == expected


def test_the_import_table_is_read_whole():
    text = (ROOT / selection.IMPORT_TABLE).read_text()
    table = selection.import_table(text)
    # All but the declaration of the class, and its constructor's call.
    assert len(table) == text.count(" Row(") - 2
    assert table["spark"] > {"dataset", "spark.catalog"}


def test_suites_reach_what_they_import():
    suite = next(ROOT.glob("jvm/dataset/src/test/**/FilteredFragmentSuite.scala"))
    assert selection.uses(suite) > {"dataset.scan", "testkit"}


@pytest.mark.parametrize(
    ("files", "is_main_changed", "expected"),
    [
        ([], True, ["tests"]),
        (["python/sparklance/rows.py"], False, ["tests"]),
        (["tests/python/test_dev.py", "jvm/format/src/test/A.scala"], False, ["tests/python/test_dev.py"]),
        (["tests/interop/compare.py", "tests/interop/test_read.py"], False, ["tests/interop"]),
        (["tests/python/test_removed.py"], False, []),
        (["dev_tools/rings.py"], False, ["tests/python/test_dev.py", "tests/python/test_dev_test.py"]),
    ],
)
def test_changed_files_choose_modules(files, is_main_changed, expected):
    assert selection.pytest_modules(files, is_main_changed) == expected


def test_results_of_both_sides_are_read_alike(tmp_path: Path):
    (scala := tmp_path / "TEST-a.xml").write_text(
        '<testsuite><testcase classname="io.sparklance.ASuite" name="one" time="0.5"/></testsuite>'
    )
    (python := tmp_path / "pytest.xml").write_text(
        '<testsuites><testsuite><testcase file="tests/a.py" classname="tests.a" name="b[2.0]" time="2"/>'
        "</testsuite></testsuites>"
    )
    assert [result.test for file in (scala, python) for result in results.of_file(file)] == [
        "ASuite::one",
        "tests/a.py::b[2.0]",
    ]
    assert results.of_file(python) == [Result("tests/a.py", "b[2.0]", 2.0, None)]


def test_the_slowest_tests_and_homes_come_first():
    tests = [Result("a.py", "x", 1.0, None), Result("a.py", "y", 1.5, None), Result("b.py", "z", 2.0, None)]
    lines = slowest(tests, 2).splitlines()
    assert [line.split()[-1] for line in lines[1:3]] == ["b.py::z", "a.py::y"]
    assert [line.split() for line in lines[4:]] == [["2.5", "a.py", "(2)"], ["2.0", "b.py", "(1)"]]


def test_processor_time_of_a_command_is_known_at_its_end(tmp_path):
    code = "import time\nwhile time.process_time() < 0.3: pass"
    with Aside([sys.executable, "-c", code], dict(os.environ), tmp_path / "a.log") as aside:
        aside.wait()
    assert 0.3 <= aside.cpu < 30
    parts = Parts([Part("lint", 60.0, 90.0)])
    parts.add("busy", aside)
    assert parts.table().splitlines()[2] == "| lint | 1.0 | 1.5 |"
    assert parts.table().splitlines()[-1].startswith("| all | | 1.5 |")


def test_what_comes_before_the_last_line_is_printed_there(tmp_path, capsys):
    with Aside([sys.executable, "-c", "print('first'); print('last')"], dict(os.environ), tmp_path / "a.log") as aside:
        assert aside.follow(lambda: print("times")) == 0
    assert capsys.readouterr().out == "first\ntimes\nlast\n"
