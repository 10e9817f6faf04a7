"""Operations of commits, as values for `LanceDataset.commit`: `LanceOperation`.

Each holds the protobuf message of the format as `message`. Fragments, files, fields and indices are messages as well:
`LanceDataset.fragments` and `LanceDataset.manifest` have those of a table, `write_fragments` makes new ones.
"""

import uuid as uuids
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sparklance import proto

_COMMIT_MESSAGE = "__lance_commit_message"


class BaseOperation:
    """Equal to another one if the messages are."""

    #: What the format calls it within a transaction.
    arm: ClassVar[str]

    def __init__(self, message: Any) -> None:
        self.message = message

    @classmethod
    def _of(cls, message: Any) -> "BaseOperation":
        operation = cls.__new__(cls)
        operation.message = message
        return operation

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaseOperation) and self.arm == other.arm and bool(self.message == other.message)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.message).strip()})"


def _new(name: str, **fields: Any) -> Any:
    return proto.message_class(f"lance.table.Transaction.{name}")(**fields)


class LanceOperation:
    """All operations, by the names that the format gives them."""

    class Append(BaseOperation):
        """Adds rows."""

        arm = "append"

        def __init__(self, fragments: Iterable[Any]) -> None:
            super().__init__(_new("Append", fragments=list(fragments)))

    class Delete(BaseOperation):
        """Deletes rows: fragments that have new deletion files, and those that are gone."""

        arm = "delete"

        def __init__(
            self, updated_fragments: Iterable[Any], deleted_fragment_ids: Iterable[int], predicate: str = ""
        ) -> None:
            fields = {"updated_fragments": list(updated_fragments), "predicate": predicate}
            super().__init__(_new("Delete", deleted_fragment_ids=list(deleted_fragment_ids), **fields))

    class Overwrite(BaseOperation):
        """Replaces all rows and the columns, or makes a table. The schema is a sequence of fields."""

        arm = "overwrite"

        def __init__(self, new_schema: Iterable[Any], fragments: Iterable[Any]) -> None:
            super().__init__(_new("Overwrite", schema=list(new_schema), fragments=list(fragments)))

    class CreateIndex(BaseOperation):
        """Adds segments of indices, and drops others."""

        arm = "create_index"

        def __init__(self, new_indices: Iterable[Any], removed_indices: Iterable[Any] = ()) -> None:
            super().__init__(_new("CreateIndex", new_indices=list(new_indices), removed_indices=list(removed_indices)))

    @dataclass(frozen=True)
    class RewriteGroup:
        """Fragments, and those that hold the same rows afterwards."""

        old_fragments: Sequence[Any]
        new_fragments: Sequence[Any]

    class Rewrite(BaseOperation):
        """Moves rows to other fragments without changing them."""

        arm = "rewrite"

        def __init__(
            self, groups: "Iterable[LanceOperation.RewriteGroup]", rewritten_indices: Iterable[Any] = ()
        ) -> None:
            super().__init__(
                _new(
                    "Rewrite",
                    groups=[
                        _new(
                            "Rewrite.RewriteGroup", old_fragments=group.old_fragments, new_fragments=group.new_fragments
                        )
                        for group in groups
                    ],
                    rewritten_indices=list(rewritten_indices),
                )
            )

    class Merge(BaseOperation):
        """Adds columns: all fragments, with the files of these, and the new schema, a sequence of fields."""

        arm = "merge"

        def __init__(
            self, fragments: Iterable[Any], schema: Iterable[Any], preserves_nullability: bool = False
        ) -> None:
            fields = {"fragments": list(fragments), "preserves_nullability": preserves_nullability}
            super().__init__(_new("Merge", schema=list(schema), **fields))

    class Restore(BaseOperation):
        """Brings an older version back."""

        arm = "restore"

        def __init__(self, version: int) -> None:
            super().__init__(_new("Restore", version=version))

    class ReserveFragments(BaseOperation):
        """Takes ids of fragments for a rewrite to come."""

        arm = "reserve_fragments"

        def __init__(self, num_fragments: int) -> None:
            super().__init__(_new("ReserveFragments", num_fragments=num_fragments))

    class Update(BaseOperation):
        """Changes rows: by moving them to new fragments, or columns in place."""

        arm = "update"

        def __init__(
            self,
            removed_fragment_ids: Iterable[int] = (),
            updated_fragments: Iterable[Any] = (),
            new_fragments: Iterable[Any] = (),
            fields_modified: Iterable[int] = (),
            fields_for_preserving_frag_bitmap: Iterable[int] = (),
        ) -> None:
            super().__init__(
                _new(
                    "Update",
                    removed_fragment_ids=list(removed_fragment_ids),
                    updated_fragments=list(updated_fragments),
                    new_fragments=list(new_fragments),
                    fields_modified=list(fields_modified),
                    fields_for_preserving_frag_bitmap=list(fields_for_preserving_frag_bitmap),
                )
            )

    class Project(BaseOperation):
        """Drops or renames columns: the new schema is a sequence of fields."""

        arm = "project"

        def __init__(self, schema: Iterable[Any], preserves_nullability: bool = False) -> None:
            super().__init__(_new("Project", schema=list(schema), preserves_nullability=preserves_nullability))

    @dataclass(frozen=True)
    class UpdateMap:
        """Keys with their new values; None removes one. With `replace`, all others are removed as well."""

        updates: Mapping[str, str | None]
        replace: bool = False

        def to_message(self) -> Any:
            entries = [_new("UpdateMapEntry", key=key, value=value) for key, value in self.updates.items()]
            return _new("UpdateMap", update_entries=entries, replace=self.replace)

    class UpdateConfig(BaseOperation):
        """Changes the config, and the metadata of the table, its schema, and fields by their ids."""

        arm = "update_config"

        def __init__(
            self,
            config_updates: "LanceOperation.UpdateMap | None" = None,
            table_metadata_updates: "LanceOperation.UpdateMap | None" = None,
            schema_metadata_updates: "LanceOperation.UpdateMap | None" = None,
            field_metadata_updates: "Mapping[int, LanceOperation.UpdateMap] | None" = None,
        ) -> None:
            super().__init__(
                _new(
                    "UpdateConfig",
                    config_updates=config_updates and config_updates.to_message(),
                    table_metadata_updates=table_metadata_updates and table_metadata_updates.to_message(),
                    schema_metadata_updates=schema_metadata_updates and schema_metadata_updates.to_message(),
                )
            )
            for number, updates in (field_metadata_updates or {}).items():
                self.message.field_metadata_updates[number].CopyFrom(updates.to_message())

    @dataclass(frozen=True)
    class DataReplacementGroup:
        """A fragment, and a file of its rows with the columns that it replaces."""

        fragment_id: int
        new_file: Any

    class DataReplacement(BaseOperation):
        """Replaces columns of fragments by files of the same rows."""

        arm = "data_replacement"

        def __init__(self, replacements: "Iterable[LanceOperation.DataReplacementGroup]") -> None:
            groups = [
                _new("DataReplacementGroup", fragment_id=each.fragment_id, new_file=each.new_file)
                for each in replacements
            ]
            super().__init__(_new("DataReplacement", replacements=groups))

    class Clone(BaseOperation):
        """Makes a table, or a branch of one, that goes on using the files of a version of another."""

        arm = "clone"

        def __init__(
            self,
            is_shallow: bool,
            ref_name: str | None,
            ref_version: int,
            ref_path: str,
            branch_name: str | None = None,
        ) -> None:
            fields = {"ref_name": ref_name, "ref_version": ref_version, "ref_path": ref_path}
            super().__init__(_new("Clone", is_shallow=is_shallow, branch_name=branch_name, **fields))

    class UpdateBases(BaseOperation):
        """Adds places in which files may be: messages `lance.table.BasePath`."""

        arm = "update_bases"

        def __init__(self, new_bases: Iterable[Any]) -> None:
            super().__init__(_new("UpdateBases", new_bases=list(new_bases)))


