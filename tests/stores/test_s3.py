"""Spark's S3A and pylance on one bucket."""

import re
import threading
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import errors
from tests.stores.moto import BUCKET, RECORDS, Moto
from tests.stores.replacing import check, replaced
from tests.stores.s3a import hadoop

conditional = pytest.mark.skipif(hadoop() == "3.4.1", reason="this S3A cannot put on condition")


def by_store(name: str) -> str:
    return f"s3://{BUCKET}/{name}"


def by_records(name: str) -> str:
    return f"s3+ddb://{BUCKET}/{name}?ddbTableName={RECORDS}"


ways = pytest.mark.parametrize("at", [pytest.param(by_store, marks=conditional), by_records])


def table(start: int, end: int) -> pa.Table:
    return pa.table({"id": pa.array(range(start, end), pa.int64())})


def ids(spark: SparkSession, uri: str) -> list[int]:
    return sorted(row[0] for row in spark.read.format("lance").load(uri).collect())


@ways
def test_taking_turns(spark: SparkSession, moto: Moto, at) -> None:
    uri = at(f"turns-{at.__name__}")
    spark.range(10).write.format("lance").save(uri)
    lance.write_dataset(table(10, 15), uri, mode="append", storage_options=moto.options)
    spark.range(15, 18).write.format("lance").mode("append").save(uri)
    assert ids(spark, uri) == list(range(18))
    theirs = lance.dataset(uri, storage_options=moto.options)
    assert sorted(theirs.to_table()["id"].to_pylist()) == list(range(18))
    theirs.validate()
    theirs.delete("id >= 12")
    assert ids(spark, uri) == list(range(12))
    old = spark.read.format("lance").option("version", 1).load(uri)
    assert old.count() == 10
    spark.range(3).write.format("lance").mode("overwrite").save(uri)
    latest = lance.dataset(uri, storage_options=moto.options)
    assert (latest.version, latest.count_rows()) == (5, 3)
    left = [key for key in moto.keys(f"turns-{at.__name__}/") if ".tmp" in key or re.search(r"manifest-|/$", key)]
    assert left == []


