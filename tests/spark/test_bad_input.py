"""Bad input fails at once, with one clear error of ours, and leaves nothing behind."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance.errors import LanceException, as_lance_exception


def failure(action: Callable[[], object]) -> str:
    """The class and message of the connector's error, without condition and SQLSTATE."""
    with pytest.raises(Exception) as raised:  # noqa: PT011
        # Over Spark Connect a frame is resolved when something is asked of it.
        getattr(action(), "schema", None)
    error = as_lance_exception(raised.value)
    assert isinstance(error, LanceException), raised.value
    return f"{type(error).__name__}: {error.getMessageParameters()['message']}"


@pytest.fixture
def table(spark: SparkSession, tmp: str) -> str:
    path = f"{tmp}/t.lance"
    spark.range(5000).selectExpr("id", "cast(id AS string) AS name").coalesce(1).write.format("lance").save(path)
    return path


def files(path: str) -> set[str]:
    return {str(file.relative_to(path)) for file in Path(path).rglob("*") if file.is_file()}


def test_a_path_that_is_not_there(spark: SparkSession, tmp: str) -> None:
    message = failure(lambda: spark.read.format("lance").load(f"{tmp}/nothing"))
    assert message.startswith("LanceTableNotFoundException: There is no Lance table at")
    assert "nothing at that path" in message


def test_an_empty_directory(spark: SparkSession, tmp: str) -> None:
    assert "has no manifest in _versions" in failure(lambda: spark.read.format("lance").load(tmp))


def test_a_directory_of_another_format(spark: SparkSession, tmp: str) -> None:
    spark.range(3).write.parquet(f"{tmp}/t.parquet")
    message = failure(lambda: spark.read.format("lance").load(f"{tmp}/t.parquet"))
    assert re.search(r"there (is|are) \d+ \.parquet files?\. Check the path", message), message
    assert f"CREATE TABLE … USING lance AS SELECT * FROM parquet.`file:{tmp}/t.parquet`" in message


@pytest.mark.parametrize("mode", ["error", "ignore", "append", "overwrite"])
def test_a_write_into_a_directory_of_another_format(spark: SparkSession, tmp: str, mode: str) -> None:
    place, other = f"{tmp}/t.parquet", f"{tmp}/other"
    spark.range(3).write.parquet(place)
    before = files(place)
    message = failure(lambda: spark.range(5).write.format("lance").mode(mode).save(place))
    assert message.startswith("LanceUsageException: A Lance table cannot be created at"), message
    assert files(place) == before
    assert spark.read.parquet(place).count() == 3
    conversion = message.split("elsewhere: ")[1].removesuffix(".").replace("…", f"lance.`{other}`")
    spark.sql(conversion)
    assert spark.read.format("lance").load(other).count() == 3


def test_a_version_that_is_not_there(spark: SparkSession, table: str) -> None:
    message = failure(lambda: spark.read.format("lance").option("version", 7).load(table))
    assert "has no version 7" in message


def test_a_missing_data_file(spark: SparkSession, table: str) -> None:
    for file in Path(table, "data").iterdir():
        file.unlink()
    with pytest.raises(Exception, match=r"data/[01]{24}[0-9a-f]{26}\.lance"):
        spark.read.format("lance").load(table).collect()


@pytest.mark.parametrize("kept", [0, 39, 0.5, -1])
def test_a_truncated_data_file(spark: SparkSession, table: str, kept: float) -> None:
    (file,) = Path(table, "data").iterdir()
    data = file.read_bytes()
    end = int(len(data) * kept) if isinstance(kept, float) else kept
    file.write_bytes(data[:end])
    message = failure(lambda: spark.read.format("lance").load(table).collect())
    assert message.startswith("LanceFormatException: ")
    assert file.name in message


def test_a_corrupt_manifest(spark: SparkSession, table: str) -> None:
    (file,) = Path(table, "_versions").glob("*.manifest")
    file.write_bytes(file.read_bytes()[:-20])
    message = failure(lambda: spark.read.format("lance").load(table))
    assert message.startswith("LanceFormatException: ")
    assert file.name in message


def test_a_column_that_does_not_exist(spark: SparkSession, table: str) -> None:
    with pytest.raises(Exception, match=r"UNRESOLVED_COLUMN.*nope"):
        _ = spark.read.format("lance").load(table).select("nope").schema


