"""Pages that Spark stores as their values or a column's metadata make it choose, read by pylance to the last bit."""

from decimal import Decimal
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession

from sparklance.inspect import encodings
from tests.interop import rare
from tests.interop.compare import assert_same
from tests.products import only

VERSIONS = ["2.1", "2.2"]
RUNS = "general[zstd](rle(flat(64), flat(8)))"
TEXT_32, TEXT_64 = "variable(flat(32))", "variable(flat(64))"


def structures() -> pa.Table:
    """Every kind of value in the structure that it would not have by itself."""
    rng = np.random.default_rng(6)
    full, mini = {rare.STRUCTURE: "fullzip"}, {rare.STRUCTURE: "miniblock"}
    short, long = rare.words(rng, rare.ROWS, 6), rare.words(rng, rare.ROWS, 60)
    return rare.with_hints(
        {
            "full_ints": (rare.with_nulls(rng, 0.2, pa.array(rng.integers(0, 1000, rare.ROWS))), full),
            "full_texts": (rare.with_nulls(rng, 0.2, pa.array(short)), full),
            "full_lists": (pa.array([[i, None] * (i % 4) for i in range(rare.ROWS)], pa.list_(pa.int32())), full),
            "mini_texts": (pa.array(long), mini),
        }
    )


def floats() -> pa.Table:
    rng = np.random.default_rng(7)
    smooth = np.cumsum(rng.random(rare.ROWS))
    wish = {rare.SPLITTING: "on"}
    return rare.with_hints(
        {
            f"{codec}_{bits}": (
                pa.array(smooth, pa.float32() if bits == 32 else pa.float64()),
                wish | {rare.COMPRESSION: codec},
            )
            for codec in ("zstd", "lz4")
            for bits in (32, 64)
        }
    )


def defaults() -> pa.Table:
    rng = np.random.default_rng(8)
    n = 40_000
    words = rare.words(rng, n, 6)
    return pa.table(
        {
            "letters": pa.array(rng.choice(["A", "N", "R"], n)),
            "nullable_letters": rare.with_nulls(rng, 0.3, pa.array(rng.choice(["A", "N", "R"], n))),
            "few_longs": pa.array(rng.choice(rng.integers(-(1 << 62), 1 << 62, 900), n)),
            "few_doubles": pa.array(rng.choice(-rng.random(900), n)),
            "words": rare.with_nulls(rng, 0.1, pa.array(words)),
            "large_words": pa.array(words, pa.large_string()),
            "long_words": pa.array(rare.words(rng, n, 60)),
            "bytes": pa.array([word.encode() for word in words]),
            "zeroes": pa.array([bytes(i % 50) for i in range(n)]),
            "noise": pa.array([rng.bytes(30) for _ in range(n)]),
            "json": pa.array([f'{{"status": 200, "path": "/orders/items", "number": {i}}}' for i in range(n)]),
            "flags": pa.array(rng.random(n) < 0.01),
        }
    )


