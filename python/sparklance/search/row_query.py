"""Steps that searches for vectors and for texts have in common."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from sparklance._statements import running
from sparklance.results import arrow_table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from sparklance.snapshot import Snapshot


@dataclass(frozen=True, kw_only=True)
class RowQuery(abc.ABC):
    """A search that is put together step by step, with the names of LanceDB. Each method returns a changed copy."""

    dataset: Snapshot
    columns: Sequence[str] | Mapping[str, str] | None = None
    condition: str | None = None
    prefilter: bool = True
    fast: bool = False
    skipped: int | None = None
    row_id: bool = False

    @abc.abstractmethod
    def limit(self, limit: int) -> Self:
        """The number of rows, at most; 10 if it is not set."""

    @abc.abstractmethod
    def _search(self) -> Mapping[str, Any]:
        """The arguments of `to_df` that are those of the search."""

    def offset(self, offset: int) -> Self:
        """Leaves out the first rows; `limit` counts those that follow."""
        return replace(self, skipped=offset)

    def where(self, where: str, prefilter: bool = True) -> Self:
        """A condition in SQL. Without `prefilter` it applies to the best rows of the whole table."""
        return replace(self, condition=where, prefilter=prefilter)

    def select(self, columns: Sequence[str] | Mapping[str, str]) -> Self:
        """Names of columns, or new names with expressions in SQL."""
        return replace(self, columns=columns)

    def fast_search(self) -> Self:
        """Leaves out the rows that the index does not cover."""
        return replace(self, fast=True)

    def with_row_id(self, with_row_id: bool = True) -> Self:
        """Whether `_rowid` is one of the columns."""
        return replace(self, row_id=with_row_id)

    def to_df(self) -> DataFrame:
        """The rows as a DataFrame, by query, then the best first."""
        return self.dataset.to_df(
            self.columns,
            self.condition,
            offset=self.skipped,
            with_row_id=self.row_id,
            prefilter=self.prefilter and self.condition is not None,
            fast_search=self.fast,
            **self._search(),
        )

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table, here in the driver."""
        with running(self.dataset.spark):
            return arrow_table(self.to_df())

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame, here in the driver."""
        return self.to_arrow().to_pandas()

    def to_list(self) -> list[dict[str, Any]]:
        """The rows as dicts, here in the driver."""
        return list(self.to_arrow().to_pylist())
