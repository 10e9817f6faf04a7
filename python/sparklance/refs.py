"""The tags and branches of a table, as attributes of `LanceDataset`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sparklance._procedures import call
from sparklance.reference import Reference, reference_text

if TYPE_CHECKING:
    from sparklance.dataset import LanceDataset


class Tags:
    """Names of versions: `LanceDataset.tags`."""

    def __init__(self, dataset: "LanceDataset") -> None:
        self._dataset = dataset

    def list(self) -> dict[str, dict[str, Any]]:
        """Each tag with its `version`, its `branch` (None is the main one), and when it was made and moved."""
        return _named(self._dataset, "tags", "tag")

    def list_ordered(self, order: str = "desc") -> Sequence[tuple[str, dict[str, Any]]]:
        """Returns all by version, the highest first, or with `asc` the lowest."""
        return _ordered(self.list(), "version", order)

    def get_version(self, tag: str) -> int:
        """The version that a tag names."""
        return self._dataset.checkout_version(tag).version

    def create(self, tag: str, reference: Reference | None = None) -> None:
        """Names a version: the dataset's own, if no other is given.

        >>> ds = LanceDataset(spark, path)
        >>> ds.tags.create("first", 1)
        >>> ds.tags.get_version("first")
        1
        """
        self._call("create_tag", tag, reference)

    def update(self, tag: str, reference: Reference | None = None) -> None:
        """Gives the name to another version."""
        self._call("update_tag", tag, reference)

    def delete(self, tag: str) -> None:
        """Takes a name away. The version stays."""
        call(self._dataset.spark, "delete_tag", table=self._dataset.uri, tag=tag)

    def _call(self, procedure: str, tag: str, reference: Reference | None) -> None:
        version = reference_text(self._dataset.version if reference is None else reference)
        call(self._dataset.spark, procedure, table=self._dataset.uri, tag=tag, version=version)


class Branches:
    """Histories that begin with a version of another one: `LanceDataset.branches`."""

    def __init__(self, dataset: "LanceDataset") -> None:
        self._dataset = dataset

    def list(self) -> dict[str, dict[str, Any]]:
        """Each branch but the main one, with `parent_branch`, `parent_version`, `created_at` and `location`."""
        return _named(self._dataset, "branches", "branch")

    def list_ordered(self, order: str = "desc") -> Sequence[tuple[str, dict[str, Any]]]:
        """Returns all by parent version, the highest first, or with `asc` the lowest."""
        return _ordered(self.list(), "parent_version", order)

    def create(self, branch: str, reference: Reference | None = None) -> "LanceDataset":
        """Makes a branch that begins with a version, the dataset's own if no other is given, and opens it.

        >>> ds = LanceDataset(spark, path)
        >>> exp = ds.branches.create("exp", 1)
        >>> exp.insert(spark.range(100, 101))
        >>> exp.version, exp.count_rows(), ds.checkout_version(("exp", 1)).count_rows()
        (2, 4, 3)
        """
        source = reference_text(self._dataset.version if reference is None else reference)
        call(self._dataset.spark, "create_branch", table=self._dataset.uri, branch=branch, version=source)
        return self._dataset.checkout_version((branch, None))

    def delete(self, branch: str, force: bool = False) -> None:
        """Removes a branch with its files. Those that other branches or tags need stay, and this is an error.

        With `force`, also what an interrupted `create` has left.
        """
        call(self._dataset.spark, "delete_branch", table=self._dataset.uri, branch=branch, force=force)


def _named(dataset: "LanceDataset", procedure: str, name: str) -> dict[str, dict[str, Any]]:
    """The rows of a procedure by the column with their names, each with all other columns."""
    rows = (row.asDict() for row in call(dataset.spark, procedure, table=dataset.uri))
    return {row.pop(name): row for row in rows}


def _ordered(entries: dict[str, dict[str, Any]], field: str, order: str) -> Sequence[tuple[str, dict[str, Any]]]:
    """Sorts by a field, then by name."""
    return sorted(sorted(entries.items()), key=lambda entry: entry[1][field], reverse=order == "desc")
