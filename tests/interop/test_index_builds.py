"""Scalar indices that Spark builds: pylance uses them, and finds the same rows as without."""

import datetime as dt
import json
import math
import os
import random
import struct
from decimal import Decimal
from typing import Any

import lance
import pyarrow as pa
import pytest
from lance.file import LanceFileReader
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from tests.interop.indices.predicates import predicate
from tests.interop.indices.running import build, of_pylance
from tests.interop.indices.running import compare as compare_all
from tests.products import only

pytestmark = pytest.mark.slow

ROWS = 600
SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.5]

FLAT: dict[str, tuple[pa.DataType, list[Any]]] = {
    "bool": (pa.bool_(), [True, False]),
    "int8": (pa.int8(), [-128, -1, 0, 5, 127]),
    "uint8": (pa.uint8(), [0, 1, 128, 255]),
    "int16": (pa.int16(), [-300, 0, 300]),
    "uint32": (pa.uint32(), [0, 7, 2**31, 2**32 - 1]),
    "int64": (pa.int64(), [*range(-50, 50), 2**62, -(2**62)]),
    "uint64": (pa.uint64(), [0, 3, 2**63, 2**64 - 1]),
    "float": (pa.float32(), SPECIAL),
    "double": (pa.float64(), [*SPECIAL, *[i / 7 for i in range(-40, 40)]]),
    "string": (pa.string(), ["", "a", "ab", "b", "é", "\U0001f600", "\uffee", "z" * 40]),
    "large_string": (pa.large_string(), [f"key{i}" for i in range(90)]),
    "binary": (pa.binary(), [b"", b"\x00", b"\x7f", b"\x80", b"\xff\x00"]),
    "decimal": (pa.decimal128(12, 2), [Decimal(i) / 4 for i in range(-9, 9)]),
    "wide_decimal": (pa.decimal128(38, 4), [Decimal(10**30 + i) for i in range(5)] + [Decimal(0)]),
    "date": (pa.date32(), [dt.date(1960, 1, 1), dt.date(1970, 1, 1), dt.date(2024, 2, 29)]),
    "timestamp": (pa.timestamp("us"), [dt.datetime(1969, 12, 31, 23), dt.datetime(2024, 1, 1)]),
    "nanos": (pa.timestamp("ns", "UTC"), [dt.datetime(2024, 1, i, tzinfo=dt.UTC) for i in range(1, 20)]),
    "time": (pa.time64("us"), [dt.time(i) for i in range(20)]),
    "duration": (pa.duration("ms"), [dt.timedelta(seconds=i) for i in range(-5, 5)]),
    "bytes4": (pa.binary(4), [b"\x00\x00\x00\x01", b"\x80\x00\x00\x00", b"\x7fabc"]),
    "bytes5": (pa.binary(5), [b"\x00\x00\x00\x01x", b"\x80\x00\x00\x00x"]),
}
TABLES = [("2.0", False), ("2.1", True), ("2.2", False)]


def flat_table(seed: int, version: str) -> pa.Table:
    """Random values of each type, with nulls. Structs are null, too, from version 2.1 on."""
    chance = random.Random(seed)
    columns = {
        name: pa.array([None if chance.random() < 0.15 else chance.choice(values) for _ in range(ROWS)], dtype)
        for name, (dtype, values) in FLAT.items()
    }
    nulls = 0.2 if version != "2.0" else 0.0
    inner = [None if chance.random() < nulls else {"x": chance.choice([None, 1, 2, 3])} for _ in range(ROWS)]
    structs = pa.array(inner, pa.struct([("x", pa.int32())]))
    return pa.table({"id": range(ROWS), **columns, "st": structs})


def write(path: str, table: pa.Table, version: str, stable: bool) -> lance.LanceDataset:
    """A table of three fragments, some of whose rows are deleted."""
    dataset = lance.write_dataset(
        table, path, max_rows_per_file=250, data_storage_version=version, enable_stable_row_ids=stable
    )
    dataset.delete("id % 7 = 3")
    return dataset


