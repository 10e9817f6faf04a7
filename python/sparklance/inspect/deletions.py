"""Deletion files: the offsets of deleted rows in a fragment, as an Arrow file or a Roaring bitmap."""

from pathlib import Path
from typing import Any

from sparklance.errors import LanceException, LanceFormatException
from sparklance.inspect import roaring
from sparklance.inspect.source import Source


def described(path: Path, shown: str) -> dict[str, Any]:
    with Source(path) as source:
        data = source.read(0, source.size, "the file")
    found = roaring.ranges(data, str(path)) if path.suffix == ".bin" else _of_arrow(data, path)
    return {"file": shown, "size": len(data), "deleted_rows": roaring.count(found), "offsets": found}


def _of_arrow(data: bytes, path: Path) -> list[roaring.Range]:
    try:
        import pyarrow as pa
    except ImportError as e:
        raise LanceException(
            f"{path} cannot be read: a deletion file in Arrow's format needs pyarrow, which is not installed here. "
            "Run 'pip install pyarrow'; all else is shown without it."
        ) from e
    try:
        table = pa.ipc.open_file(pa.BufferReader(data)).read_all()
        offsets = table["row_id"].cast(pa.uint32()).drop_null().to_pylist()
    except (pa.ArrowException, OSError, KeyError, MemoryError) as e:
        cause = str(e).splitlines()[0] if str(e) else type(e).__name__
        raise LanceFormatException(f"{path} is not a deletion file in Arrow's format ({cause}): it is damaged.") from e
    return roaring.joined([(offset, offset) for offset in sorted(offsets)])
