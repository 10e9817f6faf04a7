"""Ranges of a file, read one by one and never beyond its end."""

import os
import struct
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from sparklance.errors import LanceFormatException

MAGIC = b"LANC"
_DAMAGED = "The file is damaged or was not copied whole: restore it from its origin"


class Source:
    """A file opened for reading. What is asked of it is checked against its size before anything is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("rb")
        self.size = os.fstat(self._file.fileno()).st_size

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, offset: int, length: int, what: str) -> bytes:
        if offset < 0 or length < 0 or offset + length > self.size:
            raise self.damaged(f"{what} should have {length} bytes at {offset}, outside of the file")
        self._file.seek(offset)
        data = self._file.read(length)
        if len(data) != length:
            raise self.damaged(f"{what} ends early")
        return data

    def unpack(self, layout: str, offset: int, what: str) -> tuple[Any, ...]:
        return struct.unpack(layout, self.read(offset, struct.calcsize(layout), what))

    def message(self, kind: type[Message], offset: int, length: int, what: str) -> Any:
        return parse(kind, self.read(offset, length, what), f"{self.path}: {what}")

    def prefixed_message(self, kind: type[Message], offset: int, what: str) -> Any:
        """A message with its length, u32, before it."""
        (length,) = self.unpack("<I", offset, f"the length of {what}")
        return self.message(kind, offset + 4, length, what)

    def damaged(self, problem: str) -> LanceFormatException:
        return LanceFormatException(f"{self.path}: {problem} ({self.size} bytes). {_DAMAGED}.")

    def version_at_end(self) -> tuple[int, int]:
        """The two numbers before the magic word, with which data files and manifests end."""
        if self.size < 16:
            raise self.damaged("the file is too short to be one of Lance's")
        major, minor, magic = self.unpack("<HH4s", self.size - 8, "the footer")
        if magic != MAGIC:
            raise LanceFormatException(
                f"{self.path}: not a file of Lance: it ends with {magic!r} and not with {MAGIC!r}. "
                "Check the path; if it is the right one, the file was cut short: restore it from its origin."
            )
        return major, minor


def parse(kind: type[Message], data: bytes, what: str) -> Any:
    try:
        return kind.FromString(data)
    except DecodeError as e:
        raise LanceFormatException(f"{what} is not a protobuf message of the kind expected. {_DAMAGED}.") from e


def unknown_fields(message: Any) -> list[int]:
    """The numbers of fields that `protos/` does not have."""
    fields: Any = UnknownFieldSet(message)
    return sorted({field.field_number for field in fields})
