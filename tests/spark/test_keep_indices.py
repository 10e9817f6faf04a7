"""Overwrites of tables with indices, and what else a table remembers afterwards."""

import random
from collections.abc import Callable, Iterator
from uuid import uuid4

import lance
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit

from sparklance import LanceDataset, write_transaction
from sparklance.errors import LanceUsageException

pytestmark = pytest.mark.slow

ROWS = (
    "id",
    "concat('n', id % 7) AS name",
    "named_struct('a', CAST(id % 50 AS INT)) AS s",
    "array(concat('t', id % 3)) AS tags",
    "transform(sequence(0, 7), i -> CAST(sin(id * 8 + i) AS FLOAT)) AS v",
    "concat('the quick fox ', id) AS body",
)
VECTORS = {"v.arrow.fixed-size-list.size": "8"}
KINDS = {
    "by_id": "btree (id) OPTIONS (zone_size = 100)",
    "by_name": "bitmap (name)",
    "by_a": "zonemap (s.a) OPTIONS (rows_per_zone = 50)",
    "by_tag": "label_list (tags)",
    "by_v": "ivf_pq (v) OPTIONS (num_partitions = 2, num_sub_vectors = 4, num_bits = 4, metric = 'cosine')",
    "by_body": "inverted (body) OPTIONS (with_position = true, stem = false)",
    "by_bloom": "bloomfilter (id) OPTIONS (number_of_items = 128)",
    "by_gram": "ngram (name)",
}


@pytest.fixture
def table(spark: SparkSession) -> Iterator[str]:
    name = f"kept_{uuid4().hex}"
    yield name
    spark.sql(f"DROP TABLE IF EXISTS {name}")


def indexed(spark: SparkSession, path: str, *names: str) -> None:
    spark.range(300).selectExpr(*ROWS).coalesce(1).write.format("lance").options(**VECTORS).save(path)
    for name in names or KINDS:
        spark.sql(f"CREATE INDEX {name} ON lance.`{path}` USING {KINDS[name]}")


def settings(spark: SparkSession, path: str) -> dict[str, object]:
    """The indices of a table that cover all of its fragments, by name: kind, columns and settings."""
    found = {}
    for index in LanceDataset(spark, path).describe_indices():
        covered = set().union(*(segment.fragment_ids for segment in index.segments))
        assert covered == {fragment.fragment_id for fragment in lance.dataset(path).get_fragments()}
        found[index.name] = (index.index_type, index.field_names, index.details)
    return found


def dropped(spark: SparkSession, table: str) -> str | None:
    """Names of dropped indices in the history, of the latest version that is no build."""
    history = spark.sql(f"DESCRIBE HISTORY {table}").where("operation != 'CREATE INDEX'")
    return history.head().operationParameters.get("droppedIndices")  # type: ignore[union-attr]


def test_pylance_answers_with_indices_that_were_built_again(spark: SparkSession, tmp: str) -> None:
    """lance issues 513, 591: more columns; iceberg pull request 1475: columns in another order, so with other ids."""
    path = f"{tmp}/t"
    indexed(spark, path)
    before = settings(spark, path)
    rows = spark.range(1000, 1400).selectExpr("id * 2 AS more", *reversed(ROWS)).coalesce(1)
    rows.write.format("lance").mode("overwrite").options(keepIndices="rebuild", **VECTORS).save(path)
    assert before.keys() == KINDS.keys()
    assert settings(spark, path) == before
    assert dropped(spark, f"lance.`{path}`") == ", ".join(sorted(KINDS))

    found = lance.dataset(path)
    found.validate()
    assert {index.name for index in found.describe_indices()} == KINDS.keys()
    for condition, count in {"id = 1007": 1, "name = 'n3'": 57, "s.a = 9": 8, "array_has(tags, 't1')": 134}.items():
        assert "ScalarIndexQuery" in found.scanner(filter=condition).explain_plan()
        assert found.count_rows(condition) == count
    assert found.to_table(full_text_query="1234", columns=["id"])["id"].to_pylist() == [1234]
    wanted = spark.read.format("lance").load(path).where("id = 1111").head().v  # type: ignore[union-attr]
    nearest = {"column": "v", "q": wanted, "k": 1, "nprobes": 2, "refine_factor": 20}
    assert found.to_table(nearest=nearest, columns=["id"])["id"].to_pylist() == [1111]
    condition = f"SELECT * FROM lance.`{path}` WHERE id = 1007 OR name = 'n3'"
    plan = spark.sql(f"EXPLAIN {condition}").head()[0]  # type: ignore[index]
    assert "by_id (BTREE, segments: 1), by_name (BITMAP, segments: 1)] found 58 rows, exact in 1 fragment" in plan
    assert spark.sql(condition).count() == 58


