"""Tables that are compacted hold what they held, to pylance; and we read what pylance compacts."""

from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

from tests.interop.compare import is_list, lengths, parts, plain, words
from tests.interop.matrix.tables import METADATA, NULLS
from tests.interop.matrix.types import TYPES
from tests.interop.test_blob_writes import taken
from tests.interop.test_blobs import blobs, stored
from tests.interop.test_blobs import read as read_blobs

VERSIONS = ("2.0", "2.1", "2.2")

#: What is refused, by name, and why.
REFUSED = {"fixed_list_of_structs": "fixed-size lists of structs"}


def compact(spark: SparkSession, path: str, **options: object) -> Row:
    given = "".join(f", {name} => {value}" for name, value in options.items())
    return spark.sql(f"CALL lance.system.compact(table => '{path}'{given})").collect()[0]


def assert_same_bits(expected: pa.Array, actual: pa.Array, place: str) -> None:
    """Compares types, nulls and bits, including NaNs and signed zeros."""
    assert expected.type == actual.type, place
    expected, actual = plain(expected), plain(actual)
    kind = expected.type
    assert expected.is_null().equals(actual.is_null()), place
    if isinstance(kind, pa.BaseExtensionType):
        assert_same_bits(expected.storage, actual.storage, place)
    elif pa.types.is_struct(kind) or pa.types.is_map(kind) or is_list(kind):
        if not pa.types.is_struct(kind):
            assert (lengths(expected) == lengths(actual)).all(), place
        for (name, left), (_, right) in zip(parts(expected), parts(actual), strict=True):
            assert_same_bits(left, right, place + name)
    elif pa.types.is_floating(kind):
        assert (words(expected) == words(actual)).all(), place
    else:
        assert expected.equals(actual), place


def assert_same_tables(expected: pa.Table, actual: pa.Table) -> None:
    assert expected.schema.equals(actual.schema, check_metadata=True)
    for name in expected.column_names:
        left, right = (table[name].combine_chunks() for table in (expected, actual))
        left, right = (a.chunk(0) if isinstance(a, pa.ChunkedArray) else a for a in (left, right))
        assert_same_bits(left, right, name)


def writable(name: str, version: str, tmp: str) -> pa.Array | None:
    """A column of a type, if pylance writes and reads it in this version."""
    rng = np.random.default_rng(len(name))
    try:
        pieces = [TYPES[name](rng, shape, 100, NULLS["some"]) for shape in ("random", "extremes", "runs")]
        column = pa.concat_arrays(pieces)
        field = pa.field(name, column.type).with_metadata(METADATA.get(name, {}))
        table = pa.table([column], schema=pa.schema([field]))
        lance.write_dataset(table, f"{tmp}/try.lance", data_storage_version=version, mode="overwrite").to_table()
    except KeyboardInterrupt:
        raise
    except BaseException:  # What pylance does not know makes it panic, too.
        return None
    return column


@pytest.mark.parametrize("version", VERSIONS)
def test_every_type_keeps_its_bits(spark: SparkSession, tmp: str, version: str) -> None:
    columns = {name: writable(name, version, tmp) for name in TYPES if name not in REFUSED}
    columns = {name: column for name, column in columns.items() if column is not None}
    assert len(columns) > 70
    fields = [pa.field(n, c.type).with_metadata(METADATA.get(n, {})) for n, c in columns.items()]
    table = pa.table(list(columns.values()), schema=pa.schema(fields))
    path = f"{tmp}/t.lance"
    for _ in range(10):
        lance.write_dataset(table, path, mode="append", data_storage_version=version)
    dataset = lance.dataset(path)
    dataset.delete("_rowid % 7 = 1")
    before = dataset.to_table()
    done = compact(spark, path)
    assert (done.fragments_removed, done.fragments_added) == (10, 1)
    after = lance.dataset(path)
    after.validate()
    assert len(after.get_fragments()) == 1
    assert after.count_rows() == before.num_rows
    assert_same_tables(before, after.to_table())
    last = before.num_rows - 1
    assert_same_tables(before.slice(last), after.take([last]))


def test_types_that_cannot_be_written_are_refused(spark: SparkSession, tmp: str) -> None:
    column = writable("fixed_list_of_structs", "2.2", tmp)
    path = f"{tmp}/t.lance"
    for _ in range(2):
        lance.write_dataset(pa.table({"odd": column}), path, mode="append")
    with pytest.raises(Exception, match=REFUSED["fixed_list_of_structs"]):
        compact(spark, path)
    assert lance.dataset(path).version == 2


