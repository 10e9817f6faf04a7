"""Tables that are compacted hold values of the same types and bits, to pylance."""

from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from tests.interop.bits import REFUSED, VERSIONS, assert_same_tables, writable
from tests.interop.compaction import compact
from tests.interop.matrix.tables import METADATA
from tests.interop.matrix.types import TYPES
from tests.products import ends

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("version", ends(VERSIONS))
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


@pytest.mark.parametrize("version", ends(VERSIONS))
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