Way = Callable[[SparkSession, DataFrame, str], object]

# Each with `keepIndices` from another place: OPTIONS, WITH, properties, the writer, the session.
WAYS: dict[str, Way] = {
    "replace": lambda spark, _, t: spark.sql(
        f"REPLACE TABLE {t} USING lance TBLPROPERTIES ('lance.write.keepIndices' = 'rebuild') AS SELECT * FROM new_rows"
    ),
    "empty": lambda spark, _, t: spark.sql(
        f"CREATE OR REPLACE TABLE {t} (name STRING, id BIGINT) USING lance "
        "TBLPROPERTIES ('lance.write.keepIndices' = 'rebuild')"
    ),
    "clause": lambda spark, _, t: spark.sql(
        f"CREATE OR REPLACE TABLE {t} USING lance OPTIONS (keepIndices = 'rebuild') AS SELECT * FROM new_rows"
    ),
    "insert": lambda spark, _, t: spark.sql(
        f"INSERT OVERWRITE {t} WITH (`keepIndices` = 'rebuild') SELECT * FROM new_rows"
    ),
    "property": lambda spark, rows, t: (
        spark.sql(f"ALTER TABLE {t} SET TBLPROPERTIES ('lance.write.keepIndices' = 'rebuild')"),
        rows.write.mode("overwrite").insertInto(t),
    ),
    "truncate": lambda spark, _, t: (
        spark.sql(f"ALTER TABLE {t} SET TBLPROPERTIES ('lance.write.keepIndices' = 'rebuild')"),
        spark.sql(f"TRUNCATE TABLE {t}"),
    ),
    "all": lambda _, rows, t: rows.writeTo(t).option("keepIndices", "rebuild").overwrite(lit(True)),
    "writer": lambda _, rows, t: (
        rows.write.format("lance").mode("overwrite").option("keepIndices", "rebuild").saveAsTable(t)
    ),
    "session": lambda spark, rows, t: with_session(spark, lambda: rows.writeTo(t).using("lance").createOrReplace()),
}


def with_session(spark: SparkSession, run: Callable[[], object]) -> None:
    spark.conf.set("spark.datasource.lance.keepIndices", "rebuild")
    try:
        run()
    finally:
        spark.conf.unset("spark.datasource.lance.keepIndices")


def test_every_overwrite_takes_the_option(spark: SparkSession, table: str, full: bool) -> None:
    rows = spark.createDataFrame([(2, "b")], "id BIGINT, name STRING").coalesce(1)
    rows.createOrReplaceTempView("new_rows")
    for name, way in WAYS.items() if full else random.sample([*WAYS.items()], 4):
        spark.sql(f"CREATE OR REPLACE TABLE {table} USING lance AS SELECT 1L AS id, 'a' AS name")
        spark.sql(f"CREATE INDEX by_id ON {table} USING zonemap (id) OPTIONS (rows_per_zone = 16)")
        way(spark, rows, table)
        (index,) = LanceDataset(spark, table).describe_indices()
        assert (index.name, index.index_type, index.details) == ("by_id", "ZoneMap", {"rows_per_zone": 16}), name
        left = 0 if name in ("empty", "truncate") else 1
        assert spark.table(table).where("id >= 1").count() == index.num_rows_indexed == left, name
        assert dropped(spark, table) == "by_id", name
    spark.sql(f"ALTER TABLE {table} UNSET TBLPROPERTIES IF EXISTS ('lance.write.keepIndices')")
    spark.sql(f"INSERT OVERWRITE {table} SELECT * FROM new_rows")
    assert LanceDataset(spark, table).describe_indices() == []
    assert dropped(spark, table) == "by_id"


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (("name", "s"), "'by_id' (the column 'id' is gone)"),
        (("CAST(id AS STRING) AS id", "s"), "'by_id' (the column 'id' was BIGINT and is STRING)"),
        (("id", "named_struct('b', s.a) AS s"), "'by_a' (the column 's.a' is gone)"),
        (("id", "CAST(s.a AS BIGINT) AS s"), "'by_a' (the column 's.a' is gone)"),
        (
            ("id", "s", "transform(v, x -> x) AS v"),
            "'by_v' (the column 'v' was ARRAY<FLOAT> of 8 items and is ARRAY<FLOAT>)",
        ),
        (
            ("id", "s", "transform(v, x -> x) AS v", "16"),
            "'by_v' (the column 'v' was ARRAY<FLOAT> of 8 items and is ARRAY<FLOAT> of 16 items)",
        ),
    ],
)
def test_indices_that_cannot_be_built_again_refuse_the_write(
    spark: SparkSession, refused: str, columns: tuple[str, ...], reason: str
) -> None:
    length = {"v.arrow.fixed-size-list.size": columns[3]} if len(columns) > 3 else {}
    versions = lance.dataset(refused).version
    data = spark.read.format("lance").load(refused).selectExpr(*columns[:3])
    writer = data.write.format("lance").mode("overwrite").options(keepIndices="rebuild", **length)
    with pytest.raises(LanceUsageException) as e:
        writer.save(refused)
    assert reason in str(e.value)
    assert "Nothing was written" in str(e.value)
    assert lance.dataset(refused).version == versions