@pytest.mark.parametrize("version", VERSIONS)
def test_dictionaries_stay_dictionaries(spark: SparkSession, tmp: str, version: str) -> None:
    """With nulls among the positions and among the values, and different values in each fragment."""
    path = f"{tmp}/t.lance"
    kind = pa.dictionary(pa.int8(), pa.string())
    for part in range(4):
        words = [f"word {i}" for i in range(part * 20, part * 20 + 30)]
        places = pa.array([None if i % 9 == 4 else i % 30 for i in range(300)], pa.int8())
        flat = pa.DictionaryArray.from_arrays(places, pa.array(words))
        if version != "2.0":
            flat = pa.DictionaryArray.from_arrays(places, pa.array([*words[:7], None, *words[8:]]))
        lists = pa.ListArray.from_arrays(pa.array(np.arange(0, 301), "i4"), flat)
        assert flat.type == kind
        lance.write_dataset(pa.table({"d": flat, "l": lists}), path, mode="append", data_storage_version=version)
    lance.dataset(path).delete("_rowid % 7 = 1")
    before = lance.dataset(path).to_table()
    compact(spark, path)
    after = lance.dataset(path)
    after.validate()
    assert len(after.get_fragments()) == 1
    assert after.to_table().to_pylist() == before.to_pylist()
    assert after.schema == before.schema


def test_more_values_than_a_dictionary_has_room_for_are_refused(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    for part in range(2):
        words = pa.array([f"word {part} {i}" for i in range(100)], pa.dictionary(pa.int8(), pa.string()))
        lance.write_dataset(pa.table({"d": words}), path, mode="append")
    files = sorted(Path(path, "data").iterdir())
    with pytest.raises(Exception, match=r"Column 'd' is a dictionary whose index.*target_rows_per_fragment"):
        compact(spark, path)
    assert lance.dataset(path).version == 2
    assert sorted(Path(path, "data").iterdir()) == files


@pytest.mark.parametrize("version", VERSIONS)
def test_blobs_are_stored_anew(spark: SparkSession, tmp: str, version: str) -> None:
    """Each where it belongs by its size, in as many files as before."""
    path, values = f"{tmp}/t.lance", blobs(900)
    stored(path, values, version, max_rows_per_file=200)
    dataset = lance.dataset(path)
    dataset.delete("id % 3 = 1 OR id BETWEEN 200 AND 399")
    before, held = dataset.to_table(), taken(path)
    assert compact(spark, path).fragments_added == 1
    after = lance.dataset(path)
    assert after.schema.equals(dataset.schema, check_metadata=True)
    for left, right in zip(before.to_pylist(), after.to_table().to_pylist(), strict=True):
        assert left["id"] == right["id"]
        for part in ("kind", "size"):
            assert (left["blob"] or {}).get(part) == (right["blob"] or {}).get(part)
    assert taken(path) == held
    kept = {i: v for i, v in enumerate(values) if not (i % 3 == 1 or 200 <= i < 400)}
    assert read_blobs(spark, path, blobHandling="bytes") == kept
    compact(spark, path, materialize_deletions_threshold="0.0D", data_storage_version=f"'{version}'")
    assert taken(path) == held


def test_blobs_within_structs_and_lists_are_stored_anew(spark: SparkSession, tmp: str) -> None:
    values = [b"a", None, b"", b"x" * 70_000, b"y" * 3000, b"z"]
    lists = pa.ListArray.from_arrays(
        pa.array([0, 2, 2, None, 5, 6], pa.int32()),
        lance.blob_array(values),
        type=pa.list_(lance.blob_field("item")),
    )
    inner = [lance.blob_field("blob"), pa.field("k", pa.int32())]
    mask = pa.array([False, True, False, False, False])
    structs = pa.StructArray.from_arrays(
        [lance.blob_array(values[:5]), pa.array(range(5), pa.int32())], fields=inner, mask=mask
    )
    fields = [pa.field("id", pa.int64()), pa.field("l", lists.type), pa.field("s", structs.type)]
    path = f"{tmp}/t.lance"
    for i in range(3):
        made = pa.table([range(5 * i, 5 * i + 5), lists, structs], schema=pa.schema(fields))
        lance.write_dataset(made, path, mode="append", data_storage_version="2.2")
    lance.dataset(path).delete("id IN (1, 8)")
    before = read_blobs(spark, path, blobHandling="bytes")
    nested = spark.read.format("lance").option("blobHandling", "bytes").load(path).orderBy("id").collect()
    assert compact(spark, path).fragments_added == 1
    assert read_blobs(spark, path, blobHandling="bytes") == before
    assert spark.read.format("lance").option("blobHandling", "bytes").load(path).orderBy("id").collect() == nested
    dataset = lance.dataset(path)
    dataset.validate()
    assert [s and s["k"] for s in dataset.to_table()["s"].to_pylist()] == [r.s and r.s.k for r in nested]


def test_external_blobs_stay_where_they_are(spark: SparkSession, tmp: str) -> None:
    Path(tmp, "base/in").mkdir(parents=True)
    Path(tmp, "elsewhere").mkdir()
    for folder in ("base/in", "elsewhere"):
        Path(tmp, folder, "a b.bin").write_bytes(b"0123456789")
    schema = pa.schema([pa.field("id", pa.int64()), lance.blob_field("blob")])
    inside, outside = (Path(tmp, folder, "a b.bin").as_uri() for folder in ("base/in", "elsewhere"))
    made = [inside, lance.blob.Blob.from_uri(inside, position=2, size=3), outside, None, b"in the table"]
    made.append(lance.blob.Blob.from_uri(outside, position=4, size=2))
    path = f"{tmp}/t.lance"
    options = {"data_storage_version": "2.2", "allow_external_blob_outside_bases": True}
    base = [lance.DatasetBasePath(f"{tmp}/base", "outside")]
    for i in range(2):
        rows = pa.table([range(6 * i, 6 * i + 6), lance.blob_array(made)], schema=schema)
        lance.write_dataset(rows, path, mode="append", **options, **({} if i else {"initial_bases": base}))
    before = lance.dataset(path).to_table().to_pylist()
    held = taken(path)
    assert held[1] == b"234"
    assert compact(spark, path).fragments_added == 1
    own = ("position",)
    for left, right in zip(before, lance.dataset(path).to_table().to_pylist(), strict=True):
        if (left["blob"] or {}).get("kind") == 3:
            assert left == right
        else:
            assert {k: v for k, v in (left["blob"] or {}).items() if k not in own} == {
                k: v for k, v in (right["blob"] or {}).items() if k not in own
            }
    assert taken(path) == held


def numbers(path: str, stable: bool, fragments: int = 6, rows: int = 400) -> lance.LanceDataset:
    """A vector for each number; an index of both."""
    rng = np.random.default_rng(5)
    vectors = rng.random((fragments * rows, 8), dtype="f4")
    table = pa.table(
        {
            "id": pa.array(range(fragments * rows), pa.int64()),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 8),
        }
    )
    return lance.write_dataset(table, path, max_rows_per_file=rows, enable_stable_row_ids=stable)


