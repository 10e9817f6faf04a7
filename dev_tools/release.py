"""Builds the parts of a release in `dist/`: the wheel, and as a Maven repository the jar, its POM, sources and docs."""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from dev_tools import ROOT, SetupError, artifacts, release_checks, sbt

DIST = ROOT / "dist"
WHEEL_VARIABLE = "SPARKLANCE_TEST_WHEEL"


def run(arguments: list[str]) -> Path:
    """Builds and checks it all; gives the wheel."""
    parser = argparse.ArgumentParser(prog="./dev release", allow_abbrev=False)
    parser.add_argument("--dry-run", action="store_true", help="build and check, publish nothing")
    if not parser.parse_args(arguments).dry_run:
        parser.error(
            "only --dry-run can be done: publishing is left to those who have the keys (docs/compatibility.md)"
        )
    shutil.rmtree(DIST, ignore_errors=True)
    artifacts.build()
    wheel = build_wheel(DIST)
    if code := sbt.run("published/publish"):
        raise SetupError(f"The Maven artifacts could not be built: sbt ended with exit code {code}, see above.")
    problems = release_checks.all_problems(wheel, DIST / "maven", artifacts.version())
    again = build_wheel(DIST / "again")
    if again.read_bytes() != wheel.read_bytes():
        problems.append(f"{wheel.name}: built twice, it has other bytes")
    shutil.rmtree(again.parent)
    if problems:
        raise SetupError("\n".join(["What was built is not fit for release:", *problems]))
    for path in sorted(path for path in DIST.rglob("*") if path.is_file() and "maven-metadata" not in path.name):
        if path.suffix not in (".md5", ".sha1"):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            print(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes  sha256 {digest}")
    return wheel


def build_wheel(folder: Path) -> Path:
    """Builds with the installed packages: none are fetched."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    # The date of the last commit, which is the same whenever it is built.
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    env = os.environ | ({"SOURCE_DATE_EPOCH": epoch} if epoch else {})
    if code := subprocess.run(command, cwd=ROOT, env=env).returncode:
        raise SetupError(f"The wheel could not be built: hatchling ended with exit code {code}, see above.")
    (wheel,) = folder.glob("*.whl")
    return wheel
