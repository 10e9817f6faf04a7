"""Tables that releases of pylance wrote wrongly: pylance 14.0.2 mends them when it opens them or commits, and so do
we."""

import shutil
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.damage import edit_manifest

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parents[1] / "golden" / "historic"
TABLES = ["rows_0.8.0", "fields_0.10.5", "one_0.16.0", "both_0.16.0", "strings_0.13.0"]


def copy(name: str, tmp: str) -> str:
    path = f"{tmp}/{name}"
    shutil.copytree(GOLDEN / name, path)
    return path


def ours(spark: SparkSession, path: str) -> list[dict]:
    frame = spark.read.format("lance").load(path)
    rows = frame.toArrow().to_pylist()
    assert frame.count() == len(rows)
    return sorted(rows, key=str)


def theirs(path: str) -> list[dict]:
    dataset = lance.dataset(path)
    rows = dataset.to_table().to_pylist()
    assert dataset.count_rows() == len(rows)
    return sorted(rows, key=str)


def check(spark: SparkSession, path: str, rows: int) -> None:
    found = ours(spark, path)
    assert found == theirs(path)
    assert len(found) == rows


@pytest.mark.parametrize("name", TABLES)
def test_every_version_reads_as_pylance_reads_it(spark: SparkSession, name: str) -> None:
    path = str(GOLDEN / name)
    for version in lance.dataset(path).versions():
        number = version["version"]
        table = spark.read.format("lance").option("version", number).load(path)
        expected = lance.dataset(path, version=number)
        assert table.count() == expected.count_rows()
        assert sorted(map(str, table.toArrow().to_pylist())) == sorted(map(str, expected.to_table().to_pylist()))


@pytest.mark.parametrize("name", ["rows_0.8.0", "fields_0.10.5", "one_0.16.0"])
@pytest.mark.parametrize("by_spark", [True, False])
def test_a_commit_mends_the_table(spark: SparkSession, tmp: str, name: str, by_spark: bool) -> None:
    path, reference = copy(name, tmp), copy(name, f"{tmp}/reference")
    for changed in (path, reference):
        if by_spark and changed == path:
            spark.sql(f"ALTER TABLE lance.`{path}` SET TBLPROPERTIES ('k' = 'v')")
        else:
            lance.dataset(changed).delete("false")
    lance.dataset(path).validate()
    assert theirs(path) == theirs(reference)
    assert ours(spark, path) == theirs(path)
    spark.sql(f"DELETE FROM lance.`{path}` WHERE x = 1")
    check(spark, path, rows=len(theirs(reference)) - len([row for row in theirs(reference) if row["x"] == 1]))


def test_a_commit_of_ours_leaves_row_counts_that_pylance_trusts(spark: SparkSession, tmp: str) -> None:
    path = copy("rows_0.8.0", tmp)
    spark.sql(f"ALTER TABLE lance.`{path}` SET TBLPROPERTIES ('k' = 'v')")
    assert lance.dataset(path).count_rows() == 92
    lance.dataset(path).validate()
    lance.dataset(path).delete("x = 50")
    fragments = [f.metadata for f in lance.dataset(path).get_fragments()]
    assert [f.physical_rows for f in fragments] == [100, 2]
    assert len(ours(spark, path)) == 91


def test_files_of_0_1_beside_others_are_not_committed_again(spark: SparkSession, tmp: str) -> None:
    path = copy("both_0.16.0", tmp)
    with pytest.raises(Exception, match=r"data files of version 0\.1 beside those of 2\.0"):
        spark.sql(f"DELETE FROM lance.`{path}` WHERE x = 1")
    with pytest.raises(Exception, match=r"v1 reader"):
        lance.dataset(path).delete("x = 1")
    assert lance.dataset(path).version == 2
    check(spark, path, rows=6)
    spark.sql(f"CALL lance.system.restore(table => '{path}', version => 1)")
    check(spark, path, rows=0)


def two_fragments(path: str, version: str = "2.1") -> str:
    for start in (0, 3):
        rows = pa.table({"x": range(start, start + 3), "s": ["a", "b", "c"]})
        lance.write_dataset(rows, path, mode="append" if start else "create", data_storage_version=version)
    return path