def answers(dataset: lance.LanceDataset) -> list[object]:
    """Answers of queries with each index, and without any."""
    ids = [1, 399, 400, 777, 1200, 1900, 2399, 5000]
    query = np.arange(8, dtype="f4") / 8
    found: list[object] = []
    for use in (True, False):
        scan = {"columns": ["id"], "use_scalar_index": use}
        by_id = [dataset.to_table(filter=f"id = {i}", **scan)["id"].to_pylist() for i in ids]
        between = sorted(dataset.to_table(filter="id BETWEEN 390 AND 1210", **scan)["id"].to_pylist())
        nearest = {"column": "vector", "q": query, "k": 10, "nprobes": 4, "refine_factor": 50, "use_index": use}
        found += [by_id, between, sorted(dataset.to_table(nearest=nearest)["id"].to_pylist())]
    assert found[:3] == found[3:]
    return found


@pytest.mark.parametrize("stable", [False, True])
def test_indices_of_pylance_answer_right(spark: SparkSession, tmp: str, stable: bool) -> None:
    path = f"{tmp}/t.lance"
    dataset = numbers(path, stable)
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_index("vector", "IVF_PQ", num_partitions=4, num_sub_vectors=4)
    dataset.delete("id % 5 = 2")
    before = answers(dataset)
    assert compact(spark, path).fragments_added == 1
    dataset = lance.dataset(path)
    dataset.validate()
    assert answers(dataset) == before
    # Rows that come now, and an update of some that moved.
    lance.write_dataset(dataset.to_table(limit=1).set_column(0, "id", pa.array([5000])), path, mode="append")
    dataset = lance.dataset(path)
    dataset.update({"id": "id + 100000"}, where="id = 777")
    assert answers(dataset)[0] == [*before[0][:3], [], *before[0][4:7], [5000]]
    dataset.optimize.optimize_indices()
    after = answers(lance.dataset(path))
    assert compact(spark, path, materialize_deletions_threshold="0.0D").fragments_added == 1
    assert answers(lance.dataset(path)) == after
    lance.dataset(path).validate()


