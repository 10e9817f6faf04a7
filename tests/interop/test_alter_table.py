"""ALTER TABLE by Spark: the schema, with the fields' ids, and the rows that pylance makes of the same change."""

import shutil
from collections.abc import Callable
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from tests.products import ends

pytestmark = pytest.mark.slow

VERSIONS = ["2.0", "2.1", "2.2"]

TAG = pa.struct([("k", pa.string()), ("n", pa.int32())])
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


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], str]:
    """Makes a table at a path: three fragments, of which the middle one has deleted rows, and two indices."""
    made = {}
    for version in VERSIONS:
        made[version] = str(tmp_path_factory.mktemp("tables") / "t.lance")
        dataset = lance.write_dataset(
            numbers(0, 300), made[version], data_storage_version=version, max_rows_per_file=100
        )
        dataset.create_scalar_index("id", "BTREE")
        dataset.create_index("v", "IVF_PQ", num_partitions=1, num_sub_vectors=2)
        dataset.delete("id % 10 = 3 AND id >= 100 AND id < 200")
    return lambda version, path: str(shutil.copytree(made[version], path))


def assert_alike(spark: SparkSession, ours: str, theirs: str) -> None:
    a, b = lance.dataset(ours), lance.dataset(theirs)
    a.validate()
    assert a.schema == b.schema
    assert LanceDataset(spark, ours).lance_schema == LanceDataset(spark, theirs).lance_schema
    assert a.to_table().equals(b.to_table())
    assert [(i.name, i.field_names) for i in a.describe_indices()] == [
        (i.name, i.field_names) for i in b.describe_indices()
    ]


#: by Spark, and by pylance
CHANGES: list[tuple[str, Callable[[lance.LanceDataset], object]]] = [
    (
        "ADD COLUMNS (score DOUBLE, tags ARRAY<STRUCT<k: STRING, n: INT>>)",
        lambda d: d.add_columns(pa.schema([("score", pa.float64()), ("tags", pa.list_(TAG))])),
    ),
    ("DROP COLUMN s.b.x", lambda d: d.drop_columns(["s.b.x"])),
    ("RENAME COLUMN id TO key", lambda d: d.alter_columns({"path": "id", "name": "key"})),
    ("RENAME COLUMN s.b.y TO why", lambda d: d.alter_columns({"path": "s.b.y", "name": "why"})),
    ("RENAME COLUMN v TO embedding", lambda d: d.alter_columns({"path": "v", "name": "embedding"})),
    ("ALTER COLUMN key DROP NOT NULL", lambda d: d.alter_columns({"path": "key", "nullable": True})),
    ("DROP COLUMN name", lambda d: d.drop_columns(["name"])),
    ("DROP COLUMNS (s, embedding)", lambda d: d.drop_columns(["s", "embedding"])),
]


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_a_table_is_what_pylance_makes_of_it(
    spark: SparkSession, tmp: str, tables: Callable[[str, str], str], version: str
) -> None:
    ours, theirs = tables(version, f"{tmp}/ours.lance"), tables(version, f"{tmp}/theirs.lance")
    files = sorted(Path(ours, "data").iterdir())
    for change, call in CHANGES:
        call(lance.dataset(theirs))
        spark.sql(f"ALTER TABLE lance.`{ours}` {change}")
        assert_alike(spark, ours, theirs)
        assert sorted(Path(ours, "data").iterdir()) == files
        # Both go on with each other's table.
        files = add_rows(ours, theirs)
        found = spark.read.format("lance").load(ours).toArrow().to_pylist()
        assert found == lance.dataset(ours).to_table().to_pylist()


def add_rows(ours: str, theirs: str) -> list[Path]:
    more = lance.dataset(theirs).to_table().slice(0, 10)
    for path in (ours, theirs):
        lance.write_dataset(more, path, mode="append")
    return sorted(Path(ours, "data").iterdir())


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_nested_fields_that_no_file_has_are_null_to_pylance(
    spark: SparkSession, tmp: str, tables: Callable[[str, str], str], version: str
) -> None:
    path = tables(version, f"{tmp}/t.lance")
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
    assert again.slice(290, 5).equals(again.slice(0, 5))
    assert sorted(r["id"] for r in again.slice(295).to_pylist()) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert spark.read.format("lance").load(path).count() == 305


@pytest.mark.parametrize("version", ends(VERSIONS))
def test_indices_answer_right_after_each_change(
    spark: SparkSession, tmp: str, tables: Callable[[str, str], str], version: str
) -> None:
    path = tables(version, f"{tmp}/t.lance")
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
