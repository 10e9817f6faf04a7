"""A manifest file: one version of a table.

It ends with the position of the manifest (i64), two numbers (u16) and "LANC". A section is a length (u32) and a
message: the manifest, and before it, where the manifest says so, the list of indices and the transaction.
"""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sparklance import proto
from sparklance.inspect import features, roaring, schema
from sparklance.inspect.source import Source, unknown_fields

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class ManifestFile:
    """The messages of one manifest file."""

    path: Path
    size: int
    message: Any
    indices: list[Any]
    transaction: Any | None


def load(path: Path) -> ManifestFile:
    with Source(path) as source:
        source.version_at_end()
        (position,) = source.unpack("<q", source.size - 16, "the footer")
        message = source.prefixed_message(proto.Manifest, position, "the manifest")
        section = _position(message, "index_section")
        indices = section is not None and source.prefixed_message(proto.IndexSection, section, "the index section")
        section = _position(message, "transaction_section", "transaction_section_deprecated")
        inline = section is not None and source.prefixed_message(proto.Transaction, section, "the transaction")
        return ManifestFile(path, source.size, message, list(indices.indices) if indices else [], inline or None)


def described(file: ManifestFile, shown: str) -> dict[str, Any]:
    message = file.message
    live = {fragment.id for fragment in message.fragments}
    names = schema.paths(message.fields)
    return {
        "file": shown,
        "size": file.size,
        "version": message.version,
        "timestamp": timestamp(message),
        "written_by": f"{message.writer_version.library} {message.writer_version.version}".strip(),
        "file_format": message.data_format.file_format,
        "file_version": message.data_format.version,
        "branch": message.branch if message.HasField("branch") else None,
        "tag": message.tag,
        "reader_features": features.names(message.reader_feature_flags),
        "writer_features": features.names(message.writer_feature_flags),
        "max_fragment_id": message.max_fragment_id if message.HasField("max_fragment_id") else None,
        "next_row_id": message.next_row_id,
        "transaction_file": message.transaction_file,
        "config": dict(sorted(message.config.items())),
        "table_metadata": dict(sorted(message.table_metadata.items())),
        "schema_metadata": schema.texts(message.schema_metadata),
        "base_paths": [_base(base) for base in message.base_paths],
        "fields": schema.described(message.fields),
        "fragments": [_fragment(fragment) for fragment in message.fragments],
        "indices": [_index(index, names, live, file.path) for index in file.indices],
        "unknown_fields": unknown_fields(message),
    }


def timestamp(message: Any) -> str | None:
    """When it was committed, in UTC to the microsecond."""
    if not message.HasField("timestamp"):
        return None
    try:
        moment = _EPOCH + timedelta(seconds=message.timestamp.seconds, microseconds=message.timestamp.nanos // 1000)
    except OverflowError:
        return f"{message.timestamp.seconds} seconds after 1970"
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def deletion_name(fragment: int, deletion: Any) -> str:
    suffix = "bin" if deletion.file_type == 1 else "arrow"
    return f"_deletions/{fragment}-{deletion.read_version}-{deletion.id}.{suffix}"


def _position(message: Any, *fields: str) -> int | None:
    return next((getattr(message, field) for field in fields if message.HasField(field)), None)


def _base(base: Any) -> dict[str, Any]:
    name = base.name if base.HasField("name") else None
    return {"id": base.id, "name": name, "path": base.path, "is_dataset_root": base.is_dataset_root}


def _base_id(message: Any) -> int | None:
    return message.base_id if message.HasField("base_id") else None


def _fragment(fragment: Any) -> dict[str, Any]:
    deletion = fragment.deletion_file if fragment.HasField("deletion_file") else None
    return {
        "id": fragment.id,
        "physical_rows": fragment.physical_rows,
        "files": [_data_file(file) for file in fragment.files],
        "deletion_file": None
        if deletion is None
        else {
            "file": deletion_name(fragment.id, deletion),
            "read_version": deletion.read_version,
            "deleted_rows": deletion.num_deleted_rows,
            "base_id": _base_id(deletion),
        },
        "row_ids": _where(fragment, "row_id_sequence"),
        "created_at_versions": _where(fragment, "created_at_version_sequence"),
        "last_updated_at_versions": _where(fragment, "last_updated_at_version_sequence"),
        "overlays": len(fragment.overlays),
    }


def _where(fragment: Any, choice: str) -> str | None:
    kind = fragment.WhichOneof(choice)
    if kind is None:
        return None
    return f"inline, {len(getattr(fragment, kind))} bytes" if kind.startswith("inline") else "in a column"


def _data_file(file: Any) -> dict[str, Any]:
    return {
        "file": file.path,
        "version": f"{file.file_major_version}.{file.file_minor_version}",
        "size": file.file_size_bytes or None,
        "base_id": _base_id(file),
        "fields": list(file.fields),
        "column_indices": list(file.column_indices),
    }


def _index(index: Any, names: dict[int, str], live: set[int], path: Path) -> dict[str, Any]:
    raw = index.uuid.uuid
    covered = None
    if index.fragment_bitmap:
        covered = roaring.ranges(index.fragment_bitmap, f"{path}: the fragment bitmap of index {index.name}")
    return {
        "name": index.name,
        "uuid": str(uuid.UUID(bytes=raw)) if len(raw) == 16 else raw.hex(),
        "type": index.index_details.type_url.rsplit(".", 1)[-1].removesuffix("IndexDetails") or None,
        "index_version": index.index_version if index.HasField("index_version") else None,
        "fields": [names.get(field, f"(field {field})") for field in index.fields],
        "dataset_version": index.dataset_version,
        "base_id": _base_id(index),
        "files": [{"file": file.path, "size": file.size_bytes} for file in index.files],
        "covered_fragments": covered,
        "covered_live_fragments": None if covered is None else sum(roaring.contains(covered, each) for each in live),
    }