@pytest.mark.parametrize("kind", ["BITMAP", "ZONEMAP", "LABEL_LIST", "INVERTED", "NGRAM", "BLOOMFILTER"])
@pytest.mark.parametrize("stable", [False, True])
def test_every_kind_of_index_answers_right(spark: SparkSession, tmp: str, stable: bool, kind: str) -> None:
    words = [f"word{i % 30} text{i % 7}" for i in range(1000)]
    values = [[w] for w in words] if kind == "LABEL_LIST" else words
    path = f"{tmp}/t.lance"
    table = pa.table({"id": range(1000), "v": values})
    dataset = lance.write_dataset(table, path, max_rows_per_file=250, enable_stable_row_ids=stable)
    dataset.create_scalar_index("v", kind)
    dataset.delete("id % 4 = 1")
    condition = {
        "LABEL_LIST": "array_has_any(v, ['word3 text3'])",
        "NGRAM": "contains(v, 'word3 t')",
        "INVERTED": "contains_tokens(v, 'word3')",
    }.get(kind, "v = 'word3 text3'")

    def found(use: bool) -> list[int]:
        rows = lance.dataset(path).to_table(columns=["id"], filter=condition, use_scalar_index=use)
        return sorted(rows["id"].to_pylist())

    before = found(False)
    assert before
    assert found(True) == before
    compact(spark, path)
    assert found(True) == before
    assert found(False) == before
    lance.dataset(path).validate()


