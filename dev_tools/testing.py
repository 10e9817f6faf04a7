"""`./dev test`: lint, the documentation, the Scala suites and pytest, in the ring that is asked for."""

import argparse
import os
import sys
from contextlib import ExitStack

from dev_tools import CACHE, ROOT, archive, artifacts, cell, docs, lint, results, rings, sbt, selection, trust, venv
from dev_tools.aside import Aside
from dev_tools.parts import Parts, slowest
from dev_tools.processes import python, python_environment
from dev_tools.rings import Ring
from dev_tools.selection import Selection

STORE_PACKAGES = ["moto[server,s3,dynamodb]>=5.2", "boto3"]


def run(arguments: list[str]) -> int:
    options, tests = parsed(arguments)
    if options.spark and options.spark != venv.SPARK:
        os.environ[venv.SPARK_VARIABLE] = options.spark
        os.execv(ROOT / "dev", ["dev", "test", *arguments])
    if options.java:
        cell.choose_java(options.java)
    os.environ[rings.VARIABLE] = options.ring
    if options.part:
        os.environ[rings.PART_VARIABLE] = options.part
    results.forget()
    return TestRun(options, tests).run()


def parsed(arguments: list[str]) -> tuple[argparse.Namespace, Selection]:
    """Reads the options of `test`, and the tests that they and the other arguments choose."""
    options, others = parser().parse_known_args(arguments)
    cell.check(options.spark, options.java)
    found = [(argument, selection.named(argument)) for argument in others]
    chosen = [tests for _, tests in found if tests]
    for_pytest = [argument for argument, tests in found if not tests]
    if options.scala and for_pytest:
        parser().error(f"--scala does not run pytest, so it takes nothing for it: {' '.join(for_pytest)}")
    if options.changed:
        chosen.append(selection.changed(options.changed))
    # One test that is asked for by its name runs, whatever its ring.
    is_one = any("::" in argument for argument in others)
    options.ring = options.ring or (Ring.FULL if is_one else Ring.EVERYDAY)
    options.is_whole = not (chosen or for_pytest or options.part)
    # Types, formats and benchmarks are checked with the Spark that we develop with.
    options.is_checked = options.is_whole and not (options.spark or options.java)
    tests = sum(chosen, Selection()) if chosen else whole(options.ring, options.is_checked)
    # Arguments of pytest are about the Python side.
    is_python = options.python or (for_pytest and not chosen)
    return options, Selection(
        sbt=() if is_python else (*cell.scala_options(), *tests.sbt) if tests.sbt else (),
        pytest=() if options.scala else (*tests.pytest, *for_pytest) if tests.pytest else (),
    )


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./dev test", allow_abbrev=False)
    side = parser.add_mutually_exclusive_group()
    side.add_argument("--python", action="store_true", help="the Python side only")
    side.add_argument("--scala", action="store_true", help="the Scala side only")
    ring = parser.add_mutually_exclusive_group()
    ring.add_argument("--fast", dest="ring", action="store_const", const=Ring.FAST, help="for the loop of a developer")
    ring.add_argument("--full", dest="ring", action="store_const", const=Ring.FULL, help="cross products, long forms")
    parser.add_argument("--part", metavar="N/M", type=part, help="only the Nth of M parts of the suites and modules")
    parser.add_argument("--changed", metavar="COMMIT", nargs="?", const="HEAD", help="what changed files can reach")
    parser.add_argument("--slowest", action="store_true", help="print the forty slowest tests, suites and modules")
    parser.add_argument("--spark", metavar="VERSION", help="on this Spark, in an environment of its own")
    parser.add_argument("--java", metavar="VERSION", type=int, help="on this Java, fetched if the machine has none")
    return parser


def part(text: str) -> str:
    try:
        rings.parsed_part(text)
    except ValueError as e:
        raise argparse.ArgumentTypeError(str(e)) from e
    return text


