"""Writes the golden data files with the reference implementation; run again only on purpose.

    python tests/golden/generate.py        # needs the versions named below

Made with pylance 14.0.2 and pyarrow 26.0.1, CPython 3.11. `<name>.lance` is a data file and `<name>.expected` what is
in it, a line for each column: the name, a tab, and the values, separated by commas. A value is the hex of its little-
endian bytes (a boolean 00 or 01, a string its UTF-8), that of a fixed-size list is its items separated by dots; `-` is
a null. Long lines are replaced by their CRC-32. There is no .expected for nested columns. Files of version 0.1 lose
nulls: expected is what pylance reads of them.
"""

import datetime as dt
import decimal
import pathlib
import random
import tempfile
import zlib

import lance
import numpy as np
import pyarrow as pa
from lance.file import LanceFileWriter

HERE = pathlib.Path(__file__).parent
ROWS = 24


def canonical(array: pa.Array) -> list[str]:
    """The values as the .expected files say them."""
    if pa.types.is_fixed_size_list(array.type):
        items, size = canonical(array.values), array.type.list_size
        texts = [".".join(items[i * size : (i + 1) * size]) for i in range(len(array))]
    elif pa.types.is_boolean(array.type):
        texts = ["01" if v else "00" for v in array.to_pylist()]
    elif array.type in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        texts = ["" if v is None else (v.encode() if isinstance(v, str) else v).hex() for v in array.to_pylist()]
    else:
        width = array.type.bit_width // 8
        raw = array.buffers()[1].to_pybytes()
        texts = [raw[i * width : (i + 1) * width].hex() for i in range(len(array))]
    return ["-" if null else text for text, null in zip(texts, array.is_null().to_pylist(), strict=True)]


def flat(rows: int) -> pa.Table:
    """Every flat type, with and without nulls."""
    rng = random.Random(1)
    start = dt.datetime(2020, 1, 1)

    def column(make, data_type):
        return pa.array([make(i) for i in range(rows)], data_type)

    def integers(bits, signed):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        return lambda i: (low, high, 0)[i] if i < 3 else rng.randint(low, high)

    def some_null(make):
        return lambda i: None if i % 5 == 3 else make(i)

    def floats(size):
        return lambda i: [rng.random() for _ in range(size)]

    makers = {
        "bool": (lambda i: i % 3 == 0, pa.bool_()),
        "float16": (lambda i: np.float16(i / 4), pa.float16()),
        "float32": (lambda i: rng.gauss(0, 1), pa.float32()),
        "float64": (lambda i: rng.gauss(0, 1), pa.float64()),
        "decimal9": (lambda i: decimal.Decimal(rng.randint(-(10**9) + 1, 10**9 - 1)).scaleb(-2), pa.decimal128(9, 2)),
        "decimal38": (lambda i: decimal.Decimal(rng.randint(-(10**20), 10**20)), pa.decimal128(38, 0)),
        "decimal76": (lambda i: decimal.Decimal(rng.randint(-(10**25), 10**25)), pa.decimal256(76, 0)),
        "date32": (lambda i: start.date() + dt.timedelta(days=i * 17), pa.date32()),
        "date64": (lambda i: start.date() + dt.timedelta(days=i), pa.date64()),
        "time32": (lambda i: dt.time(i % 24, 5), pa.time32("s")),
        "time64": (lambda i: dt.time(i % 24, 5, 7, i), pa.time64("us")),
        "timestamp": (lambda i: start + dt.timedelta(microseconds=i * 12345678), pa.timestamp("us")),
        "timestamp_tz": (lambda i: start + dt.timedelta(seconds=i), pa.timestamp("ns", "+08:00")),
        "duration": (lambda i: dt.timedelta(milliseconds=i * i), pa.duration("ms")),
        "string": (lambda i: ("", "ä", "word", "日本語")[i % 4] * (i % 3), pa.string()),
        "large_string": (lambda i: f"row {i}", pa.large_string()),
        "binary": (lambda i: bytes(range(i)), pa.binary()),
        "large_binary": (lambda i: rng.randbytes(3), pa.large_binary()),
        "long_string": (lambda i: f"{i} " * 150, pa.string()),
        "fixed_size_binary": (lambda i: rng.randbytes(16), pa.binary(16)),
        "list_float": (floats(4), pa.list_(pa.float32(), 4)),
        "list_wide": (floats(72), pa.list_(pa.float32(), 72)),
        "list_double": (floats(3), pa.list_(pa.float64(), 3)),
        "list_int": (lambda i: [i, -i], pa.list_(pa.int32(), 2)),
        "list_item_null": (lambda i: [i, None if i % 2 else 7], pa.list_(pa.int32(), 2)),
        "list_list": (lambda i: [[i, 1], [2, 3]], pa.list_(pa.list_(pa.int16(), 2), 2)),
        "constant": (lambda i: 7, pa.int64()),
    }
    for bits in (8, 16, 32, 64):
        makers[f"int{bits}"] = (integers(bits, True), getattr(pa, f"int{bits}")())
        makers[f"uint{bits}"] = (integers(bits, False), getattr(pa, f"uint{bits}")())
    columns = {name: column(make, data_type) for name, (make, data_type) in makers.items()}
    columns |= {f"{name}_null": column(some_null(make), data_type) for name, (make, data_type) in makers.items()}
    columns["all_null"] = pa.nulls(rows, pa.int32())
    columns["all_null_string"] = pa.nulls(rows, pa.string())
    return pa.table(columns)


