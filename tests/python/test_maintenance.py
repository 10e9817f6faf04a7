"""Compaction and clean-up in Python."""

from datetime import timedelta

import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from sparklance.errors import LanceUsageException


def dataset(spark: SparkSession, path: str, fragments: int = 4) -> LanceDataset:
    found = LanceDataset.create(spark, spark.range(10).coalesce(1), path)
    for i in range(1, fragments):
        found.insert(spark.range(10 * i, 10 * i + 10).coalesce(1))
    return found


def test_files_are_compacted_as_the_arguments_say(spark: SparkSession, tmp: str) -> None:
    ds = dataset(spark, f"{tmp}/t.lance")
    done = ds.optimize.compact_files(target_rows_per_fragment=20, max_source_fragments=2)
    assert (done.fragments_removed, done.fragments_added, done.files_removed, done.files_added) == (2, 1, 2, 1)
    assert ds.version == 6
    assert [fragment.physical_rows for fragment in ds.fragments] == [10, 10, 20]
    first = ds.fragments[0].id
    assert ds.optimize.compact_files(excluded_fragment_ids=[first]).fragments_removed == 2
    spark.sql(f"DELETE FROM lance.`{ds.uri}` WHERE id < 13")
    ds.checkout_latest()
    none = ds.optimize.compact_files(materialize_deletions=False, target_rows_per_fragment=1)
    assert none.fragments_removed == 0
    assert ds.optimize.compact_files(materialize_deletions_threshold=0.05).fragments_added == 1
    assert sorted(ds.to_arrow()["id"].to_pylist()) == list(range(13, 40))
    ds.validate()


def test_old_versions_are_removed_as_the_arguments_say(spark: SparkSession, tmp: str) -> None:
    ds = dataset(spark, f"{tmp}/t.lance", fragments=5)
    assert ds.cleanup_old_versions().old_versions == 0
    assert ds.explain_cleanup_old_versions(timedelta(0), retain_versions=3).old_versions == 2
    assert ds.cleanup_old_versions(timedelta(days=1), retain_versions=3).old_versions == 0
    assert ds.cleanup_old_versions(timedelta(0), retain_versions=3).old_versions == 2
    ds.tags.create("third", 3)
    with pytest.raises(LanceUsageException, match="'third'"):
        ds.cleanup_old_versions(versions=[3, 4])
    planned = ds.explain_cleanup_old_versions(versions=[3, 4], error_if_tagged_old_versions=False)
    assert (planned.old_versions, planned.keeping_tags, planned.keeping_branches) == (1, ["third"], [])
    done = ds.cleanup_old_versions(versions=[3, 4], error_if_tagged_old_versions=False)
    assert done.old_versions == 1
    assert [version["version"] for version in ds.versions()] == [3, 5]
    assert ds.count_rows() == 50


def test_clean_up_after_commits_is_switched_on_and_off(spark: SparkSession, tmp: str) -> None:
    ds = dataset(spark, f"{tmp}/t.lance", fragments=1)
    ds.optimize.enable_auto_cleanup({"interval": 1, "older_than_seconds": 0})
    ds.insert(spark.range(1))
    assert len(ds.versions()) == 1
    ds.optimize.disable_auto_cleanup()
    ds.insert(spark.range(1))
    assert len(ds.versions()) == 3
    assert ds.config() == {}
