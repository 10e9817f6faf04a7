"""Runs the fuzzer of the core reader, in a JVM of its own with little memory."""

import argparse
import subprocess

from dev_tools import ROOT, SetupError, java, sbt

MAIN = "io.sparklance.fuzz.FuzzMain"


def run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev fuzz", allow_abbrev=False)
    parser.add_argument("--seed", type=int, help="of all that is random; another each time if not given")
    parser.add_argument(
        "--of", choices=("tables", "texts", "vectors"), help="tables, or their indices; tables if not given"
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--cases", type=int, help="how many")
    length.add_argument("--minutes", type=float, help="how long; 3 if nothing else is said")
    length.add_argument("--case", type=int, help="only this one, and how it ends whatever that is")
    parser.add_argument("--show", metavar="KIND", help="also cases of this kind of damage that read as other values")
    options = vars(parser.parse_args(arguments))
    chosen = [part for name, value in options.items() if value is not None for part in (f"--{name}", str(value))]
    command = [str(java.required() / "bin" / "java"), "-Xmx512m", "-XX:+UseSerialGC", "-cp", class_path(), MAIN]
    return subprocess.run([*command, *chosen], cwd=ROOT).returncode


def class_path() -> str:
    """Returns the class path of the tests, after compiling them."""
    command = sbt.command(["export search/Test/fullClasspath"])
    done = subprocess.run(command, cwd=ROOT, env=sbt.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    lines = done.stdout.decode().splitlines()
    if done.returncode or not lines:
        print(*lines, sep="\n")
        raise SetupError("the tests of jvm/search do not compile, see above.")
    return lines[-1]