@pytest.fixture(scope="module")
def refused(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("refused") / "t")
    indexed(spark, path, "by_id", "by_a", "by_v")
    return path


def test_an_index_of_other_software_refuses_the_write(spark: SparkSession, tmp: str) -> None:
    point = pa.struct([pa.field("x", pa.float64(), False), pa.field("y", pa.float64(), False)])
    field = pa.field("p", point, metadata={"ARROW:extension:name": "geoarrow.point"})
    rows = pa.Table.from_arrays([pa.array([{"x": 0.0, "y": 1.0}], point)], schema=pa.schema([field]))
    lance.write_dataset(rows, f"{tmp}/t").create_scalar_index("p", "RTREE", name="places")
    with pytest.raises(LanceUsageException, match="'places' \\(its type RTree cannot be built here\\)"):
        spark.sql(f"INSERT OVERWRITE lance.`{tmp}/t` WITH (`keepIndices` = 'rebuild') SELECT * FROM lance.`{tmp}/t`")
    assert lance.dataset(f"{tmp}/t").version == 2


def test_an_index_without_rows_finds_later_ones(spark: SparkSession, tmp: str) -> None:
    """lance issue 2718, haiku.rag pull request 591: an index of no rows, then new rows, which it must not hide."""
    path = f"{tmp}/t"
    indexed(spark, path, "by_id", "by_body", "by_v")
    none = spark.range(0).selectExpr(*ROWS)
    for _ in range(2):  # Built from an index that has no rows, too.
        none.write.format("lance").mode("overwrite").options(keepIndices="rebuild", **VECTORS).save(path)
    spark.range(500, 900).selectExpr(*ROWS).coalesce(1).write.format("lance").mode("append").save(path)

    def check() -> None:
        for found in (lance.dataset(path), LanceDataset(spark, path)):
            assert found.count_rows("id = 777") == 1
        assert lance.dataset(path).to_table(full_text_query="777", columns=["id"])["id"].to_pylist() == [777]
        text = spark.read.format("lance").option("fullTextQuery", "777").load(path)
        assert [row.id for row in text.collect()] == [777]
        near = {"column": "v", "q": list(text.head().v), "k": 1, "nprobes": 9, "refine_factor": 20}  # type: ignore[union-attr]
        assert lance.dataset(path).to_table(nearest=near, columns=["id"])["id"].to_pylist() == [777]

    check()
    LanceDataset(spark, path).optimize.optimize_indices()
    assert settings(spark, path).keys() == {"by_id", "by_body", "by_v"}
    check()


def test_rows_are_replaced_after_a_column_was_dropped(spark: SparkSession, tmp: str) -> None:
    """lance-spark pull request 204: the field ids of the new files are those of the table."""
    path = f"{tmp}/t"
    indexed(spark, path, "by_name")
    spark.sql(f"ALTER TABLE lance.`{path}` DROP COLUMNS (id, s)")
    insert = f"INSERT OVERWRITE lance.`{path}` WITH (`keepIndices` = 'rebuild') SELECT * FROM lance.`{path}`"
    spark.sql(f"{insert} WHERE name > 'n4'")
    assert settings(spark, path).keys() == {"by_name"}
    lance.dataset(path).validate()
    assert lance.dataset(path).count_rows("name = 'n5'") == 43
    assert spark.read.format("lance").load(path).where("name IN ('n1', 'n5')").count() == 43


