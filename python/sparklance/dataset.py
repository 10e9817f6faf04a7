"""`LanceDataset`: a table at one of its versions, with the method names of pylance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from sparklance import changes, columns, indices
from sparklance._identifiers import quoted
from sparklance._paths import PathOrName, is_path, path_or_name, path_text
from sparklance._procedures import call
from sparklance._statements import running
from sparklance.alterations import alter_columns, drop_columns
from sparklance.changes import MergeInsertBuilder
from sparklance.columns import NewValues, Values
from sparklance.delta import DatasetDelta, bounds, read_changes
from sparklance.description import DescribedTable
from sparklance.errors import LanceFormatException, LanceTableNotFoundException
from sparklance.indices import IndexConfig, IndexDescription
from sparklance.inputs import Data, frame
from sparklance.maintenance import CleanupStats, DatasetOptimizer, ErasureFinding, cleaned_up, erased
from sparklance.operations import BaseOperation, LanceOperation, Transaction
from sparklance.reference import Reference, reference_text
from sparklance.refs import Branches, Tags
from sparklance.rows import Filter

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from sparklance.alterations import AlterColumn

_MODES = {"create": "error", "append": "append", "overwrite": "overwrite"}


class LanceDataset(DescribedTable):
    """A table at one of its versions, which stays the same whatever others commit.

    A method that changes the table leaves the dataset at the version that it made. Everything works over Spark Connect,
    too: it is SQL, procedures (docs/procedures.md) and DataFrames.

    >>> ds = LanceDataset(spark, path)
    >>> ds.version, ds.count_rows()
    (1, 3)
    >>> ds.to_df(columns=["id"], filter="id > 0").show()
    +---+
    | id|
    +---+
    |  1|
    |  2|
    +---+
    <BLANKLINE>
    """

    @classmethod
    def for_path(cls, spark: SparkSession, path: PathOrName, version: Reference | None = None) -> LanceDataset:
        """Opens the table in a directory."""
        return cls(spark, path_text(path), version)

    @classmethod
    def for_name(cls, spark: SparkSession, name: str, version: Reference | None = None) -> LanceDataset:
        """Opens a table of a catalog."""
        return cls(spark, name, version)

    @staticmethod
    def exists(spark: SparkSession, path_or_table: PathOrName) -> bool:
        """Whether there is a Lance table.

        >>> LanceDataset.exists(spark, path), LanceDataset.exists(spark, path + "/nothing")
        (True, False)
        """
        table = path_or_name(path_or_table)
        if not is_path(table):
            return bool(spark.catalog.tableExists(table))
        try:
            call(spark, "manifest", table=table)
        except LanceTableNotFoundException:
            return False
        return True

    @classmethod
    def create(
        cls, spark: SparkSession, data: Data, path: PathOrName, mode: str = "create", **options: Any
    ) -> LanceDataset:
        """Writes rows to a path, and opens the table.

        The mode is `create`, for a new table, `append`, or `overwrite`, which replaces rows and columns. The
        options are those of any write (docs/options.md). Data are a DataFrame, Arrow's table, batch or reader, a pandas
        or polars frame, or a dict of columns. Vectors of Arrow and numpy stay vectors (docs/vector-search.md).

        >>> import numpy as np
        >>> ds = LanceDataset.create(spark, {"id": [1, 2], "v": np.array([[1.0, 0.0], [0.0, 1.0]])}, path + "/vectors")
        >>> ds.search([0.0, 0.9]).limit(1).to_arrow()["id"].to_pylist()
        [2]
        """
        _write(spark, data, path_text(path), _MODES[mode], options)
        return cls.for_path(spark, path)

    # ---- changing rows

    def insert(self, data: Data, mode: str = "append", **options: Any) -> None:
        """Adds rows. With mode `overwrite`, replaces all rows and the columns. Fails if the table was removed.

        >>> ds = LanceDataset(spark, path)
        >>> ds.insert(spark.range(3, 5))
        >>> ds.version, ds.count_rows()
        (2, 5)
        """
        # A write would make a table where there is none.
        self.checkout_latest()
        _write(self.spark, data, self._uri, _MODES[mode], options)
        self.checkout_latest()

    def delete(self, predicate: Filter) -> dict[str, int]:
        """Deletes the rows that fulfil a condition.

        >>> ds = LanceDataset(spark, path)
        >>> ds.delete("id > 1")
        {'num_deleted_rows': 1}
        >>> ds.version, ds.count_rows()
        (2, 2)
        """
        counts = changes.delete(self.spark, self._sql_name, predicate)
        self.checkout_latest()
        return counts

    def update(
        self,
        updates: Mapping[str, str | Column],
        where: Filter | None = None,
        *,
        rewrite: Literal["rows", "cheaper"] = "rows",
    ) -> dict[str, int]:
        """Sets columns to the values of expressions, in all rows or in those that fulfil a condition.

        Changed rows are written as `updateMode` says, by default again with all columns. With `rewrite="cheaper"`, each
        fragment goes the way that writes fewer bytes (docs/changing-columns.md#update-and-merge).

        >>> LanceDataset(spark, path).update({"id": "id + 10"}, where="id > 0")
        {'num_rows_updated': 2}
        """
        if rewrite not in ("rows", "cheaper"):
            raise ValueError(f"rewrite is 'rows' or 'cheaper', not {rewrite!r}.")
        counts = changes.update(self.spark, self._sql_name, updates, where, chooses=rewrite == "cheaper")
        self.checkout_latest()
        return counts

    def merge_insert(self, on: str | Sequence[str] | None = None) -> MergeInsertBuilder:
        """Updates, inserts and deletes rows by a source with the same keys; without `on`, by the primary key.

        >>> ds = LanceDataset(spark, path)
        >>> upsert = ds.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
        >>> counts = upsert.execute(spark.range(2, 4))
        >>> counts["num_updated_rows"], counts["num_inserted_rows"]
        (1, 1)
        >>> ds.checkout_latest()
        >>> ds.count_rows()
        4
        """
        return MergeInsertBuilder(self.spark, self._sql_name, on)

    # ---- changing columns

    def add_columns(
        self,
        transforms: NewValues,
        read_columns: Sequence[str] | None = None,
        *,
        on: str | Sequence[str] | None = None,
        job_id: str | None = None,
    ) -> None:
        """Adds columns with values, and writes only these (docs/changing-columns.md).

        `transforms` are names with expressions, in SQL or as `Column`s; `Column`s with aliases; a function of Spark
        (`udf`, `pandas_udf`) that makes a struct of the new columns of `read_columns`; or a DataFrame that has the new
        columns and `_rowaddr`, `_rowid` or the keys `on`. If a call fails, the next one with the same `job_id`
        continues from its finished fragments. Columns of a schema, Spark's or Arrow's, are null in all rows, and
        nothing is written.

        >>> ds = LanceDataset(spark, path)
        >>> ds.add_columns({"double": "id * 2"})
        >>> ds.add_columns(spark.createDataFrame([(1, "one")], "id LONG, word STRING"), on="id")
        >>> ds.to_df().show()
        +---+------+----+
        | id|double|word|
        +---+------+----+
        |  0|     0|NULL|
        |  1|     2| one|
        |  2|     4|NULL|
        +---+------+----+
        <BLANKLINE>
        """
        columns.add(self, transforms, read_columns, on, job_id)
        self.checkout_latest()

    def update_columns(
        self,
        transforms: Values,
        where: Filter | None = None,
        read_columns: Sequence[str] | None = None,
        *,
        on: str | Sequence[str] | None = None,
        job_id: str | None = None,
    ) -> None:
        """Changes values of columns, and writes only these columns. The rows stay in place.

        Takes the arguments of `add_columns`. Rows that do not fulfil the condition, or that a DataFrame lacks, keep
        their values. See docs/changing-columns.md for when `update` is better.

        >>> ds = LanceDataset(spark, path)
        >>> ds.update_columns({"id": "id + 10"}, where="id > 0")
        >>> ds.to_arrow()["id"].to_pylist()
        [0, 11, 12]
        """
        columns.update(self, transforms, where, read_columns, on, job_id)
        self.checkout_latest()

    def alter_columns(self, *alterations: AlterColumn) -> None:
        """Changes names, types or nullability of columns, named by their paths, all in one version.

        Only columns that change types are rewritten. Types are Spark's, Arrow's, or Lance's names. A value that the new
        type cannot hold is an error.

        >>> ds = LanceDataset(spark, path)
        >>> ds.alter_columns({"path": "id", "name": "key", "data_type": "int32"})
        >>> ds.schema.simpleString()
        'struct<key:int>'
        """
        alter_columns(self.spark, self._uri, alterations)
        self.checkout_latest()

    def drop_columns(self, columns: Sequence[str]) -> None:
        """Drops columns, or fields in them, without changing data files.

        >>> ds = LanceDataset(spark, path)
        >>> _ = spark.sql(f"ALTER TABLE lance.`{path}` ADD COLUMN name STRING")
        >>> ds.drop_columns(["name"])
        >>> ds.schema.names
        ['id']
        """
        drop_columns(self.spark, self._uri, columns)
        self.checkout_latest()

    @property
    def _sql_name(self) -> str:
        return f"lance.{quoted(self._uri)}"

    # ---- its versions

    def versions(self) -> list[dict[str, Any]]:
        """Returns all existing versions, oldest first: `version`, `timestamp`, and `metadata` with their sizes."""
        rows = [row.asDict() for row in call(self.spark, "versions", table=self._uri)]
        named = ("version", "timestamp")
        return [
            {key: row[key] for key in named} | {"metadata": {k: v for k, v in row.items() if k not in named}}
            for row in reversed(rows)
        ]

    def checkout_version(self, version: Reference) -> LanceDataset:
        """Opens another version.

        >>> LanceDataset(spark, path).checkout_version(1).count_rows()
        3
        """
        other = LanceDataset(self.spark, self._uri, version)
        other._name = self._name
        return other

    def restore(self) -> None:
        """Makes this version the latest one again, as a new version.

        >>> ds = LanceDataset(spark, path)
        >>> ds.insert(spark.range(3, 5))
        >>> ds = ds.checkout_version(1)
        >>> ds.restore()
        >>> ds.version, ds.count_rows()
        (3, 3)
        """
        call(self.spark, "restore", table=self._uri, version=str(self._version))
        self.checkout_latest()

    @property
    def tags(self) -> Tags:
        """Names of versions."""
        return Tags(self)

    @property
    def branches(self) -> Branches:
        """Histories that begin with a version of this one."""
        return Branches(self)

    def create_branch(self, branch: str, reference: Reference | None = None) -> LanceDataset:
        """Creates a branch, like `branches.create`."""
        return self.branches.create(branch, reference)

    def shallow_clone(self, target_path: PathOrName, reference: Reference | None = None) -> LanceDataset:
        """Makes a table at another path from a version, by default this one, and opens it.

        The clone uses the files of this table, so these must not be removed.
        """
        version = reference_text(self._version if reference is None else reference)
        target = path_or_name(target_path)
        call(self.spark, "shallow_clone", table=self._uri, target=target, version=version)
        return LanceDataset(self.spark, target)

    # ---- its commits

    @classmethod
    def commit(
        cls,
        spark: SparkSession,
        path_or_table: PathOrName,
        operation: BaseOperation | Transaction,
        read_version: int | None = None,
        *,
        commit_message: str | None = None,
        enable_stable_row_ids: bool = False,
    ) -> LanceDataset:
        """Commits an operation, or a transaction, and opens the new version.

        `read_version` is the version that the operation is based on: it must not conflict with later commits. Only an
        overwrite, which may make a table, and a clone need none.

        >>> change = LanceOperation.UpdateConfig(LanceOperation.UpdateMap({"owner": "me"}))
        >>> ds = LanceDataset.commit(spark, path, change, read_version=1, commit_message="mine")
        >>> ds.config(), ds.read_transaction(2).commit_message
        ({'owner': 'me'}, 'mine')
        """
        table = path_or_name(path_or_table)
        if isinstance(operation, BaseOperation):
            if read_version is None and not isinstance(operation, LanceOperation.Overwrite | LanceOperation.Clone):
                raise ValueError(
                    f"{type(operation).__name__} needs a read_version: the version of the table at which it was begun, "
                    "such as that of the LanceDataset from which it was made."
                )
            if read_version is None:
                read_version = _latest_if_any(spark, table, operation)
            operation = Transaction(read_version, operation)
        data = operation.with_message(commit_message).to_bytes()
        stable = enable_stable_row_ids
        call(spark, "commit", table=table, transaction=data, enable_stable_row_ids=stable)
        return cls(spark, table)

    def delta(
        self,
        compared_against: int | None = None,
        to_version: int | None = None,
        *,
        begin_version: int | None = None,
        end_version: int | None = None,
    ) -> DatasetDelta:
        """The differences between an older version and this one, or another later one.

        The older version is `compared_against` or `begin_version`; the later one `to_version` or `end_version`.

        >>> ds = LanceDataset(spark, path)
        >>> ds.insert(spark.range(3, 5))
        >>> ds.delta(1).get_inserted_rows().select("id").toArrow()["id"].to_pylist()
        [3, 4]
        """
        first, last = bounds(self._version, compared_against, to_version, begin_version, end_version)
        return DatasetDelta(
            lambda: read_changes(self.spark, self._uri, first + 1, last, net=True, equal_states=True),
            self.read_transaction,
            first,
            last,
        )

    def changes(self, start: int, end: int | None = None, *, net: bool = False) -> DataFrame:
        """The rows that the commits from version `start` to version `end`, or this one, have changed.

        They have the columns of the table, `_rowid`, `_change_type` (`insert`, `update_preimage`, `update_postimage`,
        `delete`), `_commit_version` and `_commit_timestamp`. With `net`, changes that a later commit of the range
        undid do not occur, and each row occurs in its first and last state, unless the two are equal.

        >>> ds = LanceDataset(spark, path)
        >>> ds.changes(1).where("id = 0").select("_change_type", "_commit_version").collect()
        [Row(_change_type='insert', _commit_version=1)]
        """
        return read_changes(self.spark, self._uri, start, self._version if end is None else end, net)

    def read_transaction(self, version: int | None = None) -> Transaction | None:
        """Returns the transaction that made a version, by default this one; None if it is unknown."""
        wanted = str(self._version if version is None else version)
        rows = call(self.spark, "read_transaction", table=self._uri, version=wanted)
        return Transaction.from_bytes(bytes(rows[0].transaction)) if rows else None

    def validate(self) -> None:
        """Checks manifest, files, deletions, row ids and indices against each other. An error lists all faults."""
        found = call(self.spark, "validate", table=self._uri, version=str(self._version))
        if found:
            shown = "; ".join(
                f"{row.problem}" + (f" (fragment {row.fragment})" if row.fragment is not None else "") for row in found
            )
            raise LanceFormatException(f"{self._uri}, version {self._version}: {shown}")

    # ---- indices

    def create_scalar_index(
        self,
        column: str,
        index_type: str | IndexConfig,
        name: str | None = None,
        *,
        replace: bool = True,
        train: bool = True,
        fragment_ids: Sequence[int] | None = None,
        **settings: Any,
    ) -> None:
        """Builds a scalar index on a column by a Spark job (docs/indices.md).

        The default name is `<column>_idx`. Without `train`, the index covers no fragment until `optimize_indices`.
        With `fragment_ids`, it covers these fragments only. Settings of the kind, such as `zone_size`, are further
        keyword arguments, or come in an `IndexConfig`.

        >>> ds = LanceDataset(spark, path)
        >>> ds.create_scalar_index("id", "BTREE")
        >>> ds.version, [index.name for index in ds.describe_indices()]
        (2, ['id_idx'])
        """
        indices.create(self, column, index_type, name, replace, train, fragment_ids, settings)
        self.checkout_latest()

    def create_index(
        self,
        column: str,
        index_type: str,
        name: str | None = None,
        metric: str | None = None,
        replace: bool = False,
        num_partitions: int | None = None,
        ivf_centroids: Any = None,
        pq_codebook: Any = None,
        num_sub_vectors: int | None = None,
        *,
        train: bool = True,
        fragment_ids: Sequence[int] | None = None,
        target_partition_size: int | None = None,
        skip_transpose: bool = False,
        **settings: Any,
    ) -> LanceDataset:
        """Builds a vector index on a column by Spark jobs (docs/vector-search.md), with pylance's parameters.

        Without `metric`, distances are those of L2.
        Centroids are arrays of shape (partitions, dimension), a codebook is one of shape (num_sub_vectors, 2^num_bits,
        dimension / num_sub_vectors). Without `train`, the index covers no fragment until `optimize_indices`. With
        `fragment_ids`, it is committed, too, and covers these fragments only. Further settings are `num_bits`,
        `sample_rate`, `max_iters`, `segment_rows`, rows of a segment, and for graphs `m`, `ef_construction` and
        `max_level`.
        """
        given = {
            "metric": metric,
            "num_partitions": num_partitions,
            "ivf_centroids": indices.numbers(ivf_centroids),
            "pq_codebook": indices.numbers(pq_codebook),
            "num_sub_vectors": num_sub_vectors,
            "target_partition_size": target_partition_size,
            "skip_transpose": skip_transpose or None,
            **settings,
        }
        present = {key: value for key, value in given.items() if value is not None}
        indices.create(self, column, index_type, name, replace, train, fragment_ids, present)
        self.checkout_latest()
        return self

    def index_recall(
        self,
        name: str,
        queries: Any = None,
        k: int = 10,
        *,
        sample: int = 100,
        **nearest: Any,
    ) -> float:
        """Returns the share of the `k` nearest rows that a search by a vector index finds, from 0 to 1.

        `queries` are vectors, of shape (n, dimension); without them, `sample` vectors of the table are taken. Further
        arguments are those of a search, such as `nprobes` and `refine_factor`. The exact rows come from a search of the
        whole table.
        """
        return indices.recall(self, name, queries, k, sample, nearest)

    def describe_indices(self) -> list[IndexDescription]:
        """The indices of this version, with their segments."""
        return indices.describe(self)

    def index_statistics(self, index_name: str) -> dict[str, Any]:
        """Numbers of fragments and rows that an index covers, and of those that queries scan without it.

        For vector and full-text indices, `indices` describes the contents of each segment.

        >>> ds = LanceDataset(spark, path)
        >>> ds.create_scalar_index("id", "BTREE")
        >>> ds.insert(spark.range(3, 5))
        >>> ds.index_statistics("id_idx")["num_unindexed_rows"]
        2
        """
        return indices.statistics(self, index_name)

    def prewarm_index(self, name: str) -> None:
        """Reads the parts of an index that all searches need into the driver's cache.

        >>> ds = LanceDataset(spark, path)
        >>> ds.create_scalar_index("id", "BTREE")
        >>> ds.prewarm_index("id_idx")
        """
        call(self.spark, "prewarm_index", table=self._uri, name=name)

    def drop_index(self, name: str) -> None:
        """Drops an index. Clean-up removes its files with the versions that refer to them.

        >>> ds = LanceDataset(spark, path)
        >>> ds.create_scalar_index("id", "BTREE")
        >>> ds.drop_index("id_idx")
        >>> ds.describe_indices()
        []
        """
        call(self.spark, "drop_index", table=self._uri, name=name)
        self.checkout_latest()

    # ---- how it is stored

    @property
    def optimize(self) -> DatasetOptimizer:
        """Maintenance of the table's storage."""
        return DatasetOptimizer(self)

    def cleanup_old_versions(
        self,
        older_than: timedelta | None = None,
        retain_versions: int | None = None,
        *,
        delete_unverified: bool = False,
        error_if_tagged_old_versions: bool = True,
        versions: Sequence[int] | None = None,
    ) -> CleanupStats:
        """Removes old versions, the files that only these refer to, and the files of failed writes.

        Removes versions that meet all given conditions; without conditions, those older than two weeks. Keeps the
        latest version and tagged versions. See docs/maintenance.md.

        >>> ds = LanceDataset(spark, path)
        >>> ds.insert(spark.range(3, 5))
        >>> ds.cleanup_old_versions(retain_versions=1).old_versions
        1
        >>> [v["version"] for v in ds.versions()] == [2]
        True
        """
        return cleaned_up(
            self, older_than, retain_versions, delete_unverified, error_if_tagged_old_versions, versions, dry_run=False
        )

    def explain_cleanup_old_versions(
        self,
        older_than: timedelta | None = None,
        retain_versions: int | None = None,
        *,
        delete_unverified: bool = False,
        error_if_tagged_old_versions: bool = True,
        versions: Sequence[int] | None = None,
    ) -> CleanupStats:
        """Returns what `cleanup_old_versions` would remove, and removes nothing."""
        return cleaned_up(
            self, older_than, retain_versions, delete_unverified, error_if_tagged_old_versions, versions, dry_run=True
        )

    def erase(
        self,
        condition: str,
        *,
        dry_run: bool = False,
        delete_unverified: bool = False,
        clones: Sequence[PathOrName] | None = None,
    ) -> list[ErasureFinding]:
        """Deletes rows, and removes them from all files and versions; then searches what is left (docs/erasure.md).

        Returns what was done. If something still holds the rows, an `ErasureIncompleteException` names it. With
        `dry_run`, nothing changes, and the result also has what would remain. `delete_unverified` removes files that no
        version refers to even if they may belong to a running write. `clones` are paths of tables that may be shallow
        clones of this one.

        >>> ds = LanceDataset(spark, path)
        >>> " ".join(found.kind for found in ds.erase("id = 1"))
        'rows fragment version searched'
        >>> ds.count_rows(), len(ds.versions())
        (2, 1)
        """
        found = erased(self, condition, dry_run, delete_unverified, clones)
        self.checkout_latest()
        return found

    def migrate_to_stable_row_ids(self) -> None:
        """Gives the rows stable ids. The table must have no indices.

        >>> ds = LanceDataset(spark, path)
        >>> ds.migrate_to_stable_row_ids()
        >>> ds.has_stable_row_ids
        True
        """
        call(self.spark, "enable_stable_row_ids", table=self._uri)
        self.checkout_latest()

    def raise_file_version(self, data_storage_version: str) -> None:
        """Raises the file version of new files. Files of version 0.1 are rewritten, others stay as they are.

        >>> ds = LanceDataset(spark, path)
        >>> ds.raise_file_version("2.2")
        >>> ds.data_storage_version
        '2.2'
        """
        call(self.spark, "raise_file_version", table=self._uri, data_storage_version=data_storage_version)
        self.checkout_latest()

    def migrate_manifest_paths_v2(self) -> None:
        """Renames the manifests of an old table to the newer scheme. Nobody may use the table meanwhile."""
        call(self.spark, "migrate_manifest_names", table=self._uri)


def _write(spark: SparkSession, data: Data, path: str, mode: str, options: Mapping[str, Any]) -> None:
    with running(spark):
        frame(spark, data).write.format("lance").mode(mode).options(**options).save(path)


def _latest_if_any(spark: SparkSession, table: str, operation: BaseOperation) -> int:
    """Returns the read version of an operation without one: for a clone its source version."""
    if isinstance(operation, LanceOperation.Clone):
        return int(operation.message.ref_version)
    return LanceDataset(spark, table).version if LanceDataset.exists(spark, table) else 0
