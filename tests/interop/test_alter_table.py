"""ALTER TABLE by Spark: the schema, with the fields' ids, and the rows that pylance makes of the same change."""

from collections.abc import Callable
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

VERSIONS = ["2.0", "2.1", "2.2"]

STRUCT = pa.struct([("a", pa.int32()), ("b", pa.struct([("x", pa.int64()), ("y", pa.string())]))])
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("name", pa.string()),
        pa.field("s", STRUCT),
        pa.field("v", pa.list_(pa.float32(), 8)),
        pa.field("l", pa.list_(pa.struct([("p", pa.int32()), ("q", pa.string())]))),
    ]
)


def numbers(start: int, stop: int) -> pa.Table:
    ids = range(start, stop)
    structs = [{"a": i % 5, "b": {"x": i * i, "y": f"y{i}" if i % 3 else None}} for i in ids]
    lists = [[{"p": j, "q": f"q{j}"} for j in range(i % 4)] for i in ids]
    vectors = [[float(i + j) for j in range(8)] for i in ids]
    names = [f"n{i}" if i % 4 else None for i in ids]
    return pa.table({"id": ids, "name": names, "s": structs, "v": vectors, "l": lists}, SCHEMA)


def made(path: str, version: str, *, indices: bool = False) -> lance.LanceDataset:
    """Three fragments, of which the middle one has deleted rows."""
    dataset = lance.write_dataset(numbers(0, 300), path, data_storage_version=version, max_rows_per_file=100)
    if indices:
        dataset.create_scalar_index("id", "BTREE")
        dataset.create_index("v", "IVF_PQ", num_partitions=1, num_sub_vectors=2)
    dataset.delete("id % 10 = 3 AND id >= 100 AND id < 200")
    return dataset


def fields(dataset: lance.LanceDataset) -> list[tuple]:
    """All that the manifest says of them."""

    def below(field: lance.schema.LanceField) -> tuple:
        return (field.id(), field.name(), str(field), [below(child) for child in field.children()])

    return [below(field) for field in dataset.lance_schema.fields()]


def assert_alike(ours: str, theirs: str) -> None:
    a, b = lance.dataset(ours), lance.dataset(theirs)
    a.validate()
    assert a.schema == b.schema
    assert fields(a) == fields(b)
    assert a.to_table().equals(b.to_table())
    assert [(i.name, i.field_names) for i in a.describe_indices()] == [
        (i.name, i.field_names) for i in b.describe_indices()
    ]


#: by Spark, and by pylance
CHANGES: list[tuple[str, Callable[[lance.LanceDataset], object]]] = [
    (
        "ADD COLUMNS (score DOUBLE, more STRUCT<k: STRING, n: INT>)",
        lambda d: d.add_columns(
            pa.schema([("score", pa.float64()), ("more", pa.struct([("k", pa.string()), ("n", pa.int32())]))])
        ),
    ),
    ("DROP COLUMN name", lambda d: d.drop_columns(["name"])),
    ("DROP COLUMN s.b.x", lambda d: d.drop_columns(["s.b.x"])),
    ("DROP COLUMNS (id, v)", lambda d: d.drop_columns(["id", "v"])),
    ("RENAME COLUMN id TO key", lambda d: d.alter_columns({"path": "id", "name": "key"})),
    ("RENAME COLUMN s.b.y TO why", lambda d: d.alter_columns({"path": "s.b.y", "name": "why"})),
    ("RENAME COLUMN v TO embedding", lambda d: d.alter_columns({"path": "v", "name": "embedding"})),
    ("ALTER COLUMN id DROP NOT NULL", lambda d: d.alter_columns({"path": "id", "nullable": True})),
]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("change", "call"), CHANGES, ids=[change for change, _ in CHANGES])
def test_a_table_is_what_pylance_makes_of_it(
    spark: SparkSession, tmp: str, version: str, change: str, call: Callable[[lance.LanceDataset], object]
) -> None:
    ours, theirs = f"{tmp}/ours.lance", f"{tmp}/theirs.lance"
    made(ours, version, indices=True)
    call(made(theirs, version, indices=True))
    files = sorted(Path(ours, "data").iterdir())
    spark.sql(f"ALTER TABLE lance.`{ours}` {change}")
    assert_alike(ours, theirs)
    assert sorted(Path(ours, "data").iterdir()) == files
    # Both go on with each other's table.
    columns = spark.read.format("lance").load(theirs)
    assert columns.schema == spark.read.format("lance").load(ours).schema
    more = lance.dataset(theirs).to_table().slice(0, 10)
    for path in (ours, theirs):
        lance.write_dataset(more, path, mode="append")
    assert_alike(ours, theirs)
    assert spark.read.format("lance").load(ours).exceptAll(columns).count() == 10


@pytest.mark.parametrize("version", VERSIONS)
def test_nested_fields_that_no_file_has_are_null_to_pylance(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    made(path, version)
    spark.sql(f"ALTER TABLE lance.`{path}` ADD COLUMNS (s.c STRING FIRST, s.b.z DOUBLE, l.element.r INT AFTER p)")
    spark.sql(f"ALTER TABLE lance.`{path}` ALTER COLUMN v FIRST")
    dataset = lance.dataset(path)
    dataset.validate()
    assert dataset.schema.names == ["v", "id", "name", "s", "l"]
    row = dataset.to_table(filter="id = 2").to_pylist()[0]
    assert row["s"] == {"c": None, "a": 2, "b": {"x": 4, "y": "y2", "z": None}}
    assert row["l"] == [{"p": 0, "r": None, "q": "q0"}, {"p": 1, "r": None, "q": "q1"}]
    assert dataset.count_rows("s.c IS NULL AND s.b.z IS NULL") == 290
    lance.write_dataset(dataset.to_table().slice(0, 5), path, mode="append")
    spark.sql(f"INSERT INTO lance.`{path}` SELECT * FROM lance.`{path}` WHERE id < 5")
    again = lance.dataset(path).to_table()
    assert again.num_rows == 300
    assert again.slice(290, 5).equals(again.slice(0, 5))
    assert sorted(r["id"] for r in again.slice(295).to_pylist()) == [0, 1, 2, 3, 4]
    assert spark.read.format("lance").load(path).toArrow().num_rows == 300


@pytest.mark.parametrize("version", VERSIONS)
def test_indices_answer_right_after_each_change(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t.lance"
    made(path, version, indices=True)
    query = [float(250 + j) for j in range(8)]

    def check(key: str, vector: str) -> None:
        dataset = lance.dataset(path)
        assert dataset.to_table(filter=f"{key} = 137", columns=[key])[key].to_pylist() == [137]
        plan = dataset.scanner(filter=f"{key} = 137", columns=[key]).explain_plan()
        assert "ScalarIndexQuery" in plan
        near = dataset.to_table(nearest={"column": vector, "q": query, "k": 3, "refine_factor": 20}, columns=[key])
        assert sorted(near[key].to_pylist()) == [249, 250, 251]

    check("id", "v")
    for change in [
        "ADD COLUMN more INT",
        "RENAME COLUMN id TO key",
        "ALTER COLUMN v FIRST",
        "RENAME COLUMN v TO embedding",
        "ALTER COLUMN key COMMENT 'of a row'",
        "DROP COLUMN name",
    ]:
        spark.sql(f"ALTER TABLE lance.`{path}` {change}")
    check("key", "embedding")
    spark.sql(f"ALTER TABLE lance.`{path}` DROP COLUMN embedding")
    assert [i.field_names for i in lance.dataset(path).describe_indices()] == [["key"]]
