"""Columns of names that SQL has other uses for, and of names that differ in case only."""

from collections.abc import Iterator

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.products import ends

#: Dots may not be in names of columns: pylance refuses those at the top, and finds none within structs.
ODD = ["a b", "it's", 'say "so"', "back`tick", "😀", "ß", "select", "x-y", "(1)", "100%", "a:b", " ", "é"]


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@pytest.fixture
def case_sensitive(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.caseSensitive", "true")
    yield
    spark.conf.unset("spark.sql.caseSensitive")


@pytest.mark.parametrize("version", ends(["2.0", "2.1", "2.2"]))
def test_reads_fields_of_any_name(spark: SparkSession, tmp: str, version: str) -> None:
    inner = [{name: i * 100 + j for j, name in enumerate(ODD)} for i in range(3)]
    table = pa.table({name: [{**row} for row in inner] for name in ODD} | {"l": [[row] * 2 for row in inner]})
    lance.write_dataset(table, f"{tmp}/t.lance", data_storage_version=version)
    frame = spark.read.format("lance").load(f"{tmp}/t.lance")
    assert frame.columns == table.column_names
    assert frame.toArrow().to_pylist() == table.to_pylist()
    places = [f"{quoted(outer)}.{quoted(name)}" for outer, name in zip(reversed(ODD), ODD, strict=True)]
    fields = [f"{place} AS f{j}" for j, place in enumerate(places)]
    items = [f"l[1].{quoted(name)} AS g{j}" for j, name in enumerate(ODD)]
    numbers = range(len(ODD))
    for i, row in enumerate(sorted(frame.selectExpr(*fields, *items).collect())):
        assert row.asDict() == {f"{kind}{j}": i * 100 + j for kind in "fg" for j in numbers}
    # A row too few shows when all conditions are asked for, and a row too many when any is.
    conditions = [f"{place} = {100 + j}" for j, place in enumerate(places)]
    for operator in (" AND ", " OR "):
        found = frame.where(operator.join(conditions)).selectExpr(places[0]).collect()
        assert found == [(100,)], [c for c in conditions if frame.where(c).count() != 1]


def test_reads_nested_fields_with_dots_in_their_names(spark: SparkSession, tmp: str) -> None:
    rows = [{"a.b": i, "a": {"b": -i}} for i in range(3)]
    lance.write_dataset(pa.table({"s": rows}), f"{tmp}/t.lance")
    frame = spark.read.format("lance").load(f"{tmp}/t.lance")
    assert sorted(frame.selectExpr("s.`a.b`", "s.a.b").collect()) == [(i, -i) for i in range(3)]


TWINS = pa.table({"a": [1, 2], "A": ["x", "y"], "s": [{"b": 1, "B": 2}, {"b": 3, "B": 4}]})


@pytest.mark.parametrize("columns", [["a", "A"], ["s"]])
def test_refuses_names_that_differ_in_case_only(spark: SparkSession, tmp: str, columns: list[str]) -> None:
    lance.write_dataset(TWINS.select(columns), f"{tmp}/t.lance")
    with pytest.raises(Exception, match=r"differ in case only .*spark\.sql\.caseSensitive"):
        _ = spark.read.format("lance").load(f"{tmp}/t.lance").schema


@pytest.mark.usefixtures("case_sensitive")
def test_reads_names_that_differ_in_case_only(spark: SparkSession, tmp: str) -> None:
    lance.write_dataset(TWINS, f"{tmp}/t.lance")
    frame = spark.read.format("lance").load(f"{tmp}/t.lance")
    assert frame.toArrow().to_pylist() == TWINS.to_pylist()
    assert sorted(frame.select("A", "s.B").collect()) == [("x", 2), ("y", 4)]
    assert sorted(frame.select("s.b", "a").collect()) == [(1, 1), (3, 2)]
    assert frame.where("s.B = 4 AND a = 2").select("s.b").collect() == [(3,)]
