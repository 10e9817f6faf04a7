"""Statements of lance-spark and Delta Lake on tables that pylance reads; some retell public bug reports of others."""

from datetime import timedelta

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.test_write import validated

pytestmark = pytest.mark.slow


def made(path: str, **options: object) -> str:
    """A table of pylance: three fragments of 100 rows, one of 50."""
    table = pa.table({"id": range(350), "name": [f"n{i}" if i % 4 else None for i in range(350)]})
    dataset = lance.write_dataset(table, path, max_rows_per_file=100, **options)
    dataset.delete("id % 10 = 3")
    return f"lance.`{path}`"


def test_columns_from_a_query_are_those_that_pylance_reads(spark: SparkSession, tmp: str) -> None:
    """lance-spark 194, 418 and 641, lance 8612: unknown keys, versions of rows, a field's metadata, deleted rows."""
    path = f"{tmp}/t.lance"
    t = made(path, enable_stable_row_ids=True)
    lance.dataset(path).delete("id >= 100 AND id < 150")
    view = "CREATE OR REPLACE TEMPORARY VIEW peers AS SELECT _rowaddr, _fragid, length(name) AS size, id % 7 AS w"
    spark.sql(f"{view} FROM {t}")
    spark.sql(f"ALTER TABLE {t} ADD COLUMNS size, w FROM peers")
    spark.sql(f"CALL lance.system.update_field_metadata('{path}', 'w', map('unit', 'days'))").collect()
    rows = validated(path).to_table()
    assert rows["size"].to_pylist() == [len(n) if n else None for n in rows["name"].to_pylist()]
    before = spark.sql(f"SELECT id, _row_last_updated_at_version AS v FROM {t}").collect()
    spark.sql(
        f"ALTER TABLE {t} UPDATE COLUMNS (w) ON (id) FROM "
        "SELECT id, -id AS w FROM VALUES (5), (170), (120), (999) AS v(id)"
    )
    dataset = validated(path)
    changed = {r["id"]: r["w"] for r in dataset.to_table().to_pylist() if r["w"] < 0}
    assert changed == {5: -5, 170: -170}
    assert dataset.schema.field("w").metadata == {b"unit": b"days"}
    after = {r.id: r.v for r in spark.sql(f"SELECT id, _row_last_updated_at_version AS v FROM {t}").collect()}
    assert {r.id for r in before if after[r.id] > r.v} == {5, 170}


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_fragments_with_as_many_rows_share_the_file_of_a_default(spark: SparkSession, tmp: str, version: str) -> None:
    """ducklake 259, ClickHouse 110069, MonetDB 2200: bytes of a default, renamed, and another with the same value."""
    path = f"{tmp}/t.lance"
    t = made(path, data_storage_version=version)
    spark.sql(f"ALTER TABLE {t} ADD COLUMNS (a INT DEFAULT 7, b INT NOT NULL DEFAULT 7, c BINARY DEFAULT X'616263')")
    dataset = validated(path)
    files = [fragment.data_files()[-1].path for fragment in dataset.get_fragments()]
    assert files[0] == files[1] == files[2] != files[3]
    assert dataset.take([0, 150, 314]).to_pydict()["c"] == [b"abc"] * 3
    assert dataset.count_rows("a = 7 AND b = 7") == dataset.count_rows() == 315
    spark.sql(f"ALTER TABLE {t} UPDATE COLUMNS (a) FROM SELECT _rowaddr, 1 AS a FROM {t} WHERE id = 101")
    spark.sql(f"UPDATE {t} SET b = 2 WHERE id = 201")
    spark.sql(f"ALTER TABLE {t} RENAME COLUMN b TO d")
    spark.sql(f"DELETE FROM {t} WHERE id < 100")

    def held(rows: list[dict[str, object]]) -> None:
        assert len(rows) == 225
        assert {r["id"]: r["a"] for r in rows if r["a"] != 7} == {101: 1}
        assert {r["id"]: r["d"] for r in rows if r["d"] != 7} == {201: 2}
        assert {bytes(r["c"]) for r in rows} == {b"abc"}  # type: ignore[call-overload]

    dataset = validated(path)
    held(dataset.to_table().to_pylist())
    dataset.cleanup_old_versions(timedelta(0), delete_unverified=True)
    held(validated(path).to_table().to_pylist())
    held([r.asDict() for r in spark.sql(f"SELECT * FROM {t}").collect()])
    spark.sql(f"VACUUM {t} RETAIN 0 HOURS").collect()
    assert spark.sql(f"CALL lance.system.validate('{path}')").collect() == []
    validated(path).optimize.compact_files()
    held(validated(path).to_table().to_pylist())
    spark.sql(f"OPTIMIZE {t} WITH (target_rows_per_fragment = 1000)").collect()
    spark.sql(f"VACUUM {t} RETAIN 0 HOURS").collect()
    held(validated(path).to_table().to_pylist())


