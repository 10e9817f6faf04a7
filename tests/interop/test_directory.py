"""A directory of tables and namespaces that pylance's directory namespace, LanceDB and Spark use in turns."""

from pathlib import Path
from typing import Any

import lance
import lance_namespace as ln
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession


def namespace(root: str, **options: str) -> Any:
    return ln.connect("dir", {"root": root, **options})


def ipc(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def tables(theirs: Any, *path: str) -> list[str]:
    return sorted(theirs.list_tables(ln.ListTablesRequest(id=list(path))).tables)


def shown(spark: SparkSession, statement: str) -> list[str]:
    rows = spark.sql(statement).collect()
    return sorted(row["tableName"] if "tableName" in row else row["namespace"] for row in rows)


def uri(theirs: Any, *path: str) -> str:
    return str(theirs.describe_table(ln.DescribeTableRequest(id=list(path))).location)


@pytest.fixture
def catalog(spark: SparkSession, tmp: str, request: pytest.FixtureRequest) -> str:
    name = f"lake_{abs(hash(request.node.name))}"
    spark.conf.set(f"spark.sql.catalog.{name}", "io.sparklance.spark.LanceCatalog")
    spark.conf.set(f"spark.sql.catalog.{name}.root", tmp)
    return name


def test_pylance_finds_what_spark_makes(spark: SparkSession, catalog: str, tmp: str) -> None:
    spark.sql(f"CREATE TABLE {catalog}.plain AS SELECT 1 AS a")
    spark.sql(f"CREATE NAMESPACE {catalog}.eu COMMENT 'Europe'")
    spark.sql(f"CREATE NAMESPACE {catalog}.eu.west")
    spark.sql(f"CREATE TABLE {catalog}.eu.west.`a table` AS SELECT 2 AS a")
    theirs = namespace(tmp)
    assert tables(theirs) == ["plain"]
    assert tables(theirs, "eu", "west") == ["a table"]
    assert theirs.list_namespaces(ln.ListNamespacesRequest(id=["eu"])).namespaces == ["west"]
    described = theirs.describe_namespace(ln.DescribeNamespaceRequest(id=["eu"]))
    assert described.properties["comment"] == "Europe"
    for path, value in ((["plain"], 1), (["eu", "west", "a table"], 2)):
        assert lance.dataset(namespace_client=theirs, table_id=path).to_table().to_pylist() == [{"a": value}]
    for path in (["plain"], ["eu", "west", "a table"]):
        theirs.drop_table(ln.DropTableRequest(id=path))
    assert shown(spark, f"SHOW TABLES IN {catalog}") == []
    assert shown(spark, f"SHOW TABLES IN {catalog}.eu.west") == []
    theirs.drop_namespace(ln.DropNamespaceRequest(id=["eu", "west"]))
    theirs.drop_namespace(ln.DropNamespaceRequest(id=["eu"]))
    assert shown(spark, f"SHOW NAMESPACES IN {catalog}") == []


@pytest.mark.parametrize("inline", ["false", "true"])
def test_spark_finds_what_pylance_makes(spark: SparkSession, catalog: str, tmp: str, inline: str) -> None:
    """Also where pylance keeps indices of its list, which our changes leave behind."""
    theirs = namespace(tmp, inline_optimization_enabled=inline)
    theirs.create_namespace(ln.CreateNamespaceRequest(id=["eu"], properties={"k": "v"}))
    for path, value in ((["plain"], 1), (["eu", "t"], 2), (["my tab"], 3)):
        theirs.create_table(ln.CreateTableRequest(id=path), ipc(pa.table({"a": [value]})))
    assert shown(spark, f"SHOW TABLES IN {catalog}") == ["my tab", "plain"]
    assert shown(spark, f"SHOW TABLES IN {catalog}.eu") == ["t"]
    assert "(k,v)" in str(spark.sql(f"DESCRIBE NAMESPACE EXTENDED {catalog}.eu").collect())
    assert spark.table(f"{catalog}.eu.t").collect()[0]["a"] == 2
    spark.sql(f"INSERT INTO {catalog}.`my tab` VALUES (4)")
    assert lance.dataset(uri(theirs, "my tab")).count_rows() == 2
    spark.sql(f"ALTER NAMESPACE {catalog}.eu SET PROPERTIES (k = 'w', comment = 'x')")
    spark.sql(f"ALTER TABLE {catalog}.eu.t RENAME TO eu.u")
    spark.sql(f"DROP TABLE {catalog}.plain")
    spark.sql(f"CREATE TABLE {catalog}.eu.more AS SELECT 1 AS a")
    assert tables(theirs) == ["my tab"]
    assert tables(theirs, "eu") == ["more", "u"]
    properties = theirs.describe_namespace(ln.DescribeNamespaceRequest(id=["eu"])).properties
    assert properties == {"k": "w", "comment": "x"}
    theirs.create_table(ln.CreateTableRequest(id=["eu", "last"]), ipc(pa.table({"a": [9]})))
    assert tables(theirs, "eu") == shown(spark, f"SHOW TABLES IN {catalog}.eu") == ["last", "more", "u"]
    for name in ("u", "more", "last"):
        theirs.table_exists(ln.TableExistsRequest(id=["eu", name]))
    spark.sql(f"DROP NAMESPACE {catalog}.eu CASCADE")
    assert theirs.list_namespaces(ln.ListNamespacesRequest(id=[])).namespaces == []


def test_registered_declared_and_deregistered(spark: SparkSession, catalog: str, tmp: str) -> None:
    theirs = namespace(tmp)
    lance.write_dataset(pa.table({"a": [1]}), f"{tmp}/deep/down.lance")
    theirs.create_namespace(ln.CreateNamespaceRequest(id=["eu"]))
    theirs.register_table(ln.RegisterTableRequest(id=["eu", "reg"], location="deep/down.lance"))
    assert spark.table(f"{catalog}.eu.reg").count() == 1
    for path in (["declared"], ["eu", "declared"]):
        theirs.declare_table(ln.DeclareTableRequest(id=path))
        name = ".".join([catalog, *path])
        namespaces = ".".join([catalog, *path[:-1]])
        assert "declared" in shown(spark, f"SHOW TABLES IN {namespaces}")
        for statement in (f"SELECT * FROM {name}", f"SELECT a FROM {name}", f"INSERT INTO {name} VALUES (1)"):
            with pytest.raises(Exception, match="has no version"):
                spark.sql(statement).collect()
        spark.sql(f"DROP TABLE {name}")
        with pytest.raises(Exception, match=r"(?i)not.?found"):
            uri(theirs, *path)
        with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
            spark.table(name).collect()
        theirs.declare_table(ln.DeclareTableRequest(id=path))
        spark.sql(f"CREATE OR REPLACE TABLE {name} AS SELECT 5 AS a")
        assert lance.dataset(uri(theirs, *path)).to_table().to_pylist() == [{"a": 5}]
    theirs.deregister_table(ln.DeregisterTableRequest(id=["eu", "reg"]))
    assert shown(spark, f"SHOW TABLES IN {catalog}.eu") == ["declared"]
    plain = namespace(tmp, manifest_enabled="false")
    plain.deregister_table(ln.DeregisterTableRequest(id=["declared"]))
    assert shown(spark, f"SHOW TABLES IN {catalog}") == []
    with pytest.raises(Exception, match="deregistered from the directory"):
        spark.sql(f"CREATE TABLE {catalog}.declared (a INT)")


def test_rows_that_pylance_takes(spark: SparkSession, catalog: str, tmp: str) -> None:
    """Places that are written in odd ways, and properties of tables."""
    theirs = namespace(tmp)
    theirs.create_namespace(ln.CreateNamespaceRequest(id=["eu"], properties={"k": "v"}))
    for name in ("dotted", "slashed"):
        lance.write_dataset(pa.table({"a": [1]}), f"{tmp}/deep/{name}")
    theirs.register_table(ln.RegisterTableRequest(id=["eu", "dotted"], location="./deep/./dotted"))
    theirs.register_table(ln.RegisterTableRequest(id=["eu", "slashed"], location="deep/slashed/"))
    theirs.register_table(ln.RegisterTableRequest(id=["eu", "doubled"], location="deep//slashed"))
    assert shown(spark, f"SHOW TABLES IN {catalog}.eu") == tables(theirs, "eu") == ["dotted", "doubled", "slashed"]
    for name in ("dotted", "slashed"):
        assert spark.table(f"{catalog}.eu.{name}").count() == 1
    with pytest.raises(Exception, match="DROP TABLE removes the row"):
        spark.table(f"{catalog}.eu.doubled").collect()
    spark.sql(f"DROP TABLE {catalog}.eu.doubled")
    properties = {"owner": "me"}
    request = ln.CreateTableRequest(id=["eu", "t"], properties=properties)
    theirs.create_table(request, ipc(pa.table({"a": [1]})))
    spark.sql(f"ALTER TABLE {catalog}.eu.t RENAME TO eu.u")
    assert theirs.describe_table(ln.DescribeTableRequest(id=["eu", "u"])).properties == properties
    assert tables(theirs, "eu") == ["dotted", "slashed", "u"]


def test_a_table_with_two_names(spark: SparkSession, catalog: str, tmp: str) -> None:
    theirs = namespace(tmp)
    spark.sql(f"CREATE NAMESPACE {catalog}.eu")
    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS a")
    theirs.register_table(ln.RegisterTableRequest(id=["eu", "alias"], location="t.lance"))
    spark.sql(f"ALTER TABLE {catalog}.t RENAME TO u")
    assert lance.dataset(uri(theirs, "eu", "alias")).count_rows() == 1
    spark.sql(f"DROP TABLE {catalog}.u")
    assert shown(spark, f"SHOW TABLES IN {catalog}") == tables(theirs) == []
    assert lance.dataset(uri(theirs, "eu", "alias")).count_rows() == spark.table(f"{catalog}.eu.alias").count() == 1
    spark.sql(f"DROP TABLE {catalog}.eu.alias")
    assert tables(theirs, "eu") == []
    assert not Path(tmp, "u.lance").exists()


def test_tables_of_a_directory_without_a_list(spark: SparkSession, catalog: str, tmp: str) -> None:
    """LanceDB has always made tables this way."""
    lance.write_dataset(pa.table({"a": [1]}), f"{tmp}/old.lance")
    assert shown(spark, f"SHOW TABLES IN {catalog}") == ["old"]
    assert spark.table(f"{catalog}.old").count() == 1
    spark.sql(f"ALTER TABLE {catalog}.old RENAME TO new")
    assert lance.dataset(f"{tmp}/new.lance").count_rows() == 1
    spark.sql(f"DROP TABLE {catalog}.new")
    assert shown(spark, f"SHOW TABLES IN {catalog}") == tables(namespace(tmp)) == []


def test_lancedb_sees_the_same(spark: SparkSession, catalog: str, tmp: str) -> None:
    lancedb = pytest.importorskip("lancedb")
    spark.sql(f"CREATE TABLE {catalog}.ours AS SELECT 1 AS a")
    spark.sql(f"CREATE NAMESPACE {catalog}.eu")
    spark.sql(f"CREATE TABLE {catalog}.eu.t AS SELECT 2 AS a")
    database = lancedb.connect(tmp)
    database.create_table("theirs", [{"a": 3}])
    assert sorted(database.list_tables().tables) == shown(spark, f"SHOW TABLES IN {catalog}") == ["ours", "theirs"]
    assert database.open_table("ours").count_rows() == 1
    assert database.list_namespaces().namespaces == ["eu"]
    assert database.list_tables(namespace_path=["eu"]).tables == ["t"]
    assert spark.table(f"{catalog}.theirs").collect()[0]["a"] == 3
    database.drop_table("ours")
    assert shown(spark, f"SHOW TABLES IN {catalog}") == ["theirs"]
