"""Checks of `./dev release` before publishing. The whole of it is run by hand: it builds for minutes."""

import zipfile
from pathlib import Path

import pytest

from dev_tools import release_checks as checks

POM = """<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <groupId>io.sparklance</groupId><artifactId>sparklance_2.13</artifactId><version>1.2.3</version>
  <name>n</name><description>d</description><url>u</url>
  <licenses><license><name>Apache-2.0</name></license></licenses>
  <developers><developer><name>x</name></developer></developers>
  <scm><url>u</url><connection>c</connection></scm>
  <dependencies>
    <dependency><groupId>g</groupId><artifactId>spark</artifactId><scope>provided</scope></dependency>
  </dependencies>
</project>
"""


def test_a_good_pom_passes():
    assert list(checks.pom_problems(POM, "1.2.3")) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("</project>", "", "does not parse"),
        ("<version>1.2.3", "<version>1.2.4", "version is 1.2.4, not 1.2.3"),
        ("<name>Apache-2.0</name>", "", "has no licenses/license/name"),
        ("<developer><name>x</name></developer>", "", "has no developers/developer/name"),
        ("<scope>provided</scope>", "", "asks for g:spark"),
        ("<scope>provided</scope>", "<scope>compile</scope>", "asks for g:spark"),
    ],
)
def test_a_pom_that_must_not_go_out_is_noticed(old: str, new: str, problem: str):
    assert [each for each in checks.pom_problems(POM.replace(old, new), "1.2.3") if problem in each]


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as to:
        for name, data in files.items():
            to.writestr(name, data)
    return path


GOOD = {
    **{f"META-INF/services/{name}": b"" for name in checks.SERVICES},
    **{f"META-INF/licenses/{name}": b"" for name in checks.LICENSES},
    "io/sparklance/A.class": b"",
}


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({}, None),
        ({"com/google/protobuf/Message.class": b""}, "has com/google/protobuf/Message.class, a name that is not ours"),
        ({"io/netty/Buffer.class": b""}, "has io/netty/Buffer.class, which others may have, too"),
    ],
)
def test_names_in_the_jar_are_ours(tmp_path, more, problem):
    found = list(checks.jar_problems(archive(tmp_path / "a.jar", GOOD | more)))
    assert found[:1] == ([problem] if problem else [])


def test_a_jar_without_its_services_and_licenses_is_noticed(tmp_path):
    found = list(checks.jar_problems(archive(tmp_path / "a.jar", {"io/sparklance/A.class": b""})))
    assert len(found) == len(checks.SERVICES) + len(checks.LICENSES)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"sparklance/jars/a.jar": b"other"}, "has another jar than the Maven repository"),
        ({"sparklance/jars/b.jar": b""}, "not just a.jar"),
        ({"sparklance-1.2.3.dist-info/METADATA": b"License-Expression: MIT\n"}, "is licensed as MIT"),
        (
            {"sparklance-1.2.3.dist-info/METADATA": b"License-Expression: Apache-2.0\nRequires-Dist: requests>=2\n"},
            "asks for requests",
        ),
    ],
)
def test_a_wheel_that_must_not_go_out_is_noticed(tmp_path, change, problem):
    jar = archive(tmp_path / "a.jar", GOOD)
    metadata = (
        b"License-Expression: Apache-2.0\nRequires-Dist: protobuf>=4.22\nRequires-Dist: pyspark<4.4,>=4.0\n"
        b'Requires-Dist: pytest>=8; extra == "test"\n'
    )
    good = {
        "sparklance/jars/a.jar": jar.read_bytes(),
        "sparklance/proto/lance.pb": b"",
        "sparklance-1.2.3.dist-info/METADATA": metadata,
    }
    wheel = archive(tmp_path / "w.whl", good | change)
    found = list(checks.wheel_problems(wheel, jar, "1.2.3"))
    assert any(problem in each for each in found) if problem else not found
