"""Reads how each test ended and how long it took: sbt leaves a JUnit file for each suite, pytest one for all."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from dev_tools import CACHE, ROOT

PYTEST = CACHE / "pytest.xml"


@dataclass(frozen=True)
class Result:
    """One test: the class or file that has it, its name, its seconds, and what was wrong, if it failed."""

    home: str
    name: str
    seconds: float
    problem: str | None

    @property
    def test(self) -> str:
        """The test as `./dev test` takes it."""
        return f"{self.home if self.home.endswith('.py') else self.home.rpartition('.')[2]}::{self.name}"


def forget() -> None:
    """Removes the files of earlier runs."""
    for file in [*scala_files(), PYTEST]:
        file.unlink(missing_ok=True)


def failures() -> Iterator[str]:
    """Two lines for each Scala test that failed: what was wrong, and the command that repeats it."""
    for file in scala_files():
        for result in of_file(file):
            if result.problem is not None:
                yield f"{result.home}: {result.name}: {result.problem}"
                yield f"  Repeat it by: ./dev test {shlex.quote(result.test)}"


def of_all() -> list[Result]:
    return [result for file in [*scala_files(), *filter(Path.exists, [PYTEST])] for result in of_file(file)]


def of_file(file: Path) -> list[Result]:
    try:
        report = ElementTree.parse(file)
    except ElementTree.ParseError as error:
        return [Result(file.stem, "", 0.0, f"its report was cut off: {error}")]
    return [result(test) for test in report.iter("testcase")]


def result(test: ElementTree.Element) -> Result:
    problems = [problem.get("message") or "" for kind in ("failure", "error") for problem in test.iter(kind)]
    # pytest names the file of a test, sbt does not.
    home = test.get("file") or test.get("classname") or ""
    return Result(home, test.get("name") or "", float(test.get("time") or 0), problems[0] if problems else None)


def scala_files() -> list[Path]:
    return sorted(ROOT.glob("jvm/*/target/test-reports/TEST-*.xml"))
