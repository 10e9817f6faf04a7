"""Procedures as Spark shows and calls them; `ProceduresSuite` and tests/interop/test_refs.py test what they do."""

import pytest
from pyspark import __version__ as pyspark_version
from pyspark.sql import SparkSession

from sparklance.errors import as_lance_exception

LISTED = pytest.mark.skipif(pyspark_version.startswith("4.0"), reason="Spark lists procedures from 4.1 on")


@LISTED
@pytest.mark.parametrize("catalog", ["lance", "spark_catalog"])
def test_they_are_listed(spark: SparkSession, catalog: str) -> None:
    listed = {row.procedure_name for row in spark.sql(f"SHOW PROCEDURES IN {catalog}.system").collect()}
    assert {"restore", "create_tag", "history"} <= listed


@LISTED
def test_they_are_described(spark: SparkSession) -> None:
    text = "\n".join(str(row[0]) for row in spark.sql("DESCRIBE PROCEDURE lance.system.create_tag").collect())
    assert "create_tag" in text
    assert "Gives a version a name." in text


@pytest.mark.parametrize("catalog", ["lance", "spark_catalog"])
def test_they_are_called_in_each_catalog(spark: SparkSession, tmp: str, catalog: str) -> None:
    path = f"{tmp}/t.lance"
    spark.range(3).write.format("lance").save(path)
    spark.range(3).write.format("lance").mode("append").save(path)
    assert spark.sql(f"CALL {catalog}.system.restore('{path}', version => 1)").collect()[0].version == 3
    last = spark.sql(f"CALL {catalog}.SYSTEM.History(table => '{path}', limit => 1)").collect()
    assert [row.operation for row in last] == ["RESTORE"]
    with pytest.raises(Exception, match=r"nothing") as raised:
        spark.sql(f"CALL {catalog}.system.nothing()")
    assert "branches, cleanup, commit, compact" in str(as_lance_exception(raised.value))


def test_a_procedure_of_spark_itself_is_not_hidden(spark: SparkSession, tmp: str) -> None:
    """After USE, a name without a catalog is one of the current catalog's, which must not pretend to have it."""
    spark.range(3).write.format("lance").save(f"{tmp}/t.lance")
    with pytest.raises(Exception, match=r"(?i)nothing_like_it"):
        spark.sql("CALL nothing_like_it()")
