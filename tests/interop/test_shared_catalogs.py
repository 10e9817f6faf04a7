"""Catalogs behind pylance's server of the namespace specification, which pylance's client and Spark use in turns."""

from collections.abc import Iterator
from typing import Any

import lance
import lance.namespace
import lance_namespace as ln
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from sparklance import deregister_table, register_table
from sparklance.errors import CatalogErrorException, LanceUsageException
from tests.python import pages

pytestmark = pytest.mark.slow


@pytest.fixture(params=["false", "true"], ids=["store", "server"])
def versions(request: pytest.FixtureRequest) -> str:
    """Whether the server manages the versions of tables, or the store's own protocol holds."""
    return str(request.param)


@pytest.fixture
def server(tmp: str, versions: str) -> Iterator[str]:
    properties = {"root": tmp, "table_version_tracking_enabled": versions}
    with lance.namespace.RestAdapter("dir", properties, port=0) as adapter:
        yield f"http://127.0.0.1:{adapter.port}"


@pytest.fixture
def theirs(server: str) -> Any:
    return ln.connect("rest", {"uri": server})


@pytest.fixture
def catalog(spark: SparkSession, server: str, request: pytest.FixtureRequest) -> str:
    name = f"lake_{abs(hash(request.node.name))}"
    spark.conf.set(f"spark.sql.catalog.{name}", "io.sparklance.spark.LanceCatalog")
    spark.conf.set(f"spark.sql.catalog.{name}.uri", server)
    return name


def tables(theirs: Any, *path: str) -> list[str]:
    return sorted(theirs.list_tables(ln.ListTablesRequest(id=list(path))).tables)


def shown(spark: SparkSession, statement: str) -> list[str]:
    rows = spark.sql(statement).collect()
    return sorted(row["tableName"] if "tableName" in row else row["namespace"] for row in rows)


def read(theirs: Any, *path: str) -> list[int]:
    return sorted(lance.dataset(namespace_client=theirs, table_id=list(path)).to_table()["a"].to_pylist())


def write(theirs: Any, path: list[str], values: list[int], mode: str) -> None:
    lance.write_dataset(pa.table({"a": values}), namespace_client=theirs, table_id=path, mode=mode)


def values(spark: SparkSession, table: str) -> list[int]:
    return sorted(row["a"] for row in spark.table(table).collect())


def test_both_see_and_change_the_same(spark: SparkSession, catalog: str, theirs: Any) -> None:
    spark.sql(f"CREATE NAMESPACE {catalog}.eu COMMENT 'Europe'")
    spark.sql(f"CREATE NAMESPACE {catalog}.eu.west")
    # The names that pylance's client escapes, such as those with spaces, its own server does not find.
    for table in ("plain", "eu.west.`a-table`"):
        path = table.replace("`", "").split(".")
        spark.sql(f"CREATE TABLE {catalog}.{table} AS SELECT 1L AS a")
        write(theirs, path, [2], "append")
        spark.sql(f"INSERT INTO {catalog}.{table} VALUES (3L), (4L)")
        spark.sql(f"UPDATE {catalog}.{table} SET a = 5 WHERE a = 4")
        spark.sql(f"DELETE FROM {catalog}.{table} WHERE a = 1")
        assert values(spark, f"{catalog}.{table}") == read(theirs, *path) == [2, 3, 5]
        spark.sql(f"CREATE OR REPLACE TABLE {catalog}.{table} AS SELECT 9L AS a")
        assert values(spark, f"{catalog}.{table}") == read(theirs, *path) == [9]
        assert spark.sql(f"SELECT count(*) FROM {catalog}.{table}.versions").head()[0] == 6
    assert tables(theirs) == shown(spark, f"SHOW TABLES IN {catalog}") == ["plain"]
    assert tables(theirs, "eu", "west") == ["a-table"]
    described = theirs.describe_namespace(ln.DescribeNamespaceRequest(id=["eu"]))
    assert described.properties["comment"] == "Europe"
    write(theirs, ["eu", "made"], [1, 2], "create")
    assert shown(spark, f"SHOW TABLES IN {catalog}.eu") == ["made"]
    assert values(spark, f"{catalog}.eu.made") == [1, 2]
    assert "eu$made" in str(spark.sql(f"DESCRIBE EXTENDED {catalog}.eu.made").collect())
    theirs.drop_table(ln.DropTableRequest(id=["plain"]))
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        spark.table(f"{catalog}.plain").collect()
    spark.sql(f"DROP TABLE {catalog}.eu.made")
    with pytest.raises(AnalysisException, match="SCHEMA_NOT_EMPTY"):
        spark.sql(f"DROP NAMESPACE {catalog}.eu")
    spark.sql(f"DROP NAMESPACE {catalog}.eu CASCADE")
    assert theirs.list_namespaces(ln.ListNamespacesRequest(id=[])).namespaces == []