@pytest.mark.parametrize("version", ["0.1", "2.0", "2.2"])
def test_fragments_with_one_id_are_read_but_not_committed_again(spark: SparkSession, tmp: str, version: str) -> None:
    path = two_fragments(f"{tmp}/t.lance", version)
    with edit_manifest(path) as manifest:
        manifest.fragments[1].id = manifest.fragments[0].id
    check(spark, path, rows=6)
    with pytest.raises(Exception, match="two of its fragments have the id 0"):
        spark.sql(f"ALTER TABLE lance.`{path}` SET TBLPROPERTIES ('k' = 'v')")
    with pytest.raises(Exception, match="two fragments with id 0"):
        lance.dataset(path).update_config({"k": "v"})


@pytest.mark.parametrize("said", [2, 5])
def test_row_counts_without_a_writer_are_not_trusted(spark: SparkSession, tmp: str, said: int) -> None:
    path = two_fragments(f"{tmp}/t.lance")
    with edit_manifest(path) as manifest:
        manifest.ClearField("writer_version")
        for fragment in manifest.fragments:
            fragment.physical_rows = said
    check(spark, path, rows=6)
    spark.sql(f"DELETE FROM lance.`{path}` WHERE x = 2")
    check(spark, path, rows=5)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_a_table_that_says_0_1_is_of_its_files_version(spark: SparkSession, tmp: str, version: str) -> None:
    path = two_fragments(f"{tmp}/t.lance", version)
    with edit_manifest(path) as manifest:
        manifest.data_format.version = "0.1"
    assert ours(spark, path) == theirs(path)
    spark.createDataFrame([(9, "z")], "x long, s string").write.format("lance").mode("append").save(path)
    assert lance.dataset(path).data_storage_version == version
    check(spark, path, rows=7)


def unplaced(manifest) -> None:
    manifest.fragments[0].files[0].column_indices[1] = -1


def uneven(manifest) -> None:
    del manifest.fragments[0].files[0].column_indices[-1]


def several(manifest) -> None:
    manifest.data_format.version = "0.1"
    manifest.fragments[0].files[0].file_minor_version = 2


def flagged(manifest) -> None:
    manifest.data_format.version = "0.1"
    manifest.reader_feature_flags |= 256
    manifest.writer_feature_flags |= 256


@pytest.mark.parametrize("edit", [unplaced, uneven, several, flagged])
def test_manifests_that_both_refuse(spark: SparkSession, tmp: str, edit) -> None:
    path = two_fragments(f"{tmp}/t.lance")
    with edit_manifest(path) as manifest:
        edit(manifest)
    with pytest.raises(Exception, match=r"column|version"):
        lance.dataset(path).to_table()
    with pytest.raises(Exception, match=r"column|version"):
        spark.read.format("lance").load(path).toArrow()


def test_coverage_of_indices_before_0_8_15_is_computed_again(spark: SparkSession, tmp: str) -> None:
    path = two_fragments(f"{tmp}/t.lance")
    lance.dataset(path).create_scalar_index("x", "BTREE")
    with edit_manifest(path) as manifest:
        manifest.writer_version.version = "0.8.14"
    spark.sql(f"ALTER TABLE lance.`{path}` SET TBLPROPERTIES ('k' = 'v')")
    lance.dataset(path).update_config({"k": "w"})
    (index,) = lance.dataset(path).describe_indices()
    assert index.segments[0].fragment_ids == {0, 1}
    assert lance.dataset(path).to_table(filter="x = 4").num_rows == 1


def test_strings_of_lists_of_bytes_are_filtered_changed_and_compacted(spark: SparkSession, tmp: str) -> None:
    path = copy("strings_0.13.0", tmp)
    expected = {row["id"]: row for row in lance.dataset(path).to_table().to_pylist()}
    table = spark.read.format("lance").load(path)
    for condition in ("text = 'é1'", "text IS NULL", "id IN (3, 41, 59)", "s.x > 'é' AND n > 70"):
        ids = table.where(condition).select("id").toArrow()["id"].to_pylist()
        assert table.where(condition).toArrow().to_pylist() == [expected[i] for i in ids]
        assert sorted(ids) == sorted(lance.dataset(path).to_table(filter=condition, columns=["id"])["id"].to_pylist())
    assert table.select("text", "s.x").toArrow()["text"].to_pylist() == [row["text"] for row in expected.values()]
    spark.sql(f"UPDATE lance.`{path}` SET n = 0 WHERE text = 'é1'")
    spark.sql(f"INSERT INTO lance.`{path}` SELECT * FROM lance.`{path}` WHERE id = 6")
    spark.sql(f"OPTIMIZE lance.`{path}`")
    check(spark, path, 60)
