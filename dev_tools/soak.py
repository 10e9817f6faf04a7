"""Long random tests: processes that commit to one table at the same time, random changes, and random queries."""

import argparse
import random
import subprocess
import sys
import tempfile

from dev_tools import ROOT, artifacts, fuzz, java

COMMITS = 2000


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev soak", allow_abbrev=False)
    parser.add_argument("--commits", type=int, default=COMMITS, help="in all, for each table (default: %(default)s)")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--queries", type=int, metavar="N", help="random queries instead, on tables of all file versions")
    kind.add_argument("--changes", type=int, metavar="N", help="random changes instead, by Spark and pylance in turns")
    parser.add_argument("--seed", type=int, help="of queries and changes; a random one by default, which is printed")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="only this query of the tables of the seed")
    options = parser.parse_args(arguments)
    if options.seed is not None and not (options.queries or options.changes):
        parser.error("--seed is for --queries and --changes")
    if options.only is not None and not options.queries:
        parser.error("--only is for --queries")
    return options


def command(options: argparse.Namespace, directory: str) -> list[str]:
    if options.queries or options.changes:
        seed = random.randrange(1 << 30) if options.seed is None else options.seed
        print(f"seed {seed}", flush=True)
        module = "tests.soak.queries" if options.queries else "tests.soak.changes"
        only = [] if options.only is None else [str(options.only)]
        return [sys.executable, "-m", module, str(options.queries or options.changes), str(seed), *only]
    jvm = [str(java.required() / "bin" / "java"), "-Xmx512m", "-XX:+UseSerialGC", "-cp", fuzz.class_path()]
    return [sys.executable, "-m", "tests.soak", directory, str(options.commits), *jvm]


def run(arguments: list[str]) -> int:
    options = parsed(arguments)
    artifacts.build()
    with tempfile.TemporaryDirectory(prefix="sparklance-soak-") as directory:
        return subprocess.run(command(options, directory), cwd=ROOT).returncode