def test_branches_of_both(spark: SparkSession, catalog: str, theirs: Any) -> None:
    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1L AS a")
    spark.sql(f"CALL {catalog}.system.create_branch('{catalog}.t', 'ours')")
    spark.sql(f"INSERT INTO {catalog}.t.branch_ours VALUES (2L)")
    dataset = lance.dataset(namespace_client=theirs, table_id=["t"])
    assert dataset.checkout_version(("ours", None)).count_rows() == 2
    dataset.create_branch("theirs", ("ours", None))
    spark.sql(f"INSERT INTO {catalog}.t.branch_theirs VALUES (3L)")
    assert values(spark, f"{catalog}.t.branch_theirs") == [1, 2, 3]
    assert values(spark, f"{catalog}.t") == [1]


def test_declared_deregistered_and_renamed(spark: SparkSession, catalog: str, theirs: Any, tmp: str) -> None:
    theirs.create_namespace(ln.CreateNamespaceRequest(id=["eu"]))
    for path in (["declared"], ["eu", "declared"]):
        name = ".".join([catalog, *path])
        theirs.declare_table(ln.DeclareTableRequest(id=path))
        for statement in (f"SELECT * FROM {name}", f"INSERT INTO {name} VALUES (1L)"):
            with pytest.raises(Exception, match="has no version"):
                spark.sql(statement).collect()
        spark.sql(f"CREATE OR REPLACE TABLE {name} AS SELECT 5L AS a")
        assert read(theirs, *path) == [5]
        with pytest.raises(CatalogErrorException, match="lacks rename_table"):
            spark.sql(f"ALTER TABLE {name} RENAME TO {'eu.' if len(path) > 1 else ''}other")
        theirs.deregister_table(ln.DeregisterTableRequest(id=path))
        # pylance's server goes on to find tables without a namespace by their directories.
        namespace = ".".join([catalog, *path[:-1]])
        left = ["declared"] if len(path) == 1 else []
        assert shown(spark, f"SHOW TABLES IN {namespace}") == tables(theirs, *path[:-1]) == left
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        spark.table(f"{catalog}.eu.declared").collect()
    lance.write_dataset(pa.table({"a": [1]}), f"{tmp}/deep/down.lance")
    theirs.register_table(ln.RegisterTableRequest(id=["eu", "reg"], location="deep/down.lance"))
    assert values(spark, f"{catalog}.eu.reg") == [1]


def test_a_failing_statement_leaves_neither_name_nor_files(
    spark: SparkSession, catalog: str, theirs: Any, tmp_path: Any
) -> None:
    spark.sql(f"CREATE NAMESPACE {catalog}.eu")
    before = {path.name for path in tmp_path.iterdir()}
    for table in ("f", "eu.f"):
        with pytest.raises(Exception, match="no"):
            spark.sql(f"CREATE TABLE {catalog}.{table} AS SELECT raise_error('no') || '' AS x FROM range(3)")
        assert shown(spark, f"SHOW TABLES IN {catalog}") == tables(theirs, "eu") == []
        spark.sql(f"CREATE TABLE {catalog}.{table} (a BIGINT)")
        spark.sql(f"DROP TABLE {catalog}.{table}")
    assert {path.name for path in tmp_path.iterdir()} == before


def test_concurrent_writers_lose_nothing(spark: SparkSession, catalog: str, theirs: Any) -> None:
    from concurrent.futures import ThreadPoolExecutor

    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 0L AS a")
    with ThreadPoolExecutor(2) as pool:
        ours = pool.submit(lambda: [spark.sql(f"INSERT INTO {catalog}.t VALUES ({n}L)") for n in range(1, 5)])
        others = pool.submit(lambda: [write(theirs, ["t"], [n], "append") for n in range(5, 9)])
        ours.result()
        others.result()
    assert values(spark, f"{catalog}.t") == read(theirs, "t") == list(range(9))
    assert spark.sql(f"SELECT count(*) FROM {catalog}.t.versions").head()[0] == 9


