"""A table: its versions, and all that belongs to one of them."""

from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sparklance import proto
from sparklance.errors import LanceException, LanceTableNotFoundException, LanceUsageException
from sparklance.inspect import data_file, deletions, manifest, schema, transaction
from sparklance.inspect.problems import Problems
from sparklance.inspect.source import Source

VERSIONS = "_versions"
_LAST = 2**64 - 1
_V2_LENGTH = len(f"{_LAST}.manifest")


class Named(NamedTuple):
    """A manifest as its name tells it. Schemes: V1 is the version, V2 counts down, `detached` is outside of history."""

    version: int
    naming: str
    path: Path


def manifests(root: Path) -> list[Named]:
    """Oldest first; detached ones last."""
    found = (named(path) for path in (root / VERSIONS).iterdir())
    return sorted((each for each in found if each), key=lambda each: (each.naming == "detached", each.version))


def named(path: Path) -> Named | None:
    stem, detached = path.name.removesuffix(".manifest"), path.name.startswith("d")
    digits = stem.removeprefix("d")
    if stem == path.name or not (digits.isascii() and digits.isdigit()):
        return None
    if detached:
        return Named(int(digits), "detached", path)
    if len(path.name) == _V2_LENGTH:
        return Named(_LAST - int(stem), "V2", path)
    return Named(int(stem), "V1", path)


def chosen(root: Path, version: int | None) -> Named:
    """The version asked for, or the latest one."""
    found = manifests(root)
    history = [each for each in found if each.naming != "detached"]
    if version is None and history:
        return history[-1]
    for each in found:
        if each.version == version:
            return each
    if not found:
        raise LanceTableNotFoundException(
            f"{root}: no version of a table here: {VERSIONS} has no manifest. "
            "Nothing was ever committed, or the copy is not complete."
        )
    known = transaction.shortened(", ".join(str(each.version) for each in found))
    raise LanceTableNotFoundException(
        f"{root} has no version {version}: it was cleaned up or never written. Its versions: {known}."
    )


def described(root: Path, version: int | None, columns: Collection[str], file: str | None) -> dict[str, Any]:
    problems = Problems()
    opened = manifest.load(chosen(root, version).path)
    shown = manifest.described(opened, f"{VERSIONS}/{opened.path.name}")
    files = list(_data_files(root, opened.message, file, problems))
    choose_columns(files, shown["fields"], columns)
    return {
        "path": str(root),
        "kind": "table",
        "versions": [_version(root, each, problems) for each in manifests(root)],
        "version": opened.message.version,
        "manifest": shown,
        "data_files": files,
        "deletion_files": [] if file else list(_deletion_files(root, opened.message, problems)),
        "problems": problems,
    }


def located(root: Path, message: Any, folder: str, name: str, base_id: int | None) -> Path:
    """Returns the path of a table's file, below its own root or one of its base paths."""
    if base_id is None:
        return root / folder / name
    base = next((each for each in message.base_paths if each.id == base_id), None)
    if base is None:
        raise LanceException(f"{folder}/{name}: the manifest has no base path {base_id}. The table is damaged.")
    url = urlsplit(base.path)
    if url.scheme not in ("", "file"):
        raise LanceException(f"{base.path}/{name} is not on this machine: copy it here to look at it.")
    above = Path(unquote(url.path) if url.scheme else base.path)
    return above / folder / name if base.is_dataset_root else above / name


def _version(root: Path, name: Named, problems: Problems) -> dict[str, Any]:
    start = {"version": name.version, "naming": name.naming, "file": f"{VERSIONS}/{name.path.name}"}

    def read() -> dict[str, Any]:
        opened = manifest.load(name.path)
        moment = {"timestamp": manifest.timestamp(opened.message), "size": opened.size}
        return start | moment | {"transaction": _transaction(root, opened)}

    return problems.guard(start, read)


def _transaction(root: Path, opened: manifest.ManifestFile) -> dict[str, Any] | None:
    """From the manifest itself, or else from its file, which may have been cleaned up."""
    if opened.transaction is not None:
        return {"stored": "in the manifest"} | transaction.described(opened.transaction)
    path = root / "_transactions" / opened.message.transaction_file
    if not path.is_file():
        return None
    with Source(path) as source:
        message = source.message(proto.Transaction, 0, source.size, "the transaction")
    return {"stored": "in its file"} | transaction.described(message)


def _data_files(root: Path, message: Any, wanted: str | None, problems: Problems) -> Iterator[dict[str, Any]]:
    known = [(fragment.id, file) for fragment in message.fragments for file in fragment.files]
    shown = [pair for pair in known if wanted in (None, pair[1].path, f"data/{pair[1].path}")]
    if wanted is not None and not shown:
        names = transaction.shortened(", ".join(f"data/{file.path}" for _, file in known))
        raise LanceUsageException(f"version {message.version} has no data file {wanted}. It has: {names or 'none'}.")
    for fragment, file in shown:
        start = {"path": f"data/{file.path}", "fragment": fragment}
        yield problems.guard(start, partial(_data_file, root, message, start, file, problems))


def _data_file(root: Path, message: Any, start: dict[str, Any], file: Any, problems: Problems) -> dict[str, Any]:
    path = located(root, message, "data", file.path, file.base_id if file.HasField("base_id") else None)

    size = path.stat().st_size
    if file.file_size_bytes not in (0, size):
        problems.append(
            f"{path} has {size} bytes, and the manifest says {file.file_size_bytes}: it is not the file that was "
            "committed. Restore it from its origin."
        )
    names = schema.names_by_manifest(message.fields, file)
    return start | data_file.described(path, start["path"], problems, names, message.fields)


def _deletion_files(root: Path, message: Any, problems: Problems) -> Iterator[dict[str, Any]]:
    for fragment in message.fragments:
        if fragment.HasField("deletion_file"):
            file = fragment.deletion_file
            shown = manifest.deletion_name(fragment.id, file)
            start = {"file": shown, "fragment": fragment.id, "deleted_rows_by_manifest": file.num_deleted_rows}
            yield problems.guard(start, partial(_deletion_file, root, message, start, file))


def _deletion_file(root: Path, message: Any, start: dict[str, Any], file: Any) -> dict[str, Any]:
    folder, name = start["file"].split("/")
    path = located(root, message, folder, name, file.base_id if file.HasField("base_id") else None)
    return start | deletions.described(path, start["file"])


def choose_columns(files: list[dict[str, Any]], fields: list[dict[str, Any]], wanted: Collection[str]) -> None:
    """Leaves only these columns, with what is nested in them."""
    if not wanted:
        return
    known = {column["name"] for file in files for column in file.get("columns", ())} | {f["name"] for f in fields}
    for name in wanted:
        if name not in known:
            names = transaction.shortened(", ".join(sorted(known)))
            raise LanceUsageException(f"there is no column {name}. The columns: {names}.")
    for file in files:
        file["columns"] = [
            column
            for column in file.get("columns", ())
            if any(column["name"] == name or column["name"].startswith((f"{name}.", f"{name} (")) for name in wanted)
        ]
