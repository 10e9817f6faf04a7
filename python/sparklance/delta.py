"""Differences of two versions, as pylance's `LanceDataset.delta` names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sparklance.errors import lance_errors
from sparklance.operations import Transaction

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Columns that tell of a change; `_rowid` is the row's.
ADDED = ("_change_type", "_commit_version", "_commit_timestamp")


class DatasetDelta:
    """The rows that differ between two versions of a table: `LanceDataset.delta` returns it.

    Rows that were only moved, as by a compaction, do not differ. Rows that came and went in between do not occur. All
    but insertions need stable row ids.
    """

    def __init__(
        self,
        changes: Callable[[], DataFrame],
        transaction: Callable[[int], Transaction | None],
        begin_version: int,
        end_version: int,
    ) -> None:
        self._changes = changes
        self._transaction = transaction
        self.begin_version = begin_version
        self.end_version = end_version

    def list_transactions(self) -> list[Transaction]:
        """The transactions after the first version, up to the last. Fails if a version has no record of its own."""
        found = {v: self._transaction(v) for v in range(self.begin_version + 1, self.end_version + 1)}
        missing = [v for v, made in found.items() if made is None]
        if missing:
            raise ValueError(f"There is no record of the transaction of version {missing[0]}: it may be cleaned up.")
        return [made for made in found.values() if made is not None]

    def get_inserted_rows(self) -> DataFrame:
        """The rows of the last version that the first one lacks: the columns of the table, and `_rowid`."""
        return self._of("insert")

    def get_updated_rows(self) -> DataFrame:
        """The rows of both versions that were updated in between, as the last version has them, and `_rowid`."""
        return self._of("update_postimage")

    def get_deleted_rows(self) -> DataFrame:
        """The rows of the first version that the last one lacks: the columns of the table, and `_rowid`."""
        return self._of("delete")

    def get_deleted_row_ids(self) -> DataFrame:
        """The ids of the rows of the first version that the last one lacks, as `_rowid`."""
        return self.get_deleted_rows().select("_rowid")

    def _of(self, kind: str) -> DataFrame:
        with lance_errors():
            changes = self._changes()
            return changes.where(changes["_change_type"] == kind).drop(*ADDED)


def read_changes(
    spark: SparkSession, uri: str, start: int, end: int, net: bool, *, equal_states: bool = False
) -> DataFrame:
    """The change feed of the versions from `start` to `end`, both included.

    :param equal_states: whether net changes have updated rows whose values are the same before and after
    """
    options = {"readChangeFeed": True, "startingVersion": start, "endingVersion": end, "netChanges": net}
    if equal_states:
        options["__equal_states"] = True
    with lance_errors():
        return spark.read.format("lance").options(**options).load(uri)


def bounds(
    version: int, compared_against: int | None, to_version: int | None, begin: int | None, end: int | None
) -> tuple[int, int]:
    """The first version, which is excluded, and the last."""
    if (compared_against is None) == (begin is None):
        raise ValueError("Give either compared_against or begin_version, the version to compare with.")
    if to_version is not None and end is not None:
        raise ValueError("to_version and end_version are the same: give one of them.")
    if begin is not None and end is None and to_version is None:
        raise ValueError("begin_version needs end_version: give both, or compared_against.")
    first = compared_against if compared_against is not None else begin
    last = next((v for v in (to_version, end) if v is not None), version)
    assert first is not None
    if not 0 <= first < last:
        raise ValueError(f"Version {first} does not come before version {last}. Give an earlier one.")
    return first, last
