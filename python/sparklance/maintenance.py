"""Compaction and clean-up. See docs/maintenance.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypedDict

from sparklance._paths import PathOrName, path_or_name
from sparklance._procedures import call
from sparklance.conditions import checked

if TYPE_CHECKING:
    from sparklance.dataset import LanceDataset


@dataclass(frozen=True)
class CompactionMetrics:
    """Numbers of removed and added fragments, and of their files, deletion files included."""

    fragments_removed: int
    fragments_added: int
    files_removed: int
    files_added: int


@dataclass(frozen=True)
class CleanupStats:
    """Counts of removed files and versions. Files that could not be removed count only in `failed_deletes`."""

    bytes_removed: int
    old_versions: int
    data_files_removed: int
    transaction_files_removed: int
    index_files_removed: int
    deletion_files_removed: int
    failed_deletes: int
    #: Of a dry run: tags and branches for which old versions stay.
    keeping_tags: Sequence[str] = ()
    keeping_branches: Sequence[str] = ()


@dataclass(frozen=True)
class ErasureFinding:
    """Something that `erase` does, or a place that still holds erased rows, which it does not change.

    `kind` is what `place` names: a fragment, an index, a version, a tag and so on (docs/erasure.md).
    """

    kind: str
    place: str
    detail: str
    remains: bool


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of a column for Spark's optimizer: counts of rows, bounds as text, and lengths in bytes.

    `distinct_values` is an estimate. Strings and binary have no bounds.
    """

    column: str
    rows: int
    nulls: int
    distinct_values: int
    min: str | None
    max: str | None
    average_length: int
    longest_length: int


class AutoCleanupConfig(TypedDict):
    """After how many versions a table is cleaned up, and how old versions are that go."""

    interval: int
    older_than_seconds: int


