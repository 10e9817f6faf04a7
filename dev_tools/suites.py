"""Reads failures of the Scala suites: sbt leaves a JUnit file for each suite."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from dev_tools import ROOT


def forget() -> None:
    """Removes the files of earlier runs."""
    for file in files():
        file.unlink()


def failures() -> Iterator[str]:
    """A line for each test that failed: its suite, its name, and what was wrong."""
    for file in files():
        try:
            suite = ElementTree.parse(file)
        except ElementTree.ParseError as error:
            yield f"{file.stem}: its report was cut off: {error}"
            continue
        for test in suite.iter("testcase"):
            for problem in [*test.iter("failure"), *test.iter("error")]:
                yield f"{test.get('classname')}: {test.get('name')}: {problem.get('message')}"


def files() -> list[Path]:
    return sorted(ROOT.glob("jvm/*/target/test-reports/TEST-*.xml"))
