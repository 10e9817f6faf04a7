"""Writes and reads tables by whatever release of pylance is installed; imports nothing else, so that old ones run it.

    PYTHONPATH=<release> python by_release.py FOLDER VERSION        for each FOLDER/*.arrow:

NAME.arrow (Arrow IPC) becomes the table NAME.lance of file version VERSION, what is read back NAME.back.arrow, and
what could not be written or read NAME.json: {"written": {column: error}, "read": {column: error}}.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import lance
import pyarrow as pa

#: Sets the writer's page size, where it supports that.
PAGE_BYTES = "LANCE_FILE_WRITER_MAX_PAGE_BYTES"


def said(error):
    """One line, without what differs from run to run."""
    line = re.sub(r"\s+", " ", str(error)).split(", /")[0]
    return f"{type(error).__name__}: {re.sub(r'Id[(][0-9]+[)]|[0-9]+ null', '…', line)}"[:150]


def piecemeal(columns, attempt, said=said, alike=lambda columns: len(columns) == 1):
    """The outcomes of `attempt` on parts of the columns, as few as may be, and of those that fail what they say.

    Columns that are `alike` are not told apart.
    """
    if not columns:
        return [], {}
    try:
        return [attempt(columns)], {}
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        if alike(columns):
            return [], dict.fromkeys(columns, said(error))
    middle = len(columns) // 2
    left = piecemeal(columns[:middle], attempt, said, alike)
    right = piecemeal(columns[middle:], attempt, said, alike)
    return left[0] + right[0], {**left[1], **right[1]}


def side_by_side(tables):
    """One table of the columns of all."""
    columns = [(field, table[field.name]) for table in tables for field in table.schema]
    return pa.table([values for _, values in columns], schema=pa.schema([field for field, _ in columns]))


def write(table, path, version, page_bytes):
    """Writes those columns that can be; gives the errors of the others."""
    os.environ.pop(PAGE_BYTES, None)
    if page_bytes:
        os.environ[PAGE_BYTES] = str(page_bytes)

    def attempt(columns):
        shutil.rmtree(path, ignore_errors=True)
        lance.write_dataset(table.select(columns), path, data_storage_version=version)
        # Old releases write schemas that they cannot open.
        lance.dataset(path)
        return columns

    parts, errors = piecemeal(table.column_names, attempt)
    if len(parts) > 1:
        # What goes well alone may fail together.
        errors.update(together(attempt, [column for part in parts for column in part]))
    return errors


def together(attempt, columns):
    try:
        attempt(columns)
    except BaseException as error:
        return dict.fromkeys(columns, said(error))
    return {}


def read(path, columns):
    """Returns the readable columns, and the errors of the others."""

    def attempt(names):
        dataset = lance.dataset(path)
        table = dataset.to_table(columns=names)
        if table.num_rows != dataset.count_rows():
            raise ValueError(f"{table.num_rows} of {dataset.count_rows()} rows")
        return table

    try:
        lance.dataset(path)
    except BaseException as error:
        return pa.table({}), dict.fromkeys(columns, said(error))
    parts, errors = piecemeal(columns, attempt)
    return side_by_side(parts), errors


def aligned(table):
    """In buffers of their own: those of a file start at multiples of 8, which Rust does not take for wider values."""
    columns = [column.combine_chunks() for column in table.columns]
    copies = [pa.concat_arrays([array, array.slice(0, 0)]) for array in columns]
    return pa.table(copies, schema=table.schema)


def main(folder, version):
    for source in sorted(Path(folder).glob("*.arrow")):
        if source.name.endswith(".back.arrow"):
            continue
        table = aligned(pa.ipc.open_file(str(source)).read_all())
        name, page_bytes = source.stem, (table.schema.metadata or {}).get(b"page_bytes")
        target = str(source.with_name(f"{name}.lance"))
        written = write(table.replace_schema_metadata(), target, version, page_bytes and page_bytes.decode())
        back, unread = read(target, [name for name in table.column_names if name not in written])
        with pa.ipc.new_file(str(source.with_name(f"{name}.back.arrow")), back.schema) as out:
            out.write_table(back)
        source.with_name(f"{name}.json").write_text(json.dumps({"written": written, "read": unread}))


if __name__ == "__main__":
    main(*sys.argv[1:])
