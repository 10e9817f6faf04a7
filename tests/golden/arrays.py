"""Writes small columns in file version 2.0 and prints their pages, for the JVM's golden tests.

Older releases encoded 2.0 pages in ways that today's does not, some of them only in what was to become 2.1 then. So
each of these runs in an environment of its own, with nothing else installed (pyarrow 16.1.0 and numpy 1.26.4 with the
old ones):

    python tests/golden/arrays.py     # pylance 0.17.0, 0.18.2 and 14.0.2, CPython 3.11

and the three outputs together, without what 0.18.2 prints of its own, are golden-arrays.txt in
jvm/format/src/test/resources. One page a line: name, pylance's version, rows, the ArrayEncoding message, then each
buffer of the page, in hex ("-" if empty). ArrayPageSuite knows the values.
"""

import pathlib
import struct
import sys
import tempfile

import lance
import pyarrow as pa

WORDS = "the quick brown fox jumps over a lazy dog while nobody looks".split()


def nth_null(values, nth=10):
    return [None if i % nth == nth - 1 else value for i, value in enumerate(values)]


def of_strings():
    return {
        "strings": pa.array(nth_null([f"v{i}" * (i % 3) for i in range(150)]), pa.string()),
        "hex": pa.array([f"{i * 7919:08x}" for i in range(150)], pa.string()),
        "hex_nullable": pa.array(nth_null([f"{i * 7919:08x}" for i in range(150)]), pa.string()),
        "words": pa.array(nth_null([WORDS[i % 5] for i in range(150)]), pa.string()),
    }


def of_numbers(rows):
    return {
        "int32": pa.array([i * 7 % 100 for i in range(rows)], pa.int32()),
        "int16_signed": pa.array([i * 7 % 100 - 50 for i in range(rows)], pa.int16()),
        "int64_nullable": pa.array(nth_null([i * 7 % 1000 for i in range(rows)]), pa.int64()),
        "uint8": pa.array([i % 4 for i in range(rows)], pa.uint8()),
    }


def of_today():
    text = [" ".join(WORDS[(i * j) % len(WORDS)] for j in range(30)) for i in range(300)]
    threes = [[i, None if i % 4 == 1 else -i, 7] for i in range(60)]
    return of_strings() | {
        "bool_nullable": pa.array(nth_null([i % 3 == 0 for i in range(150)]), pa.bool_()),
        "decimal_nullable": pa.array(nth_null([i - 20 for i in range(40)]), pa.int32()).cast(pa.decimal128(20, 0)),
        "all_null": pa.nulls(20, pa.int32()),
        "all_null_strings": pa.nulls(120, pa.string()),
        "large_binary": pa.array([b"\x00" * i for i in range(20)], pa.large_binary()),
        "lists_item_null": pa.array(nth_null(threes), pa.list_(pa.int32(), 3)),
        "lists_of_lists": pa.array([[[i, 1], [2, 3]] for i in range(30)], pa.list_(pa.list_(pa.int16(), 2), 2)),
        "lists_of_bools": pa.array([[i % 2 == 0, True, False] for i in range(30)], pa.list_(pa.bool_(), 3)),
        "fsst": pa.array(nth_null(text), pa.string()),
        "fsst_off": pa.array(nth_null(text[:20]), pa.string()),
        "zstd": pa.array(nth_null(text[:50]), pa.string()),
        "lz4": pa.array(nth_null(text[:50]), pa.string()),
        "none": pa.array(nth_null(text[:20]), pa.string()),
        "keyed_words": pa.array(nth_null([WORDS[i % 5] for i in range(150)])).cast(
            pa.dictionary(pa.int8(), pa.string())
        ),
        "keyed_numbers": pa.DictionaryArray.from_arrays(
            pa.array([(i * 7) % 3 for i in range(90)], pa.uint16()), pa.array([-5, None, 10**12], pa.int64())
        ),
        "packed": pa.array(
            [{"a": 2**64 - 1 - i, "b": i - 9, "c": [[i, 1, 2], [3, 4, -i]], "d": bytes([i]) * 3} for i in range(40)],
            pa.struct(
                {
                    "a": pa.uint64(),
                    "b": pa.int16(),
                    "c": pa.list_(pa.list_(pa.int32(), 3), 2),
                    "d": pa.binary(3),
                }
            ),
        ),
    }


def fields(message: bytes) -> dict[int, list]:
    """Returns a protobuf message's fields by number: integers, or bytes."""

    def varint(at):
        value = shift = 0
        while True:
            byte = message[at]
            value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
            if byte < 0x80:
                return value, at

    found, at = {}, 0
    while at < len(message):
        tag, at = varint(at)
        value, at = varint(at)
        if tag & 7 == 2:
            value, at = message[at : at + value], at + value
        found.setdefault(tag >> 3, []).append(value)
    return found


def varints(packed: bytes) -> list[int]:
    """A packed field of integers: as if each was a field of its own."""
    return fields(b"".join(bytes([8]) + part for part in split_varints(packed))).get(1, [])


def split_varints(packed: bytes) -> list[bytes]:
    parts = [b""]
    for byte in packed:
        parts[-1] += bytes([byte])
        if byte < 0x80:
            parts.append(b"")
    return parts[:-1]


def page_line(name: str, array: pa.Array, version: str) -> str:
    wish = name.split("_")[0]
    metadata = {"lance-encoding:compression": wish} if wish in COMPRESSIONS else {"packed": str(wish == "packed")}
    schema = pa.schema([pa.field("c", array.type, metadata=metadata)])
    with tempfile.TemporaryDirectory() as scratch:
        lance.write_dataset(pa.table([array], schema=schema), f"{scratch}/t.lance", data_storage_version=version)
        (file,) = pathlib.Path(scratch, "t.lance", "data").iterdir()
        data = file.read_bytes()
    (offsets_table,) = struct.unpack_from("<Q", data, len(data) - 32)
    position, size = struct.unpack_from("<QQ", data, offsets_table)
    (page,) = fields(data[position : position + size])[2]
    page = fields(page)
    # Page { offsets = 1, sizes = 2, length = 3, encoding = 4 { direct = 2 { bytes = 1: Any { url, value } } } }
    encoding = fields(fields(fields(page[4][0])[2][0])[1][0])
    assert encoding[1] == [b"/lance.encodings.ArrayEncoding"], encoding[1]
    places = zip(varints(page.get(1, [b""])[0]), varints(page.get(2, [b""])[0]), strict=True)
    buffers = [data[at : at + n].hex() or "-" for at, n in places]
    return " ".join([name, lance.__version__, str(page[3][0]), encoding[2][0].hex(), *buffers])


COMPRESSIONS = ["fsst", "zstd", "lz4", "none"]
COLUMNS = {
    "0.17.0": [("2.0", {"strings": of_strings()["strings"]}), ("2.1", of_numbers(150) | of_strings())],
    "0.18.2": [("2.1", of_numbers(2100) | of_strings())],
    "14.0.2": [("2.0", of_today())],
}

if __name__ == "__main__":
    if lance.__version__ not in COLUMNS:
        sys.exit(f"pylance is {lance.__version__}; this is for {', '.join(COLUMNS)}")
    print(f"# pylance {lance.__version__}, by tests/golden/arrays.py")
    for version, columns in COLUMNS[lance.__version__]:
        for name, array in columns.items():
            print(page_line(name, array, version))