def test_an_append_that_does_not_fit(spark: SparkSession, table: str) -> None:
    before = files(table)
    wrong_type = spark.sql("SELECT array(1) AS id, 'x' AS name")
    too_many = spark.sql("SELECT 1L AS id, 'x' AS name, 2 AS more")
    refused = ((wrong_type, "INCOMPATIBLE_DATA_FOR_TABLE"), (too_many, r"lacks: more\. Give option 'mergeSchema'"))
    for rows, message in refused:
        with pytest.raises(Exception, match=message):
            rows.write.format("lance").mode("append").save(table)
    assert files(table) == before


def test_types_that_lance_tables_cannot_hold_yet(spark: SparkSession, tmp: str) -> None:
    rows = spark.range(3).selectExpr("parse_json('1') AS any", "array(parse_json('2')) AS list")
    message = failure(lambda: rows.write.format("lance").save(f"{tmp}/t.lance"))
    assert "column 'any' of type variant" in message
    assert "column 'list.item' of type variant" in message
    assert not Path(tmp, "t.lance").exists()


def test_an_option_that_does_not_exist(spark: SparkSession, table: str) -> None:
    message = failure(lambda: spark.read.format("lance").option("verson", 1).load(table))
    assert "Did you mean 'version'?" in message


def test_partitions(spark: SparkSession, tmp: str) -> None:
    writer = spark.range(3).write.format("lance").partitionBy("id")
    assert "has no partitions" in failure(lambda: writer.save(f"{tmp}/t.lance"))
    assert not Path(tmp, "t.lance").exists()


def test_a_failing_job_leaves_nothing(spark: SparkSession, table: str) -> None:
    before = files(table)
    rows = spark.range(0, 2_000_000, 1, 4).selectExpr("id", "if(id < 1510000, 'x', raise_error('no more')) AS name")
    with pytest.raises(Exception, match="no more"):
        rows.write.format("lance").mode("append").save(table)
    # The job fails at once. Its other tasks are killed meanwhile, and each then removes its file.
    deadline = time.monotonic() + 60
    while files(table) != before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert files(table) == before
    with pytest.raises(Exception, match="no more"):
        rows.write.format("lance").save(f"{table}.new")
    assert not Path(f"{table}.new", "_versions").exists()


def test_a_table_that_a_newer_lance_must_read(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    table = pa.table({"id": pa.array(range(10), pa.int64())})
    lance.write_dataset(table, path)
    manifest = next(Path(path, "_versions").glob("*.manifest"))
    data = manifest.read_bytes()
    position = int.from_bytes(data[-16:-8], "little")
    length = int.from_bytes(data[position : position + 4], "little")
    flagged = data[position + 4 : position + 4 + length] + b"\x48\x80\x80\x80\x80\x80\x80\x80\x80\x40"  # reader flag 62
    manifest.write_bytes(data[:position] + len(flagged).to_bytes(4, "little") + flagged + data[-16:])
    message = failure(lambda: spark.read.format("lance").load(path))
    assert message.startswith("UnsupportedLanceFeatureException: ")
    assert "bit 62" in message


@pytest.mark.parametrize("default", ["repeat('x', 2000000000)", "(" * 10000 + "1" + ")" * 10000])
def test_a_default_of_others_that_would_exhaust_the_driver(spark: SparkSession, tmp: str, default: str) -> None:
    table = f"lance.`{tmp}/t.lance`"
    spark.sql(f"CREATE TABLE {table} (id INT, n STRING DEFAULT 'a')").collect()
    values = f"map('CURRENT_DEFAULT', \"{default}\", 'EXISTS_DEFAULT', \"{default}\")"
    spark.sql(f"CALL lance.system.update_field_metadata('{tmp}/t.lance', 'n', {values})").collect()
    spark.sql(f"INSERT INTO {table} VALUES (1, 'b')").collect()
    assert spark.table(table).collect() == [(1, "b")]
    with pytest.raises(Exception, match=r"`n` has a DEFAULT value refused by sparklance, .* SET DEFAULT"):
        spark.sql(f"INSERT INTO {table} VALUES (1, DEFAULT)").collect()
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN n DROP DEFAULT").collect()
    spark.sql(f"INSERT INTO {table} (id) VALUES (2)").collect()
    assert sorted(spark.table(table).collect()) == [(1, "b"), (2, None)]
