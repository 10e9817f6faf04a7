"""Lets several processes commit to one table at the same time, and checks every version: see tests/soak."""

import argparse
import subprocess
import sys
import tempfile

from dev_tools import ROOT, artifacts, fuzz, java

COMMITS = 2000


def command(arguments: list[str], directory: str) -> list[str]:
    parser = argparse.ArgumentParser(prog="./dev soak", allow_abbrev=False)
    parser.add_argument("--commits", type=int, default=COMMITS, help="in all, for each table (default: %(default)s)")
    options = parser.parse_args(arguments)
    jvm = [str(java.required() / "bin" / "java"), "-Xmx512m", "-XX:+UseSerialGC", "-cp", fuzz.class_path()]
    return [sys.executable, "-m", "tests.soak", directory, str(options.commits), *jvm]


def run(arguments: list[str]) -> int:
    artifacts.build()
    with tempfile.TemporaryDirectory(prefix="sparklance-soak-") as directory:
        return subprocess.run(command(arguments, directory), cwd=ROOT).returncode