@ways
def test_at_the_same_time(spark: SparkSession, moto: Moto, at) -> None:
    """Two threads of ours and two of pylance append; each says what it has written."""
    uri = at(f"together-{at.__name__}")
    lance.write_dataset(table(0, 1), uri, storage_options=moto.options)
    written: list[int] = [0]
    failures: list[BaseException] = []

    def ours(first: int) -> None:
        spark.range(first, first + 3).coalesce(1).write.format("lance").mode("append").save(uri)

    def theirs(first: int) -> None:
        lance.write_dataset(table(first, first + 3), uri, mode="append", storage_options=moto.options)

    def repeat(append, start: int) -> None:
        for i in range(12):
            try:
                append(start + 10 * i)
                written.extend(range(start + 10 * i, start + 10 * i + 3))
            except BaseException as e:
                failures.append(e)

    writers = [(ours, 1000), (ours, 2000), (theirs, 3000), (theirs, 4000)]
    threads = [threading.Thread(target=repeat, args=each) for each in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [str(e)[:3000] for e in failures] == []
    found = lance.dataset(uri, storage_options=moto.options)
    found.validate()
    assert sorted(found.to_table()["id"].to_pylist()) == sorted(written) == ids(spark, uri)
    assert found.version == 1 + 4 * 12


@ways
def test_a_table_that_is_created_anew_is_read_anew(spark: SparkSession, moto: Moto, at) -> None:
    """S3A keeps contents of files by their names, and what a manifest is called another table's was called before."""
    name = f"anew-{at.__name__}"
    for start in (0, 10, 20):
        spark.range(start, start + 3).write.format("lance").save(at(name))
        assert ids(spark, at(name)) == list(range(start, start + 3))
        spark.sql(f"CALL lance.system.create_tag('{at(name)}', 'mine')")
        lance.write_dataset(table(start + 3, start + 5), at(name), mode="append", storage_options=moto.options)
        spark.sql(f"CALL lance.system.update_tag('{at(name)}', 'mine', 2)")
        tagged = spark.read.format("lance").option("tag", "mine").load(at(name))
        assert sorted(row[0] for row in tagged.collect()) == list(range(start, start + 5))
        moto.clear(name)


@ways
@replaced
def test_a_table_that_is_replaced_is_not_written_to(
    spark: SparkSession, moto: Moto, tmp_path: Path, at, versions: int, statement: str
) -> None:
    name = f"replaced-{at.__name__}-{tmp_path.name}"
    check(spark, at(name), versions, statement, drop=lambda: moto.clear(name), gate=tmp_path / "gate")
    moto.clear(name)


def test_records_are_the_references(spark: SparkSession, moto: Moto) -> None:
    uri = by_records("dir/records")
    spark.range(3).write.format("lance").save(uri)
    lance.write_dataset(table(3, 5), uri, mode="append", storage_options=moto.options)
    names = {1: "18446744073709551614.manifest", 2: "18446744073709551613.manifest"}
    assert moto.records("dir/records") == {v: f"dir/records/_versions/{name}" for v, name in names.items()}


@pytest.mark.parametrize("reader", ["ours", "theirs"])
def test_a_commit_that_was_left_is_finished_by_either(spark: SparkSession, moto: Moto, reader: str) -> None:
    name = f"left-{reader}"
    uri = by_records(name)
    spark.range(3).write.format("lance").save(uri)
    spark.range(3, 5).write.format("lance").mode("append").save(uri)
    # As if the writer had been killed behind its record.
    final = f"{name}/_versions/18446744073709551613.manifest"
    staged = f"{final}-0f8fad5b-d9cb-469f-a165-70867728950e"
    moto.s3.copy_object(Bucket=BUCKET, Key=staged, CopySource=f"{BUCKET}/{final}")
    moto.s3.delete_object(Bucket=BUCKET, Key=final)
    key = {"base_uri": {"S": name}, "version": {"N": "2"}}
    change = {"TableName": RECORDS, "Key": key, "ExpressionAttributeNames": {"#p": "path"}}
    moto.dynamodb.update_item(**change, UpdateExpression="SET #p = :p", ExpressionAttributeValues={":p": {"S": staged}})
    if reader == "ours":
        assert ids(spark, uri) == [0, 1, 2, 3, 4]
    else:
        assert lance.dataset(uri, storage_options=moto.options).count_rows() == 5
    assert moto.records(name)[2] == final
    assert staged not in moto.keys(name)
    # Gone for good: nobody opens it.
    moto.s3.delete_object(Bucket=BUCKET, Key=final)
    with pytest.raises(Exception, match="LANCE_CORRUPT_DATA") as caught:
        ids(spark, uri)
    assert isinstance(errors.as_lance_exception(caught.value), errors.LanceFormatException)


@conditional
def test_a_busy_store_is_asked_again(spark: SparkSession, moto: Moto) -> None:
    """Once for each kind of request while scanning and writing; S3A waits and asks again."""
    uri = by_store("busy")
    spark.range(50_000).selectExpr("id", "repeat(string(id), 8) AS s").write.format("lance").save(uri)
    before = moto.requests["503"]
    for method in ("GET", "HEAD", "PUT"):
        moto.fail(1, lambda request, method=method: request["REQUEST_METHOD"] == method)
    moto.fail(1, lambda request: request["REQUEST_METHOD"] == "GET" and ".lance" in request["PATH_INFO"])
    found = spark.read.format("lance").load(uri).selectExpr("sum(id)", "sum(length(s))").head()
    assert found[0] == 49_999 * 25_000
    spark.range(1).selectExpr("id", "string(id) AS s").write.format("lance").mode("append").save(uri)
    assert spark.read.format("lance").load(uri).count() == 50_001
    assert moto.requests["503"] - before == 4


@conditional
def test_scans_read_ranges_of_what_they_need(spark: SparkSession, moto: Moto) -> None:
    """By S3A's vectored reads: a column of four, and single rows, take few requests."""
    uri = by_store("ranges")
    columns = ["id", "repeat(string(id), 4) AS a", "repeat(string(id), 30) AS b", "id * 3 AS c"]
    spark.range(0, 200_000, 1, 1).selectExpr(*columns).write.format("lance").save(uri)
    read = spark.read.format("lance").load(uri)
    before = moto.requests["GET"]
    assert read.selectExpr("sum(c)").head()[0] == 3 * 199_999 * 100_000
    assert read.where("_rowaddr = 123456").select("id", "b").collect() == [(123456, "123456" * 30)]
    assert moto.requests["GET"] - before < 40
    theirs = lance.dataset(uri, storage_options=moto.options).to_table(columns=["id", "c"])
    assert theirs["c"].to_pylist() == [3 * i for i in range(200_000)]


def test_settings_of_one_table(spark: SparkSession, moto: Moto) -> None:
    """A bucket that the session's settings do not reach, by options of the read and the write; no plan shows them."""
    moto.s3.create_bucket(Bucket="distant")
    session = "fs.s3a.bucket.distant.endpoint"
    spark.conf.set(session, "http://127.0.0.1:1")
    spark.conf.set("fs.s3a.attempts.maximum", "1")
    try:
        uri = f"s3+ddb://distant/own?ddbTableName={RECORDS}"
        own = {session: moto.url, "fs.s3a.bucket.distant.secret.key": "not-to-be-seen"}
        spark.range(3).write.format("lance").options(**own).save(uri)
        spark.range(3, 5).write.format("lance").mode("append").options(**own).save(uri)
        read = spark.read.format("lance").options(**own).load(uri)
        assert read.count() == 5
        plan = spark._jvm.PythonSQLUtils.explainString(read._jdf.queryExecution(), "extended")
        assert "not-to-be-seen" not in plan
    finally:
        spark.conf.unset(session)
        spark.conf.unset("fs.s3a.attempts.maximum")


def test_settings_of_a_catalog(spark: SparkSession, moto: Moto) -> None:
    moto.s3.create_bucket(Bucket="other")
    prefix = "spark.sql.catalog.other"
    spark.conf.set(prefix, "io.sparklance.spark.LanceCatalog")
    spark.conf.set("fs.s3a.bucket.other.endpoint", "http://127.0.0.1:1")
    spark.conf.set(f"{prefix}.fs.s3a.bucket.other.endpoint", moto.url)
    try:
        spark.conf.set(f"{prefix}.warehouse", f"s3+ddb://other/lake?ddbTableName={RECORDS}")
        name = "other.t"
        spark.sql(f"CREATE TABLE {name} AS SELECT 1 AS id")
        spark.sql(f"INSERT INTO {name} VALUES (2)")
        assert sorted(spark.sql(f"SELECT id FROM {name}").collect()) == [(1,), (2,)]
    finally:
        spark.conf.unset("fs.s3a.bucket.other.endpoint")


@ways
def test_tables_with_a_name(spark: SparkSession, moto: Moto, at) -> None:
    uri = at(f"named-{at.__name__}")
    name = f"named_{at.__name__}"
    spark.sql(f"CREATE TABLE {name} (id BIGINT) USING lance LOCATION '{uri}'")
    spark.sql(f"INSERT INTO {name} VALUES (1), (2)")
    lance.write_dataset(table(3, 5), uri, mode="append", storage_options=moto.options)
    assert sorted(row[0] for row in spark.table(name).collect()) == [1, 2, 3, 4]
    spark.sql(f"DROP TABLE {name}")


@conditional
def test_files_in_another_bucket(spark: SparkSession, moto: Moto, tmp: str) -> None:
    """Base paths, as pylance writes them, from a table on the machine to a bucket and from there to another."""
    moto.s3.create_bucket(Bucket="bases")
    for number, uri in enumerate([f"{tmp}/local", by_store("with-base")]):
        base = f"s3://bases/{number}"
        first = lance.write_dataset(table(0, 3), uri, storage_options=moto.options)
        first.add_bases([lance.DatasetBasePath(base, name="far", is_dataset_root=True)])
        lance.write_dataset(table(3, 6), uri, mode="append", storage_options=moto.options, target_bases=["far"])
        assert ids(spark, uri) == list(range(6))


@pytest.mark.skipif(hadoop() != "3.4.1", reason="this S3A can put on condition")
def test_an_old_client_is_refused(spark: SparkSession) -> None:
    with pytest.raises(Exception, match=r"hadoop-aws 3\.4\.2"):
        spark.range(1).write.format("lance").save(by_store("old"))


@conditional
def test_a_client_that_may_not_put_on_condition_is_refused(spark: SparkSession) -> None:
    own = {"fs.s3a.create.conditional.enabled": "false"}
    with pytest.raises(Exception, match="LANCE_INVALID_USAGE") as caught:
        spark.range(1).write.format("lance").options(**own).save(by_store("off"))
    found = errors.as_lance_exception(caught.value)
    assert isinstance(found, errors.LanceUsageException)
    assert "s3+ddb://" in str(found)
    spark.range(1).write.format("lance").options(**own, commitHandler="unguarded").save(by_store("off"))
    assert ids(spark, by_store("off")) == [0]
