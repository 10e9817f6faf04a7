"""The sub-commands of `./dev`. Each does its own set-up, and may be run again at any time."""

import os
import shutil
import sys
from collections.abc import Callable

from dev_tools import CACHE, ROOT, SetupError, artifacts, docs, fuzz, lint, release, rings, sbt, soak, testing, venv
from dev_tools.processes import python


def demo(arguments: list[str]) -> int:
    """write, read and time-travel over real data"""
    artifacts.build(meanwhile=venv.complete)
    return python("examples/quickstart.py", *arguments)


def test(arguments: list[str]) -> int:
    """lint, Scala suites and pytest [--fast | --full] [--changed] [--slowest] [path, class or path::test] [--help]"""
    return testing.run(arguments)


def run_fuzzer(arguments: list[str]) -> int:
    """read damaged tables [--seed N] [--cases N | --minutes M | --case N]"""
    return fuzz.run(arguments)


def run_soak(arguments: list[str]) -> int:
    """random commits, queries or changes, all checked [--commits N | --queries N | --changes N] [--seed N]"""
    venv.complete()
    return soak.run(arguments)


def build(arguments: list[str]) -> int:
    """the jar, put where sparklance.configure() finds it"""
    artifacts.build()
    print(artifacts.jar().relative_to(ROOT))
    return 0


def run_release(arguments: list[str]) -> int:
    """wheel, jar, POM, sources and documentation in dist/, checked and tried as a new user would --dry-run"""
    venv.complete()
    wheel = release.run(arguments)
    os.environ |= {release.WHEEL_VARIABLE: str(wheel), rings.VARIABLE: rings.Ring.FULL}
    return python("-m", "pytest", "tests/newcomer")


def bench(arguments: list[str]) -> int:
    """time us against Parquet, the reference and its connector [--help], or single encodings [--jmh [pattern]]"""
    if arguments[:1] == ["--jmh"]:
        return sbt.run(" ".join(["benchmarks/Jmh/run", *arguments[1:]]))
    artifacts.build(meanwhile=venv.complete)
    if "--record" in arguments and (code := python("-m", "pip", "install", "--quiet", "matplotlib>=3.9")):
        return code
    return python("-m", "benchmarks", *arguments)


def build_docs(arguments: list[str]) -> int:
    """the documentation as a site in build/site; a broken link or anchor fails [--serve]"""
    venv.complete()
    return docs.run(arguments)


def fmt(arguments: list[str]) -> int:
    """format Python, Scala and the lines of Markdown"""
    venv.complete()
    return lint.fix() or sbt.run("scalafmtAll", "scalafmtSbt")


def run_lint(arguments: list[str]) -> int:
    """check format, style and types"""
    venv.complete()
    return lint.check() or sbt.run(*sbt.FORMATS)


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
    "lint": run_lint,
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
