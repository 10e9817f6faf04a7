"""Writes small columns with pylance and prints their pages, for the JVM's golden tests.

    python tests/golden/pages.py > jvm/core/src/test/resources/golden-pages.txt

One page a line: name, file version, rows, the PageLayout message, then each buffer of the page, in hex ("-" if empty).
Needs pylance 14.0.2 (which decides on the encodings) and grpcio-tools. PageDecodingSuite knows the values.
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
