"""Writes pages of strings and fixed-size lists, as pylance encodes them, for the golden tests of these encodings.

    python tests/golden/wide_pages.py jvm/core/src/test/resources/golden/pages

Needs pylance 14.0.2. Each file tells the page's rows, its layout (a serialized lance.encodings21.PageLayout) and its
buffers, in hex; the suites repeat the formulas of the values.
"""

import struct
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from lance.file import LanceFileWriter


def fields(message: bytes):
    """(field number, value) of each field of a protobuf message; nested messages stay bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            size = varint()
            yield key >> 3, message[at : at + size]
            at += size


def varints(packed: bytes):
    return [value for _, value in fields(b"".join(b"\x08" + one for one in split_varints(packed)))]


def split_varints(packed: bytes):
    start = 0
    for i, byte in enumerate(packed):
        if byte < 0x80:
            yield packed[start : i + 1]
            start = i + 1


def first_page(file: bytes):
    """Rows, layout and buffers of the first page of the first column."""
    table = struct.unpack_from("<Q", file, len(file) - 32)[0]
    at, size = struct.unpack_from("<QQ", file, table)
    page = dict(fields(next(value for number, value in fields(file[at : at + size]) if number == 2)))
    direct = dict(fields(page[4]))[2]
    layout = dict(fields(dict(fields(direct))[1]))[2]
    spans = zip(varints(page.get(1, b"")), varints(page.get(2, b"")), strict=True)
    return page[3], layout, [file[start : start + length] for start, length in spans]


def write(folder: Path, name: str, column: pa.Array, version: str = "2.2", **metadata: str):
    keys = {"lance-encoding:" + key.replace("_", "-"): value for key, value in metadata.items()}
    schema = pa.schema([pa.field("x", column.type, metadata=keys)])
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "x.lance"
        with LanceFileWriter(str(path), schema, version=version) as writer:
            writer.write_batch(pa.table([column], schema=schema))
        rows, layout, buffers = first_page(path.read_bytes())
    lines = [str(rows), layout.hex(), *(buffer.hex() for buffer in buffers)]
    (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")


def vectors(missing_item=lambda row, item: False, missing_row=lambda row: False):
    values = [
        None if missing_row(row) else [None if missing_item(row, i) else float(row * 128 + i) for i in range(128)]
        for row in range(5)
    ]
    return pa.array(values, pa.list_(pa.float32(), 128))


def main(folder: Path):
    folder.mkdir(parents=True, exist_ok=True)
    flat = pa.array([float(i) for i in range(5 * 128)], pa.float32())
    write(folder, "fsl_float", pa.FixedSizeListArray.from_arrays(flat, 128))
    mask = pa.array([False, False, True, False, False])
    write(folder, "fsl_float_null_rows", pa.FixedSizeListArray.from_arrays(flat, 128, mask=mask))
    write(folder, "fsl_float_null_items", vectors(lambda row, i: (row + i) % 5 == 0, lambda row: row == 2))
    write(folder, "fsl_float_all_items_null", vectors(lambda row, i: True, lambda row: row == 1))
    nested = [
        None
        if r == 2
        else [None if j % 3 == 0 else [None if (r + j + k) % 4 == 0 else k for k in range(40)] for j in range(10)]
        for r in range(3)
    ]
    write(folder, "fsl_of_fsl", pa.array(nested, pa.list_(pa.list_(pa.int32(), 40), 10)))
    small = [[None if (i + j) % 5 == 0 else i * 4 + j for j in range(4)] for i in range(5)]
    write(folder, "mini_fsl_null_items", pa.array(small, pa.list_(pa.int32(), 4)))
    write(
        folder,
        "mini_fsl_bool",
        pa.array([[(i * j) % 3 != 0 for j in range(10)] for i in range(11)], pa.list_(pa.bool_(), 10)),
    )
    pairs = [
        [None if (i + j) % 3 == 0 else [None if (i + j + k) % 4 == 0 else k for k in range(4)] for j in range(2)]
        for i in range(5)
    ]
    write(folder, "mini_fsl_of_fsl", pa.array(pairs, pa.list_(pa.list_(pa.int32(), 4), 2)))
    write(folder, "bool", pa.array([True, False, None, True]), structural_encoding="fullzip")
    write(
        folder, "fixed_size_binary", pa.array([None if i == 3 else bytes([i]) * 300 for i in range(5)], pa.binary(300))
    )
    write(folder, "strings", pa.array(["x" * 300, "a", None, "", "bbb"]))
    fsst = ["" if i % 9 == 4 else None if i % 9 == 5 else f"{i:03d} " + "lance " * 50 for i in range(160)]
    write(folder, "strings_fsst", pa.array(fsst))
    write(folder, "strings_zstd", pa.array([f"abc{i}" * 10000 for i in range(4)] + ["", None]))
    write(folder, "binary_zstd_64", pa.array([b"abc%d" % i * 10000 for i in range(4)] + [b"", None], pa.large_binary()))
    write(folder, "mini_strings_64", pa.array([f"{i:03d}" * (i % 3) for i in range(20)], pa.large_string()))
    write(folder, "mini_strings_fsst", pa.array([f"{i:03d} " + "lance " * 41 for i in range(140)]))
    listed = [f"item {i % 10} of a list that compresses {i}" for i in range(200)]
    write(folder, "mini_strings_zstd", pa.array(listed), compression="zstd")
    write(folder, "mini_strings_lz4", pa.array(listed), compression="lz4")
    write(folder, "dictionary", pa.array([f"colour {i % 5}" for i in range(200)]), "2.1")
    write(folder, "dictionary_lz4", pa.array([f"colour {i % 5}" for i in range(200)]))
    write(folder, "dictionary_64", pa.array([f"colour {i % 5}" for i in range(200)], pa.large_string()), "2.1")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
