"""The sub-commands of `./dev`. Each does its own set-up, and may be run again at any time."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from dev_tools import (
    CACHE,
    ROOT,
    SetupError,
    artifacts,
    cell,
    docs,
    fuzz,
    java,
    prose,
    release,
    sbt,
    scala_lint,
    soak,
    suites,
    trust,
    unwrap,
    venv,
)
from dev_tools.aside import Aside

PYTHON_SOURCES = ["python", "dev_tools", "tests", "examples", "benchmarks"]
STORE_PACKAGES = ["moto[server,s3,dynamodb]>=5.2", "boto3"]
SCALA_FORMAT = ["scalafmtCheckAll", "scalafmtSbtCheck"]


def demo(arguments: list[str]) -> int:
    """write, read and time-travel over real data"""
    artifacts.build()
    return python("examples/quickstart.py", *arguments)


def test(arguments: list[str]) -> int:
    """lint, the Scala suites and pytest [--python | --scala] [--full] [--spark 4.0] [--java 21] [pytest arguments]"""
    options, for_pytest = test_options(arguments)
    if options.spark and options.spark != venv.SPARK:
        os.environ[venv.SPARK_VARIABLE] = options.spark
        os.execv(ROOT / "dev", ["dev", "test", *arguments])
    if options.java:
        cell.choose_java(options.java)
    if options.full:
        os.environ["SPARKLANCE_TEST_FULL"] = "1"
    in_cell = options.spark or options.java
    suites.forget()
    codes = {}
    # Types are checked against the Spark that we develop with.
    if not options.scala and not in_cell:
        codes["Python lint"] = lint_python()
        codes["documentation"] = docs.run([])
    others = [] if in_cell else [*SCALA_FORMAT, "benchmarks/Jmh/compile"]
    scala = [*cell.scala_options(), *others, "test"]
    if options.scala:
        codes["Scala suites"] = sbt.run(*scala)
        report(codes)
    else:
        artifacts.build()
        command = ["-m", "pytest", *for_pytest]
        if options.python:
            report(codes)
            codes["pytest"] = python(*command)
        else:
            with Aside([sys.executable, *command], python_environment(), CACHE / "pytest.log") as pytest:
                codes["Scala suites"] = sbt.run(*scala)
                report(codes)
                codes["pytest"] = pytest.follow()
        if options.full and not for_pytest:
            report(codes)
            codes["stores"] = test_stores()
    return max(codes.values(), key=abs)


def test_options(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Splits the arguments of `test` into its options and pytest's arguments."""
    parser = argparse.ArgumentParser(prog="./dev test", allow_abbrev=False)
    side = parser.add_mutually_exclusive_group()
    side.add_argument("--python", action="store_true", help="the Python side only")
    side.add_argument("--scala", action="store_true", help="the Scala side only")
    parser.add_argument("--full", action="store_true", help="long forms of the tests that have a short one")
    parser.add_argument("--spark", metavar="VERSION", help="on this Spark, in an environment of its own")
    parser.add_argument("--java", metavar="VERSION", type=int, help="on this Java, fetched if the machine has none")
    options, for_pytest = parser.parse_known_args(arguments)
    if options.scala and for_pytest:
        parser.error(f"--scala does not run pytest, so it takes nothing for it: {' '.join(for_pytest)}")
    cell.check(options.spark, options.java)
    return options, for_pytest


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
    for failure in suites.failures():
        print(f"  {failure}", flush=True)


def run_fuzzer(arguments: list[str]) -> int:
    """read damaged tables [--seed N] [--cases N | --minutes M | --case N]"""
    return fuzz.run(arguments)


def run_soak(arguments: list[str]) -> int:
    """random commits, queries or changes, all checked [--commits N | --queries N | --changes N] [--seed N]"""
    return soak.run(arguments)


