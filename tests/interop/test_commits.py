"""pylance reads our transactions."""

import lance
from pyspark.sql import SparkSession


def properties(path: str, version: int) -> dict[str, str]:
    """Properties of the user, or of a batch."""
    found = lance.dataset(path).read_transaction(version).transaction_properties
    return {key: value for key, value in found.items() if not key.startswith("sparklance.") or ".txn" in key}


def test_a_transaction_keeps_notes_message_and_batch(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    first = spark.range(3).write.format("lance").option("commit.Message", "the first")
    first.option("commit.job", "nightly").save(path)
    assert properties(path, 1) == {"__lance_commit_message": "the first", "job": "nightly"}

    batch = spark.range(3).write.format("lance").option("txnAppId", "job").option("txnVersion", 7)
    for _ in range(2):
        batch.mode("append").save(path)
    kept = {"sparklance.txnAppId": "job", "sparklance.txnVersion": "7"}
    assert properties(path, 2) == kept
    assert lance.dataset(path).count_rows() == 6
    lance.dataset(path).validate()