def compare(path: str, column: str, filters: list[Any], used: bool = True) -> None:
    """Compares answers with and without indices. `used`: whether each filter must use one."""
    dataset = lance.dataset(path)
    for condition in filters:
        rows = [
            sorted(dataset.to_table(columns=["id"], filter=condition, use_scalar_index=use)["id"].to_pylist())
            for use in (True, False)
        ]
        assert rows[0] == rows[1], f"{column}: {condition}"
        if used:
            assert "ScalarIndex" in dataset.scanner(filter=condition).explain_plan(), f"{column}: {condition}"


def literal(dtype: pa.DataType, value: Any) -> str | None:
    """The value in pylance's SQL; None if it has no such literal."""
    if pa.types.is_floating(dtype):
        return f"CAST('{value}' AS DOUBLE)"
    if pa.types.is_integer(dtype):
        return str(value) if value < 2**63 else None
    if pa.types.is_string(dtype) or pa.types.is_large_string(dtype):
        return f"'{value}'"
    if pa.types.is_binary(dtype):
        return f"X'{value.hex()}'"
    if pa.types.is_decimal(dtype):
        return f"CAST('{value}' AS DECIMAL({dtype.precision}, {dtype.scale}))"
    if pa.types.is_date(dtype):
        return f"date '{value}'"
    if pa.types.is_timestamp(dtype) and dtype.tz is None:
        return f"timestamp '{value}'"
    return None


def comparisons(column: str) -> list[str]:
    """Comparisons with some of the column's values, and null tests."""
    dtype, values = FLAT[column]
    texts = [text for value in values[:7] if (text := literal(dtype, value)) is not None]
    tests = [f"{column} {operator} {text}" for text in texts for operator in ("=", "<", ">=", "!=")]
    return [f"{column} IS NULL", f"{column} IS NOT NULL", *tests]


def order(value: Any) -> tuple[Any, ...]:
    """Key of a value in the order of indices."""
    if value is None:
        return (0,)
    if isinstance(value, float):
        (bits,) = struct.unpack("<q", struct.pack("<d", value))
        return (1, bits if bits >= 0 else bits ^ 0x7FFFFFFFFFFFFFFF)
    return (1, value.encode() if isinstance(value, str) else value)


def sorted_rows(path: str, column: str) -> None:
    """Checks the files of a B-tree: all live rows, in order, and pages with their bounds."""
    dataset = lance.dataset(path)
    (index,) = [index for index in dataset.describe_indices() if index.field_names[-1] == column]
    directory = f"{path}/_indices/{index.segments[0].uuid}"
    lookup = LanceFileReader(f"{directory}/page_lookup.lance")
    metadata = {key.decode(): value.decode() for key, value in lookup.metadata().schema.metadata.items()}
    names = ["page_data.lance"]
    if metadata["range_partitioned"] == "true":
        names = [f"part_{part}_page_data.lance" for part, _ in json.loads(metadata["page_num_per_range_partition"])]
    parts = [LanceFileReader(f"{directory}/{name}").read_all().to_table() for name in names]
    found = [pair for part in parts for pair in zip(part["values"].to_pylist(), part["ids"].to_pylist(), strict=True)]
    assert [order(value) for value, _ in found] == sorted(order(value) for value, _ in found)
    rows = dataset.to_table(columns=[column], with_row_address=True)
    expected = zip(rows[column].to_pylist(), rows["_rowaddr"].to_pylist(), strict=True)
    assert sorted((i, order(v)) for v, i in found) == sorted((i, order(v)) for v, i in expected)
    size = int(metadata["batch_size"])
    pages = [part.slice(at, size)["values"] for part in parts for at in range(0, part.num_rows, size)]
    for i, (page, row) in enumerate(zip(pages, lookup.read_all().to_table().to_pylist(), strict=True)):
        values = page.to_pylist()
        assert (row["page_idx"], row["null_count"]) == (i, page.null_count)
        assert (order(row["min"]), order(row["max"])) == (order(values[0]), order(values[-1]))