def test_pylance_merges_by_the_key_that_lance_sparks_statement_sets(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    spark.sql(f"CREATE TABLE lance.`{path}` (id BIGINT NOT NULL, day STRING NOT NULL, n INT) USING lance")
    key = spark.sql(f"ALTER TABLE lance.`{path}` SET UNENFORCED PRIMARY KEY (day, id)").collect()[0]
    assert key["columns"] == ["day", "id"]
    spark.sql(f"INSERT INTO lance.`{path}` VALUES (1, 'a', 1), (2, 'a', 2)")
    dataset = validated(path)
    schema = pa.schema([("id", pa.int64()), ("day", pa.string()), ("n", pa.int32())])
    new = pa.table({"id": [2, 2], "day": ["a", "b"], "n": [20, 30]}, schema)
    dataset.merge_insert().when_matched_update_all().when_not_matched_insert_all().execute(new)
    assert sorted(validated(path).to_table()["n"].to_pylist()) == [1, 20, 30]


def test_pylance_keeps_a_tag_that_our_clean_up_drops_later(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    t = made(path)
    spark.sql(f"ALTER TABLE {t} CREATE TAG v AS OF VERSION 1 RETAIN 0 DAYS").collect()
    dataset = lance.dataset(path)
    assert dataset.tags.list()["v"]["version"] == 1
    assert dataset.checkout_version("v").count_rows() == 350
    dataset.cleanup_old_versions(timedelta(0), error_if_tagged_old_versions=False)
    dataset.tags.update("v", 2)
    assert "sparklance.expires" in dataset.tags.list()["v"]["metadata"]
    spark.sql(f"INSERT INTO {t} VALUES (400, 'x')")
    spark.sql(f"VACUUM {t} RETAIN 0 HOURS").collect()
    kept = lance.dataset(path)
    assert kept.count_rows() == 316
    assert kept.tags.list() == {}
    assert [v["version"] for v in kept.versions()] == [3]


#: Spark's type of a column, and the largest value.
UNSIGNED = {
    "uint8": ("SMALLINT", 2**8 - 1),
    "uint16": ("INT", 2**16 - 1),
    "uint32": ("BIGINT", 2**32 - 1),
    "uint64": ("DECIMAL(20, 0)", 2**64 - 1),
}


def test_unsigned_integers_are_made_in_each_way(spark: SparkSession, tmp: str) -> None:
    """ClickHouse's connector 477, influxdb 4250, lance-spark 803: no value wraps, and none beyond the range is kept."""
    table, copy, saved = (f"{tmp}/{name}.lance" for name in ("table", "copy", "saved"))
    properties = ", ".join(f"'{name}.arrow.type' = '{name}'" for name in UNSIGNED)
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in UNSIGNED.items())
    largest = {name: most for name, (_, most) in UNSIGNED.items()}
    spark.sql(f"CREATE TABLE lance.`{table}` ({columns}) USING lance TBLPROPERTIES ({properties})")
    values = ", ".join(map(str, largest.values()))
    spark.sql(f"INSERT INTO lance.`{table}` VALUES ({values}), (0, 0, 0, 0), (NULL, NULL, NULL, NULL)")
    rows = spark.sql(f"SELECT * FROM lance.`{table}`")
    spark.sql(f"CREATE TABLE lance.`{copy}` USING lance TBLPROPERTIES ({properties}) AS SELECT * FROM lance.`{table}`")
    writer = rows.write.format("lance")
    for name in UNSIGNED:
        writer = writer.option(f"{name}.arrow.type", name)
    writer.save(saved)
    for path in (table, copy, saved):
        rows.write.format("lance").mode("append").save(path)
        spark.sql(f"CALL lance.system.create_index('{path}', 'uint64', 'btree', 'i')").collect()
        dataset = validated(path)
        assert [str(t) for t in dataset.schema.types] == list(UNSIGNED)
        found = dataset.to_table(filter=f"uint64 = {2**64 - 1}").to_pylist()
        assert found == [largest] * 2
        assert dataset.to_table(filter="uint8 IS NULL").num_rows == 2
        t = f"lance.`{path}`"
        assert spark.sql(f"SELECT * FROM {t} WHERE uint64 >= 9223372036854775808BD").count() == 2
        before = dataset.version
        for name, most in largest.items():
            for wrong in (-1, most + 1):
                one = ", ".join(
                    f"CAST(IF(id = 2, {wrong if other == name else 1}, 1) AS {kind}) AS {other}"
                    for other, (kind, _) in UNSIGNED.items()
                )
                said = f"Column '{name}' holds {name}, but a row to be written has {wrong}.*is row 3 of partition 0"
                with pytest.raises(Exception, match=said):
                    spark.sql(f"INSERT INTO {t} SELECT {one} FROM range(0, 3, 1, 1)").collect()
        assert lance.dataset(path).version == before
    with pytest.raises(Exception, match=r"it is for DECIMAL\(20,0\), but the column is BIGINT"):
        spark.sql(f"CREATE TABLE lance.`{tmp}/x` (u BIGINT) USING lance TBLPROPERTIES ('u.arrow.type' = 'uint64')")
