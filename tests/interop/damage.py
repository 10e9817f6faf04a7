"""Changes manifests that pylance wrote, as no release would write them today."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparklance import proto

FOOTER = 16


@contextmanager
def edit_manifest(path: str) -> Iterator[Any]:
    """The message of the latest version, which is written back after the block."""
    file = min(Path(path, "_versions").glob("*.manifest"), key=lambda f: f.name)  # Names count down.
    data = file.read_bytes()
    (start,) = struct.unpack("<q", data[-FOOTER:-8])
    (length,) = struct.unpack("<I", data[start : start + 4])
    message = proto.Manifest.FromString(data[start + 4 : start + 4 + length])
    yield message
    changed = message.SerializeToString()
    file.write_bytes(data[:start] + struct.pack("<I", len(changed)) + changed + data[-FOOTER:])
