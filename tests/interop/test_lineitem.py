"""TPC-H `lineitem`, three ways: written by pylance in both file versions and by us, equal to the Parquet file."""

import subprocess
import sys
from pathlib import Path

import lance
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from tests.interop.compare import assert_same

pytestmark = pytest.mark.slow

TPCHGEN = Path(sys.executable).with_name("tpchgen-cli")


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory, full: bool) -> str:
    folder = tmp_path_factory.mktemp("tpch")
    scale = "1" if full else "0.01"
    command = [TPCHGEN, "parquet", "-s", scale, "--tables=lineitem", f"--output-dir={folder}"]
    subprocess.run(command, check=True)
    return str(folder / "lineitem.parquet")


def assert_equal_by_column(spark: SparkSession, parquet: str, path: str, full: bool) -> None:
    """At scale 1 one column at a time, since all of them do not fit in the driver."""
    names = pq.read_schema(parquet).names
    for columns in [[name] for name in names] if full else [names]:
        expected = pq.read_table(parquet, columns=columns)
        kinds = [(f.name, pa.string() if f.type == pa.string_view() else f.type) for f in expected.schema]
        expected = expected.cast(pa.schema(kinds))
        assert_same(expected, spark.read.format("lance").load(path).select(*columns).toArrow())


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_spark_reads_lineitem_of_pylance(spark: SparkSession, parquet: str, tmp: str, full: bool, version: str) -> None:
    batches = pq.ParquetFile(parquet).iter_batches()
    schema = pq.read_schema(parquet)
    lance.write_dataset(batches, f"{tmp}/t.lance", schema=schema, data_storage_version=version)
    assert_equal_by_column(spark, parquet, f"{tmp}/t.lance", full)


def test_pylance_reads_lineitem_of_spark(spark: SparkSession, parquet: str, tmp: str, full: bool) -> None:
    path = f"{tmp}/t.lance"
    spark.read.parquet(parquet).coalesce(1).write.format("lance").save(path)
    dataset = lance.dataset(path)
    dataset.validate()
    for name in pq.read_schema(parquet).names:
        assert_same(pq.read_table(parquet, columns=[name]), dataset.to_table(columns=[name]))
    assert_equal_by_column(spark, parquet, path, full)
