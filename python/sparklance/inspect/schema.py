"""Fields of a schema, and which of them own a column of a data file."""

from collections.abc import Iterable, Mapping
from typing import Any

_LONGEST = 4096
_TRUTHY = {"1", "true", "on", "yes", "y"}
#: What a data file may list in place of a field's id.
_SPECIAL = {
    -2: "(dropped)",
    -3: "_rowid",
    -4: "_row_created_at_version",
    -5: "_row_last_updated_at_version",
}


def text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def texts(entries: Mapping[str, bytes]) -> dict[str, str]:
    return {key: text(value) for key, value in sorted(entries.items())}


def paths(fields: Iterable[Any]) -> dict[int, str]:
    """Returns the path of each field, names separated by dots, by its id.

    Names so deep that they fill the memory are no table's: there the end of the parent's is left out.
    """
    found: dict[int, str] = {}
    for field in fields:
        parent = found.get(field.parent_id, "")[:_LONGEST] if field.parent_id >= 0 else ""
        found[field.id] = f"{parent}.{field.name}" if parent else field.name
    return found


def described(fields: Iterable[Any]) -> list[dict[str, Any]]:
    fields = list(fields)
    names = paths(fields)
    return [
        {
            "id": field.id,
            "parent_id": field.parent_id,
            "name": names[field.id] if field.id >= 0 else field.name,
            "type": field.logical_type,
            "nullable": field.nullable,
            "primary_key": field.unenforced_primary_key,
            "metadata": texts(field.metadata),
        }
        for field in fields
    ]


def names_of_strings(fields: Iterable[Any]) -> set[str]:
    """Names the fields whose values are strings or bytes."""
    fields = list(fields)
    names = paths(fields)
    types = {"string", "large_string", "binary", "large_binary"}
    return {names[field.id] for field in fields if field.id >= 0 and field.logical_type in types}


def names_of_columns(fields: Iterable[Any], version: str) -> dict[int, str]:
    """Names the columns of a file that is read on its own: in 2.0 every field has a column, later only leaves.

    A packed struct and a blob are one column with all that is in them, in 2.0 a fixed-size list of structs as well.
    """
    fields = [field for field in fields if field.id >= 0]
    names = paths(fields)
    parents = {field.parent_id for field in fields}
    within: set[int] = set()
    owners = []
    for field in fields:
        if field.parent_id in within:
            within.add(field.id)
            continue
        whole = _is_one_column(field, version)
        if whole:
            within.add(field.id)
        if whole or version == "2.0" or field.id not in parents:
            owners.append(names[field.id])
    return dict(enumerate(owners))


def names_by_manifest(fields: Iterable[Any], data_file: Any) -> dict[int, str]:
    """Names the columns of a table's file: the manifest records which field is stored where."""
    names = paths(fields)
    pairs = zip(data_file.column_indices, data_file.fields, strict=False)
    return {column: _SPECIAL.get(id_) or names.get(id_) or f"(field {id_})" for column, id_ in pairs if column >= 0}


def _is_one_column(field: Any, version: str) -> bool:
    metadata = texts(field.metadata)
    packed = metadata.get("lance-encoding:packed", metadata.get("packed", ""))
    is_blob = "lance-encoding:blob" in metadata or metadata.get("ARROW:extension:name") == "lance.blob.v2"
    is_packed = packed.lower() in _TRUTHY and field.logical_type == "struct"
    return is_blob or is_packed or (version == "2.0" and field.logical_type.startswith("fixed_size_list:"))