_BY_ARM: dict[str, type[BaseOperation]] = {
    each.arm: each
    for each in vars(LanceOperation).values()
    if isinstance(each, type) and issubclass(each, BaseOperation)
}


@dataclass(frozen=True)
class Transaction:
    """An operation, and the version of the table at which it was begun.

    >>> change = Transaction(3, LanceOperation.Restore(1))
    >>> Transaction.from_bytes(change.to_bytes()) == change
    True
    """

    read_version: int
    operation: BaseOperation
    uuid: str = field(default_factory=lambda: str(uuids.uuid4()))
    transaction_properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def commit_message(self) -> str | None:
        """The text that was given with the commit."""
        return self.transaction_properties.get(_COMMIT_MESSAGE)

    def with_message(self, commit_message: str | None) -> "Transaction":
        """Returns the transaction with a commit message."""
        if commit_message is None:
            return self
        properties = {**self.transaction_properties, _COMMIT_MESSAGE: commit_message}
        return Transaction(self.read_version, self.operation, self.uuid, properties)

    def to_bytes(self) -> bytes:
        """The message `lance.table.Transaction`."""
        operation = {self.operation.arm: self.operation.message}
        message: Any = proto.Transaction(read_version=self.read_version, uuid=self.uuid, **operation)
        message.transaction_properties.update(self.transaction_properties)
        return bytes(message.SerializeToString())

    @staticmethod
    def from_bytes(data: bytes) -> "Transaction":
        """From that message. An operation that is none of `LanceOperation` is a `BaseOperation`."""
        message: Any = proto.Transaction.FromString(data)
        arm = message.WhichOneof("operation")
        operation = _BY_ARM.get(arm, BaseOperation)._of(getattr(message, arm) if arm else None)
        return Transaction(message.read_version, operation, message.uuid, dict(message.transaction_properties))