def many(rows: int) -> pa.Table:
    """Enough rows for several chunks, and values that call for each compression of numbers and strings."""
    rng = random.Random(2)
    words = "the quick brown fox jumps over a lazy dog while nobody looks".split()
    return pa.table(
        {
            "small": pa.array([rng.randint(0, 999) for _ in range(rows)], pa.int32()),
            "small64": pa.array([rng.randint(0, 99_999) for _ in range(rows)], pa.int64()),
            "small_null": pa.array(
                [None if rng.random() < 0.2 else rng.randint(0, 9) for _ in range(rows)], pa.int16()
            ),
            "runs": pa.array([i // 300 for i in range(rows)], pa.int32()),
            "runs_null": pa.array([None if i // 100 % 3 == 1 else i // 200 for i in range(rows)], pa.int32()),
            "few_decimals": pa.array(
                [decimal.Decimal(rng.randint(0, 50)).scaleb(-2) for _ in range(rows)], pa.decimal128(15, 2)
            ),
            "few_words": pa.array([rng.choice(words) for _ in range(rows)], pa.string()),
            "text": pa.array([" ".join(rng.choices(words, k=rng.randint(1, 12))) for _ in range(rows)], pa.string()),
            "text_null": pa.array(
                [None if i % 7 == 0 else " ".join(rng.choices(words, k=4)) for i in range(rows)], pa.string()
            ),
            "flags": pa.array([rng.random() < 0.5 for _ in range(rows)], pa.bool_()),
            "vector": pa.array([[float(i % 5)] * 8 for i in range(rows)], pa.list_(pa.float32(), 8)),
        }
    )


def nested(first: int, rows: int) -> pa.Table:
    """Lists and structs, as far as 2.0 can hold them: NestedArraysSuite and NestedFragmentSuite know the values."""

    def ints(i):
        return None if i % 7 == 3 else [None if (i + j) % 5 == 4 else i * 10 + j for j in range(i % 4)]

    def deep(i):
        return (
            None if i % 11 == 5 else [None if (i + j) % 6 == 5 else [i + j + k for k in range(j)] for j in range(i % 4)]
        )

    def structs(i):
        return [{"a": i + j, "b": [f"{i}.{j}.{k}" for k in range(j)]} for j in range(i % 3)]

    numbers = range(first, first + rows)
    return pa.table(
        {
            "ints": pa.array([ints(i) for i in numbers], pa.list_(pa.int32())),
            "texts": pa.array([[f"{i}-{j}" for j in range(i % 3)] for i in numbers], pa.large_list(pa.string())),
            "deep": pa.array([deep(i) for i in numbers], pa.list_(pa.list_(pa.int16()))),
            "structs": pa.array(
                [structs(i) for i in numbers],
                pa.list_(pa.struct({"a": pa.int64(), "b": pa.list_(pa.string())})),
            ),
            "struct": pa.array(
                [{"x": i, "y": ints(i)} for i in numbers], pa.struct({"x": pa.int8(), "y": pa.list_(pa.int32())})
            ),
        }
    )


def fixed_lists(first: int, rows: int) -> pa.Table:
    """Fixed-size lists of structs; FixedSizeListsOfStructsSuite knows the values."""
    pair = pa.struct({"a": pa.int32(), "t": pa.string()})
    single = pa.struct({"a": pa.int64()})
    packed = pa.field("item", pair, metadata={"packed": "true"})

    def entry(i):
        return None if i % 5 == 1 else {"a": None if i % 7 == 2 else i, "t": f"t{i}"}

    def deep(i, k):
        return {"in": None if (i + k) % 4 == 2 else [{"a": i + k}, None if i % 6 == 5 else {"a": -i}], "n": k}

    def lists(i, k):
        return None if (i + k) % 6 == 0 else {"n": i, "l": None if i % 5 == 2 else list(range((i + k) % 4))}

    def rows_of(null, make, size):
        return [None if null(i) else [make(i, k) for k in range(size)] for i in range(first, first + rows)]

    columns = {
        "triples": (lambda i: i % 8 == 3, lambda i, k: entry(3 * i + k), pa.list_(pair, 3)),
        "deep": (lambda i: i % 9 == 4, deep, pa.list_(pa.struct({"in": pa.list_(single, 2), "n": pa.int8()}), 2)),
        "lists": (
            lambda i: i % 10 == 6,
            lists,
            pa.list_(pa.struct({"n": pa.int32(), "l": pa.list_(pa.int32())}), 2),
        ),
        "packed": (lambda i: i % 7 == 0, lambda i, k: {"a": i + k, "t": "x" * (i % 3)}, pa.list_(packed, 2)),
    }
    return pa.table(
        {name: pa.array(rows_of(null, make, kind.list_size), kind) for name, (null, make, kind) in columns.items()}
    )


def write(name: str, version: str, tables: list[pa.Table]) -> None:
    path = HERE / f"{name}.lance"
    path.unlink(missing_ok=True)
    # A small cache makes each table a page of its own.
    with LanceFileWriter(str(path), tables[0].schema, version=version, data_cache_bytes=1) as writer:
        for table in tables:
            writer.write_batch(table)
    if name.startswith(("nested", "fixed_lists")):
        return
    expect(name, pa.concat_tables(tables))


def write_legacy(name: str, table: pa.Table) -> None:
    with tempfile.TemporaryDirectory() as path:
        lance.write_dataset(table, path, data_storage_version="0.1", max_rows_per_group=1100)
        (file,) = pathlib.Path(path, "data").iterdir()
        (HERE / f"{name}.lance").write_bytes(file.read_bytes())
        expect(name, lance.dataset(path).to_table())


def expect(name: str, content: pa.Table) -> None:
    whole = content.combine_chunks()
    lines = []
    for column in whole.column_names:
        text = ",".join(canonical(whole[column].chunk(0)))
        lines.append(f"{column}\t{text if len(text) <= 3000 else f'crc32:{zlib.crc32(text.encode()):08x}'}\n")
    (HERE / f"{name}.expected").write_text("".join(lines))


if __name__ == "__main__":
    write_legacy("flat_0.1", flat(ROWS))
    write_legacy("many_0.1", many(3000))
    for version in ("2.0", "2.1", "2.2"):
        write(f"flat_{version}", version, [flat(ROWS)])
        write(f"many_{version}", version, [many(2100), many(900)])
        write(f"empty_{version}", version, [flat(ROWS).slice(0, 0)])
        write(f"nested_{version}", version, [nested(0, 50), nested(50, 70)])
    write("fixed_lists_2.2", "2.2", [fixed_lists(0, 50), fixed_lists(50, 70)])
