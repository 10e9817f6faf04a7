"""A data file: footer, columns and pages, of file version 2.0 and later.

It ends with: position of the first column's metadata, of the table of all columns' metadata and of the table of global
buffers (u64 each); number of global buffers and of columns (u32 each); version (2 x u16); "LANC". A table's entry is a
position and a size (u64 each). Global buffer 0 holds the schema.
"""

import struct
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from sparklance import proto
from sparklance.errors import UnsupportedLanceFeatureException
from sparklance.inspect import legacy_file, pages, schema
from sparklance.inspect.problems import Problems
from sparklance.inspect.source import Source

FOOTER = struct.Struct("<QQQIIHH4s")
_VERSIONS = {(0, 3): "2.0", (2, 0): "2.0", (2, 1): "2.1", (2, 2): "2.2", (2, 3): "2.3"}
_LEGACY = [(0, minor) for minor in range(3)]

#: Names of columns by their numbers, as a manifest records them.
Names = Mapping[int, str]


def described(
    path: Path, shown: str, problems: Problems, names: Names | None = None, fields: Any = None
) -> dict[str, Any]:
    """All about one data file. A table names its columns and, for a file of version 0.1, its fields."""
    with Source(path) as source:
        numbers = source.version_at_end()
        if numbers in _LEGACY:
            return {"path": shown} | legacy_file.described(source, fields)
        if numbers not in _VERSIONS:
            raise UnsupportedLanceFeatureException(
                f"{path}: file version {numbers[0]}.{numbers[1]} is not known here. "
                "It was written by newer software, or the file is damaged: look at it with a newer release."
            )
        return {"path": shown} | _described(source, _VERSIONS[numbers], names or {}, problems)


def _described(source: Source, version: str, recorded: Names, problems: Problems) -> dict[str, Any]:
    footer = _footer(source)
    global_buffers = _table(source, footer["global_buffer_table"], footer["global_buffers"], "the global buffer table")
    if not global_buffers:
        raise source.damaged("it has no global buffer with a schema")
    descriptor = source.message(proto.FileDescriptor, *global_buffers[0], "the schema")
    entries = _table(source, footer["column_table"], footer["columns"], "the column table")
    fields = descriptor.schema.fields
    names = recorded or schema.names_of_columns(fields, version)
    strings = schema.names_of_strings(fields) if version == "2.0" else set()
    columns: list[dict[str, Any]] = []
    # Columns so far that hold the bytes of strings, and the string whose bytes come next.
    skipped, whose = 0, None
    for i, entry in enumerate(entries):
        name = f"{whose} (bytes)" if whose else names.get(i - (0 if recorded else skipped), "(no field)")
        skipped += whose is not None
        start = {"index": i, "name": name}
        columns.append(problems.guard(start, partial(_column, source, start, *entry)))
        whose = name if name in strings and _is_list(columns[-1]) else None
    return {
        "version": version,
        "size": source.size,
        "rows": descriptor.length,
        "footer": footer,
        "global_buffers": [{"offset": offset, "bytes": size} for offset, size in global_buffers],
        "metadata": schema.texts(descriptor.schema.metadata),
        "fields": schema.described(fields),
        "columns": columns,
    }


def _footer(source: Source) -> dict[str, int]:
    offset = source.size - FOOTER.size
    data = source.read(offset, FOOTER.size, "the footer")
    names = ["column_metadata", "column_table", "global_buffer_table", "global_buffers", "columns", "major", "minor"]
    return {"offset": offset} | dict(zip(names, FOOTER.unpack(data)[:-1], strict=True))


def _table(source: Source, offset: int, count: int, what: str) -> list[tuple[int, int]]:
    return list(struct.iter_unpack("<QQ", source.read(offset, 16 * count, what)))


def _column_buffers(source: Source, message: Any) -> dict[int, str]:
    """Describes column buffers: see docs/statistics.md."""
    starts = zip(message.buffer_offsets, message.buffer_sizes, strict=False)
    return {
        i: "statistics"
        for i, (offset, size) in enumerate(starts)
        if size >= 4 and offset + size <= source.size and source.read(offset, 4, "a column buffer") == b"SLZ1"
    }


def _is_list(column: dict[str, Any]) -> bool:
    """Whether the values are lists, as pylance 0.13 wrote strings: the column that follows holds the bytes."""
    return any(page["encoding"].startswith("list(") for page in column.get("pages", [])[:1])


def _column(source: Source, start: dict[str, Any], offset: int, length: int) -> dict[str, Any]:
    column = f"column {start['index']} ({start['name']})"
    message = source.message(proto.ColumnMetadata, offset, length, f"the metadata of {column}")
    where = f"{source.path}: {column}"
    found = [pages.page(page, f"{where}, page {i}", source.size) for i, page in enumerate(message.pages)]
    size = sum(page["bytes"] for page in found) + sum(message.buffer_sizes)
    return start | {
        "encoding": pages.encoding(message.encoding, where)[0],
        "rows": sum(page["rows"] for page in found),
        "bytes": size,
        "percent": pages.percent(size, source.size),
        "metadata": {"offset": offset, "bytes": length},
        "buffers": pages.buffers(message, _column_buffers(source, message), source.size),
        "pages": found,
    }