def lineage(path: str) -> list[dict]:
    columns = ["id", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    return lance.dataset(path).to_table(columns=columns).sort_by("id").to_pylist()


def test_rows_keep_their_ids_and_versions(spark: SparkSession, tmp: str) -> None:
    """Ours is what pylance makes of the same table."""
    found = []
    for name in ("ours", "theirs"):
        path = f"{tmp}/{name}.lance"
        dataset = lance.write_dataset(
            pa.table({"id": range(3000)}), path, max_rows_per_file=1000, enable_stable_row_ids=True
        )
        dataset.update({"id": "id"}, where="id % 17 = 3")
        dataset.delete("id % 11 = 5")
        lance.write_dataset(pa.table({"id": range(3000, 3100)}), path, mode="append")
        before = lineage(path)
        if name == "ours":
            compact(spark, path)
        else:
            lance.dataset(path).optimize.compact_files()
        after = lineage(path)
        assert after == before
        dataset = lance.dataset(path)
        dataset.validate()
        assert dataset.take([0, 2000], columns=["id"]) == lance.dataset(path).to_table(columns=["id"]).take([0, 2000])
        found.append((after, [f.physical_rows for f in dataset.get_fragments()]))
    assert found[0] == found[1]


@pytest.mark.parametrize("options", [{}, {"target_rows_per_fragment": 250}, {"max_source_fragments": 7}])
def test_the_same_fragments_are_chosen_as_by_pylance(spark: SparkSession, tmp: str, options: dict) -> None:
    rng = np.random.default_rng(11)
    sizes = rng.choice([10, 90, 240, 260, 600], 30)
    shapes = []
    for name in ("ours", "theirs"):
        path = f"{tmp}/{name}.lance"
        start = 0
        for size in sizes:
            lance.write_dataset(pa.table({"id": range(start, start + size)}), path, mode="append")
            start += int(size)
        dataset = lance.dataset(path)
        dataset.delete("id % 100 < 20 AND id > 3000")
        given = {"target_rows_per_fragment": 240} | options
        if name == "ours":
            compact(spark, path, **given)
        else:
            dataset.optimize.compact_files(**given)
        dataset = lance.dataset(path)
        shapes.append([(f.fragment_id, f.physical_rows, f.num_deletions) for f in dataset.get_fragments()])
    assert shapes[0] == shapes[1]


def test_we_read_what_pylance_compacts(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = numbers(path, stable=True)
    dataset.create_scalar_index("id", "BTREE")
    dataset.delete("id % 3 = 1")
    held = spark.read.format("lance").load(path)
    dataset.optimize.compact_files()
    dataset = lance.dataset(path)
    assert len(dataset.get_fragments()) == 1
    rows = spark.read.format("lance").load(path).select("id", "_rowid").orderBy("id").collect()
    expected = dataset.to_table(columns=["id"], with_row_id=True).sort_by("id").to_pylist()
    assert [row.asDict() for row in rows] == expected
    assert held.count() == len(expected)
    compact(spark, path, materialize_deletions_threshold="0.0D")
    assert spark.read.format("lance").load(path).count() == len(expected)


def test_defaults_come_from_the_config_of_pylance(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = numbers(path, stable=False)
    dataset.update_config({"lance.compaction.target_rows_per_fragment": "800"})
    assert compact(spark, path).fragments_added == 3
    dataset.update_config({"lance.compaction.target_rows_per_fragment": "many"})
    with pytest.raises(Exception, match="'many' is no value of lance"):
        compact(spark, path)
    assert compact(spark, path, target_rows_per_fragment=100000).fragments_added == 1


def test_a_clone_is_compacted_into_files_of_its_own(spark: SparkSession, tmp: str) -> None:
    source = numbers(f"{tmp}/source.lance", stable=False)
    clone = source.shallow_clone(f"{tmp}/clone.lance", source.version)
    before = clone.to_table()
    compact(spark, f"{tmp}/clone.lance")
    clone = lance.dataset(f"{tmp}/clone.lance")
    assert clone.to_table() == before
    assert [f.base_id for fragment in clone.get_fragments() for f in fragment.metadata.files] == [None]
    assert lance.dataset(f"{tmp}/source.lance").to_table() == before


def test_files_are_rewritten_in_a_higher_version(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(pa.table({"id": range(100)}), path, max_rows_per_file=30, data_storage_version="2.0")
    compact(spark, path, data_storage_version="'2.2'")
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.data_storage_version == "2.0"
    (fragment,) = dataset.get_fragments()
    assert [(f.file_major_version, f.file_minor_version) for f in fragment.metadata.files] == [(2, 2)]
    lance.write_dataset(pa.table({"id": range(100, 110)}), path, mode="append")
    assert lance.dataset(path).to_table()["id"].to_pylist() == list(range(110))


def test_pylance_rebases_over_a_compaction_or_begins_again(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    begun = numbers(path, stable=False)
    begun.delete("id = 2399")
    appending, deleting = lance.dataset(path), lance.dataset(path)
    assert compact(spark, path).fragments_removed == 6
    lance.write_dataset(appending.to_table(limit=3), appending, mode="append")
    deleting.delete("id < 5")
    latest = lance.dataset(path)
    latest.validate()
    ids = sorted(latest.to_table()["id"].to_pylist())
    assert ids == list(range(5, 2399))
    assert spark.read.format("lance").load(path).count() == len(ids)
    # A transaction of pylance that began before refers to fragments that are gone, and fails.
    stale = lance.LanceOperation.Delete(
        [begun.get_fragments()[0].metadata], [begun.get_fragments()[1].fragment_id], "id < 800"
    )
    with pytest.raises(Exception, match="conflict"):
        lance.LanceDataset.commit(path, stale, read_version=begun.version)


def test_rows_are_given_stable_ids(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    dataset = numbers(path, stable=False, fragments=3)
    dataset.delete("id % 9 = 1")
    dataset.create_scalar_index("id", "BTREE")

    def enable() -> Row:
        return spark.sql(f"CALL lance.system.enable_stable_row_ids('{path}')").collect()[0]

    with pytest.raises(Exception, match=r"The table has indices.*: id_idx"):
        enable()
    dataset.drop_index("id_idx")
    assert enable() == Row(version=5, enabled=True)
    assert enable() == Row(version=5, enabled=False)
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.has_stable_row_ids
    before = lineage(path)
    assert [row["_rowid"] for row in before] == [row["id"] for row in before]
    dataset.update({"id": "id"}, where="id = 20")
    lance.write_dataset(dataset.to_table(limit=2), path, mode="append")
    dataset = lance.dataset(path)
    dataset.create_scalar_index("id", "BTREE")
    compact(spark, path, materialize_deletions_threshold="0.0D")
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.to_table(filter="id = 20", with_row_id=True)["_rowid"].to_pylist() == [20]
    assert sorted(row["_rowid"] for row in lineage(path))[-2:] == [1200, 1201]
