"""Rows that Spark adds to columns which are dictionaries by their Arrow type: pylance has them as such again."""

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance.inspect import encodings
from tests.interop.generate import DICTIONARIES, INDICES, dictionary
from tests.interop.test_nested import read
from tests.interop.test_packed_writes import doubled, files
from tests.products import ends

pytestmark = pytest.mark.slow

VERSIONS = ["2.0", "2.1", "2.2"]


def columns(n: int, nulls: float) -> dict[str, pa.Array]:
    """Every type of values, and every type of index."""
    made = {f"by_{index}": dictionary(pa.string(), index, n, nulls) for index in INDICES}
    made |= {name: dictionary(kind, pa.int16(), n, nulls) for name, kind in DICTIONARIES.items()}
    return made


@pytest.mark.parametrize("version", ends(VERSIONS))
@pytest.mark.parametrize(("rows", "shares"), [(1, [0.0, 1.0]), (3000, [0.0, 0.2, 1.0])])
def test_every_dictionary_is_appended_to(
    spark: SparkSession, tmp: str, version: str, rows: int, shares: list[float]
) -> None:
    """Columns for each share of nulls."""
    path = f"{tmp}/t.lance"
    made = {f"{name}_{nulls:.0%}": c for nulls in shares for name, c in columns(rows, nulls).items()}
    lance.write_dataset(pa.table(made), path, data_storage_version=version)
    before = lance.dataset(path).to_table()
    added = doubled(spark, path)
    for name in before.column_names:
        assert added[name].type == before[name].type
        assert added[name].to_pylist() == before[name].to_pylist(), name
    if version != "2.0":
        for name, pages in encodings(files(path)[-1]).items():
            assert name.endswith("_100%") or all("dictionary=" in page for page in pages), name


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_dictionaries_in_lists_and_structs_are_appended_to(spark: SparkSession, tmp: str, version: str) -> None:
    kind = pa.dictionary(pa.uint8(), pa.string())
    words = pa.array([None if i % 7 == 3 else f"word {i % 200}" for i in range(2000)], kind)
    lists = pa.ListArray.from_arrays(pa.array(np.arange(0, 2001, 4, "i4")), words)
    structs = pa.StructArray.from_arrays([words[:500]], ["d"])
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"lists": lists, "structs": structs}), path, data_storage_version=version)
    before = lance.dataset(path).to_table()
    assert doubled(spark, path).to_pylist() == before.to_pylist()


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_a_table_is_overwritten_with_its_own_types(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    kind = pa.dictionary(pa.int8(), pa.string())
    lance.write_dataset(pa.table({"d": pa.array(["a", None], kind)}), path, data_storage_version=version)
    spark.sql(f"CREATE TABLE dictionaries USING lance LOCATION '{path}'")
    try:
        spark.sql("INSERT OVERWRITE dictionaries VALUES ('b'), ('c'), (NULL), ('b')")
    finally:
        spark.sql("DROP TABLE dictionaries")
    assert lance.dataset(path).schema.field("d").type == kind
    assert sorted(lance.dataset(path).to_table()["d"].to_pylist(), key=str) == [None, "b", "b", "c"]


@pytest.mark.parametrize("version", ends(VERSIONS))
@pytest.mark.parametrize(
    ("index", "most", "nulls"),
    [(pa.int8(), 128, False), (pa.uint8(), 256, False), (pa.int16(), 1 << 15, False), (pa.uint8(), 255, True)],
)
def test_as_many_values_as_an_index_can_tell_apart(
    spark: SparkSession, tmp: str, version: str, index: pa.DataType, most: int, nulls: bool
) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(
        pa.table({"d": pa.array(["a"], pa.dictionary(index, pa.string()))}), path, data_storage_version=version
    )
    texts = spark.range(most).selectExpr("concat('value ', id) AS d")
    more = texts.unionAll(spark.sql("SELECT CAST(NULL AS STRING) AS d")) if nulls else texts
    more.coalesce(1).write.format("lance").mode("append").save(path)
    expected = ["a", *(f"value {i}" for i in range(most)), *([None] if nulls else [])]
    assert lance.dataset(path).to_table()["d"].to_pylist() == expected
    assert read(spark, path)["d"].to_pylist() == expected
    surplus = spark.range(most + 1).selectExpr("concat('value ', id) AS d").coalesce(1)
    if not nulls or version == "2.0":
        with pytest.raises(
            Exception, match=r"Column 'd' is a dictionary whose index, of .* bits, can distinguish .* values"
        ):
            surplus.unionAll(spark.sql("SELECT CAST(NULL AS STRING) AS d")).coalesce(1).write.format("lance").mode(
                "append"
            ).save(path)
    assert lance.dataset(path).count_rows() == len(expected)


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_pages_of_different_values(spark: SparkSession, tmp: str, version: str) -> None:
    """Each has a dictionary of its own, which pylance puts together where it reads more than one of them."""
    path = f"{tmp}/t.lance"
    kind = pa.dictionary(pa.int8(), pa.string())
    lance.write_dataset(pa.table({"d": pa.array(["a"], kind)}), path, data_storage_version=version)
    rows = spark.range(40_000).selectExpr("concat('value ', CAST(id / 70 AS INT) % 128) AS d").coalesce(1)
    rows.write.format("lance").mode("append").option("writeBufferBytes", "100k").save(path)
    assert len(encodings(files(path)[-1])["d"]) > 3
    assert lance.dataset(path).to_table()["d"].to_pylist() == ["a", *(f"value {i // 70 % 128}" for i in range(40_000))]
    more = spark.range(40_000).selectExpr("concat('value ', CAST(id / 70 AS INT) % 129) AS d").coalesce(1)
    with pytest.raises(Exception, match=r"can distinguish 128 values .* rows of a file to be written have more"):
        more.write.format("lance").mode("append").option("writeBufferBytes", "100k").save(path)
