"""ALTER TABLE that writes columns: types and defaults equal those of pylance, and nothing else is touched."""

from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from sparklance.errors import LanceUsageException, UnsupportedLanceFeatureException
from tests.interop.compare import assert_same
from tests.interop.generate import COLUMNS, FOREIGN, table
from tests.products import ends

pytestmark = pytest.mark.slow

VERSIONS = ["2.0", "2.1", "2.2"]


def made(path: str, version: str, rows: pa.Table) -> lance.LanceDataset:
    dataset = lance.write_dataset(rows, path, data_storage_version=version, max_rows_per_file=100)
    dataset.delete("id % 10 = 3 AND id >= 100 AND id < 200")
    return dataset


def numbers(version: str) -> pa.Table:
    # 2.0 has no null structs.
    structs = range(300) if version == "2.0" else [None if i % 7 == 0 else i for i in range(300)]
    ids = np.arange(300)
    some = [None if i % 7 == 0 else i for i in range(300)]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "i": pa.array([None if x is None else x % 128 for x in some], pa.int8()),
            "f": pa.array([None if x is None else x / 8 for x in some], pa.float32()),
            "d": pa.array([None if x is None else x for x in some], pa.decimal128(5, 0)),
            "day": pa.array(some, pa.int32()).cast(pa.date32()),
            "s": pa.array([None if x is None else {"a": x, "b": str(x)} for x in structs], STRUCT),
            "l": pa.array([None if x is None else [x, None] for x in some], pa.list_(pa.int16())),
        }
    )


STRUCT = pa.struct([("a", pa.int32()), ("b", pa.string())])