def sales() -> pa.Table:
    """Keys that repeat and prices of many values, with 4 % of nulls, alone and in structs and lists."""
    rng = np.random.default_rng(10)
    n = 24_000
    keys = rare.with_nulls(rng, 0.04, pa.array(np.repeat(rng.integers(0, 100_000, n // 12), 12)))
    cents = pa.array(rng.integers(-10_000, 2_000_000, n)).cast(pa.decimal128(19, 0))
    prices = rare.with_nulls(rng, 0.04, pc.multiply(cents, Decimal("0.01")).cast(pa.decimal128(9, 2)))
    absent = pa.array(rng.random(n) < 0.04)
    ends = np.append(0, np.sort(rng.integers(0, n + 1, n // 4)))
    ends[-1] = n
    return pa.table(
        {
            "key": keys,
            "price": prices,
            "wide": prices.cast(pa.decimal256(30, 2)),
            "number": pa.array(range(n), pa.int64()),
            "shipped": rare.with_nulls(rng, 0.04, pa.array(2_450_000 + rng.integers(0, 90, n), pa.int32())),
            "channel": rare.with_nulls(rng, 0.04, pa.array(["store"] * n)),
            "sale": pa.StructArray.from_arrays([keys, prices], ["key", "price"], mask=absent),
            "prices": pa.chunked_array([pa.ListArray.from_arrays(pa.array(ends, pa.int32()), prices)] * 4).slice(0, n),
            "keys": pa.chunked_array([pa.ListArray.from_arrays(pa.array(ends, pa.int32()), keys)] * 4).slice(0, n),
        }
    )


TABLES = {
    "zstd": lambda: rare.compressed("zstd"),
    "lz4": lambda: rare.compressed("lz4"),
    "none": lambda: rare.compressed("none"),
    "fsst": lambda: rare.compressed("fsst"),
    "dictionaries": rare.dictionaries,
    "few nulls": rare.few_nulls,
    "long values": rare.long_values,
    "structures": structures,
    "floats": floats,
    "defaults": defaults,
    "sales": sales,
}

#: A table, a column, and what each of its pages says in 2.2.
EXPECTED = [
    ("zstd", "text", f"general[zstd]({TEXT_32})"),
    ("zstd", "nullable_text", f"general[zstd]({TEXT_32})"),
    ("zstd", "large_text", f"general[zstd]({TEXT_64})"),
    ("zstd", "long_text", f"mini_block(general[zstd]({TEXT_32}))"),
    ("zstd", "decimals", "general[zstd](flat(128))"),
    ("lz4", "text", f"general[lz4]({TEXT_32})"),
    ("lz4", "long_text", f"full_zip(general[zstd]({TEXT_32}))"),
    ("none", "text", f"mini_block({TEXT_32})"),
    ("none", "long_text", f"full_zip({TEXT_32})"),
    ("fsst", "text", f"fsst({TEXT_32})"),
    ("dictionaries", "zstd_texts", f"dictionary=general[zstd]({TEXT_32})"),
    ("dictionaries", "plain_longs", "dictionary=flat(64)"),
    ("long values", "very_long_text", f"full_zip(general[zstd]({TEXT_32}))"),
    ("long values", "very_long_binary", f"full_zip({TEXT_64})"),
    ("structures", "full_ints", "full_zip(flat(64))"),
    ("structures", "full_texts", f"full_zip(fsst({TEXT_32}))"),
    ("structures", "mini_texts", f"mini_block(fsst({TEXT_32}))"),
    ("floats", "zstd_64", "general[zstd](byte_stream_split(flat(64)))"),
    ("floats", "lz4_32", "general[lz4](byte_stream_split(flat(32)))"),
    ("defaults", "letters", f"dictionary={TEXT_32}"),
    ("defaults", "nullable_letters", f"dictionary={TEXT_32}"),
    ("defaults", "few_longs", "dictionary=flat(64)"),
    ("defaults", "words", f"mini_block(fsst({TEXT_32}))"),
    ("defaults", "long_words", f"full_zip(fsst({TEXT_32}))"),
    ("defaults", "bytes", f"mini_block(fsst({TEXT_32}))"),
    ("defaults", "noise", f"mini_block({TEXT_32})"),
    ("defaults", "json", f"mini_block(general[zstd]({TEXT_32}))"),
    ("defaults", "flags", "mini_block(general[lz4](flat(1)))"),
    *(("sales", column, RUNS) for column in ("key", "sale.key", "keys.item")),
    *(("sales", column, "general[zstd](flat(128))") for column in ("price", "sale.price", "prices.item")),
    ("sales", "number", "general[lz4](byte_stream_split(flat(64)))"),
    ("sales", "shipped", "general[zstd](byte_stream_split(flat(32)))"),
    ("sales", "channel", "def=general[zstd](out_of_line_bitpacking(16 <- flat(1)))"),
    ("sales", "wide", "general[zstd](flat(256))"),
]


def appended(spark: SparkSession, tmp: str, written: pa.Table, version: str) -> lance.LanceDataset:
    """A table whose columns have the metadata of `written`, and its rows from Spark."""
    path = f"{tmp}/to.lance"
    lance.write_dataset(written, f"{tmp}/from.lance", data_storage_version=version)
    lance.write_dataset(written.slice(0, 0), path, data_storage_version=version)
    rows = spark.read.format("lance").load(f"{tmp}/from.lance").coalesce(1)
    rows.write.format("lance").mode("append").save(path)
    dataset = lance.dataset(path)
    dataset.validate()
    return dataset


@pytest.mark.parametrize("version", only(VERSIONS, 1))
@pytest.mark.parametrize("name", TABLES)
def test_pylance_reads_every_encoding(spark: SparkSession, tmp: str, name: str, version: str) -> None:
    written = TABLES[name]()
    dataset = appended(spark, tmp, written, version)
    assert dataset.schema.equals(written.schema, check_metadata=True)
    assert_same(written, dataset.to_table())
    rows = sorted({0, 1, 7, written.num_rows // 2, written.num_rows - 1})
    assert_same(written.take(rows), dataset.take(rows))
    assert_same(written, spark.read.format("lance").load(f"{tmp}/to.lance").toArrow())
    if version == "2.2":
        chosen = encodings(Path(f"{tmp}/to.lance"))
        for _, column, expected in (case for case in EXPECTED if case[0] == name):
            assert all(expected in page for page in chosen[column]), f"{column}: {chosen[column]}"


def test_the_option_compression_counts_where_a_column_asks_for_nothing(spark: SparkSession, tmp: str) -> None:
    rng = np.random.default_rng(9)
    texts = pa.array(rare.words(rng, rare.ROWS, 6))
    written = rare.with_hints({"free": (texts, {}), "asking": (texts, {rare.COMPRESSION: "lz4"})})
    path = f"{tmp}/t.lance"
    lance.write_dataset(written, path)
    frame = spark.read.format("lance").load(path).coalesce(1)
    frame.write.format("lance").mode("append").option("compression", "zstd:9").save(path)
    dataset = lance.dataset(path)
    assert dataset.schema.equals(written.schema, check_metadata=True)
    assert_same(pa.concat_tables([written, written]), dataset.to_table())
    chosen = encodings(Path(path))
    assert f"general[zstd]({TEXT_32})" in chosen["free"][-1]
    assert f"general[lz4]({TEXT_32})" in chosen["asking"][-1]
