"""`LanceDataset`: a table at one of its versions, with the names that pylance has for what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sparklance import changes, columns, proto
from sparklance._procedures import call
from sparklance.alterations import alter_columns, drop_columns
from sparklance.changes import MergeInsertBuilder
from sparklance.columns import NewValues, Values
from sparklance.errors import LanceFormatException, LanceTableNotFoundException, lance_errors
from sparklance.maintenance import CleanupStats, DatasetOptimizer, cleaned_up
from sparklance.operations import BaseOperation, LanceOperation, Transaction
from sparklance.reference import Reference, reference_text
from sparklance.refs import Branches, Tags
from sparklance.rows import Columns, Filter, rows_at, selected

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from sparklance.alterations import AlterColumn

_MODES = {"create": "error", "append": "append", "overwrite": "overwrite"}


class LanceDataset:
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

    def __init__(
        self,
        spark: SparkSession,
        path_or_table: str,
        version: Reference | None = None,
        *,
        asof: datetime | None = None,
    ) -> None:
        """Opens a table by its path, which has a slash, or its name: the latest version, or the one that is named.

        `version` is a number, a tag, a branch, or a pair of branch and number; `asof` instead of it opens what was the
        latest version then.
        """
        self.spark = spark
        self._name = None if "/" in path_or_table else path_or_table
        self._open(path_or_table, version, asof)

    def _open(self, table: str, version: Reference | None = None, asof: datetime | None = None) -> None:
        (row,) = call(self.spark, "manifest", table=table, version=reference_text(version), as_of=asof)
        self._version = int(row.version)
        self._uri = str(row.location)
        self._branch: str | None = row.branch
        self._timestamp: datetime = row.timestamp
        self._manifest: Any = proto.Manifest.FromString(bytes(row.manifest))

    @classmethod
    def for_path(cls, spark: SparkSession, path: str, version: Reference | None = None) -> LanceDataset:
        """Opens the table in a directory."""
        return cls(spark, path if "/" in path else f"./{path}", version)

    @classmethod
    def for_name(cls, spark: SparkSession, name: str, version: Reference | None = None) -> LanceDataset:
        """Opens a table of a catalog."""
        return cls(spark, name, version)

    @staticmethod
    def exists(spark: SparkSession, path_or_table: str) -> bool:
        """Whether there is a Lance table.

        >>> LanceDataset.exists(spark, path), LanceDataset.exists(spark, path + "/nothing")
        (True, False)
        """
        if "/" not in path_or_table:
            return bool(spark.catalog.tableExists(path_or_table))
        try:
            call(spark, "manifest", table=path_or_table)
        except LanceTableNotFoundException:
            return False
        return True

    @classmethod
    def create(
        cls, spark: SparkSession, data: DataFrame | pa.Table, path: str, mode: str = "create", **options: Any
    ) -> LanceDataset:
        """Writes rows, a DataFrame or an Arrow table, to a path, and opens what it made.

        The mode is `create`, where nothing is there yet, `append`, or `overwrite`, which replaces rows and columns. The
        options are those of any write (docs/options.md).
        """
        _write(spark, data, path, _MODES[mode], options)
        return cls(spark, path)

    # ---- what it is

    @property
    def uri(self) -> str:
        """Where the table is, or the branch of it."""
        return self._uri

    @property
    def version(self) -> int:
        """The number of the version."""
        return self._version

    @property
    def timestamp(self) -> datetime:
        """When the version was committed."""
        return self._timestamp

    @property
    def branch(self) -> str | None:
        """The branch that the version is of; None for the main one."""
        return self._branch

    @property
    def latest_version(self) -> int:
        """The number of the latest version by now."""
        return int(call(self.spark, "manifest", table=self._uri)[0].version)

    @property
    def manifest(self) -> Any:
        """All that describes the version: a message `lance.table.Manifest`."""
        return self._manifest

    @property
    def schema(self) -> StructType:
        """The columns as Spark has them."""
        return self.to_df().schema

    @property
    def lance_schema(self) -> list[Any]:
        """The fields as Lance has them, from the outside to the inside: messages `lance.file.Field`."""
        return list(self._manifest.fields)

    @property
    def fragments(self) -> list[Any]:
        """What the rows are in: messages `lance.table.DataFragment`."""
        return list(self._manifest.fragments)

    @property
    def data_storage_version(self) -> str:
        """The version of the files' format."""
        return str(self._manifest.data_format.version)

    @property
    def has_stable_row_ids(self) -> bool:
        """Whether rows keep their ids when they are updated or moved."""
        return bool(self._manifest.reader_feature_flags & 2)

    def __repr__(self) -> str:
        return f"LanceDataset({self._name or self._uri!r}, version {self._version})"

    # ---- its rows

    def to_df(
        self, columns: Columns | None = None, filter: Filter | None = None, with_row_id: bool = False, **options: Any
    ) -> DataFrame:
        """The rows.

        `columns` are names, or new names with SQL expressions; `filter` is a condition in SQL or a `Column`. The
        options are those of any read (docs/options.md).
        """
        return selected(self._read(options), columns, filter, with_row_id)

    def _read(self, options: Mapping[str, Any]) -> DataFrame:
        with lance_errors():
            if self._name and not self._branch:
                return self.spark.read.options(**options, versionAsOf=self._version).table(self._name)
            return self.spark.read.format("lance").options(**options, version=self._version).load(self._uri)

    def to_arrow(self, columns: Columns | None = None, filter: Filter | None = None) -> pa.Table:
        """The rows as an Arrow table, here in the driver.

        >>> LanceDataset(spark, path).to_arrow(columns={"double": "id * 2"})["double"].to_pylist()
        [0, 2, 4]
        """
        with lance_errors():
            return self.to_df(columns, filter).toArrow()

    def to_pandas(self, columns: Columns | None = None, filter: Filter | None = None) -> pd.DataFrame:
        """The rows as a pandas DataFrame, here in the driver."""
        return self.to_arrow(columns, filter).to_pandas()

    def count_rows(self, filter: Filter | None = None) -> int:
        """How many rows there are, or fulfil a condition."""
        with lance_errors():
            return self.to_df(filter=filter).count()

    def head(self, num_rows: int, columns: Columns | None = None, filter: Filter | None = None) -> DataFrame:
        """The first rows."""
        return self.to_df(columns, filter).limit(num_rows)

    def take(self, indices: Sequence[int], columns: Columns | None = None) -> DataFrame:
        """The rows at some positions, from 0, in the order in which these are given.

        >>> LanceDataset(spark, path).take([2, 0, 2]).toArrow()["id"].to_pylist()
        [2, 0, 2]
        """
        version = str(self._version)
        found = call(self.spark, "row_addresses", table=self._uri, positions=list(indices), version=version)
        return rows_at(self.to_df(), "_rowaddr", [row["_rowaddr"] for row in found], columns)

    def take_rows(self, row_ids: Sequence[int], columns: Columns | None = None) -> DataFrame:
        """The rows with some ids (`_rowid`), in the order in which these are given, without ids that no row has."""
        return rows_at(self.to_df(), "_rowid", list(row_ids), columns)

    def insert(self, data: DataFrame | pa.Table, mode: str = "append", **options: Any) -> None:
        """Adds rows, or with mode `overwrite` replaces all, and the columns.

        >>> ds = LanceDataset(spark, path)
        >>> ds.insert(spark.range(3, 5))
        >>> ds.version, ds.count_rows()
        (2, 5)
        """
        _write(self.spark, data, self._uri, _MODES[mode], options)
        self.checkout_latest()

    # ---- changing rows

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

    def update(self, updates: Mapping[str, str | Column], where: Filter | None = None) -> dict[str, int]:
        """Sets columns to what expressions say, in all rows or in those that fulfil a condition.

        >>> LanceDataset(spark, path).update({"id": "id + 10"}, where="id > 0")
        {'num_rows_updated': 2}
        """
        counts = changes.update(self.spark, self._sql_name, updates, where)
        self.checkout_latest()
        return counts

    def merge_insert(self, on: str | Sequence[str] | None = None) -> MergeInsertBuilder:
        """Changes rows by those of another table, which have the same keys; without `on`, by the primary key.

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
        """Adds columns with values, and writes nothing but these (docs/changing-columns.md).

        `transforms` are names with expressions, in SQL or as `Column`s; `Column`s with aliases; a function of Spark
        (`udf`, `pandas_udf`) that makes a struct of the new columns of `read_columns`; or a DataFrame that has the new
        columns and `_rowaddr`, `_rowid` or the keys `on`. If a call fails, one with the same `job_id` goes on with what
        is finished. Columns of a schema, Spark's or Arrow's, are null in all rows, and nothing is written.

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
        """Gives columns other values where the rows are, and writes nothing but these columns.

        Takes what `add_columns` does. Rows that do not fulfil the condition, or of which a DataFrame does not tell,
        keep their values. See docs/changing-columns.md for when `update` is better.

        >>> ds = LanceDataset(spark, path)
        >>> ds.update_columns({"id": "id + 10"}, where="id > 0")
        >>> ds.to_arrow()["id"].to_pylist()
        [0, 11, 12]
        """
        columns.update(self, transforms, where, read_columns, on, job_id)
        self.checkout_latest()

    def alter_columns(self, *alterations: AlterColumn) -> None:
        """Changes names, types or nullability of columns, named by their paths, all in one version.

        Only a column that gets another type is written anew. Types are Spark's, Arrow's, or Lance's names of them;
        values that another type does not have are an error.

        >>> ds = LanceDataset(spark, path)
        >>> ds.alter_columns({"path": "id", "name": "key", "data_type": "int32"})
        >>> ds.schema.simpleString()
        'struct<key:int>'
        """
        alter_columns(self.spark, self._uri, alterations)
        self.checkout_latest()

    def drop_columns(self, columns: Sequence[str]) -> None:
        """Takes columns, or fields in them, away, and leaves their files alone.

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
        return f"lance.`{self._uri}`"

    # ---- its versions

    def versions(self) -> list[dict[str, Any]]:
        """All versions that are kept, oldest first: `version`, `timestamp`, and `metadata` with their sizes."""
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

    def checkout_latest(self) -> None:
        """Moves to the latest version."""
        self._open(self._uri)

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
        """The same as `branches.create`."""
        return self.branches.create(branch, reference)

    def shallow_clone(self, target_path: str, reference: Reference | None = None) -> LanceDataset:
        """Makes a table at another path that begins with a version, this one if no other is given, and opens it.

        It goes on using the files of this table, which must not be removed from then on.
        """
        version = reference_text(self._version if reference is None else reference)
        call(self.spark, "shallow_clone", table=self._uri, target=target_path, version=version)
        return LanceDataset(self.spark, target_path)

    # ---- its commits

    @classmethod
    def commit(
        cls,
        spark: SparkSession,
        path_or_table: str,
        operation: BaseOperation | Transaction,
        read_version: int | None = None,
        *,
        commit_message: str | None = None,
        enable_stable_row_ids: bool = False,
    ) -> LanceDataset:
        """Commits an operation, or a transaction of one, and opens the version that it made.

        `read_version` is the version at which the operation was begun: what others have committed since then is held
        against it. Only an overwrite, which may make a table, and a clone do without.

        >>> change = LanceOperation.UpdateConfig(LanceOperation.UpdateMap({"owner": "me"}))
        >>> ds = LanceDataset.commit(spark, path, change, read_version=1, commit_message="mine")
        >>> ds.config(), ds.read_transaction(2).commit_message
        ({'owner': 'me'}, 'mine')
        """
        if isinstance(operation, BaseOperation):
            if read_version is None and not isinstance(operation, LanceOperation.Overwrite | LanceOperation.Clone):
                raise ValueError(
                    f"{type(operation).__name__} needs a read_version: the version of the table at which it was begun, "
                    "such as that of the LanceDataset from which it was made."
                )
            if read_version is None:
                read_version = _latest_if_any(spark, path_or_table, operation)
            operation = Transaction(read_version, operation)
        data = operation.with_message(commit_message).to_bytes()
        stable = enable_stable_row_ids
        call(spark, "commit", table=path_or_table, transaction=data, enable_stable_row_ids=stable)
        return cls(spark, path_or_table)

    def read_transaction(self, version: int | None = None) -> Transaction | None:
        """What made a version, this one if no other is given; None if nothing is known of it any more."""
        wanted = str(self._version if version is None else version)
        rows = call(self.spark, "read_transaction", table=self._uri, version=wanted)
        return Transaction.from_bytes(bytes(rows[0].transaction)) if rows else None

    def validate(self) -> None:
        """Holds manifest, files, deletions, row ids and indices against each other; what is wrong is an error."""
        found = call(self.spark, "validate", table=self._uri, version=str(self._version))
        if found:
            shown = "; ".join(
                f"{row.problem}" + (f" (fragment {row.fragment})" if row.fragment is not None else "") for row in found
            )
            raise LanceFormatException(f"{self._uri}, version {self._version}: {shown}")

    # ---- how it is stored

    @property
    def optimize(self) -> DatasetOptimizer:
        """What changes how the table is stored."""
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
        """Removes old versions, the files that only these refer to, and what failed writes have left.

        Versions go of which all conditions that are given are true; if none is, those older than two weeks. The latest
        stays, and so do those with tags. See docs/maintenance.md.

        >>> ds = LanceDataset(spark, path)
        >>> ds.insert(spark.range(3, 5))
        >>> ds.cleanup_old_versions(retain_versions=1).old_versions
        1
        >>> [v["version"] for v in ds.versions()]
        [2]
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
        """Says what `cleanup_old_versions` would remove, and removes nothing."""
        return cleaned_up(
            self, older_than, retain_versions, delete_unverified, error_if_tagged_old_versions, versions, dry_run=True
        )

    def migrate_to_stable_row_ids(self) -> None:
        """Gives the rows ids that they keep; the table must have no indices.

        >>> ds = LanceDataset(spark, path)
        >>> ds.migrate_to_stable_row_ids()
        >>> ds.has_stable_row_ids
        True
        """
        call(self.spark, "enable_stable_row_ids", table=self._uri)
        self.checkout_latest()

    # ---- what is said of it

    def config(self) -> dict[str, str]:
        """Settings of the table, for all who write to it."""
        return dict(self._manifest.config)

    def update_config(self, values: Mapping[str, str | None], *, replace: bool = False) -> dict[str, str]:
        """Sets keys of the config, and removes those whose value is None; with `replace` all others, too.

        >>> ds = LanceDataset(spark, path)
        >>> ds.update_config({"a": "1", "b": "2"})
        {'a': '1', 'b': '2'}
        >>> ds.update_config({"a": None})
        {'b': '2'}
        """
        return self._update("update_config", values, replace)

    def delete_config_keys(self, keys: Sequence[str]) -> None:
        """Removes keys of the config."""
        self.update_config(dict.fromkeys(keys))

    @property
    def metadata(self) -> dict[str, str]:
        """Whatever users note of the table."""
        return dict(self._manifest.table_metadata)

    def update_metadata(self, values: Mapping[str, str | None], *, replace: bool = False) -> dict[str, str]:
        """Changes that, as `update_config` does."""
        return self._update("update_metadata", values, replace)

    @property
    def schema_metadata(self) -> dict[str, str]:
        """The metadata of the schema, as Arrow has it."""
        return {key: value.decode() for key, value in self._manifest.schema_metadata.items()}

    def update_schema_metadata(self, values: Mapping[str, str | None], *, replace: bool = False) -> dict[str, str]:
        """Changes that, as `update_config` does."""
        return self._update("update_schema_metadata", values, replace)

    def update_field_metadata(
        self, field_updates: Mapping[str, Mapping[str, str | None]], *, replace: bool = False
    ) -> None:
        """Changes the metadata of fields, by their names or paths (`struct.field`), one commit each."""
        for path, values in field_updates.items():
            self._update("update_field_metadata", values, replace, field=path)

    def _update(self, procedure: str, values: Mapping[str, str | None], replace: bool, **more: Any) -> dict[str, str]:
        rows = call(self.spark, procedure, table=self._uri, values=values, replace=replace, **more)
        self.checkout_latest()
        return {row.key: row.value for row in rows}

    def migrate_manifest_paths_v2(self) -> None:
        """Names the manifests of an old table as those of new tables; nobody may use the table meanwhile."""
        call(self.spark, "migrate_manifest_names", table=self._uri)


def _write(spark: SparkSession, data: DataFrame | pa.Table, path: str, mode: str, options: Mapping[str, Any]) -> None:
    frame: DataFrame = data if hasattr(data, "write") else spark.createDataFrame(data)
    with lance_errors():
        frame.write.format("lance").mode(mode).options(**options).save(path)


def _latest_if_any(spark: SparkSession, table: str, operation: BaseOperation) -> int:
    """Where an operation begins that does not say so; a clone at the version that it is made of."""
    if isinstance(operation, LanceOperation.Clone):
        return int(operation.message.ref_version)
    return LanceDataset(spark, table).version if LanceDataset.exists(spark, table) else 0
