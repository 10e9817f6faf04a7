"""Packed structs that pylance writes, read through Spark value by value; and those of Spark, read by pylance."""

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance.inspect import encodings
from tests.interop.compare import assert_same
from tests.interop.packed import CASES, FIXED, TABLES, VARIABLE, around, fixed, packed, variable
from tests.interop.test_nested import read
from tests.products import ends


@pytest.mark.parametrize(("name", "version"), CASES)
def test_reads_packed_structs(spark: SparkSession, tmp: str, name: str, version: str) -> None:
    written = TABLES[name][0]()
    lance.write_dataset(written, f"{tmp}/t.lance", data_storage_version=version)
    assert_same(written, read(spark, f"{tmp}/t.lance"))


@pytest.mark.parametrize("version", ends(["2.0", "2.1", "2.2"]))
def test_reads_some_fields_of_packed_structs(spark: SparkSession, tmp: str, version: str) -> None:
    """In whatever order, with nulls where the struct is null."""
    kind, make = (VARIABLE, variable) if version == "2.2" else (FIXED, fixed)
    table = around(kind, make, 700, nulls=version != "2.0")
    lance.write_dataset(table, f"{tmp}/t.lance", data_storage_version=version)
    frame = spark.read.format("lance").load(f"{tmp}/t.lance")
    last = kind[-1].name
    query = frame.selectExpr(f"p.{last} AS l", "structs.s.a AS a", "lists.a AS many", "p.a AS first")
    for row, value in zip(query.collect(), table.to_pylist(), strict=True):
        outer = value["structs"] and value["structs"]["s"]
        assert row.first == (value["p"] and value["p"]["a"])
        assert (row.l is None) == (value["p"] is None)
        assert row.a == (outer and outer["a"])
        assert row.many == (value["lists"] and [v and v["a"] for v in value["lists"]])
    assert frame.where("p IS NULL").count() == table["p"].null_count
    assert frame.where("p.a > 100").count() == sum(v is not None and v["a"] > 100 for v in table["p"].to_pylist())


@pytest.mark.parametrize("version", ends(["2.0", "2.1", "2.2"]))
def test_skips_deleted_rows_of_packed_structs(spark: SparkSession, tmp: str, version: str) -> None:
    kind, make = (VARIABLE, variable) if version == "2.2" else (FIXED, fixed)
    table = around(kind, make, 5000, nulls=version != "2.0").append_column("id", pa.array(range(5000)))
    lance.write_dataset(table, f"{tmp}/t.lance", max_rows_per_file=2000, data_storage_version=version)
    lance.dataset(f"{tmp}/t.lance").delete("id % 3 = 1 OR (id > 1000 AND id < 2200)")
    assert_same(lance.dataset(f"{tmp}/t.lance").to_table(), read(spark, f"{tmp}/t.lance"))


#: How pylance packs a struct, by what is in it.
ENCODINGS = [
    ("fixed", "2.0", "p", "packed_struct(" + ", ".join(f"no_nulls(flat({n}))" for n in (32, 64, 8, 24, 128, 64)) + ")"),
    ("fixed", "2.1", "p", "mini_block(packed_struct[32, 64, 8, 24, 128, 64](flat(320))) [ALL_VALID_ITEM]"),
    (
        "variable",
        "2.2",
        "p",
        "full_zip(variable_packed_struct(flat(64), variable(flat(32)), variable(flat(64)), "
        "fixed_size_list[3, validity](flat(32)), variable_packed_struct(variable(flat(32)), flat(16)))) "
        "[ALL_VALID_ITEM]",
    ),
    (
        "long texts",
        "2.2",
        "p",
        "full_zip(variable_packed_struct(fsst(variable(flat(32))), flat(32), general[zstd](variable(flat(32))))) "
        "[ALL_VALID_ITEM]",
    ),
]


@pytest.mark.parametrize(("name", "version", "column", "expected"), ENCODINGS)
def test_pylance_packs(tmp_path, name: str, version: str, column: str, expected: str) -> None:
    lance.write_dataset(TABLES[name][0](), str(tmp_path / "t.lance"), data_storage_version=version)
    assert set(encodings(tmp_path / "t.lance")[column]) == {expected}


def test_refuses_booleans_in_packed_structs_by_name(spark: SparkSession, tmp: str) -> None:
    """pylance writes them, but cannot read them."""
    kind = pa.struct({"a": pa.int32(), "b": pa.bool_()})
    lance.write_dataset(packed([{"a": i, "b": True} for i in range(9)], kind), f"{tmp}/t.lance")
    with pytest.raises(pa.ArrowInvalid, match="positive byte widths"):
        lance.dataset(f"{tmp}/t.lance").to_table()
    with pytest.raises(Exception, match="booleans in packed structs is not supported"):
        read(spark, f"{tmp}/t.lance")


@pytest.mark.parametrize("version", ends(["2.0", "2.1", "2.2"]))
def test_refuses_packed_structs_that_lost_a_field(spark: SparkSession, tmp: str, version: str) -> None:
    """Their files still have it, and nothing tells where. pylance takes the bytes of one field for those of another."""
    table = packed([fixed(i) for i in range(9)], FIXED)
    lance.write_dataset(table, f"{tmp}/t.lance", data_storage_version=version)
    lance.dataset(f"{tmp}/t.lance").drop_columns(["p.a"])
    with pytest.raises(Exception, match=r"(?s)packed structs of .*column p"):
        read(spark, f"{tmp}/t.lance")
