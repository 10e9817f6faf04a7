"""Writes small columns with pylance and prints their pages, for the JVM's golden tests.

    python tests/golden/pages.py > jvm/format/src/test/resources/golden-pages.txt

One page a line: name, file version, rows, the PageLayout message, then each buffer of the page, in hex ("-" if empty).
Needs pylance 14.0.2 (which decides on the encodings) and grpcio-tools. The suites that read a page know its values.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

import lance
import pyarrow as pa
from lance.file import LanceFileWriter

PROTOS = pathlib.Path(__file__).parents[2] / "protos"
scratch = tempfile.mkdtemp()
subprocess.run(
    [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTOS}", f"--python_out={scratch}", "file2.proto"],
    check=True,
)
sys.path.insert(0, scratch)
import file2_pb2  # noqa: E402
from google.protobuf import any_pb2  # noqa: E402


def nth_null(values, nth=10):
    return [None if i % nth == nth - 1 else value for i, value in enumerate(values)]


def vectors(missing_item=lambda row, item: False, missing_row=lambda row: False):
    values = [
        None if missing_row(row) else [None if missing_item(row, i) else float(row * 128 + i) for i in range(128)]
        for row in range(5)
    ]
    return pa.array(values, pa.list_(pa.float32(), 128))


def lists_of_lists(rows, outer, inner, null_row, null_list, null_item):
    values = [
        None
        if null_row(r)
        else [
            None if null_list(r, j) else [None if null_item(r, j, k) else k for k in range(inner)] for j in range(outer)
        ]
        for r in range(rows)
    ]
    return pa.array(values, pa.list_(pa.list_(pa.int32(), inner), outer))


FLOATS = pa.array([float(i) for i in range(5 * 128)], pa.float32())
THIRD_ROW = pa.array([False, False, True, False, False])
PHRASES = pa.array([f"item {i % 10} of a list that compresses {i}" for i in range(200)])
COLOURS = [f"colour {i % 5}" for i in range(200)]
LONG = [f"abc{i}" * 10000 for i in range(4)] + ["", None]
SHORTENED = ["" if i % 9 == 4 else None if i % 9 == 5 else f"{i:03d} " + "lance " * 50 for i in range(160)]
SMALL_LISTS = [[None if (i + j) % 5 == 0 else i * 4 + j for j in range(4)] for i in range(5)]
BOOL_LISTS = [[(i * j) % 3 != 0 for j in range(10)] for i in range(11)]
PACKED = {"packed": "true"}
PACKED_ROWS = [{"a": i - 30, "b": i / 4, "c": i % 7, "d": bytes([i, i, 1]), "e": i * i} for i in range(70)]
PACKED_TYPE = pa.struct({"a": pa.int32(), "b": pa.float64(), "c": pa.uint8(), "d": pa.binary(3), "e": pa.int16()})
PACKED_VARIABLE = [
    {
        "a": i,
        "s": "ab" * (i % 4),
        "l": bytes(i % 3),
        "v": [i, None if i % 4 == 2 else 2],
        "f": [j == i % 8 for j in range(8)],
    }
    for i in range(40)
]
PACKED_VARIABLE_TYPE = pa.struct(
    {
        "a": pa.int32(),
        "s": pa.string(),
        "l": pa.large_binary(),
        "v": pa.list_(pa.int16(), 2),
        "f": pa.list_(pa.bool_(), 8),
    }
)
PACKED_DEEP = [{"a": i, "inner": {"s": f"{i:03d} " + "lance " * 50, "i": -i}} for i in range(120)]
PACKED_DEEP_TYPE = pa.struct({"a": pa.int8(), "inner": pa.struct({"s": pa.string(), "i": pa.int64()})})
PACKED_TEXT = pa.struct([pa.field("s", pa.string(), metadata={"lance-encoding:compression": "zstd"})])

COLUMNS = [
    ("int32_nullable", pa.array(nth_null([i % 7 for i in range(100)]), pa.int32()), {}, ["2.1", "2.2"]),
    ("int8_one_null", pa.array([None if i == 50 else i % 5 for i in range(100)], pa.int8()), {}, ["2.2"]),
    ("int64_runs", pa.array([1000000007 * (i // 60) for i in range(8292)], pa.int64()), {}, ["2.1"]),
    ("int64_dictionary", pa.array([10**12 * (i % 3) for i in range(300)], pa.int64()), {}, ["2.2"]),
    ("bool_nullable", pa.array(nth_null([i % 3 == 0 for i in range(3000)]), pa.bool_()), {}, ["2.1"]),
    ("bool_nullable", pa.array(nth_null([i % 3 == 0 for i in range(100)]), pa.bool_()), {}, ["2.2"]),
    ("string_dictionary", pa.array(["word " * (i % 4) for i in range(120)], pa.string()), {}, ["2.1", "2.2"]),
    ("int16_constant", pa.array(nth_null([-5] * 20), pa.int16()), {}, ["2.2"]),
    ("bool_constant", pa.array([True] * 20, pa.bool_()), {}, ["2.2"]),
    ("string_constant", pa.array(nth_null(["seven"] * 20), pa.string()), {}, ["2.2"]),
    ("large_binary_constant", pa.array([b"seven"] * 20, pa.large_binary()), {}, ["2.2"]),
    ("fixed_size_binary_constant", pa.array([bytes(range(40))] * 20, pa.binary(40)), {}, ["2.2"]),
    ("double_all_null", pa.array([None] * 20, pa.float64()), {}, ["2.1", "2.2"]),
    (
        "float_split",
        pa.array([1.5 * (i % 5) for i in range(1100)], pa.float32()),
        {"lance-encoding:bss": "on", "lance-encoding:compression": "zstd"},
        ["2.2"],
    ),
    (
        "int64_split",
        pa.array([10**15 * (i % 5) for i in range(600)], pa.int64()),
        {"lance-encoding:compression": "lz4"},
        ["2.1"],
    ),
    ("uint16_flat", pa.array([651 * i for i in range(70)], pa.uint16()), {}, ["2.2"]),
    (
        "decimal_nullable",
        pa.array(nth_null([i - 20 for i in range(40)]), pa.int32()).cast(pa.decimal128(20, 0)),
        {},
        ["2.2"],
    ),
    ("fsl_float", pa.FixedSizeListArray.from_arrays(FLOATS, 128), {}, ["2.2"]),
    ("fsl_float_null_rows", pa.FixedSizeListArray.from_arrays(FLOATS, 128, mask=THIRD_ROW), {}, ["2.2"]),
    ("fsl_float_null_items", vectors(lambda row, i: (row + i) % 5 == 0, lambda row: row == 2), {}, ["2.2"]),
    ("fsl_float_all_items_null", vectors(lambda row, i: True, lambda row: row == 1), {}, ["2.2"]),
    (
        "fsl_of_fsl",
        lists_of_lists(3, 10, 40, lambda r: r == 2, lambda r, j: j % 3 == 0, lambda r, j, k: (r + j + k) % 4 == 0),
        {},
        ["2.2"],
    ),
    ("mini_fsl_null_items", pa.array(SMALL_LISTS, pa.list_(pa.int32(), 4)), {}, ["2.2"]),
    ("mini_fsl_bool", pa.array(BOOL_LISTS, pa.list_(pa.bool_(), 10)), {}, ["2.2"]),
    (
        "mini_fsl_of_fsl",
        lists_of_lists(5, 2, 4, lambda r: False, lambda r, j: (r + j) % 3 == 0, lambda r, j, k: (r + j + k) % 4 == 0),
        {},
        ["2.2"],
    ),
    ("bool", pa.array([True, False, None, True]), {"lance-encoding:structural-encoding": "fullzip"}, ["2.2"]),
    (
        "fixed_size_binary",
        pa.array([None if i == 3 else bytes([i]) * 300 for i in range(5)], pa.binary(300)),
        {},
        ["2.2"],
    ),
    ("strings", pa.array(["x" * 300, "a", None, "", "bbb"]), {}, ["2.2"]),
    ("strings_fsst", pa.array(SHORTENED), {}, ["2.2"]),
    ("strings_zstd", pa.array(LONG), {}, ["2.2"]),
    ("binary_zstd_64", pa.array([None if v is None else v.encode() for v in LONG], pa.large_binary()), {}, ["2.2"]),
    ("mini_strings_64", pa.array([f"{i:03d}" * (i % 3) for i in range(20)], pa.large_string()), {}, ["2.2"]),
    ("mini_strings_fsst", pa.array([f"{i:03d} " + "lance " * 41 for i in range(140)]), {}, ["2.2"]),
    ("mini_strings_zstd", PHRASES, {"lance-encoding:compression": "zstd"}, ["2.2"]),
    ("mini_strings_lz4", PHRASES, {"lance-encoding:compression": "lz4"}, ["2.2"]),
    ("dictionary", pa.array(COLOURS), {}, ["2.1"]),
    ("dictionary_lz4", pa.array(COLOURS), {}, ["2.2"]),
    ("dictionary_64", pa.array(COLOURS, pa.large_string()), {}, ["2.1"]),
    (
        "fsl_bool",
        pa.FixedSizeListArray.from_arrays(
            pa.array([j == i % 16 for i in range(30) for j in range(16)]),
            16,
            mask=pa.array([i % 10 == 9 for i in range(30)]),
        ),
        {"lance-encoding:structural-encoding": "fullzip"},
        ["2.2"],
    ),
    ("packed", pa.array(nth_null(PACKED_ROWS), PACKED_TYPE), PACKED, ["2.1", "2.2"]),
    ("packed_variable", pa.array(nth_null(PACKED_VARIABLE), PACKED_VARIABLE_TYPE), PACKED, ["2.2"]),
    ("packed_deep", pa.array(PACKED_DEEP, PACKED_DEEP_TYPE), {"lance-encoding:packed": "true"}, ["2.2"]),
    ("packed_zstd", pa.array([{"s": f"{i} " * 9000} for i in range(4)], PACKED_TEXT), PACKED, ["2.2"]),
]


def page_line(name, array, metadata, version):
    path = f"{scratch}/page.lance"
    schema = pa.schema([pa.field("c", array.type, metadata=metadata)])
    with LanceFileWriter(path, schema, version=version) as writer:
        writer.write_batch(pa.table([array], schema=schema))
    data = pathlib.Path(path).read_bytes()
    pathlib.Path(path).unlink()
    offsets_table = struct.unpack_from("<Q", data, len(data) - 32)[0]
    position, size = struct.unpack_from("<QQ", data, offsets_table)
    column = file2_pb2.ColumnMetadata.FromString(data[position : position + size])
    (page,) = column.pages
    layout = any_pb2.Any.FromString(page.encoding.direct.encoding)
    assert layout.type_url.endswith("lance.encodings21.PageLayout")
    buffers = [data[at : at + n].hex() or "-" for at, n in zip(page.buffer_offsets, page.buffer_sizes, strict=True)]
    return " ".join([name, version, str(page.length), layout.value.hex(), *buffers])


print(f"# pylance {lance.__version__}, by tests/golden/pages.py")
for name, array, metadata, versions in COLUMNS:
    for version in versions:
        print(page_line(name, array, metadata, version))
