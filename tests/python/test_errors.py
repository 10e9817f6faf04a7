"""The connector's errors come back under their own names, however Spark has wrapped them."""

import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyspark.errors
import pytest
from pyspark.sql import SparkSession

import sparklance
from dev_tools import ROOT
from sparklance import errors

DIRECT = """An error occurred while calling o45.load.
: io.sparklance.LanceTableNotFoundException: /tmp/t: no Lance table here. Nothing was ever written to it.
Check the path.
	at io.sparklance.Errors$.notFound(Errors.scala:10)
"""
IN_A_TASK = """An error occurred while calling o45.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, \
most recent failure: Lost task 0.0 in stage 0.0 (TID 0): \
io.sparklance.LanceFormatException: page 3 is cut short: offset=17
	at io.sparklance.encoding.Flat$.decode(Flat.scala:10)

Driver stacktrace:
	at org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:10)
"""
AS_A_CAUSE = """[INTERNAL_ERROR] The write failed.
	at org.apache.spark.Some.thing(Some.scala:1)
Caused by: io.sparklance.RetryableCommitConflictException: version 5 was written meanwhile
	... 20 more
"""
TRANSLATED = """[STREAM_FAILED] Query [id = 1] terminated with exception: [LANCE_INVALID_USAGE] There is no row 14: \
they count from 0. SQLSTATE: 22023 SQLSTATE: XXKST
"""


@pytest.mark.parametrize(
    ("text", "expected", "message"),
    [
        (DIRECT, errors.LanceTableNotFoundException, "written to it.\nCheck the path. SQLSTATE: 42P01"),
        (IN_A_TASK, errors.LanceFormatException, "page 3 is cut short: offset=17 SQLSTATE: XX001"),
        (TRANSLATED, errors.LanceUsageException, "There is no row 14: they count from 0. SQLSTATE: 22023"),
        (AS_A_CAUSE, errors.RetryableCommitConflictException, "version 5 was written meanwhile SQLSTATE: 40001"),
    ],
)
def test_finds_the_connectors_error(text, expected, message):
    found = errors.as_lance_exception(Exception(text))
    assert isinstance(found, expected)
    assert type(found).__name__ == expected.__name__
    assert str(found).endswith(message)


def test_conflicts_tell_whether_to_try_again():
    for kind in (errors.RetryableCommitConflictException, errors.IncompatibleCommitConflictException):
        assert issubclass(kind, errors.CommitConflictException)


def test_other_errors_are_not_ours():
    assert errors.as_lance_exception(ValueError("io.sparklance.Dataset: not an exception of ours")) is None


@pytest.mark.classic("it calls Java")
def test_finds_it_in_an_exception_that_the_jvm_has_thrown(spark):
    thrown = spark._jvm.io.sparklance.LanceUsageException("this is the problem", None)
    with pytest.raises(Exception, match="LanceUsageException") as caught:
        spark._jvm.scala.util.Failure(thrown).get()
    found = errors.as_lance_exception(caught.value)
    assert isinstance(found, errors.LanceUsageException)
    assert str(found) == "[LANCE_INVALID_USAGE] this is the problem SQLSTATE: 22023"


def test_has_the_same_classes_as_the_jar():
    scala = (ROOT / "jvm/format/src/main/scala/io/sparklance/LanceException.scala").read_text()
    assert set(re.findall(r"class (\w+Exception)\b", scala)) == {name for name in errors.__all__ if name[0].isupper()}