@pytest.mark.parametrize(("version", "stable"), only(TABLES, 0))
def test_btrees_of_spark_answer_in_pylance(spark: SparkSession, tmp: str, version: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    write(path, flat_table(1, version), version, stable)
    dataset = LanceDataset(spark, path)
    for name in [*FLAT, "st.x"]:
        dataset.create_scalar_index(name, "BTREE", zone_size=64, num_ranges=1 if name < "f" else 3)
    lance.dataset(path).validate()
    for name in FLAT:
        compare(path, name, comparisons(name))
        sorted_rows(path, name)
    compare(path, "st.x", ["st.x = 2", "st.x IS NULL", "st.x IS NOT NULL", "st.x > 1"])
    compare(path, "bool", ["bool", "NOT bool", "bool IS NULL"])
    compare(path, "string", ["string LIKE 'a%'", "string BETWEEN 'a' AND 'b'", "string IN ('é', '', 'q')"])
    dataset = LanceDataset(spark, path)
    assert {d.index_type for d in lance.dataset(path).describe_indices()} == {"BTree"}
    assert dataset.index_statistics("int64_idx")["num_unindexed_rows"] == 0


ORDERED = 50_000


def swapped(a: int, b: int) -> list[int | None]:
    """Ascending numbers, two of which have changed places."""
    values: list[int | None] = list(range(ORDERED))
    values[a], values[b] = values[b], values[a]
    return values


@pytest.mark.parametrize(
    "values",
    [
        [*[None] * 20_000, *range(ORDERED - 20_000)],
        [*range(ORDERED - 20_000, ORDERED), *range(ORDERED - 20_000)],
        # Three tasks read 16,667 rows each. A sample has neither row, and shows these rows to be in order.
        swapped(16_666, 16_667),
        swapped(16_666, 49_990),
    ],
    ids=["nulls", "fragments", "neighbours", "far"],
)
def test_btrees_of_tables_in_order(spark: SparkSession, tmp: str, values: list[int | None]) -> None:
    """Tasks sort the rows where they are, unless these overlap."""
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"v": pa.array(values, pa.int64())}), path, max_rows_per_file=20_000)
    LanceDataset(spark, path).create_scalar_index("v", "BTREE", num_ranges=3)
    sorted_rows(path, "v")
    found = lance.dataset(path).to_table(filter="v = 777 OR v > 29990", use_scalar_index=True).num_rows
    assert found == sum(v is not None and (v == 777 or v > 29990) for v in values)
    parts = [f for f in os.listdir(f"{path}/_indices/{os.listdir(f'{path}/_indices')[0]}") if f.startswith("part_")]
    assert len(parts) == 3


