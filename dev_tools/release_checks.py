"""Checks of the files of a release. Each returns the problems that it found, as text."""

import email
import hashlib
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

# PyPI takes 100 MB; what is near it has grown by mistake.
LARGEST_WHEEL = 20_000_000
GROUP, ARTIFACT = "io.sparklance", "sparklance_2.13"
# What Maven Central asks of a POM.
WANTED = [
    "name",
    "description",
    "url",
    "licenses/license/name",
    "developers/developer/name",
    "scm/url",
    "scm/connection",
]
SERVICES = ["org.apache.spark.sql.SparkSessionExtensionsProvider", "org.apache.spark.sql.sources.DataSourceRegister"]
LICENSES = ["LICENSE", "NOTICE.txt", "protobuf-java.txt"]
OURS = ("io/", "META-INF/")


def all_problems(wheel: Path, repository: Path, version: str) -> list[str]:
    folder = repository.joinpath(*GROUP.split("."), ARTIFACT, version)
    stem = f"{ARTIFACT}-{version}"
    jar, pom = folder / f"{stem}.jar", folder / f"{stem}.pom"
    others = [folder / f"{stem}-{kind}.jar" for kind in ("sources", "javadoc")]
    if missing := [path for path in (wheel, jar, pom, *others) if not path.is_file()]:
        return [f"{path.name}: missing" for path in missing]
    found = [
        *(f"{pom.name}: {each}" for each in pom_problems(pom.read_text(), version)),
        *(f"{jar.name}: {each}" for each in jar_problems(jar)),
        *(f"{wheel.name}: {each}" for each in wheel_problems(wheel, jar, version)),
    ]
    for path, suffix in zip(others, (".scala", ".html"), strict=True):
        if not any(name.endswith(suffix) for name in zipfile.ZipFile(path).namelist()):
            found.append(f"{path.name}: has no {suffix} file")
    return found


def pom_problems(text: str, version: str) -> Iterator[str]:
    try:
        root = ET.fromstring(text)
    except ET.ParseError as e:
        yield f"does not parse: {e}"
        return
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    for tag, value in {"groupId": GROUP, "artifactId": ARTIFACT, "version": version}.items():
        if root.findtext(tag) != value:
            yield f"{tag} is {root.findtext(tag)}, not {value}"
    yield from (f"has no {path}" for path in WANTED if not (root.findtext(path) or "").strip())
    # The jar has all that Spark does not bring: who depends on it must not get anything else.
    for each in root.iterfind("dependencies/dependency"):
        if each.findtext("scope") not in ("provided", "test"):
            yield f"asks for {each.findtext('groupId')}:{each.findtext('artifactId')}"


def jar_problems(jar: Path) -> Iterator[str]:
    names = zipfile.ZipFile(jar).namelist()
    yield from (f"has {name}, a name that is not ours" for name in first(n for n in names if not n.startswith(OURS)))
    yield from (
        f"has {name}, which others may have, too"
        for name in first(n for n in names if n.endswith(".class") and not n.startswith("io/sparklance/"))
    )
    wanted = [*(f"services/{name}" for name in SERVICES), *(f"licenses/{name}" for name in LICENSES)]
    yield from (f"lacks META-INF/{name}" for name in wanted if f"META-INF/{name}" not in names)


def wheel_problems(wheel: Path, jar: Path, version: str) -> Iterator[str]:
    if wheel.stat().st_size > LARGEST_WHEEL:
        yield f"has {wheel.stat().st_size:,} bytes, more than {LARGEST_WHEEL:,}"
    archive = zipfile.ZipFile(wheel)
    jars = [name for name in archive.namelist() if name.endswith(".jar")]
    if jars != [f"sparklance/jars/{jar.name}"]:
        yield f"has the jars {jars}, not just {jar.name}"
    elif digest(archive.read(jars[0])) != digest(jar.read_bytes()):
        yield "has another jar than the Maven repository"
    if "sparklance/proto/lance.pb" not in archive.namelist():
        yield "lacks the descriptors of the messages"
    metadata = email.message_from_bytes(archive.read(f"sparklance-{version}.dist-info/METADATA"))
    if metadata["License-Expression"] != "Apache-2.0":
        yield f"is licensed as {metadata['License-Expression']}"
    needed = {
        line.split(";")[0].rstrip("0123456789.<>=,~ ")
        for line in metadata.get_all("Requires-Dist", [])
        if "extra ==" not in line
    }
    if needed != {"pyspark", "protobuf"}:
        yield f"asks for {', '.join(sorted(needed))}"


def first(names: Iterable[str]) -> list[str]:
    """One name stands for all that are wrong in the same way."""
    return [name for _, name in zip(range(1), names, strict=False)]


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