class DatasetOptimizer:
    """Changes how a table is stored, and not what is in it."""

    def __init__(self, dataset: "LanceDataset") -> None:
        self._dataset = dataset

    def compact_files(
        self,
        *,
        target_rows_per_fragment: int | None = None,
        max_bytes_per_file: int | None = None,
        materialize_deletions: bool | None = None,
        materialize_deletions_threshold: float | None = None,
        max_source_fragments: int | None = None,
        max_source_rows: int | None = None,
        max_source_bytes: int | None = None,
        excluded_fragment_ids: Sequence[int] | None = None,
        data_storage_version: str | None = None,
        max_files_per_fragment: int | None = None,
        column_groups: str | None = None,
        skip_indices: bool = False,
    ) -> CompactionMetrics:
        """Joins small fragments, and rewrites fragments with many deleted rows, by a Spark job.

        A fragment with more than `max_files_per_fragment` data files gets fewer: its column files are merged.
        `column_groups` names columns that keep files of their own, as `"image; audio, video"`.

        Further jobs index the rows that moved, unless `skip_indices` leaves that to `optimize_indices`.

        >>> ds = LanceDataset(spark, path)
        >>> ds.insert(spark.range(3, 5))
        >>> ds.optimize.compact_files().fragments_added
        1
        >>> len(ds.fragments), ds.count_rows()
        (1, 5)
        """
        excluded = list(excluded_fragment_ids) if excluded_fragment_ids else None
        (row,) = call(
            self._dataset.spark,
            "compact",
            table=self._dataset.uri,
            target_rows_per_fragment=target_rows_per_fragment,
            max_bytes_per_file=max_bytes_per_file,
            materialize_deletions=materialize_deletions,
            materialize_deletions_threshold=materialize_deletions_threshold,
            max_source_fragments=max_source_fragments,
            max_source_rows=max_source_rows,
            max_source_bytes=max_source_bytes,
            data_storage_version=data_storage_version,
            max_files_per_fragment=max_files_per_fragment,
            excluded_fragment_ids=excluded,
            column_groups=column_groups,
            skip_indices=skip_indices,
        )
        self._dataset.checkout_latest()
        return CompactionMetrics(row.fragments_removed, row.fragments_added, row.files_removed, row.files_added)

    def optimize_indices(
        self,
        *,
        num_indices_to_merge: int | None = None,
        index_names: Sequence[str] | None = None,
        retrain: bool = False,
    ) -> None:
        """Adds the rows that indices do not cover, by a Spark job for each index (docs/indices.md).

        Only uncovered fragments are read, and get a new segment. With `num_indices_to_merge`, this number of the
        newest segments become part of it; with `retrain`, all segments do.

        >>> ds = LanceDataset(spark, path)
        >>> ds.create_scalar_index("id", "BTREE")
        >>> ds.insert(spark.range(3, 5))
        >>> ds.optimize.optimize_indices()
        >>> ds.index_statistics("id_idx")["num_unindexed_rows"]
        0
        """
        call(
            self._dataset.spark,
            "optimize_indices",
            table=self._dataset.uri,
            index_names=list(index_names) if index_names else None,
            num_indices_to_merge=num_indices_to_merge,
            retrain=retrain,
        )
        self._dataset.checkout_latest()

    def analyze(self, columns: Sequence[str] | None = None) -> list[ColumnStatistics]:
        """Collects statistics of top-level columns for Spark's optimizer, by a Spark job (docs/statistics.md).

        Without `columns`, it takes all that can have statistics: no lists, maps, structs and vectors.

        >>> ds = LanceDataset(spark, path)
        >>> [(found.column, found.rows, found.min, found.max) for found in ds.optimize.analyze()]
        [('id', 3, '0', '2')]
        """
        names = None if columns is None else list(columns)
        rows = call(self._dataset.spark, "analyze", table=self._dataset.uri, columns=names)
        self._dataset.checkout_latest()
        return [ColumnStatistics(**row.asDict()) for row in rows]

    def enable_auto_cleanup(self, auto_cleanup_config: AutoCleanupConfig) -> None:
        """Lets commits of anybody remove old versions."""
        self._dataset.update_config(
            {
                "lance.auto_cleanup.interval": str(auto_cleanup_config["interval"]),
                "lance.auto_cleanup.older_than": f"{auto_cleanup_config['older_than_seconds']}s",
            }
        )

    def disable_auto_cleanup(self) -> None:
        """Ends that."""
        self._dataset.delete_config_keys(["lance.auto_cleanup.interval", "lance.auto_cleanup.older_than"])


def cleaned_up(
    dataset: "LanceDataset",
    older_than: timedelta | None,
    retain_versions: int | None,
    delete_unverified: bool,
    error_if_tagged_old_versions: bool,
    versions: Sequence[int] | None,
    dry_run: bool,
) -> CleanupStats:
    """Removes old versions of a table, or says what it would remove."""
    age = None if older_than is None else f"{older_than // timedelta(microseconds=1)}us"
    (row,) = call(
        dataset.spark,
        "cleanup",
        table=dataset.uri,
        older_than=age,
        retain_versions=retain_versions,
        delete_unverified=delete_unverified,
        error_if_tagged_old_versions=error_if_tagged_old_versions,
        versions=None if versions is None else list(versions),
        dry_run=dry_run,
    )
    return CleanupStats(**row.asDict())


def erased(
    dataset: "LanceDataset",
    condition: str,
    dry_run: bool,
    delete_unverified: bool,
    clones: Sequence[PathOrName] | None,
) -> list[ErasureFinding]:
    """Erases rows, or says what that would do and leave."""
    checked(condition)
    rows = call(
        dataset.spark,
        "erase",
        table=dataset.uri,
        condition=condition,
        dry_run=dry_run,
        delete_unverified=delete_unverified,
        clones=None if clones is None else [path_or_name(clone) for clone in clones],
    )
    return [ErasureFinding(**row.asDict()) for row in rows]