@pytest.mark.parametrize(("version", "stable"), only(TABLES, 1))
def test_bitmaps_of_spark_answer_in_pylance(spark: SparkSession, tmp: str, version: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    write(path, flat_table(2, version), version, stable)
    dataset = LanceDataset(spark, path)
    names = ["bool", "uint64", "double", "string", "binary", "wide_decimal", "date", "nanos"]
    for name in [*names, "st.x"]:
        dataset.create_scalar_index(name, "BITMAP")
    lance.dataset(path).validate()
    for name in names:
        compare(path, name, comparisons(name))
    compare(path, "st.x", ["st.x = 2", "st.x IS NULL", "st.x IN (1, 3)"])
    assert lance.dataset(path).index_statistics("bool_idx")["segments"] == [{"num_bitmaps": 3}]


@pytest.mark.parametrize(("version", "stable"), only(TABLES, 2))
@pytest.mark.parametrize("kind", ["ZONEMAP", "BLOOMFILTER"])
def test_zones_of_spark_answer_in_pylance(spark: SparkSession, tmp: str, version: str, stable: bool, kind: str) -> None:
    path = f"{tmp}/t.lance"
    write(path, flat_table(3, version), version, stable)
    dataset = LanceDataset(spark, path)
    names = ["int8", "uint64", "double", "float", "string", "binary", "date", "nanos"]
    settings = {"rows_per_zone": 32} if kind == "ZONEMAP" else {"number_of_items": 40, "probability": 0.01}
    for name in [*names, "st.x"]:
        dataset.create_scalar_index(name, kind, **settings)
    lance.dataset(path).validate()
    for name in names:
        compare(path, name, comparisons(name), used=False)
        compare(path, name, [f"{name} IS NULL"])
    compare(path, "st.x", ["st.x = 2", "st.x IS NULL"], used=kind == "ZONEMAP")


def lists(seed: int, flat: pa.DataType, values: list[Any]) -> pa.Array:
    """Lists of some of the values: null, empty, with null items, with an item twice."""
    chance = random.Random(seed)

    def one() -> list[Any] | None:
        return None if chance.random() < 0.1 else [chance.choice([None, *values]) for _ in range(chance.randrange(4))]

    return pa.array([one() for _ in range(ROWS)], pa.list_(flat))


@pytest.mark.parametrize(("version", "stable"), only(TABLES, 0))
def test_label_lists_of_spark_answer_in_pylance(spark: SparkSession, tmp: str, version: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    table = pa.table(
        {
            "id": range(ROWS),
            "texts": lists(4, pa.string(), ["a", "b", "é"]),
            "numbers": lists(5, pa.int64(), [1, 2, 3]),
        }
    )
    write(path, table, version, stable)
    dataset = LanceDataset(spark, path)
    for name in ("texts", "numbers"):
        dataset.create_scalar_index(name, "LABEL_LIST")
    lance.dataset(path).validate()
    compare(
        path,
        "texts",
        [
            "array_has(texts, 'a')",
            "array_has_any(texts, ['b', 'é'])",
            "array_has_all(texts, ['a', 'b'])",
            "NOT array_has(texts, 'a')",
            "array_has_any(numbers, [1, 9])",
            "array_has_all(numbers, [2, 3])",
        ],
    )


WORDS = "Straße Ærø foxtrot fo\u0301x fóx İstanbul ﬁnal Привет 東京tower x²y³z 12½34 ΟΔΟΣ".split()


@pytest.mark.parametrize(("version", "stable"), only(TABLES, 1))
def test_n_grams_of_spark_answer_in_pylance(spark: SparkSession, tmp: str, version: str, stable: bool) -> None:
    path, theirs = f"{tmp}/t.lance", f"{tmp}/theirs.lance"
    chance = random.Random(6)
    texts = [None if chance.random() < 0.1 else " ".join(chance.choices(WORDS, k=3)) for _ in range(ROWS)]
    table = pa.table({"id": range(ROWS), "s": texts})
    write(theirs, table, version, stable).create_scalar_index("s", "NGRAM")
    write(path, table, version, stable)
    LanceDataset(spark, path).create_scalar_index("s", "NGRAM")
    lance.dataset(path).validate()
    compare(path, "s", [f"contains(s, '{word}')" for word in ("foxtrot", "fóx", "stra", "istanbul", "Final", "tower")])
    counts = [lance.dataset(p).index_statistics("s_idx")["segments"] for p in (path, theirs)]
    assert counts[0] == counts[1]


#: An index of each kind has a column of its own, with a condition that it answers.
KEPT = {
    "BTREE": "btree = 'key3'",
    "BITMAP": "bitmap = 'key3'",
    "ZONEMAP": "zonemap = 'key3'",
    "BLOOMFILTER": "bloomfilter = 'key3'",
    "NGRAM": "contains(ngram, 'key3')",
    "LABEL_LIST": "array_has(label_list, 'key3')",
}


def keys(texts: list[str | None], first: int = 0) -> pa.Table:
    """Returns the texts in each column, in lists where the index is one of lists."""
    lists = [None if text is None else [text, "all"] for text in texts]
    columns = {kind.lower(): lists if kind == "LABEL_LIST" else texts for kind in KEPT}
    return pa.table({"id": range(first, first + len(texts)), **columns})


def compare_each(path: str, used: bool = True) -> None:
    for kind, condition in KEPT.items():
        compare(path, kind, [condition], used)


@pytest.mark.parametrize("stable", [False, True])
def test_pylance_keeps_indices_of_spark_up(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    texts = [None if i % 11 == 0 else f"key{i % 40}" for i in range(ROWS)]
    write(path, keys(texts), "2.1", stable)
    ours = LanceDataset(spark, path)
    for kind in KEPT:
        ours.create_scalar_index(kind.lower(), kind, **({"num_ranges": 3} if kind == "BTREE" else {}))
    compare_each(path)
    lance.write_dataset(keys(texts, ROWS), path, mode="append")
    compare_each(path)
    lance.dataset(path).optimize.optimize_indices()
    compare_each(path)
    lance.dataset(path).update({"id": "id + 10000"}, where="id % 10 = 1")
    lance.dataset(path).optimize.compact_files()
    compare_each(path, used=False)
    lance.dataset(path).optimize.optimize_indices()
    compare_each(path)
    lance.dataset(path).validate()


def test_an_untrained_index_is_filled_by_pylance(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(keys([f"key{i % 9}" for i in range(100)]), path)
    ours = LanceDataset(spark, path)
    for kind in KEPT:
        ours.create_scalar_index(kind.lower(), kind, train=False)
        assert lance.dataset(path).index_statistics(f"{kind.lower()}_idx")["num_indexed_rows"] == 0
    compare_each(path, used=False)
    lance.dataset(path).optimize.optimize_indices()
    compare_each(path)


def test_random_predicates_on_indices_of_spark(spark: SparkSession, tmp: str, full: bool) -> None:
    """Spark and pylance find the same rows with the indices as without, also after changes by both."""
    for number in range(180) if full else random.sample(range(1 << 30), 3):
        indexed = build(f"{tmp}/{number}.lance", number, builder=spark)
        compare_all(spark, indexed, 12)
        # With stable row ids pylance finds rows again that an update moved, if it optimized the index.
        if lance.dataset(indexed.path).has_stable_row_ids:
            continue
        chance = random.Random(number)
        for condition in [predicate(indexed.columns, chance) for _ in range(12)]:
            if not any(name in condition for name in ("f32", "f64", "nums", "tags")):
                rows = lance.dataset(indexed.path).to_table(columns=["id"], filter=condition)
                assert sorted(rows["id"].to_pylist()) == of_pylance(indexed.path, condition), f"{number}: {condition}"


def test_zone_maps_from_statistics_are_those_of_the_values(spark: SparkSession, tmp: str) -> None:
    """Files of Spark have statistics, their copies by pylance have none."""
    ours, theirs = f"{tmp}/ours.lance", f"{tmp}/theirs.lance"
    spark.range(20_000).coalesce(1).selectExpr(
        "id",
        "IF(id < 8192, NULL, -id) AS first_null",
        "IF(id % 100 = 3, NULL, CAST(id AS INT)) AS gaps",
        "CASE WHEN id < 9000 THEN -0D WHEN id % 1000 = 0 THEN double('NaN') ELSE 1 / id - 0.5D END AS real",
        "CAST(id AS DECIMAL(10, 2)) AS price",
        "timestamp_seconds(id * 1000) AS at",
        "struct(CAST(id % 300 AS SMALLINT) AS x) AS s",
    ).write.format("lance").save(ours)
    lance.write_dataset(lance.dataset(ours).to_table(), theirs, data_storage_version="2.2")
    for column in ("id", "first_null", "gaps", "real", "price", "at", "s.x"):
        zones = []
        for path in (ours, theirs):
            spark.sql(f"CALL lance.system.create_index('{path}', '{column}', 'ZONEMAP', name => 'z')").collect()
            (index,) = lance.dataset(path).describe_indices()
            reader = LanceFileReader(f"{path}/_indices/{index.segments[0].uuid}/zonemap.lance")
            buffer = reader.read_global_buffer(1)
            zones.append((repr(reader.read_all().to_table().to_pylist()).replace("-0.0", "0.0"), buffer))
            lance.dataset(path).drop_index("z")
        assert zones[0] == zones[1], column