def test_names_are_given_and_removed(spark: SparkSession, catalog: str, theirs: Any, tmp: str) -> None:
    spark.sql(f"CREATE NAMESPACE {catalog}.eu")
    lance.write_dataset(pa.table({"a": [1]}), f"{tmp}/deep/down.lance")
    ours = register_table(spark, f"{catalog}.eu.ours", "deep/down.lance")
    assert (ours.count_rows(), tables(theirs, "eu"), read(theirs, "eu", "ours")) == (1, ["ours"], [1])
    spark.sql(f"INSERT INTO {catalog}.eu.ours VALUES (2L)")
    refusals = {"deep/down.lance": "ALREADY_EXISTS", "no/such": "no Lance table at", "/d/t": "Absolute paths"}
    for place, why in refusals.items():
        name = f"{catalog}.eu.{'ours' if why == 'ALREADY_EXISTS' else 'other'}"
        with pytest.raises(Exception, match=why):
            register_table(spark, name, place)
    assert tables(theirs, "eu") == ["ours"]
    with pytest.raises(LanceUsageException, match="does not begin with a catalog"):
        register_table(spark, "ours", "deep/down.lance")
    assert deregister_table(spark, f"{catalog}.eu.ours").endswith("deep/down.lance")
    for statement in (f"SELECT * FROM {catalog}.eu.ours", f"CALL {catalog}.system.deregister_table('eu.ours')"):
        with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
            spark.sql(statement).collect()
    assert lance.dataset(f"{tmp}/deep/down.lance").count_rows() == 2
    lance.write_dataset(pa.table({"a": [1]}), f"{tmp}/plain.lance")
    with pytest.raises(LanceUsageException, match="has no entry of it to remove"):
        deregister_table(spark, f"{catalog}.plain")


def test_indices_and_searches_by_name(spark: SparkSession, catalog: str, theirs: Any) -> None:
    rows = [{"id": i, "v": [i / 8, 1.0, 0.0, 0.0], "body": f"word{i % 3} all"} for i in range(256)]
    vector = pa.list_(pa.float32(), 4)
    schema = pa.schema([("id", pa.int64()), ("v", vector), ("body", pa.string())])
    theirs.create_namespace(ln.CreateNamespaceRequest(id=["eu"]))
    path = ["eu", "docs"]
    docs = f"{catalog}.eu.docs"
    lance.write_dataset(pa.Table.from_pylist(rows, schema), namespace_client=theirs, table_id=path)
    spark.sql(f"CREATE INDEX by_id ON {docs} USING btree (id)")
    spark.sql(f"ALTER TABLE {docs} CREATE INDEX words USING inverted (body)")
    spark.sql(f"CREATE INDEX near ON {docs} USING ivf_flat (v) OPTIONS (num_partitions = 2)")
    assert {row["name"] for row in spark.sql(f"SHOW INDEXES IN {docs}").collect()} == {"by_id", "words", "near"}
    dataset = lance.dataset(namespace_client=theirs, table_id=path)
    assert {index.name for index in dataset.describe_indices()} == {"by_id", "words", "near"}
    assert "ScalarIndexQuery" in dataset.scanner(filter="id = 7").explain_plan()
    spark.sql(f"INSERT INTO {docs} VALUES (300, array(99, 1, 0, 0), 'word9')")
    spark.sql(f"ALTER TABLE {docs} OPTIMIZE INDEX by_id")
    assert spark.sql(f"DESCRIBE INDEX by_id ON {docs}").head()["unindexed_rows"] == 0
    assert [row["id"] for row in spark.sql(f"SELECT id FROM {docs} WHERE id >= 255").collect()] == [255, 300]
    near = spark.sql(f"SELECT id FROM lance_vector_search('{docs}', 'v', array(99, 1, 0, 0), k => 2, nprobes => 2)")
    assert [row["id"] for row in near.collect()] == [300, 255]
    found = spark.sql(f"SELECT id FROM lance_fts('{docs}', 'body', 'word9 word1', k => 1000)").collect()
    assert {row["id"] for row in found} == {300, *range(1, 256, 3)}
    joined = spark.sql(
        f"SELECT id FROM lance_hybrid_search('{docs}', vector => array(99, 1, 0, 0), text => 'word9', k => 1)"
    )
    assert joined.head()["id"] == 300
    spark.sql(f"DROP INDEX near ON {docs}")
    latest = lance.dataset(namespace_client=theirs, table_id=path)
    assert {index.name for index in latest.describe_indices()} == {"by_id", "words"}
    assert latest.to_table(columns=["id"], filter="id = 300")["id"].to_pylist() == [300]


def test_the_page_runs_as_printed(spark: SparkSession, tmp: str) -> None:
    names = pages.run("docs/shared-catalogs.md", spark, tmp)
    names["adapter"].stop()