def test_internal_indices_are_not_named(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    lance.write_dataset(pa.table({"id": pa.array(range(100))}), path, max_rows_per_file=50)
    lance.dataset(path).create_scalar_index("id", "BTREE", name="by_id")
    lance.dataset(path).optimize.compact_files(defer_index_remap=True)
    assert "__lance_frag_reuse" in {index["name"] for index in lance.dataset(path).list_indices()}
    rows = spark.range(7).coalesce(1).write.format("lance").mode("overwrite")
    rows.option("keepIndices", "rebuild").save(path)
    assert dropped(spark, f"lance.`{path}`") == "by_id"
    assert [index["name"] for index in lance.dataset(path).list_indices()] == ["by_id"]
    assert (
        spark.read.format("lance").load(path).where("id = 5").count() == lance.dataset(path).count_rows("id = 5") == 1
    )


def test_an_overwrite_that_is_committed_later_names_its_indices(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    indexed(spark, path, "by_id", "by_name")
    with pytest.raises(LanceUsageException, match="option 'uncommitted' commits nothing"):
        write_transaction(spark.range(3), path, "overwrite", keepIndices="rebuild")
    data = write_transaction(spark.range(3), path, "overwrite").to_bytes()
    (row,) = spark.sql(f"CALL lance.system.commit('{path}', X'{data.hex()}')").collect()
    assert (row.version, row.dropped_indices) == (4, ["by_id", "by_name"])
    assert (
        lance.dataset(path).read_transaction(4).transaction_properties["sparklance.parameter.droppedIndices"]
        == "by_id, by_name"
    )
    more = write_transaction(spark.range(3), path).to_bytes()
    assert spark.sql(f"CALL lance.system.commit('{path}', X'{more.hex()}')").head().dropped_indices == []  # type: ignore[union-attr]


def test_a_condition_replaces_rows_and_keeps_indices(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t"
    indexed(spark, path, "by_id")
    spark.sql(f"INSERT INTO lance.`{path}` REPLACE WHERE id < 100 SELECT * FROM lance.`{path}` WHERE id < 7")
    (index,) = LanceDataset(spark, path).describe_indices()
    assert (index.name, index.num_rows_indexed) == ("by_id", 200)
    assert spark.read.format("lance").load(path).where("id IN (5, 50, 150)").count() == 2


def test_published_rows_have_the_indices(spark: SparkSession, tmp: str) -> None:
    """Follows docs/how-to/publish-with-tags.md."""
    path = f"{tmp}/t"
    indexed(spark, path, "by_id")
    ds = LanceDataset(spark, path)
    ds.tags.create("published")
    draft = ds.branches.create("draft")
    draft.delete("id < 100")
    assert [index.name for index in draft.describe_indices()] == ["by_id"]
    spark.sql(
        f"INSERT OVERWRITE lance.`{path}` WITH (`keepIndices` = 'rebuild') SELECT * FROM lance.`{path}`.branch_draft"
    )
    ds.checkout_latest()
    ds.tags.update("published")
    published = LanceDataset(spark, path, version="published")
    (index,) = published.describe_indices()
    assert (index.name, index.num_rows_indexed, published.count_rows("id < 101")) == ("by_id", 200, 1)
    ds.insert(draft.to_df().select("id"), mode="overwrite", keepIndices="rebuild")
    assert [index.name for index in ds.describe_indices()] == ["by_id"]


SETTINGS = (
    "(id BIGINT NOT NULL COMMENT 'key', name STRING DEFAULT 'x') USING lance COMMENT 'about' "
    "OPTIONS (enableStableRowIds = true, dataStorageVersion = '2.1') "
    "TBLPROPERTIES ('id.lance-schema:unenforced-primary-key' = 'true', 'name.lance-encoding:compression' = 'zstd', "
    "'owner.name' = 'me', 'lance.write.maxRowsPerFile' = '1000', 'lance.auto_cleanup.interval' = '50')"
)
COLUMN_SETTINGS = {
    "id": {"comment": "key", "lance-schema:unenforced-primary-key": "true"},
    "name": {"CURRENT_DEFAULT": "'x'", "EXISTS_DEFAULT": "'x'", "lance-encoding:compression": "zstd"},
}
OWN_PROPERTIES = {"comment": "about", "owner.name": "me", "lance.write.maxRowsPerFile": "1000"}
CONFIG = {"lance.auto_cleanup.interval": "50", "other": "software"}


class Remembered:
    """Everything that a table remembers besides its rows."""

    def __init__(self, spark: SparkSession, table: str) -> None:
        described = spark.sql(f"DESCRIBE EXTENDED {table}").collect()
        self.path = next(row.data_type for row in described if row.col_name == "Location").removeprefix("file:")
        found = lance.dataset(self.path)
        shown = {row.key: row.value for row in spark.sql(f"SHOW TBLPROPERTIES {table}").collect()}
        about = {row.col_name.lower(): row.data_type for row in described if row.col_name == "Comment"}
        self.own = {key: value for key, value in (shown | about).items() if key in OWN_PROPERTIES}
        config = LanceDataset(spark, table).config()
        self.statistics = {key for key in config if key.startswith("sparklance.column-statistics.")}
        self.config = {key: value for key, value in config.items() if key in CONFIG}
        plain = {field.name: field.metadata or {} for field in found.schema}
        self.columns = {n: {k.decode(): v.decode() for k, v in m.items()} for n, m in plain.items()}
        self.nullable = [field.name for field in found.schema if field.nullable]
        self.rest = (found.tags.list().keys(), found.branches.list().keys())
        self.files = (found.has_stable_row_ids, found.data_storage_version)


def filled(spark: SparkSession, table: str) -> Remembered:
    spark.sql(f"CREATE OR REPLACE TABLE {table} {SETTINGS}")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a'), (2, 'b')")
    LanceDataset(spark, table).optimize.analyze(["id", "name"])
    before = Remembered(spark, table)
    assert before.statistics
    assert before.columns == COLUMN_SETTINGS
    return before


@pytest.mark.parametrize("place", ["metastore", "path"])
def test_what_a_table_remembers(spark: SparkSession, tmp: str, table: str, place: str) -> None:
    name = table if place == "metastore" else f"lance.`{tmp}/t`"
    first = filled(spark, name)
    spark.sql(f"CALL lance.system.update_config('{first.path}', map('other', 'software'))")
    ds = LanceDataset(spark, first.path)
    ds.tags.create("tagged", 1)
    ds.branches.create("branch")
    spark.createDataFrame([(7, "z")], "id BIGINT, name STRING").createOrReplaceTempView("new_rows")

    def check(own: dict[str, str], columns: dict[str, dict[str, str]], nullable: list[str]) -> None:
        now = Remembered(spark, name)
        assert (now.own, now.columns, now.nullable) == (own, columns, nullable)
        assert (now.config, now.statistics) == (CONFIG, set())
        assert now.files == (True, "2.1")
        assert now.rest == ({"tagged": 0}.keys(), {"branch": 0}.keys())

    metastore = place == "metastore"
    spark.sql(f"INSERT OVERWRITE {name} SELECT * FROM new_rows")
    check(OWN_PROPERTIES, COLUMN_SETTINGS, ["name"])
    if metastore:
        spark.table("new_rows").writeTo(name).overwrite(lit(True))
    else:
        spark.sql(f"TRUNCATE TABLE {name}")
    check(OWN_PROPERTIES, COLUMN_SETTINGS, ["name"])

    bare: dict[str, dict[str, str]] = {"id": {}, "name": {}}
    spark.sql(
        f"REPLACE TABLE {name} USING lance COMMENT 'about' TBLPROPERTIES ('owner.name' = 'me', "
        "'lance.write.maxRowsPerFile' = '1000') AS SELECT * FROM new_rows"
    )
    check(OWN_PROPERTIES, bare, ["id", "name"])
    new = "(id BIGINT, name STRING) USING lance" if metastore else "USING lance AS SELECT * FROM new_rows"
    spark.sql(f"CREATE OR REPLACE TABLE {name} {new}")
    check({}, bare, ["id", "name"])
    filled(spark, name)
    spark.table("new_rows").write.format("lance").mode("overwrite").save(first.path)
    check(OWN_PROPERTIES if metastore else {}, bare, ["id", "name"])
    filled(spark, name)
    spark.table(name).write.format("lance").mode("overwrite").saveAsTable(name)
    check({}, COLUMN_SETTINGS | {"id": {"comment": "key"}}, ["id", "name"])


def test_statistics_do_not_count_for_other_columns(spark: SparkSession, tmp: str) -> None:
    """iceberg pull request 1475: a replaced table numbers its fields again, in the order of the new columns."""
    path = f"{tmp}/t"
    spark.sql("SELECT id AS few, id * 7 AS many FROM range(100)").write.format("lance").save(path)
    LanceDataset(spark, path).optimize.analyze()

    def distinct(column: str) -> str | None:
        shown = spark.sql(f"DESCRIBE EXTENDED lance.`{path}` {column}").collect()
        return next((row.info_value for row in shown if row.info_name == "distinct_count"), None)

    assert distinct("few") == "100"
    spark.sql("SELECT id AS many, 1L AS few FROM range(10)").write.format("lance").mode("overwrite").save(path)
    assert distinct("few") is distinct("many") is None