def build(arguments: list[str]) -> int:
    """the jar, put where sparklance.configure() finds it"""
    artifacts.build()
    print(artifacts.jar().relative_to(ROOT))
    return 0


def run_release(arguments: list[str]) -> int:
    """wheel, jar, POM, sources and documentation in dist/, checked and tried as a new user would --dry-run"""
    wheel = release.run(arguments)
    os.environ |= {release.WHEEL_VARIABLE: str(wheel), "SPARKLANCE_TEST_FULL": "1"}
    return python("-m", "pytest", "tests/newcomer")


def bench(arguments: list[str]) -> int:
    """time us against Parquet, the reference and its connector [--help], or single encodings [--jmh [pattern]]"""
    if arguments[:1] == ["--jmh"]:
        return sbt.run(" ".join(["benchmarks/Jmh/run", *arguments[1:]]))
    artifacts.build()
    if "--record" in arguments and (code := python("-m", "pip", "install", "--quiet", "matplotlib>=3.9")):
        return code
    return python("-m", "benchmarks", *arguments)


def build_docs(arguments: list[str]) -> int:
    """the documentation as a site in build/site; a broken link or anchor fails [--serve]"""
    return docs.run(arguments)


def fmt(arguments: list[str]) -> int:
    """format Python, Scala and the lines of Markdown"""
    ruff = "ruff", "check", "--select", "I", "--fix"
    return (
        python("-m", *ruff, *sources())
        or python("-m", "ruff", "format", *sources())
        or unwrap.join()
        or sbt.run("scalafmtAll", "scalafmtSbt")
    )


def lint(arguments: list[str]) -> int:
    """check format, style and types"""
    return lint_python() or sbt.run(*SCALA_FORMAT)


def lint_python() -> int:
    return (
        python("-m", "ruff", "check", *sources())
        or python("-m", "ruff", "format", "--check", *sources())
        or python("-m", "mypy")
        or unwrap.check()
        or scala_lint.check()
        or prose.run([])
    )


def run_sbt(arguments: list[str]) -> int:
    """sbt with these arguments; its shell without any"""
    os.execve((command := sbt.command(arguments))[0], command, sbt.environment())


def clean(arguments: list[str]) -> int:
    """remove what was built, and the set-up"""
    targets = [path for where in (".", "project", "project/project", "jvm/*") for path in ROOT.glob(f"{where}/target")]
    built = [*targets, artifacts.jar().parent, artifacts.DESCRIPTORS, release.DIST, CACHE, *ROOT.glob(".venv*")]
    for path in built:
        path.unlink(missing_ok=True) if path.is_file() else shutil.rmtree(path, ignore_errors=True)
    return 0


def sources() -> list[str]:
    return [name for name in PYTHON_SOURCES if (ROOT / name).exists()]


def python(*arguments: str) -> int:
    """Runs .venv's Python on the Java found, and shields it from another Spark that the user may have set up."""
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=python_environment()).returncode


def python_environment() -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if k not in ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS")}
    return env | {"JAVA_HOME": str(java.for_spark()), "PYSPARK_PYTHON": sys.executable}


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "demo": demo,
    "test": test,
    "fuzz": run_fuzzer,
    "soak": run_soak,
    "build": build,
    "release": run_release,
    "bench": bench,
    "docs": build_docs,
    "fmt": fmt,
    "lint": lint,
    "sbt": run_sbt,
    "clean": clean,
}


def main(arguments: list[str]) -> int:
    command = COMMANDS.get(arguments[0]) if arguments else None
    if command is None:
        print("usage: ./dev <command>\n")
        for name, each in COMMANDS.items():
            print(f"  {name:7} {each.__doc__}")
        return 2 if arguments and arguments[0] not in ("help", "-h", "--help") else 0
    try:
        if command is not clean:
            venv.ensure()
        return command(arguments[1:])
    except SetupError as e:
        print(f"dev: {e}", file=sys.stderr)
        return 1


sys.exit(main(sys.argv[1:]))
