"""The document of `describe` for people: one line for one thing, indented below what it belongs to."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

_RANGES_SHOWN = 8


def lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"{document['path']}: {document['kind'].replace('_', ' ')}"
    if "versions" in document:
        yield from _section("versions", _versions(document["versions"]))
    if "manifest" in document:
        yield from _section(f"version {document['manifest']['version']}", _manifest(document["manifest"]))
    if "transaction" in document:
        yield from _section("transaction", _transaction(document["transaction"]))
    for file in document.get("deletion_files", ()):
        yield from _section(file["file"], _deletion_file(file))
    for file in document.get("data_files", ()):
        yield from _section(file["path"], _data_file(file))


def _section(title: str, content: Iterable[str]) -> Iterator[str]:
    yield ""
    yield title
    yield from (f"  {line}" for line in content)


def _versions(versions: list[dict[str, Any]]) -> Iterator[str]:
    for each in versions:
        if "error" in each:
            yield f"{each['version']}  {each['naming']}  {each['error']}"
            continue
        done = each["transaction"]
        told = f"{done['operation']} ({done['summary']})" if done else "no transaction is left"
        yield f"{each['version']}  {each['timestamp']}  {each['naming']}  {told}"


def _manifest(shown: dict[str, Any]) -> Iterator[str]:
    yield f"file             {shown['file']}, {_bytes(shown['size'])}"
    yield f"committed        {shown['timestamp']} by {shown['written_by'] or 'nobody'}"
    yield f"files            {shown['file_format']} {shown['file_version']}"
    for key in ("branch", "tag", "max_fragment_id", "next_row_id", "transaction_file"):
        if shown[key] not in (None, "", 0) or key == "max_fragment_id":
            yield f"{key.replace('_', ' '):16} {shown[key]}"
    for key in ("reader_features", "writer_features"):
        yield f"{key.replace('_', ' '):16} {', '.join(shown[key]) or 'none'}"
    for key in ("config", "table_metadata", "schema_metadata"):
        if shown[key]:
            yield f"{key.replace('_', ' '):16} {_pairs(shown[key])}"
    if shown["unknown_fields"]:
        yield f"unknown fields   {', '.join(map(str, shown['unknown_fields']))}"
    parts: list[tuple[str, Callable[[dict[str, Any]], Iterator[str]]]] = [
        ("base_paths", _base),
        ("fields", _field),
        ("fragments", _fragment),
        ("indices", lambda index: _index(index, len(shown["fragments"]))),
    ]
    for key, told in parts:
        if shown[key]:
            yield key.replace("_", " ")
            yield from (f"  {line}" for each in shown[key] for line in told(each))


def _base(base: dict[str, Any]) -> Iterator[str]:
    kind = "a table" if base["is_dataset_root"] else "a folder"
    yield f"{base['id']}  {base['path']}  {kind}{', named ' + base['name'] if base['name'] else ''}"


def _field(field: dict[str, Any]) -> Iterator[str]:
    notes = ["" if field["nullable"] else "not null", "primary key" if field["primary_key"] else ""]
    notes.append(_pairs(field["metadata"]))
    yield "  ".join([str(field["id"]), field["name"], field["type"], *filter(None, notes)])


def _fragment(fragment: dict[str, Any]) -> Iterator[str]:
    lineage = ("row_ids", "created_at_versions", "last_updated_at_versions")
    notes = [f"{key.replace('_', ' ')} {fragment[key]}" for key in lineage if fragment[key]]
    notes += [f"{fragment['overlays']} overlays"] if fragment["overlays"] else []
    yield "  ".join([f"{fragment['id']}  {_rows(fragment['physical_rows'])}", *notes])
    for file in fragment["files"]:
        ids = ", ".join(map(str, file["fields"]))
        size = "size unknown" if file["size"] is None else _bytes(file["size"])
        yield f"  data/{file['file']}  {file['version']}, {size}, fields {ids or 'none'}{_based(file)}"
    if deletion := fragment["deletion_file"]:
        yield f"  {deletion['file']}  {_rows(deletion['deleted_rows'])}{_based(deletion)}"


def _based(file: dict[str, Any]) -> str:
    return "" if file["base_id"] is None else f", in base path {file['base_id']}"


def _index(index: dict[str, Any], fragments: int) -> Iterator[str]:
    kind = index["type"] or "unknown type"
    kind += f" version {index['index_version']}" if index["index_version"] is not None else ""
    coverage = "coverage unknown"
    if index["covered_fragments"] is not None:
        coverage = f"covers {index['covered_live_fragments']} of {fragments} fragments"
    yield f"{index['name']}  {kind} on {', '.join(index['fields']) or 'no field'}  {coverage}{_based(index)}"
    yield f"  _indices/{index['uuid']}, made on version {index['dataset_version']}"
    yield from (f"    {file['file']}  {_bytes(file['size'])}" for file in index["files"])


def _transaction(done: dict[str, Any]) -> Iterator[str]:
    yield f"{done['operation']} on version {done['read_version']}, {done['uuid']}"
    yield from (f"{name}: {value}" for name, value in done["fields"].items())
    if done["properties"]:
        yield f"properties: {_pairs(done['properties'])}"


def _deletion_file(file: dict[str, Any]) -> Iterator[str]:
    if "error" in file:
        yield file["error"]
        return
    of = f" of fragment {file['fragment']}" if "fragment" in file else ""
    by_manifest = file.get("deleted_rows_by_manifest", file["deleted_rows"])
    note = "" if by_manifest == file["deleted_rows"] else f" (the manifest says {by_manifest})"
    yield f"{_rows(file['deleted_rows'])}{of} deleted{note}, {_bytes(file['size'])}"
    ranges = [str(first) if first == last else f"{first}-{last}" for first, last in file["offsets"]]
    yield "offsets " + ", ".join(ranges[:_RANGES_SHOWN] + (["…"] if len(ranges) > _RANGES_SHOWN else []))


def _data_file(file: dict[str, Any]) -> Iterator[str]:
    if "error" in file:
        yield file["error"]
        return
    of = f", fragment {file['fragment']}" if "fragment" in file else ""
    yield f"file version {file['version']}, {_rows(file['rows'])}, {_bytes(file['size'])}{of}"
    yield f"footer: {_pairs(file['footer'])}"
    for i, buffer in enumerate(file["global_buffers"]):
        yield f"global buffer {i}{' (the schema)' if i == 0 else ''}: {_bytes(buffer['bytes'])} at {buffer['offset']}"
    for column in file["columns"]:
        yield from _column(column)


def _column(column: dict[str, Any]) -> Iterator[str]:
    if "error" in column:
        yield f"column {column['index']} {column['name']}: {column['error']}"
        return
    encoded = "" if column["encoding"] == "values" else f", {column['encoding']}"
    yield f"column {column['index']} {column['name']}: {_share(column)}{encoded}"
    yield from (f"  {_buffer(buffer)}" for buffer in column["buffers"])
    for i, page in enumerate(column["pages"]):
        yield f"  page {i}: {_rows(page['rows'])}, {_share(page)}"
        yield f"    {page['encoding']}"
        if page["details"]:
            yield f"    {_pairs(page['details'])}"
        yield from (f"    {_buffer(buffer)}" for buffer in page["buffers"])


def _buffer(buffer: dict[str, Any]) -> str:
    outside = "" if buffer["inside_file"] else ", outside of the file"
    return f"{buffer['holds']}: {_share(buffer)} at {buffer['offset']}{outside}"


def _share(part: dict[str, Any]) -> str:
    return "size not stored" if part["bytes"] is None else f"{_bytes(part['bytes'])} ({part['percent']} %)"


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _bytes(count: int) -> str:
    return f"{count:,} bytes"


def _pairs(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in values.items())
