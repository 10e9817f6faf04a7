"""A data file of version 0.1: a table of pages by field and batch, and no encodings but the fields' own.

It ends with the position of its metadata (i64), version (2 x u16) and "LANC". The metadata tells where the schema is
and where the table of pages: a position and a length in rows (i64 each) for each field id and, within it, each batch.
"""

import struct
from typing import Any

from sparklance import proto
from sparklance.inspect import schema
from sparklance.inspect.source import Source

_Metadata = proto.message_class("lance.file.Metadata")
_ENCODINGS = {0: "none", 1: "plain", 2: "var_binary", 3: "dictionary", 4: "rle"}


def described(source: Source, fields: Any = None) -> dict[str, Any]:
    """`fields`: those of the table, for a file that has no schema of its own."""
    (position,) = source.unpack("<q", source.size - 16, "the footer")
    metadata = source.prefixed_message(_Metadata, position, "the metadata")
    if metadata.manifest_position:
        fields = source.prefixed_message(proto.Manifest, metadata.manifest_position, "the schema").fields
    fields = list(fields or ())
    batches = max(len(metadata.batch_offsets) - 1, 0)
    return {
        "version": "0.1",
        "size": source.size,
        "rows": metadata.batch_offsets[-1] if batches else 0,
        "footer": {"metadata": position, "page_table": metadata.page_table_position, "batches": batches},
        "global_buffers": [],
        "metadata": {},
        "fields": schema.described(fields),
        "columns": _columns(source, metadata.page_table_position, fields, batches),
    }


def _columns(source: Source, position: int, fields: list[Any], batches: int) -> list[dict[str, Any]]:
    if not fields:
        return []
    names = schema.paths(fields)
    first = min(field.id for field in fields)
    columns = []
    for index, field in enumerate(fields):
        offset = position + (field.id - first) * batches * 16
        entries = list(struct.iter_unpack("<qq", source.read(offset, batches * 16, "the page table")))
        if any(min(entry) < 0 for entry in entries):
            raise source.damaged("the page table has negative numbers")
        found = [_page(field, *entry) for entry in entries if entry != (0, 0)]
        columns.append(
            {
                "index": index,
                "name": names[field.id],
                "encoding": "values",
                "rows": sum(page["rows"] for page in found),
                "bytes": None,
                "percent": None,
                "metadata": {"offset": offset, "bytes": batches * 16},
                "buffers": [],
                "pages": found,
            }
        )
    return columns


def _page(field: Any, offset: int, rows: int) -> dict[str, Any]:
    """The size of a page is written nowhere."""
    holds = "offsets" if _ENCODINGS.get(field.encoding) == "var_binary" else "values"
    return {
        "rows": rows,
        "priority": 0,
        "encoding": _ENCODINGS.get(field.encoding, f"unknown {field.encoding}"),
        "details": {},
        "bytes": None,
        "percent": None,
        "buffers": [{"holds": holds, "offset": offset, "bytes": None, "percent": None, "inside_file": True}],
    }
