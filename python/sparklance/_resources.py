"""Files that the package brings, also where it is imported from an archive: a wheel in `spark-submit --py-files`."""

import atexit
import functools
import shutil
import tempfile
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path

#: The first part of the jar's name; its version follows.
JAR = "sparklance_2.13-"


def jars() -> list[Traversable]:
    """Returns the packaged jars, the newest last; a checkout that was never built has none."""
    inside = folder("jars")
    found = inside.iterdir() if inside.is_dir() else ()
    return sorted((f for f in found if f.name.startswith(JAR) and f.name.endswith(".jar")), key=lambda f: f.name)


def version() -> str:
    """Returns the version of the package, by its jar where an archive has the package alone."""
    try:
        return metadata.version("sparklance")
    except metadata.PackageNotFoundError:
        return next((jar.name[len(JAR) : -len(".jar")] for jar in reversed(jars())), "unknown")


def folder(name: str) -> Traversable:
    """Returns a folder of the package."""
    return resources.files("sparklance").joinpath(name)


def file_of(resource: Traversable) -> Path:
    """Returns the resource as a file, which Spark can open: a copy, until the process ends, of one in an archive."""
    if isinstance(resource, Path):
        return resource
    file = _copies() / resource.name
    if not file.exists():
        file.write_bytes(resource.read_bytes())
    return file


@functools.cache
def _copies() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="sparklance-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory
