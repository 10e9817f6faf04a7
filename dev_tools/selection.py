"""Finds the tests that a command line names, or that changed files can reach: Scala suites and modules of pytest."""

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dev_tools import ROOT, SetupError, modules

SOURCE = re.compile(r"jvm/(\w+)/src/(main|test)/")
SUITES = "src/test/**/*.scala"
IMPORT_TABLE = "jvm/spark/src/test/scala/io/sparklance/ImportTable.scala"
OURS = "io.sparklance"


@dataclass(frozen=True)
class Selection:
    """Commands of sbt and arguments of pytest that run the chosen tests; a side without any does not run."""

    sbt: tuple[str, ...] = ()
    pytest: tuple[str, ...] = ()

    def __add__(self, other: "Selection") -> "Selection":
        return Selection(self.sbt + other.sbt, self.pytest + other.pytest)


def named(argument: str) -> Selection | None:
    """Returns the tests of a path or a class, of which "::" may name one; None for an argument of another kind."""
    home, _, name = argument.partition("::")
    path = ROOT / home
    if home.endswith(".scala") and path.exists():
        return of_suites({path: suites_in(path)}, name)
    if path.exists() and path.is_relative_to(ROOT / "tests"):
        return Selection(pytest=(argument,))
    if not re.fullmatch(r"[A-Z]\w*", home):
        return None
    found = {file: [home] for file in ROOT.glob(f"jvm/*/{SUITES}") if home in suites_in(file)}
    if not found and not home.endswith("Suite"):
        return None
    if not found:
        raise SetupError(f"No Scala suite has the name {home}. Give the name of its class, or a path below tests/.")
    return of_suites(found, name)


def suites_in(file: Path) -> list[str]:
    """The classes of this file that are suites, as far as their names or parents say so."""
    classes = re.findall(r"^(?:final )?class (\w+)([^{\n]*(?:\n +(?:extends|with) [^{\n]*)*)", file.read_text(), re.M)
    return [name for name, parents in classes if name.endswith("Suite") or re.search(r"Suite|Tests\b", parents)]


def of_suites(suites: dict[Path, list[str]], test: str = "") -> Selection:
    by_module: dict[str, list[str]] = {}
    for file, names in sorted(suites.items()):
        by_module.setdefault(module_of(file), []).extend(f"*.{name}" for name in names)
    one = f' -- -t "{test}"' if test else ""
    return Selection(sbt=tuple(f"{module}/testOnly {' '.join(names)}{one}" for module, names in by_module.items()))


def changed(since: str) -> Selection:
    """Returns the tests that files reach which differ from this commit."""
    files = changed_files(since)
    of_jar = modules.below(modules.TOP)
    is_main_changed = any(source.is_main and source.module in of_jar for source in sources(files))
    return of_suites(reached_suites(files)) + Selection(pytest=tuple(pytest_modules(files, is_main_changed)))


def reached_suites(files: set[str]) -> dict[Path, list[str]]:
    """Returns the suites among these files, and those of modules above that use a package of one. A file of main code
    without a package, such as an exception, reaches all suites of these modules."""
    changed = sources(files)
    table = import_table((ROOT / IMPORT_TABLE).read_text())
    reached = reach({source.package for source in changed if source.is_main}, table)
    reached |= {source.package for source in changed if not source.is_main and not source.is_suite}
    whole = modules.above({source.module for source in changed if source.is_main and not source.package})
    return {
        file: found
        for module in modules.above({source.module for source in changed})
        for file in ROOT.glob(f"jvm/{module}/{SUITES}")
        if (found := suites_in(file)) and (relative(file) in files or module in whole or uses(file) & (reached - {""}))
    }


def changed_files(since: str) -> set[str]:
    commands = ["git", "diff", "--name-only", since], ["git", "ls-files", "--others", "--exclude-standard"]
    done = [subprocess.run(command, cwd=ROOT, capture_output=True, text=True) for command in commands]
    for each in done:
        if each.returncode:
            raise SetupError(f"git cannot tell what changed since '{since}': {each.stderr.strip()}")
    return {line for each in done for line in each.stdout.splitlines()}


def pytest_modules(files: Iterable[str], is_main_changed: bool) -> list[str]:
    """All modules if main code changed: tests from outside reach nearly everything. Else those that changed."""
    files = set(files)
    if is_main_changed or any(name.startswith(("python/", "protos/")) for name in files):
        return ["tests"]
    folders = {name.rpartition("/")[0] for name in files if re.match(r"tests/.*\.py$", name) and not is_module(name)}
    modules = {name for name in files if is_module(name) and (ROOT / name).exists()}
    if any(name.endswith(".md") for name in files):
        modules |= {"tests/python/test_pages.py", "tests/python/test_dev.py"}
    if any(name.startswith(("dev_tools/", "benchmarks/")) for name in files):
        modules |= {"tests/python/test_dev.py", "tests/python/test_dev_test.py"}
    return sorted(folders | {name for name in modules if name.rpartition("/")[0] not in folders})


def is_module(name: str) -> bool:
    return re.fullmatch(r"tests/(?:.*/)?test_\w+\.py", name) is not None


def reach(packages: set[str], table: dict[str, set[str]]) -> set[str]:
    """Returns these packages and all that use one of them, directly or not."""
    reached = set(packages)
    while more := {home for home, used in table.items() if used & reached} - reached:
        reached |= more
    return reached


def import_table(text: str) -> dict[str, set[str]]:
    """Reads which packages each package may use: the rows of ImportTable, without libraries."""
    rows = re.findall(r'Row\(\s*"([\w.]+)",\s*((?:"[\w. ]*"(?:\s*\+\s*)?)+)', text)
    return {home: set("".join(re.findall(r'"([^"]*)"', packages)).split()) for home, packages in rows}


def uses(file: Path) -> set[str]:
    """The package of a suite, and those that it imports."""
    imported = re.findall(rf"^import {re.escape(OURS)}\.((?:[a-z]\w*\.?)+)", file.read_text(), re.M)
    return {package_of(file), *(name.rstrip(".") for name in imported)}


@dataclass(frozen=True)
class Source:
    """A file of a module."""

    module: str
    package: str
    is_main: bool
    is_suite: bool


def sources(files: Iterable[str]) -> list[Source]:
    """Returns the files among these that are of a module."""
    found = [(name, match) for name in files if (match := SOURCE.match(name))]
    return [
        Source(match[1], package_of(Path(name)), match[2] == "main", name.endswith("Suite.scala"))
        for name, match in found
    ]


def package_of(file: Path) -> str:
    """The package of a file below the root package."""
    return file.parent.as_posix().partition(OURS.replace(".", "/"))[2].strip("/").replace("/", ".")


def module_of(file: Path) -> str:
    return file.relative_to(ROOT).parts[1]


def relative(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()
