"""A directory of tables and namespaces that pylance's directory namespace, LanceDB and Spark use in turns: Spark by its
path, and by pylance's server for it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lance
import lance.namespace
import lance_namespace as ln
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

# Run over the server always, all others only with `--full`.
SHORT = ("test_pylance_finds_what_spark_makes", "test_registered_declared_and_deregistered")


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


def does(spark: SparkSession, statement: str, server: str | None, lacking: str) -> bool:
    """Runs a statement that the specification or pylance's server lacks a call for: there it is refused by its name."""
    if server is None:
        spark.sql(statement)
    else:
        with pytest.raises(Exception, match=lacking):
            spark.sql(statement)
    return server is None


@pytest.fixture(params=["directory", "server"])
def server(request: pytest.FixtureRequest, tmp: str, full: bool) -> Iterator[str | None]:
    """The address of a server for the directory; None for a catalog of the directory itself."""
    if request.param == "directory":
        yield None
        return
    if not full and request.node.originalname not in SHORT:
        pytest.skip("over a server only with --full")
    with lance.namespace.RestAdapter("dir", {"root": tmp}, port=0) as adapter:
        yield f"http://127.0.0.1:{adapter.port}"


@pytest.fixture
def catalog(spark: SparkSession, tmp: str, server: str | None, request: pytest.FixtureRequest) -> str:
    name = f"lake_{abs(hash(request.node.name))}"
    spark.conf.set(f"spark.sql.catalog.{name}", "io.sparklance.spark.LanceCatalog")
    option, place = ("root", tmp) if server is None else ("uri", server)
    spark.conf.set(f"spark.sql.catalog.{name}.{option}", place)
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
def test_spark_finds_what_pylance_makes(
    spark: SparkSession, catalog: str, server: str | None, tmp: str, inline: str
) -> None:
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
    altered = does(spark, f"ALTER NAMESPACE {catalog}.eu SET PROPERTIES (k = 'w', comment = 'x')", server, "no call")
    name = "u" if does(spark, f"ALTER TABLE {catalog}.eu.t RENAME TO eu.u", server, "lacks rename_table") else "t"
    spark.sql(f"DROP TABLE {catalog}.plain")
    spark.sql(f"CREATE TABLE {catalog}.eu.more AS SELECT 1 AS a")
    assert tables(theirs) == ["my tab"]
    assert tables(theirs, "eu") == ["more", name]
    properties = theirs.describe_namespace(ln.DescribeNamespaceRequest(id=["eu"])).properties
    assert properties == ({"k": "w", "comment": "x"} if altered else {"k": "v"})
    theirs.create_table(ln.CreateTableRequest(id=["eu", "last"]), ipc(pa.table({"a": [9]})))
    assert tables(theirs, "eu") == shown(spark, f"SHOW TABLES IN {catalog}.eu") == ["last", "more", name]
    for each in (name, "more", "last"):
        theirs.table_exists(ln.TableExistsRequest(id=["eu", each]))
    spark.sql(f"DROP NAMESPACE {catalog}.eu CASCADE")
    assert theirs.list_namespaces(ln.ListNamespacesRequest(id=[])).namespaces == []


def test_registered_declared_and_deregistered(spark: SparkSession, catalog: str, server: str | None, tmp: str) -> None:
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
    # pylance's server does not list the table, but goes on to describe it.
    with pytest.raises(Exception, match="deregistered from the directory" if server is None else "ALREADY_EXISTS"):
        spark.sql(f"CREATE TABLE {catalog}.declared (a INT)")


def test_rows_that_pylance_takes(spark: SparkSession, catalog: str, server: str | None, tmp: str) -> None:
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
    if server is None:
        with pytest.raises(Exception, match="DROP TABLE removes the row"):
            spark.table(f"{catalog}.eu.doubled").collect()
        spark.sql(f"DROP TABLE {catalog}.eu.doubled")
    else:
        # A server tells a proper location, and would delete the files of both names.
        assert spark.table(f"{catalog}.eu.doubled").count() == 1
        spark.sql(f"CALL {catalog}.system.deregister_table('eu.doubled')")
    properties = {"owner": "me"}
    request = ln.CreateTableRequest(id=["eu", "t"], properties=properties)
    theirs.create_table(request, ipc(pa.table({"a": [1]})))
    name = "u" if does(spark, f"ALTER TABLE {catalog}.eu.t RENAME TO eu.u", server, "lacks rename_table") else "t"
    assert theirs.describe_table(ln.DescribeTableRequest(id=["eu", name])).properties == properties
    assert tables(theirs, "eu") == ["dotted", "slashed", name]


def test_a_table_with_two_names(spark: SparkSession, catalog: str, server: str | None, tmp: str) -> None:
    theirs = namespace(tmp)
    spark.sql(f"CREATE NAMESPACE {catalog}.eu")
    spark.sql(f"CREATE TABLE {catalog}.t AS SELECT 1 AS a")
    theirs.register_table(ln.RegisterTableRequest(id=["eu", "alias"], location="t.lance"))
    name = "u" if does(spark, f"ALTER TABLE {catalog}.t RENAME TO u", server, "lacks rename_table") else "t"
    assert lance.dataset(uri(theirs, "eu", "alias")).count_rows() == 1
    spark.sql(f"DROP TABLE {catalog}.{name}")
    assert shown(spark, f"SHOW TABLES IN {catalog}") == tables(theirs) == []
    if server is None:
        assert lance.dataset(uri(theirs, "eu", "alias")).count_rows() == 1
        assert spark.table(f"{catalog}.eu.alias").count() == 1
    else:
        with pytest.raises(Exception, match="has no version"):
            spark.table(f"{catalog}.eu.alias").collect()
    # pylance's server does not drop a table without files.
    drop = f"DROP TABLE {catalog}.eu.alias" if server is None else f"CALL {catalog}.system.deregister_table('eu.alias')"
    spark.sql(drop)
    assert tables(theirs, "eu") == []
    assert not Path(tmp, f"{name}.lance").exists()


def test_tables_of_a_directory_without_a_list(spark: SparkSession, catalog: str, server: str | None, tmp: str) -> None:
    """LanceDB has always made tables this way."""
    lance.write_dataset(pa.table({"a": [1]}), f"{tmp}/old.lance")
    assert shown(spark, f"SHOW TABLES IN {catalog}") == ["old"]
    assert spark.table(f"{catalog}.old").count() == 1
    name = "new" if does(spark, f"ALTER TABLE {catalog}.old RENAME TO new", server, "lacks rename_table") else "old"
    assert lance.dataset(f"{tmp}/{name}.lance").count_rows() == 1
    # pylance's server finds such tables, but drops only those of its list.
    left = [] if does(spark, f"DROP TABLE {catalog}.{name}", server, "has no entry of it") else [name]
    assert shown(spark, f"SHOW TABLES IN {catalog}") == tables(namespace(tmp)) == left


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
