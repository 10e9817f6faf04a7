"""References and definitions of Java class files, for linking (JVM specification, chapter 4).

CAFEBABE | minor 2 | major 2 | constants | flags 2 | this 2 | super 2 | interfaces | fields | methods | attributes
"""

import struct
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Member = tuple[str, str]
ABSTRACT, INTERFACE, PRIVATE, STATIC = 0x400, 0x200, 0x2, 0x8
# Bytes of a constant behind its tag; that of text is its length.
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
FIELD, OF_CLASS, OF_INTERFACE = 9, 10, 11


@dataclass(frozen=True)
class ClassFile:
    name: str
    flags: int
    parents: tuple[str, ...]
    # Name and descriptor of each field and method, with its flags.
    members: dict[Member, int]
    classes: frozenset[str]
    # What is named of other classes: the kind of reference, the class, the member.
    references: frozenset[tuple[int, str, Member]]


def parse(data: bytes) -> ClassFile:
    constants, at = _constants(data)
    flags, this, parent, count = struct.unpack_from(">HHHH", data, at)
    interfaces = struct.unpack_from(f">{count}H", data, at + 8)
    at += 8 + 2 * count
    members: dict[Member, int] = {}
    for _ in ("fields", "methods"):
        (count,) = struct.unpack_from(">H", data, at)
        at += 2
        for _ in range(count):
            member_flags, name, descriptor = struct.unpack_from(">HHH", data, at)
            members[constants[name], constants[descriptor]] = member_flags
            at = _after_attributes(data, at + 6)

    def class_name(index: int) -> str:
        return str(constants[struct.unpack(">H", constants[index][1])[0]])

    def member(index: int) -> Member:
        name, descriptor = struct.unpack(">HH", constants[index][1])
        return constants[name], constants[descriptor]

    used = [(i, *c) for i, c in enumerate(constants) if isinstance(c, tuple)]
    named = [(tag, *struct.unpack(">HH", body)) for _, tag, body in used if tag in (FIELD, OF_CLASS, OF_INTERFACE)]
    return ClassFile(
        class_name(this),
        flags,
        tuple(class_name(each) for each in (parent, *interfaces) if each),
        members,
        frozenset(class_name(i) for i, tag, _ in used if tag == 7),
        frozenset((tag, class_name(owner), member(which)) for tag, owner, which in named),
    )


def _constants(data: bytes) -> tuple[list, int]:
    """Texts as such, others as tag and bytes; and where the constants end."""
    (count,) = struct.unpack_from(">H", data, 8)
    constants: list = [None] * count
    i, at = 1, 10
    while i < count:
        tag = data[at]
        if tag == 1:
            (size,) = struct.unpack_from(">H", data, at + 1)
            constants[i] = data[at + 3 : at + 3 + size].decode(errors="surrogateescape")
            at += 3 + size
        else:
            constants[i] = tag, data[at + 1 : at + 1 + SIZES[tag]]
            at += 1 + SIZES[tag]
        # Numbers of eight bytes take two places.
        i += 2 if tag in (5, 6) else 1
    return constants, at


def _after_attributes(data: bytes, at: int) -> int:
    (count,) = struct.unpack_from(">H", data, at)
    at += 2
    for _ in range(count):
        at += 6 + struct.unpack_from(">HI", data, at)[1]
    return at


class ClassPath:
    """The classes of some jars; where two have a class, the first counts."""

    def __init__(self, jars: Iterable[Path]) -> None:
        self._where: dict[str, zipfile.ZipFile] = {}
        for jar in jars:
            archive = zipfile.ZipFile(jar)
            for name in archive.namelist():
                if name.endswith(".class") and not name.startswith("META-INF/"):
                    self._where.setdefault(name.removesuffix(".class"), archive)

    def __iter__(self) -> Iterator[str]:
        return iter(self._where)

    def __contains__(self, name: str) -> bool:
        return name in self._where

    @cache  # noqa: B019
    def get(self, name: str) -> ClassFile | None:
        archive = self._where.get(name)
        return parse(archive.read(f"{name}.class")) if archive else None

    def superclasses(self, name: str) -> Iterator[str]:
        """The class, then the one it extends, and so on, to one that no jar has."""
        yield name
        if found := self.get(name):
            yield from self.superclasses(found.parents[0])

    def ancestors(self, name: str) -> Iterator[tuple[str, ClassFile | None]]:
        """The class, then all that it extends or implements; None for one that no jar has, as those of the JDK."""
        todo, seen = [name], set()
        while todo:
            each = todo.pop(0)
            if each in seen:
                continue
            seen.add(each)
            found = self.get(each)
            yield each, found
            todo += found.parents if found else ()