#: by Spark, and by pylance
CHANGES: list[tuple[str, dict]] = [
    ("i TYPE BIGINT", {"path": "i", "data_type": pa.int64()}),
    ("f TYPE DOUBLE", {"path": "f", "data_type": pa.float64()}),
    ("d TYPE DECIMAL(9, 2)", {"path": "d", "data_type": pa.decimal128(9, 2)}),
    ("day TYPE TIMESTAMP_NTZ", {"path": "day", "data_type": pa.timestamp("us")}),
    ("s.a TYPE BIGINT", {"path": "s.a", "data_type": pa.int64()}),
]


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_columns_get_the_types_and_values_that_pylance_gives_them(spark: SparkSession, tmp: str, version: str) -> None:
    ours, theirs = f"{tmp}/ours.lance", f"{tmp}/theirs.lance"
    made(ours, version, numbers(version))
    made(theirs, version, numbers(version))
    for change, alteration in CHANGES:
        if version == "2.0" and "." in alteration["path"]:
            # pylance makes a table of this that it cannot read.
            with pytest.raises((Py4JError, PySparkException), match="beside other fields in files"):
                spark.sql(f"ALTER TABLE lance.`{ours}` ALTER COLUMN {change}")
            continue
        before = set(Path(ours, "data").iterdir())
        lance.dataset(theirs).alter_columns(alteration)
        spark.sql(f"ALTER TABLE lance.`{ours}` ALTER COLUMN {change}")
        a, b = lance.dataset(ours), lance.dataset(theirs)
        a.validate()
        assert a.schema == b.schema, change
        assert LanceDataset(spark, ours).lance_schema == LanceDataset(spark, theirs).lance_schema
        assert a.to_table().equals(b.to_table()), change
        assert [[f.fields for f in x.data_files()] for x in a.get_fragments()] == [
            [f.fields for f in x.data_files()] for x in b.get_fragments()
        ]
        after = set(Path(ours, "data").iterdir())
        assert before <= after
        assert len(after - before) == 3
        assert a.count_rows("id >= 0") == 290
    assert spark.read.format("lance").load(ours).toArrow().to_pylist() == lance.dataset(ours).to_table().to_pylist()


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_items_of_lists_get_another_type(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    before = made(path, version, numbers(version)).to_table()["l"].to_pylist()
    spark.sql(f"ALTER TABLE lance.`{path}` ALTER COLUMN l.element TYPE INT")
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.schema.field("l").type == pa.list_(pa.int32())
    assert dataset.to_table()["l"].to_pylist() == before
    assert [row["l"] for row in spark.read.format("lance").load(path).select("l").collect()] == before


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_defaults_are_values_to_pylance(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    made(path, version, numbers(version))
    before = set(Path(path, "data").iterdir())
    spark.sql(f"ALTER TABLE lance.`{path}` ADD COLUMNS (score DOUBLE NOT NULL DEFAULT 1.5 FIRST, w STRING DEFAULT 'x')")
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.schema.names[0] == "score"
    assert not dataset.schema.field("score").nullable
    found = dataset.to_table(columns=["score", "w"])
    assert set(found["score"].to_pylist()) == {1.5}
    assert set(found["w"].to_pylist()) == {"x"}
    assert dataset.count_rows("score = 1.5 AND w = 'x'") == 290
    added = set(Path(path, "data").iterdir()) - before
    # Fragments with as many rows share a file.
    assert len(added) == len({fragment.physical_rows for fragment in dataset.get_fragments()})
    if version == "2.2":
        assert max(file.stat().st_size for file in added) < 2500


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_every_type_survives_changes_of_its_neighbours(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    rows = table("random", 301, 0.2, columns=COLUMNS | FOREIGN)
    rows = rows.append_column("n", pa.array(range(rows.num_rows), pa.int32()))
    names = [name for name in rows.column_names if name != "n"]
    lance.write_dataset(rows, path, data_storage_version=version, max_rows_per_file=rows.num_rows // 2 + 1)
    before = lance.dataset(path).to_table(columns=names)
    inside = "more.element." if version == "2.0" else "more."
    spark.sql("SET spark.datasource.lance.lossyValues=raw")
    try:
        for change in [
            "ALTER COLUMN n TYPE BIGINT",
            # Files of version 2.0 have no structs that are NULL, but lists of structs may be.
            "ADD COLUMN more ARRAY<STRUCT<a: INT>>" if version == "2.0" else "ADD COLUMN more STRUCT<a: INT>",
            f"ADD COLUMN {inside}b INT",
            "ADD COLUMN set INT DEFAULT 4",
            "RENAME COLUMN n TO m",
            "ALTER COLUMN m FIRST",
            "ALTER COLUMN m COMMENT 'm'",
            f"DROP COLUMN {inside}a",
            "DROP COLUMN m",
        ]:
            spark.sql(f"ALTER TABLE lance.`{path}` {change}")
    finally:
        spark.sql("RESET spark.datasource.lance.lossyValues")
    after = lance.dataset(path)
    after.validate()
    assert after.schema.names == [*names, "more", "set"]
    assert_same(after.to_table(columns=names), before)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("id TYPE STRING", "from int64 to string"),
        ("v TYPE STRING", "from float to string"),
    ],
)
def test_what_pylance_casts_not_is_refused(spark: SparkSession, tmp: str, change: str, reason: str) -> None:
    path = f"{tmp}/t.lance"
    rows = pa.table({"id": pa.array(range(10), pa.int64()), "v": pa.array(range(10), pa.float32())})
    lance.write_dataset(rows, path).create_scalar_index("id", "BTREE")
    files = set(Path(path).rglob("*"))
    with pytest.raises((Py4JError, PySparkException), match=reason):
        spark.sql(f"ALTER TABLE lance.`{path}` ALTER COLUMN {change}")
    assert set(Path(path).rglob("*")) == files


def test_what_only_lance_has_types_for(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    vectors = pa.array([[float(i), 0.25] for i in range(300)], pa.list_(pa.float32(), 2))
    words = pa.array([f"w{i}" for i in range(300)]).dictionary_encode()
    rows = pa.table({"id": range(300), "v": vectors, "w": words, "t": pa.array(range(300), pa.timestamp("s"))})
    theirs = made(f"{tmp}/theirs.lance", "2.2", rows)
    made(path, "2.2", rows)
    changes = [
        {"path": "v", "data_type": pa.list_(pa.float16(), 2)},
        {"path": "w", "data_type": pa.large_string()},
        {"path": "t", "data_type": pa.timestamp("us"), "name": "time"},
        {"path": "id", "data_type": pa.uint16()},
    ]
    theirs.alter_columns(*changes)
    dataset = LanceDataset(spark, path)
    dataset.alter_columns(*changes)
    assert dataset.version == 3
    assert lance.dataset(path).schema == theirs.schema
    assert_same(lance.dataset(path).to_table(), theirs.to_table())
    with pytest.raises(LanceUsageException, match="no column 'id_'"):
        dataset.alter_columns({"path": "id", "data_type": "uint32"}, {"path": "id_", "name": "x"})
    # pylance rounds.
    lance.write_dataset(
        pa.table({"x": [0.5, 0.1], "v": pa.array([[1.0], [1 / 3]], pa.list_(pa.float32(), 1))}), f"{tmp}/f"
    )
    floats = LanceDataset(spark, f"{tmp}/f")
    for column, kind, value in (("x", "float", "0.1"), ("v", pa.list_(pa.float16(), 1), "0.333")):
        with pytest.raises(LanceUsageException, match=f"it has the value {value}.*, in row 1 of fragment 0"):
            floats.alter_columns({"path": column, "data_type": kind})
    assert floats.version == floats.latest_version == 1
    with pytest.raises(LanceUsageException, match=r"it has the value \d+, in row \d+ of fragment [12]"):
        dataset.alter_columns({"path": "id", "data_type": "tinyint"})
    with pytest.raises(UnsupportedLanceFeatureException, match="from uint16 to double"):
        dataset.alter_columns({"path": "id", "data_type": "double"})
    with pytest.raises(ValueError, match="it needs 'path'"):
        dataset.alter_columns({"path": "id", "type": "double"})
    assert dataset.version == dataset.latest_version == 3
    dataset.add_columns(pa.schema([pa.field("more", pa.list_(pa.int32()))]))
    dataset.drop_columns(["w"])
    theirs.add_columns(pa.schema([pa.field("more", pa.list_(pa.int32()))]))
    theirs.drop_columns(["w"])
    assert_same(lance.dataset(path).to_table(), theirs.to_table())


def test_an_index_must_be_dropped_before_its_column_gets_another_type(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    rows = pa.table({"id": pa.array(range(10), pa.int32()), "v": pa.array(range(10), pa.float32())})
    lance.write_dataset(rows, path).create_scalar_index("id", "BTREE")
    with pytest.raises((Py4JError, PySparkException), match="has the index 'id_idx'"):
        spark.sql(f"ALTER TABLE lance.`{path}` ALTER COLUMN id TYPE BIGINT")
    spark.sql(f"ALTER TABLE lance.`{path}` ALTER COLUMN v TYPE DOUBLE")
    dataset = lance.dataset(path)
    assert "ScalarIndexQuery" in dataset.scanner(filter="id = 7").explain_plan()
    assert dataset.to_table(filter="id = 7").to_pylist() == [{"id": 7, "v": 7.0}]