def test_has_the_same_conditions_as_the_jar_and_its_page():
    scala = (ROOT / "jvm/spark/src/main/scala/io/sparklance/spark/errors/ErrorCondition.scala").read_text()
    page = (ROOT / "docs/errors.md").read_text()
    of_jar = re.findall(r'ErrorCondition\("(LANCE_\w+)", "(\w{5})", (\w+)\)', scala)
    kinds = {"Analysis": "AnalysisException", "IllegalArgument": "IllegalArgumentException"}
    kinds["Unsupported"] = "UnsupportedOperationException"
    classes = {each.CONDITION: each for each in leaves()}
    assert {condition: state for condition, state, _ in of_jar} == {c: each.SQLSTATE for c, each in classes.items()}
    for condition, _, kind in of_jar:
        assert isinstance(classes[condition]("raised in Python"), getattr(pyspark.errors, kinds[kind]))
    rows = re.findall(r"^\| `(LANCE_\w+)` \| (\w{5}) \| `(\w+)` \| [^|]+ \| [^|]+ \|$", page, re.MULTILINE)
    assert rows == [(c, state, classes[c].__name__) for c, state, _ in of_jar]
    others = {f"`{kinds[kind]}` for `{c}`" for c, _, kind in of_jar if kind != "Analysis"}
    assert {other for other in re.findall(r"`\w+` for `LANCE_\w+`", page)} == others
    assert "`AnalysisException` for all others" in page
    listed = re.findall(r"^\| `io\.sparklance\.(\w+Exception)` \|", (ROOT / "docs/api.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(name for name in errors.__all__ if name[0].isupper())


def test_finds_every_class_by_its_condition():
    for each in leaves():
        text = f"[{each.CONDITION}] it failed SQLSTATE: {each.SQLSTATE}"
        assert isinstance(errors.as_lance_exception(RuntimeError(text)), each), each


def leaves() -> list[type[errors.LanceException]]:
    classes = [getattr(errors, name) for name in errors.__all__ if name[0].isupper()]
    return [each for each in classes if each.CONDITION is not None]


# ---- what statements raise, in a classic session and over Spark Connect


def table(spark: SparkSession, tmp: str) -> str:
    path = f"{tmp}/t.lance"
    spark.range(5000).selectExpr("id", "cast(id AS string) AS name").coalesce(1).write.format("lance").save(path)
    return path


def absent(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").load(f"{tmp}/nothing").schema


def absent_in_sql(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"SELECT * FROM lance.`{tmp}/nothing`").collect()


def absent_version(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"SELECT * FROM lance.`{table(spark, tmp)}` VERSION AS OF 9").collect()


def absent_to_procedures(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"CALL lance.system.versions('{tmp}/nothing')").collect()


def absent_to_insert(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"INSERT INTO lance.`{tmp}/nothing` VALUES (1)").collect()


def absent_to_alter(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"ALTER TABLE lance.`{tmp}/nothing` ADD COLUMN x INT").collect()


def corrupt_manifest(spark: SparkSession, tmp: str) -> object:
    (file,) = Path(table(spark, tmp), "_versions").glob("*.manifest")
    file.write_bytes(file.read_bytes()[:-20])
    return spark.read.format("lance").load(f"{tmp}/t.lance").schema


def corrupt_data(spark: SparkSession, tmp: str) -> object:
    (file,) = Path(table(spark, tmp), "data").iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    return spark.read.format("lance").load(f"{tmp}/t.lance").collect()


def corrupt_data_to_arrow(spark: SparkSession, tmp: str) -> object:
    (file,) = Path(table(spark, tmp), "data").iterdir()
    file.write_bytes(b"")
    return spark.read.format("lance").load(f"{tmp}/t.lance").toArrow()


def unknown_option(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").option("verson", 1).load(table(spark, tmp)).schema


def unknown_option_of_save(spark: SparkSession, tmp: str) -> object:
    return spark.range(3).write.format("lance").option("verson", 1).save(f"{tmp}/t.lance")


def value_that_does_not_fit(spark: SparkSession, tmp: str) -> object:
    halves(spark, tmp)
    return spark.sql(f"INSERT INTO lance.`{tmp}/t.lance` VALUES (1e30F)").collect()


def halves(spark: SparkSession, tmp: str) -> str:
    path = f"{tmp}/t.lance"
    spark.sql(f"CREATE TABLE lance.`{path}` (v FLOAT) TBLPROPERTIES ('v.arrow.float16' = 'true')").collect()
    return path


def unknown_procedure(spark: SparkSession, tmp: str) -> object:
    return spark.sql("CALL lance.system.compactt('x')").collect()


def misread_alias(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"RESTORE TABLE lance.`{table(spark, tmp)}` TO nothing").collect()


def unsupported_alias(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"OPTIMIZE lance.`{table(spark, tmp)}` WHERE id = 1").collect()


def absent_to_alias(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"DESCRIBE HISTORY lance.`{tmp}/nothing`").collect()


def further_column(spark: SparkSession, tmp: str) -> object:
    rows = spark.range(3).selectExpr("id", "cast(id AS string) AS name", "id AS x")
    return rows.write.format("lance").mode("append").save(table(spark, tmp))


def option_of_writes(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").option("maxRowsPerFile", 1).load(table(spark, tmp)).schema


def no_such_row(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"CALL lance.system.row_addresses('{table(spark, tmp)}', array(9000))").collect()


def vectors_of_different_lengths(spark: SparkSession, tmp: str) -> object:
    return spark.sql("SELECT lance.l2(array(id, 1), array(id)) FROM range(3)").collect()


def hidden_addresses(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"CREATE TABLE lance.`{tmp}/t.lance` AS SELECT id, id AS _rowaddr FROM range(3)").collect()


def names_of_plans(spark: SparkSession, tmp: str) -> object:
    spark.sql(f"CREATE TABLE lance.`{tmp}/t.lance` AS SELECT id, id AS __row_operation FROM range(3)").collect()
    return spark.sql(f"UPDATE lance.`{tmp}/t.lance` SET id = 1").collect()


def no_jar_for_s3(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").load("s3://bucket/t").schema


def no_jar_for_a_scheme(spark: SparkSession, tmp: str) -> object:
    return spark.range(3).write.format("lance").save("gs://bucket/t")


def damaged_index(spark: SparkSession, tmp: str) -> str:
    path = table(spark, tmp)
    sparklance.LanceDataset(spark, path).create_scalar_index("id", "BTREE")
    for file in Path(path, "_indices").glob("*/*.lance"):
        file.write_bytes(file.read_bytes()[:-3])
    return path


def damaged_index_to_count(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").load(damaged_index(spark, tmp)).where("id = 7").count()


def damaged_index_to_count_in_sql(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"SELECT count(*) FROM lance.`{damaged_index(spark, tmp)}` WHERE id = 7").collect()


def replaced_in_range(spark: SparkSession, tmp: str) -> object:
    path = table(spark, tmp)
    for mode in ("append", "overwrite", "append"):
        spark.range(5).selectExpr("id", "'x' AS name").write.format("lance").mode(mode).save(path)
    return spark.read.format("lance").option("startingVersion", 2).load(path).collect()


def bad_property_to_replace(spark: SparkSession, tmp: str) -> object:
    return spark.sql("CREATE OR REPLACE TABLE bad (a INT) USING lance TBLPROPERTIES ('lance.nope' = '1')").collect()


def bad_property_to_save_a_table(spark: SparkSession, tmp: str) -> object:
    return spark.range(1).writeTo("bad").using("lance").tableProperty("lance.nope", "1").createOrReplace()


def bad_option_to_save_a_table(spark: SparkSession, tmp: str) -> object:
    return spark.range(1).write.format("lance").mode("overwrite").option("xx", "1").saveAsTable("bad")


def no_path(spark: SparkSession, tmp: str) -> object:
    return spark.range(1).write.format("lance").save()


def path_of_windows(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").load("C:\\data\\t.lance").schema


def address_of_the_web(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").load("https://host/t.lance").schema


def path_of_windows_to_a_procedure(spark: SparkSession, tmp: str) -> object:
    return sparklance.LanceDataset(spark, "C:\\data\\t.lance")


def path_of_windows_to_create(spark: SparkSession, tmp: str) -> object:
    return sparklance.LanceDataset.create(spark, spark.range(1), "C:\\data\\t.lance")


def unknown_host(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").load("hdfs://nowhere.invalid:8020/t.lance").schema


def address_without_a_slash(spark: SparkSession, tmp: str) -> object:
    return spark.range(1).write.format("lance").save("file:t.lance")


def host_of_local_files(spark: SparkSession, tmp: str) -> object:
    return spark.sql("CALL lance.system.history(table => 'file://host/t.lance')").collect()


def home(spark: SparkSession, tmp: str) -> object:
    return spark.read.format("lance").load("~/no such directory").schema


def overlong_name(spark: SparkSession, tmp: str) -> object:
    return spark.range(1).write.format("lance").save(f"{tmp}/{'x' * 300}")


def not_to_be_written(spark: SparkSession, tmp: str) -> object:
    return spark.range(1).write.format("lance").save("/proc/1/nothing/t.lance")


def no_folder_for_an_index(spark: SparkSession, tmp: str) -> object:
    path = table(spark, tmp)
    Path(path, "_indices").write_text("")
    return spark.sql(f"CALL lance.system.create_index(table => '{path}', column => 'id', type => 'BTREE')").collect()


def no_folder_for_an_epoch(spark: SparkSession, tmp: str) -> object:
    path = table(spark, tmp)
    spark.range(3).selectExpr("id", "'x' AS name").write.parquet(f"{tmp}/in")
    Path(path, "_transactions").rename(f"{tmp}/moved")
    Path(path, "_transactions").write_text("")
    rows = spark.readStream.schema("id LONG, name STRING").parquet(f"{tmp}/in").writeStream.format("lance")
    with errors.lance_errors():
        return rows.option("checkpointLocation", f"{tmp}/c").trigger(availableNow=True).start(path).awaitTermination(60)


def sorted_by_optimize(spark: SparkSession, tmp: str) -> object:
    return spark.sql(f"OPTIMIZE lance.`{table(spark, tmp)}` ZORDER BY (id, name)").collect()


def conflict(spark: SparkSession, tmp: str) -> object:
    path = table(spark, tmp)
    spark.sql(f"CALL lance.system.restore('{path}', '1')").collect()
    late = sparklance.Transaction(1, sparklance.LanceOperation.Delete([], [0], "true")).to_bytes().hex()
    return spark.sql(f"CALL lance.system.commit('{path}', X'{late}')").collect()


@pytest.mark.parametrize(
    ("action", "expected", "message"),
    [
        (absent, errors.LanceTableNotFoundException, "There is no Lance table at"),
        (absent_in_sql, errors.LanceTableNotFoundException, "There is no Lance table at"),
        (absent_version, errors.LanceTableNotFoundException, "has no version 9"),
        (absent_to_procedures, errors.LanceTableNotFoundException, "There is no Lance table at"),
        (absent_to_insert, errors.LanceTableNotFoundException, "There is no Lance table at"),
        (absent_to_alter, errors.LanceTableNotFoundException, "There is no Lance table at"),
        (corrupt_manifest, errors.LanceFormatException, "file "),
        (corrupt_data, errors.LanceFormatException, "file "),
        (corrupt_data_to_arrow, errors.LanceFormatException, "file "),
        (unknown_option, errors.LanceUsageException, "Did you mean 'version'?"),
        (unknown_option_of_save, errors.LanceUsageException, "'verson'"),
        (value_that_does_not_fit, errors.LanceUsageException, "1.0E30"),
        (unknown_procedure, errors.LanceUsageException, "Did you mean CALL lance.system.compact?"),
        (misread_alias, errors.LanceUsageException, "Write RESTORE TABLE table TO"),
        (unsupported_alias, errors.UnsupportedLanceFeatureException, "OPTIMIZE with WHERE"),
        (absent_to_alias, errors.LanceTableNotFoundException, "There is no Lance table at"),
        (further_column, errors.LanceUsageException, "'mergeSchema'"),
        (option_of_writes, errors.LanceUsageException, "'maxRowsPerFile' is for writing"),
        (no_such_row, errors.LanceUsageException, "has no row 9000"),
        (vectors_of_different_lengths, errors.LanceUsageException, "l2 compares vectors of equal length"),
        (hidden_addresses, errors.LanceUsageException, "'_rowaddr': it is a metadata column"),
        (names_of_plans, errors.UnsupportedLanceFeatureException, "a table with a column named __row_operation"),
        (no_jar_for_s3, errors.LanceFileSystemNotFoundException, "--packages org.apache.hadoop:hadoop-aws:3."),
        (no_jar_for_a_scheme, errors.LanceFileSystemNotFoundException, "--packages org.apache.hadoop:hadoop-gcp:3."),
        (damaged_index_to_count, errors.LanceFormatException, "the index 'id_idx' cannot be read"),
        (damaged_index_to_count_in_sql, errors.LanceFormatException, "the index 'id_idx' cannot be read"),
        (replaced_in_range, errors.LanceUsageException, "replaced all rows"),
        (bad_property_to_replace, errors.LanceUsageException, "There is no property 'lance.nope'"),
        (bad_property_to_save_a_table, errors.LanceUsageException, "There is no property 'lance.nope'"),
        (bad_option_to_save_a_table, errors.LanceUsageException, "Option 'xx' is not known"),
        (no_path, errors.LanceUsageException, "No path was given"),
        (path_of_windows, errors.LanceUsageException, "Write it as file:///C:/"),
        (path_of_windows_to_a_procedure, errors.LanceUsageException, "Write it as file:///C:/"),
        (path_of_windows_to_create, errors.LanceUsageException, "Write it as file:///C:/"),
        (unknown_host, errors.LanceStorageException, "nowhere.invalid. Check the address and the network"),
        (address_without_a_slash, errors.LanceUsageException, "Spark cannot open 'file:t.lance': Relative path"),
        (host_of_local_files, errors.LanceUsageException, "Wrong FS: file://host/t.lance"),
        (address_of_the_web, errors.LanceUsageException, "Give the address of the store"),
        (home, errors.LanceTableNotFoundException, f"at file:{Path.home()}/no such directory"),
        (overlong_name, errors.LanceStorageException, "File name too long. Check the path"),
        (not_to_be_written, errors.LanceStorageException, "Check the path"),
        (no_folder_for_an_index, errors.LanceStorageException, "_indices"),
        (no_folder_for_an_epoch, errors.LanceStorageException, "_transactions"),
        (sorted_by_optimize, errors.UnsupportedLanceFeatureException, "ORDER BY id, name,"),
        (conflict, errors.CommitConflictException, "conflicts with version"),
    ],
)
def test_a_statement_raises_the_connectors_exception_in_one_line(
    action: Callable[[SparkSession, str], object],
    expected: type[errors.LanceException],
    message: str,
    spark: SparkSession,
    tmp: str,
) -> None:
    with pytest.raises(expected, match=re.escape(message)) as caught:
        action(spark, tmp)
    error = caught.value
    condition, state = type(error).CONDITION, type(error).SQLSTATE
    assert "\n" not in str(error)
    assert str(error).startswith(f"[{condition}] ")
    assert str(error).endswith(f" SQLSTATE: {state}")
    assert (error.getCondition(), error.getSqlState(), error.getMessage()) == (condition, state, str(error))
    assert error.getMessageParameters()["message"] in str(error)
    assert isinstance(error.original, pyspark.errors.PySparkException)
    assert isinstance(error, getattr(pyspark.errors, expected.PYSPARK))


def test_the_place_of_corrupt_bytes_is_a_parameter(spark: SparkSession, tmp: str) -> None:
    with pytest.raises(errors.LanceFormatException) as caught:
        corrupt_data(spark, tmp)
    assert caught.value.getMessageParameters()["file"].endswith(".lance")


@pytest.mark.parametrize("order", [("pyspark.sql", "sparklance"), ("sparklance", "pyspark.sql")])
def test_pyspark_knows_the_classes_whichever_is_imported_first(order: tuple[str, str]) -> None:
    program = f"""
import {order[0]}, {order[1]}
from pyspark.errors.exceptions import captured
assert captured.convert_exception.__module__ == "sparklance._jvm", captured.convert_exception
assert captured.__loader__ is captured.__spec__.loader
assert captured.__loader__.get_source(captured.__name__)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_exceptions_can_be_pickled() -> None:
    error = errors.LanceFormatException(
        "[LANCE_CORRUPT_DATA] x SQLSTATE: XX001", parameters={"message": "x", "page": "3"}
    )
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, errors.LanceFormatException)
    assert (str(copy), copy.getMessageParameters()) == (str(error), error.getMessageParameters())


def test_errors_of_others_stay_theirs(spark: SparkSession, tmp: str) -> None:
    with pytest.raises(pyspark.errors.ArithmeticException) as caught:
        spark.sql("SELECT 1 / (id - id) FROM range(3)").collect()
    assert not isinstance(caught.value, errors.LanceException)


def test_a_stream_fails_with_the_connectors_error_as_its_cause(spark: SparkSession, tmp: str) -> None:
    path = halves(spark, tmp)
    spark.sql("SELECT 1e30F AS v").write.parquet(f"{tmp}/in")
    rows = spark.readStream.schema("v FLOAT").parquet(f"{tmp}/in")
    query = rows.writeStream.format("lance").option("checkpointLocation", f"{tmp}/c").start(path)
    with pytest.raises(pyspark.errors.StreamingQueryException) as caught:
        query.awaitTermination(60)
    assert isinstance(errors.as_lance_exception(caught.value), errors.LanceUsageException)
    with pytest.raises(errors.LanceUsageException, match=r"1\.0E30"), errors.lance_errors():
        query.awaitTermination()
