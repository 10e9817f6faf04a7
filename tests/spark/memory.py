"""The program that test_memory.py runs in a process of its own, with a heap of 1 GB: `memory.py <case> <path>`."""

import sys

from pyspark.sql import DataFrame, SparkSession

import sparklance
from sparklance import LanceDataset


def large_values(spark: SparkSession) -> DataFrame:
    """A value of 100 MB between small ones."""
    value = "IF(id = 1, CAST(repeat(char(97 + id), 100000000) AS BINARY), CAST(CAST(id AS STRING) AS BINARY)) AS value"
    return spark.range(0, 3, 1, 1).selectExpr("id", value)


def one_value(spark: SparkSession) -> DataFrame:
    """A value of 100 MB alone in its page, which becomes a constant page."""
    return spark.range(0, 1, 1, 1).selectExpr("CAST(repeat(char(98 + id), 100000000) AS BINARY) AS value")


def many_columns(spark: SparkSession) -> DataFrame:
    """10,000 columns of some types that are encoded in different ways."""
    kinds = ("id", "CAST(id AS INT)", "CAST(id % 7 AS DOUBLE)", "CAST(id AS STRING)")
    return spark.range(0, 4000, 1, 2).selectExpr(*[f"{kinds[i % 4]} AS c{i}" for i in range(10_000)])


def vectors(spark: SparkSession) -> DataFrame:
    """Lists of 4,096 floats, of fixed and of any length: 390 MB in all."""
    items = "transform(sequence(0, 4095), i -> CAST(id * 4096 + i AS FLOAT))"
    rows = spark.range(0, 12_000, 1, 2).selectExpr("id", f"{items} AS v", "IF(id % 2 = 0, v, NULL) AS w")
    return rows.withMetadata("v", {"arrow.fixed-size-list.size": 4096})


def large_text(spark: SparkSession) -> DataFrame:
    """A text of 100 MB between small ones."""
    large = "repeat(concat('alpha beta ', 'w', id, ' '), 6600000)"
    return spark.range(0, 3, 1, 1).selectExpr("id", f"IF(id = 1, {large}, concat('beta row', id)) AS body")


CASES = {"large values": large_values, "one value": one_value, "many columns": many_columns, "vectors": vectors}
# Of these an index is built, too.
INDEXED = {"large text": large_text}

if __name__ == "__main__":
    case, path = sys.argv[1:]
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "1g")
    )
    session = sparklance.configure(builder).getOrCreate()
    rows = {**CASES, **INDEXED}[case](session)
    rows.write.format("lance").save(path)
    if case in INDEXED:
        LanceDataset(session, path).create_scalar_index("body", "INVERTED", with_position=True)
