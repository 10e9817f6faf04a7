"""Nothing in our jar asks for a class or member that the installed Spark lacks, or lacks a method that Spark calls."""

import subprocess
from pathlib import Path

import pyspark
import pytest

from dev_tools import java
from sparklance.session import jar_path
from tests.spark.class_files import (
    ABSTRACT,
    INTERFACE,
    OF_CLASS,
    OF_INTERFACE,
    PRIVATE,
    STATIC,
    ClassFile,
    ClassPath,
)

JDK = ("java/", "javax/", "sun/", "jdk/", "org/w3c/", "org/xml/")
# Hadoop's module for S3 brings the first, where DynamoDB orders commits to a table; its module for Azure the second.
OPTIONAL = ("software/amazon/", "org/apache/hadoop/fs/azurebfs/")
CATALOG = "org/apache/spark/sql/connector/catalog"
# Interfaces of Spark from 4.2 on, each with our class that implements it. An earlier Spark does not load these classes.
LATER = {
    f"{CATALOG}/Changelog": "io/sparklance/spark/changes/LanceChangelog",
    f"{CATALOG}/SupportsSchemaEvolution": "io/sparklance/spark/table/EvolvingLanceTable",
}
# Of the JDK's classes, those from which nothing is inherited but what every object has.
EMPTY = {"java/lang/Object", "java/io/Serializable", "java/lang/Cloneable"}


@pytest.fixture(scope="module")
def ours() -> ClassPath:
    return ClassPath([jar_path()])


@pytest.fixture(scope="module")
def everything() -> ClassPath:
    return ClassPath([jar_path(), *sorted(Path(pyspark.__file__).with_name("jars").glob("*.jar"))])


def test_every_class_and_member_that_we_name_is_there(ours: ClassPath, everything: ClassPath) -> None:
    missing = set()
    for name in ours:
        if not (file := ours.get(name)) or is_loaded_later(everything, name):
            continue
        missing |= {each for each in map(element, file.classes) if foreign(each) and each not in everything}
        missing |= {
            f"{owner}.{member[0]}{member[1]}"
            for kind, owner, member in file.references
            if foreign(owner) and owner in everything and not has(everything, kind, owner, member)
        }
    assert not missing, "\n".join(sorted(missing))


def test_every_method_that_spark_may_call_is_there(ours: ClassPath, everything: ClassPath) -> None:
    loaded = [name for name in ours if not is_loaded_later(everything, name)]
    concrete = [file for file in map(ours.get, loaded) if file and not file.flags & (ABSTRACT | INTERFACE)]
    missing = {f"{file.name}: {each}" for file in concrete for each in unimplemented(everything, file)}
    assert concrete
    assert not missing, "\n".join(sorted(missing))


@pytest.mark.process
def test_the_jvm_accepts_every_class() -> None:
    """The tool that shrinks the jar computes types again, and does not know Spark's classes."""
    path = f"{jar_path()}:{Path(pyspark.__file__).with_name('jars')}/*"
    command = [str(java.required() / "bin" / "java"), "-cp", path, str(Path(__file__).with_name("Verified.java"))]
    done = subprocess.run([*command, str(jar_path())], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_the_jar_is_small() -> None:
    assert Path(jar_path()).stat().st_size <= 8 << 20


def test_what_is_missing_is_noticed(everything: ClassPath) -> None:
    struct = "org/apache/spark/sql/types/StructType"
    assert has(everything, OF_CLASS, struct, ("simpleString", "()Ljava/lang/String;"))
    assert not has(everything, OF_CLASS, struct, ("simpleString", "(D)Ljava/lang/String;"))
    assert not has(everything, OF_INTERFACE, struct, ("simpleString", "()Ljava/lang/String;"))
    reader = everything.get("org/apache/spark/sql/connector/read/PartitionReader")
    assert {each.rsplit(".", 1)[1] for each in unimplemented(everything, reader)} == {
        "next()Z",
        "get()Ljava/lang/Object;",
    }


def test_only_one_class_needs_each_interface_of_later_releases(ours: ClassPath) -> None:
    for interface, implemented in LATER.items():
        need = {name for name in ours if (f := ours.get(name)) and any(c.startswith(interface) for c in f.classes)}
        assert {name.rstrip("$") for name in need} == {implemented}
    for catalog in ("LanceCatalog", "LanceSessionCatalog"):
        file = ours.get(f"io/sparklance/spark/{catalog}")
        assert file
        assert "loadChangelog" in {name for name, _ in file.members}


def test_only_the_provider_of_tokens_needs_the_module_for_azure(ours: ClassPath) -> None:
    azure = "org/apache/hadoop/fs/azurebfs/"
    need = {name for name in ours if (file := ours.get(name)) and any(c.startswith(azure) for c in file.classes)}
    assert need == {"io/sparklance/stores/server/VendedAzureToken"}


def is_loaded_later(path: ClassPath, name: str) -> bool:
    """Whether the class of ours is for an interface that this Spark lacks."""
    return any(interface not in path and name.rstrip("$") == ours for interface, ours in LATER.items())


def element(name: str) -> str:
    """Returns the innermost type of an array."""
    return name.lstrip("[").removeprefix("L").removesuffix(";") if name.startswith("[") else name


def foreign(name: str) -> bool:
    return "/" in name and not name.startswith(("io/sparklance/", *JDK, *OPTIONAL))


def has(path: ClassPath, kind: int, owner: str, member: tuple[str, str]) -> bool:
    """Whether it is still a class, or an interface, and has the member; what the JDK may bring is taken for granted."""
    found = path.get(owner)
    if found and kind == (OF_CLASS if found.flags & INTERFACE else OF_INTERFACE):
        return False
    return inherits(path, owner, member)


def inherits(path: ClassPath, owner: str, member: tuple[str, str]) -> bool:
    for name, file in path.ancestors(owner):
        if (file and member in file.members) or (file is None and name not in EMPTY):
            return True
    return member[0] in {"equals", "hashCode", "toString", "getClass", "notify", "notifyAll", "wait", "clone"}


def unimplemented(path: ClassPath, file: ClassFile) -> list[str]:
    """Methods that an interface or class asks of this one, and that nothing it extends brings along."""
    wanted, bodies = {}, set()
    for name, each in path.ancestors(file.name):
        for member, flags in each.members.items() if each else ():
            if flags & ABSTRACT:
                wanted[member] = name
            elif not flags & (PRIVATE | STATIC):
                bodies.add(member)
    return [f"{name}.{m[0]}{m[1]}" for m, name in wanted.items() if m not in bodies and not inherited(path, file, m)]


def inherited(path: ClassPath, file: ClassFile, member: tuple[str, str]) -> bool:
    """Whether a class of the JDK's that ours extends may bring a method."""
    *_, parent = path.superclasses(file.name)
    return parent not in EMPTY or inherits(path, "java/lang/Object", member)
