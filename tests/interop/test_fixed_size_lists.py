"""Fixed-size lists of structs that pylance writes, in columns next to others, read through Spark value by value.

pylance 14.0.2 reads them only alone, and where they are no part of a struct: what is expected is what was written.
"""

from collections.abc import Callable

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance.inspect import encodings
from tests.interop.test_nested import assert_same, read

WORDS = ["the", "quick", "brown", "fox", "", "äöü", "🙂"]
PAIR = pa.struct({"a": pa.int32(), "t": pa.string()})
TRIPLE = pa.list_(PAIR, 3)
PACKED = pa.field("item", PAIR, metadata={"packed": "true"})


def pair(i: int) -> dict:
    return {"a": None if i % 6 == 5 else i, "t": None if i % 4 == 3 else WORDS[i % 7] * (i % 3)}


def triple(i: int) -> list | None:
    return None if i % 8 == 3 else [None if (i + j) % 5 == 1 else pair(i + j) for j in range(3)]


def with_list(i: int) -> dict | None:
    return None if i % 10 == 4 else {"n": i, "l": None if i % 7 == 1 else [i + j for j in range(i % 4)]}


def with_long_text(i: int) -> dict:
    return {"s": None if i % 9 == 1 else f"{i} long " * 40, "k": "same"}


COLUMNS: dict[str, tuple[Callable[[int], object], pa.DataType]] = {
    "full": (lambda i: [{"a": i, "t": f"{i}"}, {"a": -i, "t": "x"}, {"a": 0, "t": ""}], TRIPLE),
    "triples": (triple, TRIPLE),
    "null_lists": (lambda i: None if i % 3 == 0 else [{"a": i, "t": "full"}] * 3, TRIPLE),
    "all_null": (lambda i: None, TRIPLE),
    "constant": (lambda i: None if i % 5 == 0 else [{"a": 1, "t": "same"}, None, {"a": 1, "t": "same"}], TRIPLE),
    "single": (lambda i: None if i % 7 == 0 else [pair(i)], pa.list_(PAIR, 1)),
    "deep": (
        lambda i: None if i % 9 == 2 else [{"in": triple(i), "n": i % 99}, None if i % 5 == 0 else {"in": None}],
        pa.list_(pa.struct({"in": TRIPLE, "n": pa.int8()}), 2),
    ),
    "lists": (
        lambda i: None if i % 11 == 5 else [with_list(i), with_list(i + 1)],
        pa.list_(pa.struct({"n": pa.int32(), "l": pa.list_(pa.int32())}), 2),
    ),
    "vectors": (
        lambda i: [{"v": [i, 1.0]}, {"v": None if i % 4 == 0 else [2.0, i]}],
        pa.list_(pa.struct({"v": pa.list_(pa.float32(), 2)}), 2),
    ),
    "long": (
        lambda i: [with_long_text(i), None if i % 6 == 0 else with_long_text(i + 1)],
        pa.list_(pa.struct({"s": pa.string(), "k": pa.string()}), 2),
    ),
    "packed": (
        lambda i: None if i % 7 == 0 else [{"a": i, "t": WORDS[i % 7]}, {"a": -i, "t": "x" * (i % 3)}],
        pa.list_(PACKED, 2),
    ),
    "inside": (
        lambda i: None if i % 13 == 1 else {"z": i, "f": triple(i), "g": None if i % 4 == 1 else [{"q": i}] * 2},
        pa.struct({"z": pa.int64(), "f": TRIPLE, "g": pa.list_(pa.struct({"q": pa.int16()}), 2)}),
    ),
}


def table(rows: int) -> pa.Table:
    columns = {name: pa.array([make(i) for i in range(rows)], kind) for name, (make, kind) in COLUMNS.items()}
    return pa.table({"id": pa.array(range(rows), pa.int64())} | columns)


