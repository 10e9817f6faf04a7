"""Descriptions of a table: its config, and the metadata of the table, its schema and its fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sparklance._procedures import call
from sparklance.snapshot import Snapshot


class DescribedTable(Snapshot):
    """Config and metadata. Each change is a commit, and the dataset moves to the version that it made."""

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
        """The metadata of the Arrow schema."""
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