def whole(ring: Ring, is_checked: bool) -> Selection:
    checks = [*sbt.FORMATS, *(["benchmarks/Jmh/compile"] if ring == Ring.FULL else [])] if is_checked else []
    tests = ["core/test", "spark/test"] if ring == Ring.FAST else ["test"]
    return Selection(sbt=(" ".join(["all", *checks, *tests]),), pytest=("tests",))


class TestRun:
    """One run: sbt builds the jar and runs the suites; beside it run what else there is to set up, lint, and pytest."""

    def __init__(self, options: argparse.Namespace, tests: Selection) -> None:
        self._options = options
        self._tests = tests
        self._parts = Parts()
        self._codes: dict[str, int] = {}

    def run(self) -> int:
        with ExitStack() as running:
            is_built = not self._tests.pytest or artifacts.is_current()
            commands = [*([] if is_built else artifacts.commands()), *self._tests.sbt]
            suites = running.enter_context(Aside(sbt.command(commands), sbt.environment())) if commands else None
            with self._parts.timed("set-up of Python"):
                venv.complete()
            if self._tests.pytest and self._options.ring != Ring.FULL:
                with self._parts.timed("archive of Spark's classes"):
                    archive.make()
            if self._options.is_checked and not self._options.scala:
                self._check()
            pytest = None
            if self._tests.pytest:
                if suites and not is_built:
                    artifacts.await_build(suites)
                pytest = running.enter_context(self._pytest())
            if suites:
                name = "Scala suites" if self._tests.sbt else "build"
                self._codes[name] = suites.wait()
                self._parts.add("build and Scala suites" if self._tests.sbt else name, suites)
            report(self._codes)
            if pytest:
                self._codes["pytest"] = pytest.follow(lambda: self._print_times(pytest))
            else:
                self._print_times(None)
        if self._options.is_whole and self._options.ring == Ring.FULL and not self._options.scala:
            self._codes["stores"] = test_stores()
        return max(self._codes.values(), key=abs, default=0)

    def _pytest(self) -> Aside:
        # This form of the report names the file of each test.
        report = [f"--junitxml={results.PYTEST}", "-o", "junit_family=xunit1"]
        # One Spark leaves processors idle. A worker takes a module at a time, in the order of tests/conftest.py.
        workers = ["--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder"] if self._is_long() else []
        command = [sys.executable, "-m", "pytest", *report, *workers, *self._tests.pytest]
        return Aside(command, python_environment(), CACHE / "pytest.log")

    def _is_long(self) -> bool:
        return bool(self._options.is_whole or self._options.part)

    def _check(self) -> None:
        with self._parts.timed("lint of Python and prose"):
            self._codes["lint of Python and prose"] = lint.check()
        if self._options.ring != Ring.FAST:
            with self._parts.timed("documentation"):
                self._codes["documentation"] = docs.run([])

    def _print_times(self, pytest: Aside | None) -> None:
        if pytest:
            self._parts.add("pytest", pytest)
        print(self._parts.table())
        if self._options.slowest:
            print(slowest(results.of_all()))


def test_stores() -> int:
    """Tables on stores of other machines, in a Spark of their own: they take jars with which it must be started."""
    print("Starting, on loopback: moto as S3 and DynamoDB; a NameNode and a DataNode as HDFS", flush=True)
    os.environ["SPARKLANCE_TEST_STORES"] = "1"
    # Spark fetches jars itself.
    if options := trust.for_java():
        os.environ["JAVA_TOOL_OPTIONS"] = " ".join([os.environ.get("JAVA_TOOL_OPTIONS", ""), *options]).strip()
    return python("-m", "pip", "install", "--quiet", *STORE_PACKAGES) or python("-m", "pytest", "tests/stores")


def report(codes: dict[str, int]) -> None:
    """Prints what passed and what failed so far. pytest, which runs at the same time, reports last."""
    for name, code in codes.items():
        print(f"{name}: {'failed' if code else 'passed'}", flush=True)
    for failure in results.failures():
        print(f"  {failure}", flush=True)