@pytest.mark.parametrize("rows", [1, 700, 5000])
def test_reads_fixed_size_lists_of_structs(spark: SparkSession, tmp: str, rows: int) -> None:
    """The longer tables have chunks that end within lists."""
    written = table(rows)
    lance.write_dataset(written, f"{tmp}/t.lance", data_storage_version="2.2")
    assert_same(written, read(spark, f"{tmp}/t.lance"))


def test_reads_them_from_several_files_in_small_tasks_without_deleted_rows(spark: SparkSession, tmp: str) -> None:
    written = table(6000)
    lance.write_dataset(written, f"{tmp}/t.lance", max_rows_per_file=2500, data_storage_version="2.2")
    lance.dataset(f"{tmp}/t.lance").delete("id % 3 = 1 OR (id > 1000 AND id < 2200)")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    try:
        got = read(spark, f"{tmp}/t.lance")
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    left = [i for i in range(6000) if i % 3 != 1 and not 1000 < i < 2200]
    assert_same(written.take(left), got)


def test_reads_only_the_fields_that_a_query_names(spark: SparkSession, tmp: str) -> None:
    written = table(500)
    lance.write_dataset(written, f"{tmp}/t.lance", data_storage_version="2.2")
    frame = spark.read.format("lance").load(f"{tmp}/t.lance")
    query = frame.selectExpr("triples.t AS t", "deep[0].in[2].a AS a", "inside.g[1].q AS q", "lists[1].l AS l")
    for row, value in zip(query.collect(), written.to_pylist(), strict=True):
        triples, inside, lists = value["triples"], value["inside"] or {}, value["lists"]
        assert row.t == (triples and [item and item["t"] for item in triples])
        assert row.q == (inside.get("g") and inside["g"][1]["q"])
        assert row.l == (lists and lists[1] and lists[1]["l"])
        inner = value["deep"] and value["deep"][0]["in"]
        assert row.a == (inner and inner[2] and inner[2]["a"])
    assert frame.where("triples IS NULL").count() == written["triples"].null_count


def test_pylance_repeats_levels_for_each_item(tmp_path) -> None:
    lance.write_dataset(table(300), str(tmp_path / "t.lance"), data_storage_version="2.2")
    met = encodings(tmp_path / "t.lance")
    assert met["triples.item.a"][0].endswith("[NULLABLE_ITEM, NULLABLE_ITEM, NULLABLE_ITEM]")
    assert met["lists.item.l.item"][0].endswith("[ALL_VALID_ITEM, NULL_AND_EMPTY_LIST, NULLABLE_ITEM, NULLABLE_ITEM]")
    assert met["packed.item"][0].startswith("full_zip(variable_packed_struct(")


def test_refuses_by_name_lists_of_them(spark: SparkSession, tmp: str) -> None:
    """pylance writes some of these, and then panics on reading them."""
    column = pa.array([[[pair(i)] * 3] * (i % 3 + 1) for i in range(20)], pa.list_(TRIPLE))
    lance.write_dataset(pa.table({"odd": column}), f"{tmp}/t.lance", data_storage_version="2.2")
    with pytest.raises(Exception, match=r"(?s)fixed-size lists of structs in lists \(column 'odd"):
        read(spark, f"{tmp}/t.lance")


def test_refuses_by_name_those_of_version_2_0(spark: SparkSession, tmp: str) -> None:
    """pylance stores all of one in a packed column, and then panics on reading it."""
    column = pa.array([[{"a": i}, {"a": 2}] for i in range(9)], pa.list_(pa.struct({"a": pa.int32()}), 2))
    lance.write_dataset(pa.table({"odd": column}), f"{tmp}/t.lance", data_storage_version="2.0")
    with pytest.raises(Exception, match=r"type fixed_size_list:struct:2 in one column .*\(file .*, column odd\)"):
        read(spark, f"{tmp}/t.lance")


def test_does_not_write_them_yet(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(table(3).select(["full"]), path, data_storage_version="2.2")
    frame = spark.read.format("lance").load(path)
    with pytest.raises(Exception, match="writing to column 'full' of type fixed_size_list:struct:3 is not supported"):
        frame.write.format("lance").mode("append").save(path)
