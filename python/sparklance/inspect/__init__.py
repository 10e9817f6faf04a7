"""Looks into a Lance table, or one file of it, without Spark and without a JVM::

    python -m sparklance.inspect PATH [--version N] [--column a.b] [--file data/x.lance] [--json]

and from Python, for what a test wants to know::

    from sparklance.inspect import describe, encodings

    encodings("/data/flights.lance")["carrier"]
    # ['mini_block(inline_bitpacking(32)) dictionary=general[lz4](variable(flat(32))) [ALL_VALID_ITEM]']

`describe` gives what `--json` prints: one document, whose keys stay. All of them have `path`, `kind` and `problems`
(sentences about what could not be read; the rest is there all the same), and by their kind:

* `table`: `versions`, `version` (the one shown), `manifest`, `data_files`, `deletion_files`
* `manifest`: `manifest` and, if it is stored in it, `transaction`
* `transaction`: `transaction`
* `data_file`: `data_files`, with one entry
* `deletion_file`: `deletion_files`, with one entry

A version has `version`, `naming` (`V1`, `V2`, `detached`), `file`, `size`, `timestamp`, `transaction`; a transaction
`operation`, `read_version`, `uuid`, `tag`, `properties`, `fields` (by name, each in words), `summary` and `stored`.

A manifest has `file`, `size`, `version`, `timestamp`, `written_by`, `file_format`, `file_version`, `branch`, `tag`,
`reader_features`, `writer_features`, `max_fragment_id`, `next_row_id`, `transaction_file`, `config`, `table_metadata`,
`schema_metadata`, `base_paths`, `fields`, `fragments`, `indices`, `unknown_fields` (numbers that we do not know).

A data file has `path`, `fragment` (in a table), `version`, `size`, `rows`, `footer`, `global_buffers`, `metadata`,
`fields` (the schema inside it) and `columns`; a column `index`, `name`, `encoding`, `rows`, `bytes`, `percent` (of the
file), `metadata` (where it is), `buffers`, `pages`; a page `rows`, `priority`, `encoding`, `details` (the numbers of
its layout), `bytes`, `percent`, `buffers`; a buffer `holds`, `offset`, `bytes`, `percent`, `inside_file`. In files of
version 0.1 sizes of pages are not stored, and null here.

A deletion file has `file`, `size`, `deleted_rows`, `offsets` (ranges of rows of the fragment, both ends included) and,
in a table, `fragment` and `deleted_rows_by_manifest`. What could not be read has `error` in place of its content.
"""

from collections.abc import Collection
from os import PathLike
from pathlib import Path
from typing import Any

from sparklance import proto
from sparklance.errors import LanceTableNotFoundException, LanceUsageException
from sparklance.inspect import data_file, deletions, manifest, table, transaction
from sparklance.inspect.problems import Problems
from sparklance.inspect.source import Source

__all__ = ["describe", "encodings"]


def describe(
    path: str | PathLike[str], version: int | None = None, columns: Collection[str] = (), file: str | None = None
) -> dict[str, Any]:
    """All about a table in one of its versions (the latest by default), or about one file.

    `columns` leaves only these (and what is nested in them) of each data file, `file` only this data file of a table.
    """
    where = Path(path)
    if (where / table.VERSIONS).is_dir():
        return table.described(where, version, columns, file)
    if where.is_dir():
        raise LanceTableNotFoundException(
            f"{where} is not a Lance table: it has no folder {table.VERSIONS}. Give the folder of a table, or a file."
        )
    if where.exists() and (version is not None or file is not None):
        raise LanceUsageException(f"{where} is not a table: a version or a data file can be chosen in a table only.")
    problems = Problems()
    return {"path": str(where)} | _file(where, columns, problems) | {"problems": problems}


def encodings(path: str | PathLike[str], version: int | None = None) -> dict[str, list[str]]:
    """Returns the encodings of the pages of each column of a table or data file, file after file."""
    found: dict[str, list[str]] = {}
    document = describe(path, version)
    if document["problems"]:
        raise LanceUsageException(f"{path} cannot be read in full: {document['problems'][0]}")
    for each in document.get("data_files", ()):
        for column in each["columns"]:
            found.setdefault(column["name"], []).extend(page["encoding"] for page in column["pages"])
    return found


def _file(path: Path, columns: Collection[str], problems: Problems) -> dict[str, Any]:
    match path.suffix:
        case ".manifest":
            opened = manifest.load(path)
            inline = opened.transaction
            found = {"kind": "manifest", "manifest": manifest.described(opened, path.name)}
            return found | ({"transaction": transaction.described(inline)} if inline is not None else {})
        case ".txn":
            with Source(path) as source:
                message = source.message(proto.Transaction, 0, source.size, "the transaction")
            return {"kind": "transaction", "transaction": transaction.described(message)}
        case ".arrow" | ".bin":
            return {"kind": "deletion_file", "deletion_files": [deletions.described(path, path.name)]}
        case _:
            files = [data_file.described(path, path.name, problems)]
            table.choose_columns(files, [], columns)
            return {"kind": "data_file", "data_files": files}
